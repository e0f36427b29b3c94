import AccessibilityFocus
import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

extension FocusdTests {
    /// An application that does not answer holds up nothing but what is about itself.
    @Suite struct Frozen {
        /// A scene in which Orca is on `other`, and `frozen` stands still, known or not.
        private func withFrozen(
            isKnown: Bool,
            _ body: (FocusdScene, FakeApplication, FakeApplication, FakeScreenReaderProcess) async throws
                -> Void
        ) async throws {
            try await withScene { scene in
                let (frozen, other) = (try scene.application("frozen"), try scene.application("other"))
                let orca = try scene.reader()
                if isKnown {
                    try await orca.present("ok", of: frozen)
                    try scene.wait(within: 10, "focus in it") {
                        try scene.client().focus(of: "orca").element?.busName == frozen.busName
                    }
                }
                _ = try await scene.watch(orca, on: "ok", of: other)
                frozen.stop()
                try await body(scene, frozen, other, orca)
            }
        }

        @Test func `a frozen element is told as unreadable when nothing follows`() async throws {
            try await withFrozen(isKnown: false) { scene, frozen, _, orca in
                let watch = try scene.watch("orca")
                let path = frozen.node("ok").path
                try await orca.present(bus: frozen.busName, path: path)
                let change = try watch.next()
                #expect(change.element?.busName == frozen.busName && change.element?.path == path)
                #expect(change.element?.name == "" && change.previous?.name == "OK")
                #expect(try scene.counter("unreadableElements") == 1)
            }
        }

        @Test func `moves to others are told before the frozen one has missed its deadline`() async throws {
            try await withFrozen(isKnown: false) { scene, frozen, other, orca in
                let watch = try scene.watch("orca")
                try await orca.present(bus: frozen.busName, path: frozen.node("ok").path)
                _ = try await frozen.waitForCall("GetRole", on: "ok")
                try await orca.present("help", of: other)
                try watch.expect(other, "help", cause: "moved")
                #expect(try scene.counter("callTimeouts") == 0)
                // Its own deadline passes without a trace.
                try scene.waitForCounter("callTimeouts", 1)
                try await orca.present("ok", of: other)
                #expect(try watch.expect(other, "ok", cause: "moved").previous?.name == "Help")
            }
        }

        @Test func `other technologies are told meanwhile`() async throws {
            try await withFrozen(isKnown: false) { scene, frozen, other, orca in
                let odilia = try scene.reader("odilia")
                let watch = try scene.watch("odilia")
                try await orca.present(bus: frozen.busName, path: frozen.node("ok").path)
                _ = try await frozen.waitForCall("GetRole", on: "ok")
                try await odilia.present("help", of: other)
                try watch.next(until: "help") { $0.element?.name == "Help" && !$0.assumed }
                #expect(try scene.counter("callTimeouts") == 0)
            }
        }

        @Test func `what is known of a frozen application is told at once`() async throws {
            try await withFrozen(isKnown: true) { scene, frozen, other, orca in
                let watch = try scene.watch("orca")
                try await orca.present(bus: frozen.busName, path: frozen.node("ok").path)
                let change = try watch.next()
                #expect(change.element?.name == "OK" && change.element?.busName == frozen.busName)
                try await orca.present("help", of: other)
                try watch.expect(other, "help", cause: "moved")
            }
        }

        @Test(arguments: [false, true])
        func `a move into it is refused, and never named to the technology`(isKnown: Bool) async throws {
            try await withFrozen(isKnown: isKnown) { scene, frozen, other, orca in
                let spy = try scene.peer()
                try spy.listen(
                    "type='signal',interface='org.a11y.atspi.Event.Object',member='ActiveDescendantChanged',eavesdrop='true'"
                )
                let (folder, reference) = (scene.runtimeFolder, frozen.referenceText("label"))
                let mover = Background { try Client(folder).move(to: reference, timeoutMilliseconds: 10_000) }
                _ = try await frozen.waitForCall("GetState", on: "label")
                // Others are served meanwhile.
                #expect(try scene.client().focus(of: "orca").element?.busName == other.busName)
                try await orca.present("help", of: other)
                try scene.wait(within: 10, "help") {
                    try scene.client().focus(of: "orca").element?.name == "Help"
                }
                let outcome = try mover.value(within: 20)
                #expect(outcome.result == "refused" && outcome.reason == "applicationNotResponding")
                // What Orca can do is heard by the spy: so it would have heard that.
                try await orca.follow(true)
                try await orca.setDescendants(.follow)
                #expect(try scene.client().move(to: other.referenceText("label")).result == "confirmed")
                _ = try await spy.signals.wait { $0.member == "ActiveDescendantChanged" }
                let named = spy.heard("ActiveDescendantChanged").map { $0.arguments[3].referenced?.bus }
                #expect(named == [other.busName])
                frozen.resume()
            }
        }

        @Test func `moves that newer ones replaced are looked at no more, and the last is answered in time`()
            async throws
        {
            try await withFrozen(isKnown: true) { scene, frozen, _, orca in
                func begin(_ number: Int) throws -> ReplyStream<MoveFocus> {
                    let target = frozen.referenceText(number.isMultiple(of: 2) ? "label" : "help")
                    return try scene.client().stream(
                        MoveFocus.self, .init(element: target, timeoutMilliseconds: 20_000))
                }
                let before = frozen.callCount
                var moving = try begin(0)
                for number in 1...200 {
                    let newer = try begin(number)
                    let outcome = try moving.next(deadline: .after(.seconds(20)))?.outcome
                    #expect(outcome?.result == "superseded", "\(number)")
                    moving = newer
                }
                // Three looks are under way when it comes; all that were replaced would take more than a minute.
                let last = try #require(try moving.next(deadline: .after(.seconds(60)))?.outcome)
                #expect(last.result == "refused" && last.reason == "applicationNotResponding", "\(last)")
                #expect(frozen.callCount - before < 200)
                frozen.resume()
                try await orca.follow(true)
                try await orca.setDescendants(.follow)
                #expect(try scene.client().move(to: frozen.referenceText("label")).result == "confirmed")
            }
        }

        @Test(.enabled(if: hasRegistry, "needs at-spi2-core"))
        func `a frozen application is a finding, and listed as not responding`() async throws {
            try await withScene(registry: true) { scene in
                let (frozen, other) = (try scene.application("frozen"), try scene.application("other"))
                frozen.stop()
                let findings = try scene.client().diagnose()
                #expect(findings.contains { $0.code == "applicationNotResponding" && $0.what.contains(frozen.busName) })
                let listed = try scene.client().applications()
                #expect(Set(listed.filter(\.responding).map(\.busName)) == [other.busName])
                #expect(listed.count == 2)
            }
        }

        @Test func `an application that freezes between two questions is refused too`() async throws {
            try await withFrozen(isKnown: true) { scene, frozen, _, _ in
                let spy = try scene.peer()
                try spy.listen(
                    "type='signal',interface='org.a11y.atspi.Event.Object',member='ActiveDescendantChanged',eavesdrop='true'"
                )
                frozen.resume()
                frozen.script("GetState", on: "label", .never)
                frozen.script("GetState", on: "label", times: 1, .truth)
                let outcome = try scene.client().move(to: frozen.referenceText("label"))
                #expect(outcome.result == "refused" && outcome.reason == "applicationNotResponding")
                try spy.settle()
                #expect(spy.heard("ActiveDescendantChanged").isEmpty)
            }
        }

        @Test func `an application that goes on is read again`() async throws {
            try await withFrozen(isKnown: false) { scene, frozen, other, orca in
                let watch = try scene.watch("orca")
                try await orca.present(bus: frozen.busName, path: frozen.node("ok").path)
                #expect(try watch.next().element?.name == "")
                frozen.resume()
                try await orca.present("help", of: other)
                // Where it is still when the application goes on, it is read at once, and that is told.
                let moved = try watch.next(until: "the move away") { $0.cause != "updated" }
                #expect(moved.cause == "moved" && moved.element?.path == other.node("help").path)
                try await orca.present("cancel", of: frozen)
                #expect(try watch.next().element?.name == "Cancel")
                try await orca.present("ok", of: frozen)
                #expect(try watch.next().element?.path == frozen.node("ok").path)
                try scene.wait(within: 10, "its name") { try scene.client().focus(of: "orca").element?.name == "OK" }
            }
        }
    }
}
