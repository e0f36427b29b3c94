import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

extension FocusdTests {
    /// What screen readers say of themselves: modes, regions, nonsense.
    @Suite struct Modes {
        @Test(arguments: ["object-navigator", "say-all", "caret-tracking", "structural-navigator", "a-mode-of-2031"])
        func `every mode but mouse review is passed on and moves the aggregate`(mode: String) async throws {
            try await withScene { scene in
                let app = try scene.application()
                let orca = try scene.reader()
                let (own, aggregate) = (try scene.watch("orca"), try scene.watch(nil))
                #expect(own.first.technology == nil && own.first.element == nil)
                try await orca.present("label", of: app, mode: mode)
                for watch in [own, aggregate] {
                    let change = try watch.next(until: "label") { $0.element?.name == "Total" && !$0.assumed }
                    #expect(change.mode == mode)
                    #expect(change.technology == "orca")
                    #expect(change.element?.window?.name == "calc window")
                    #expect(change.element?.application.name == "calc")
                }
            }
        }

        @Test func `mouse review moves its technology and not the aggregate`() async throws {
            try await withScene { scene in
                let app = try scene.application()
                let orca = try scene.reader()
                let own = try await scene.watch(orca, on: "ok", of: app)
                let aggregate = try scene.watch(nil)
                try await orca.present("label", of: app, mode: "mouse-review")
                #expect(try own.expect(app, "label", cause: "moved").mode == "mouse-review")
                try await orca.present("help", of: app)
                try own.expect(app, "help", cause: "moved")
                let next = try aggregate.expect(app, "help", cause: "moved")
                #expect(next.previous?.name == "OK")
            }
        }

        @Test func `of a flat review pair only the last is told`() async throws {
            try await withScene { scene in
                let app = try scene.application()
                let orca = try scene.reader()
                let watch = try await scene.watch(orca, on: "ok", of: app)
                // Known already, so that both are understood at once.
                try await orca.present("help", of: app)
                try watch.expect(app, "help", cause: "moved")
                try await orca.present("cancel", of: app)
                try watch.expect(app, "cancel", cause: "moved")
                let mode = orca
                _ = try await mode.ask(
                    "pair flat-review \(app.busName) \(app.node("help").path) \(app.node("ok").path)")
                #expect(try watch.expect(app, "ok", cause: "moved").mode == "flat-review")
                try await orca.present("label", of: app)
                #expect(try watch.expect(app, "label", cause: "moved").previous?.name == "OK")
            }
        }

        @Test func `a region is told, and changes of it only where updates are asked for`() async throws {
            try await withScene { scene in
                let app = try scene.application()
                let orca = try scene.reader()
                let plain = try await scene.watch(orca, on: "ok", of: app)
                let updated = try scene.watch("orca", updates: true)
                let (bus, path) = (app.busName, app.node("label").path)
                try await orca.present(mode: "caret-tracking", bus: bus, path: path, start: 1, end: 3)
                for watch in [plain, updated] {
                    let change = try watch.expect(app, "label", cause: "moved")
                    #expect(change.region == Region(start: 1, end: 3))
                }
                try await orca.present(mode: "caret-tracking", bus: bus, path: path, start: 2, end: 2)
                let update = try updated.next(until: "region") { $0.region == Region(start: 2, end: 2) }
                #expect(update.cause == "updated" && update.element?.path == path)
                try await orca.present(mode: "say-all", bus: bus, path: path, start: 2, end: 2)
                #expect(try updated.next(until: "mode") { $0.mode == "say-all" }.cause == "updated")
                try await orca.present("help", of: app)
                try plain.expect(app, "help", cause: "moved")
            }
        }

        @Test(arguments: ["password", "terminal"])
        func `where the caret is in secret text is told to nobody`(key: String) async throws {
            try await withScene { scene in
                let app = try scene.application()
                try app.add(FakeNode("terminal", .terminal, name: "Terminal"), to: "panel")
                try app.add(FakeNode("inside", .paragraph, name: "Line"), to: "terminal")
                let orca = try scene.reader()
                let watch = try await scene.watch(orca, on: "ok", of: app)
                let updated = try scene.watch("orca", updates: true)
                let inner = key == "terminal" ? "inside" : key
                for end: Int32 in 1...3 {
                    try await orca.present(
                        mode: "caret-tracking", bus: app.busName, path: app.node(inner).path, start: 0, end: end)
                }
                #expect(try watch.expect(app, inner, cause: "moved").region == nil)
                try await orca.present("help", of: app)
                try watch.expect(app, "help", cause: "moved")
                var regions: [Region?] = []
                try updated.next(until: "help") {
                    if $0.element?.name != "Help" { regions.append($0.region) }
                    return $0.element?.name == "Help"
                }
                #expect(!regions.isEmpty && regions.allSatisfy { $0 == nil })
                #expect(app.count("GetText") == 0)
            }
        }

        @Test func `without ModeChanged the last mode holds, and at first there is none`() async throws {
            try await withScene { scene in
                let app = try scene.application()
                let orca = try scene.reader()
                let watch = try scene.watch("orca")
                func region(_ key: String) async throws {
                    _ = try await orca.ask("signal RegionChanged - 0 0 \(app.busName) \(app.node(key).path)")
                }
                try await region("ok")
                let first = try watch.next(until: "ok") { $0.element?.name == "OK" && !$0.assumed }
                #expect(first.mode == nil)
                try await orca.present("cancel", of: app, mode: "say-all")
                #expect(try watch.expect(app, "cancel", cause: "moved").mode == "say-all")
                try await region("help")
                #expect(try watch.expect(app, "help", cause: "moved").mode == "say-all")
            }
        }

        @Test func `nonsense from a screen reader is counted and changes nothing`() async throws {
            try await withScene { scene in
                let app = try scene.application()
                let orca = try scene.reader()
                let watch = try await scene.watch(orca, on: "ok", of: app)
                let before = try scene.counter("malformedMessages")
                _ = try await orca.ask("signal RegionChanged - 0 0 - /org/a11y/atspi/null")
                for body in ["empty", "number", "string", "short"] { _ = try await orca.ask("nonsense \(body)") }
                try scene.waitForCounter("malformedMessages", before + 5)
                try await orca.present("help", of: app)
                #expect(try watch.expect(app, "help", cause: "moved").previous?.name == "OK")
            }
        }
    }
}
