import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

extension FocusdTests {
    /// Who says what is not theirs to say: refused, and counted.
    @Suite(.enabled(if: hasRegistry)) struct Forged {
        private func counted(_ scene: FocusdScene, _ names: String...) throws -> Int64 {
            try names.reduce(0) { $0 + (try scene.counter($1)) }
        }

        @Test func `forged ScreenReader signals are refused and counted`() async throws {
            try await withScene { scene in
                let app = try scene.application()
                let orca = try scene.reader()
                let watch = try await scene.watch(orca, on: "ok", of: app)
                let updates = try scene.watch("orca", updates: true)
                let stranger = try scene.peer()
                let target = DBusValue.reference(app.busName, app.node("cancel").path)
                let before = try scene.counter("foreignSignals")
                for member in ["ModeChanged", "RegionChanged"] {
                    try stranger.emit(
                        path: "/org/a11y/atspi/accessible/root", interface: "org.a11y.atspi.Event.ScreenReader",
                        member: member, ["say-all", 0, 0, .variant(target), .variantDictionary([])])
                    try stranger.settle()
                }
                try scene.waitForCounter("foreignSignals", before + 2)
                // The mode that it forged is nobody's.
                try await orca.present("help", of: app)
                #expect(try watch.expect(app, "help", cause: "moved").mode == "focus-tracking")
                #expect(try updates.expect(app, "help", cause: "moved").previous?.name == "OK")
                #expect(try scene.client().diagnose().contains { $0.code == "forgedMessages" })
            }
        }

        @Test func `a second orca is refused and counted, whatever it says, while the first lives`() async throws {
            try await withScene { scene in
                let app = try scene.application()
                let orca = try scene.reader()
                let watch = try await scene.watch(orca, on: "ok", of: app)
                let second = try scene.reader()
                // Who it is must be asked first.
                try await second.present("cancel", of: app, mode: "say-all")
                try scene.waitForCounter("refusedTechnologies", 1)
                let before = try scene.counter("foreignSignals")
                for _ in 0..<5 { try await second.present("cancel", of: app, mode: "say-all") }
                try scene.waitForCounter("foreignSignals", before + 10)
                try await orca.present("help", of: app)
                #expect(try watch.expect(app, "help", cause: "moved").mode == "focus-tracking")
                #expect(try scene.client().listTechnologies().first { $0.id == "orca" }?.busName == orca.busName)
            }
        }

        @Test func `forged owner changes are refused and counted`() async throws {
            try await withScene(registry: true) { scene in
                let app = try scene.application()
                let orca = try scene.reader()
                let watch = try await scene.watch(orca, on: "ok", of: app)
                #expect(try scene.client().find("push-button[name=OK]").elements.count == 1)
                let evil = try scene.peer()
                let before = try scene.counter("forgedMessages")
                let forged: [(String, String, String)] = [
                    (orca.busName, orca.busName, ""), (app.busName, app.busName, ""), (":1.999", "", ":1.999"),
                    ("org.a11y.atspi.Registry", "", evil.uniqueName), ("org.a11y.atspi.Registry", ":1.0", ""),
                ]
                // Not to everybody: the registry would believe it.
                let focusd = try scene.busName(as: evil)
                for (name, old, new) in forged {
                    try evil.emit(
                        path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged",
                        [.string(name), .string(old), .string(new)], to: focusd)
                }
                try evil.settle()
                try scene.waitForCounter("forgedMessages", before + Int64(forged.count))
                #expect(try scene.client().focus(of: "orca").element?.name == "OK")
                #expect(try scene.client().find("push-button[name=OK]").elements.count == 1)
                // Nor is it the registry now.
                try evil.emit(
                    path: "/org/a11y/atspi/accessible/root", interface: "org.a11y.atspi.Event.Object",
                    member: "ChildrenChanged",
                    ["remove", 0, 0, .variant(.reference(app.busName, app.root.path)), .variantDictionary([])])
                try evil.settle()
                #expect(try scene.client().find("push-button[name=OK]").elements.count == 1)
                try await orca.present("help", of: app)
                #expect(try watch.expect(app, "help", cause: "moved").previous?.name == "OK")
            }
        }

        @Test func `events about other applications' objects are refused and counted`() async throws {
            try await withScene(registry: true) { scene in
                let (app, evil) = (try scene.application(), try scene.application("evil"))
                let orca = try scene.reader()
                _ = try await scene.watch(orca, on: "ok", of: app)
                let client = try scene.client()
                #expect(try client.find("push-button[name=OK]").elements.count == 2)
                let before = try scene.counter("forgedMessages")
                let victim = app.referenceValue("ok")
                try evil.emit(.childrenChanged("add", index: 0, child: victim), from: "panel")
                try evil.emit(.childrenChanged("remove", index: 0, child: victim), from: "panel")
                try evil.emit(.activeDescendantChanged(victim), from: "ok")
                for member in ["AddAccessible", "RemoveAccessible"] {
                    let item: DBusValue = .structure([
                        victim, app.referenceValue("panel"), app.referenceValue("panel"), 0, 0,
                        .array("s", ["org.a11y.atspi.Accessible"]), "Forged", .uint32(43), "",
                        .array("u", [.uint32(0), .uint32(0)]),
                    ])
                    try evil.emitRaw(
                        path: "/org/a11y/atspi/cache", interface: "org.a11y.atspi.Cache", member: member,
                        [member == "AddAccessible" ? item : victim])
                }
                try evil.connection.settle()
                try scene.waitForCounter("forgedMessages", before + 5)
                // A path alone says nothing: with it the sender speaks of an object of its own, which it may.
                for event in [FakeEvent.stateChanged("defunct", 1), .stateChanged("showing", 0), .window("Destroy")] {
                    try evil.emit(event, from: app.node("ok").path)
                }
                try evil.emit(.propertyChange("accessible-name", "Forged"), from: app.node("ok").path)
                try evil.connection.settle()
                let found = try client.find("push-button[name=OK]").elements.filter { $0.busName == app.busName }
                #expect(found.map(\.path) == [app.node("ok").path])
                #expect(try client.find("[name=Forged]").elements.allSatisfy { $0.busName == evil.busName })
                #expect(try client.focus(of: "orca").element?.busName == app.busName)
            }
        }

        @Test func `a cache that lists other applications' objects is left out and counted`() async throws {
            try await withScene(registry: true) { scene in
                let (app, evil) = (try scene.application(), try scene.application("evil"))
                evil.node("panel").children.append(FakeReference(bus: app.busName, path: app.node("ok").path))
                let tree = try scene.client().wholeTree()
                #expect(tree.nodes.count { $0.busName == app.busName && $0.path == app.node("ok").path } == 1)
                #expect(try scene.client().diagnose().contains { $0.code == "treeContradicts" })
            }
        }

        @Test func `who registers somebody as a listener in the registry's name is refused and counted`() async throws {
            try await withScene(registry: true) { scene in
                let evil = try scene.peer()
                let before = try scene.counter("forgedMessages")
                try evil.emit(
                    path: "/org/a11y/atspi/registry", interface: "org.a11y.atspi.Registry",
                    member: "EventListenerRegistered", [.string(evil.uniqueName), "object:", ""])
                try evil.settle()
                try scene.waitForCounter("forgedMessages", before + 1)
            }
        }
    }
}

extension FocusdScene {
    /// What focusd is called on the bus, which the bus tells everybody.
    fileprivate func busName(as peer: FakeConnection) throws -> String {
        for name in try peer.busBlocking("ListNames").first?.elements?.compactMap(\.text) ?? [] {
            guard name.hasPrefix(":") else { continue }
            let pid = try peer.busBlocking("GetConnectionUnixProcessID", [.string(name)]).first?.number
            if pid.map(Int.init) == Int(focusd.process.pid) { return name }
        }
        throw Missing(what: "focusd is not on the bus")
    }
}
