import AccessibilityFocus
import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

extension FocusdTests {
    /// What becomes of `MoveFocus`: known before it is answered, never believed.
    @Suite struct Moves {
        private func withMove(
            toolkit: FakeToolkit = .gtk3, follows: Bool = true, from key: String = "cancel",
            _ body: (FocusdScene, FakeApplication, FakeScreenReaderProcess) async throws -> Void
        ) async throws {
            try await withScene { scene in
                let app = try scene.application(toolkit: toolkit)
                let orca = try scene.reader(follows: follows)
                _ = try await scene.watch(orca, on: key, of: app)
                try await body(scene, app, orca)
            }
        }

        @Test func `a button is reached by GrabFocus, confirmed by the technology's own signal`() async throws {
            try await withMove { scene, app, _ in
                let outcome = try scene.client().move(to: app.referenceText("help"))
                #expect(outcome.result == "confirmed" && outcome.route == "grabFocus")
                #expect(outcome.keyboardFocus == "moved")
                #expect(outcome.technologies == [TechnologyResult(id: "orca", result: "confirmed")])
                #expect(outcome.element?.name == "Help")
                #expect(app.node("help").states.contains(.focused))
            }
        }

        @Test func `a label is reached without the keyboard`() async throws {
            try await withMove { scene, app, _ in
                let outcome = try scene.client().move(to: app.referenceText("label"))
                #expect(outcome.result == "confirmed" && outcome.route == "activeDescendant")
                #expect(outcome.routesTried == [RouteAttempt(route: "grabFocus", reason: "notFocusable")])
                #expect(outcome.keyboardFocus == "elsewhere")
                #expect(app.node("ok").states.contains(.focused) && app.count("GrabFocus") == 0)
                #expect(try scene.client().focus(of: "orca").element?.name == "Total")
            }
        }

        @Test func `only the routes that are named are taken`() async throws {
            try await withMove { scene, app, _ in
                let outcome = try scene.client().move(to: app.referenceText("help"), routes: ["activeDescendant"])
                #expect(outcome.result == "confirmed" && outcome.route == "activeDescendant")
                #expect(app.count("GrabFocus") == 0 && app.node("ok").states.contains(.focused))
            }
        }

        @Test func `where it is already nothing is done`() async throws {
            try await withMove { scene, app, orca in
                let before = try await orca.presentedCount()
                let outcome = try scene.client().move(to: app.referenceText("cancel"))
                #expect(outcome.result == "confirmed" && outcome.route == "none" && outcome.routesTried.isEmpty)
                #expect(try await orca.presentedCount() == before && app.count("GrabFocus") == 0)
            }
        }

        @Test func `again leads over the blank accessible and back, and is signalled anew`() async throws {
            try await withMove(from: "label") { scene, app, orca in
                let blank = try scene.peer()
                try blank.listen("type='signal',interface='org.a11y.atspi.Event.ScreenReader',member='RegionChanged'")
                let before = try await orca.presentedCount()
                let outcome = try scene.client().move(to: app.referenceText("label"), again: true)
                #expect(outcome.result == "confirmed" && outcome.route == "activeDescendant")
                #expect(try await orca.presentedCount() == before + 2)
                _ = try await blank.signals.wait(2) { $0.member == "RegionChanged" }
                let targets = blank.heard("RegionChanged").compactMap { $0.arguments[3].referenced }
                #expect(targets[0].bus != app.busName && targets[1] == app.reference("label"))
                #expect(try scene.client().focus(of: "orca").element?.name == "Total")
            }
        }

        @Test func `who is left on the blank accessible is brought back once somebody answers there`() async throws {
            try await withMove(from: "label") { scene, app, _ in
                let ear = try scene.peer()
                try ear.listen("type='signal',interface='org.a11y.atspi.Event.ScreenReader',member='RegionChanged'")
                func isOnBlank() throws -> Bool {
                    try ear.settle()
                    return ear.heard("RegionChanged").last?.arguments[3].referenced.map { $0.bus != app.busName }
                        ?? false
                }
                let before = app.count("GetState", on: "label")
                #expect(try scene.client().move(to: app.referenceText("label"), again: true).result == "confirmed")
                // It answers until the technology is on the blank, and then no more.
                for answered in (1..<max(2, app.count("GetState", on: "label") - before)).reversed() {
                    app.script("GetState", on: "label", after: answered, .never)
                    _ = try scene.client().move(to: app.referenceText("label"), again: true)
                    if try isOnBlank() { break }
                    app.unscript()
                }
                #expect(try isOnBlank())
                app.unscript()
                try scene.wait(within: 60, "the technology is back where it was") { try !isOnBlank() }
                #expect(ear.heard("RegionChanged").last?.arguments[3].referenced == app.reference("label"))
            }
        }

        @Test func `what was read for a move that was refused is read anew by the next who goes there`() async throws {
            try await withMove { scene, app, orca in
                let other = try scene.application("other")
                other.node("frame").name = "Outbox"
                try other.setState(.showing, named: "showing", false, on: "label")
                let outcome = try scene.client().move(to: other.referenceText("label"))
                #expect(outcome.result == "refused" && outcome.reason == "elementHidden")
                // Nobody hears that application: this is not told.
                other.node("frame").name = "Inbox"
                let watch = try scene.watch("orca")
                let bound = try scene.bind(["old": "frame[name=Outbox] entry", "new": "frame[name=Inbox] entry"])
                try await orca.present("entry", of: other)
                #expect(try watch.expect(other, "entry", cause: "moved").element?.window?.name == "Inbox")
                try bound.expect("new", from: nil, "moved", on: other, "entry")
            }
        }

        @Test func `a technology that ignores it is no confirmation`() async throws {
            try await withMove(follows: false) { scene, app, _ in
                let outcome = try scene.client().move(to: app.referenceText("help"))
                #expect(outcome.result == "timedOut" && outcome.reason == "noConfirmation")
                #expect(outcome.route == nil)
                #expect(
                    outcome.routesTried == [
                        RouteAttempt(route: "grabFocus", reason: "noConfirmation"),
                        RouteAttempt(route: "activeDescendant", reason: "noConfirmation"),
                    ])
                #expect(try scene.client().focus(of: "orca").element?.name == "Cancel")
            }
        }

        @Test func `a technology that goes elsewhere ends it`() async throws {
            try await withMove { scene, app, orca in
                let other = try scene.application("other")
                _ = try await scene.watch(orca, on: "help", of: other)
                _ = try await scene.watch(orca, on: "cancel", of: app)
                try await orca.setDescendants(.presentFirst(other.reference("help")))
                let outcome = try scene.client().move(to: app.referenceText("label"))
                #expect(outcome.result == "superseded" && outcome.reason == "movedElsewhere")
            }
        }

        @Test func `GrabFocus that says true and does nothing is followed by the next route`() async throws {
            try await withMove { scene, app, _ in
                app.script("GrabFocus", .values(true))
                let outcome = try scene.client().move(to: app.referenceText("help"))
                #expect(outcome.result == "confirmed" && outcome.route == "activeDescendant")
                #expect(outcome.routesTried == [RouteAttempt(route: "grabFocus", reason: "noConfirmation")])
                #expect(outcome.keyboardFocus == "elsewhere")
            }
        }

        @Test func `GrabFocus that says false is followed by the next route at once`() async throws {
            try await withMove { scene, app, _ in
                app.script("GrabFocus", .values(false))
                let outcome = try scene.client().move(to: app.referenceText("help"))
                #expect(outcome.result == "confirmed" && outcome.route == "activeDescendant")
                #expect(outcome.routesTried == [RouteAttempt(route: "grabFocus", reason: "answeredFalse")])
            }
        }

        @Test func `of two that race one is confirmed, the other superseded`() async throws {
            try await withMove { scene, app, orca in
                try await orca.setDescendants(.followAfter(.milliseconds(30)))
                let folder = scene.runtimeFolder
                let references = ["label", "help"].map { app.referenceText($0) }
                let racers = references.map { reference in
                    Background { try Client(folder).move(to: reference, routes: ["activeDescendant"]) }
                }
                let outcomes = try racers.map { try $0.value(within: 30) }
                #expect(outcomes.map(\.result).sorted() == ["confirmed", "superseded"])
                #expect(outcomes.first { $0.result == "superseded" }?.reason == "newerRequest")
                let winner = try #require(outcomes.first { $0.result == "confirmed" }?.element)
                try scene.wait(within: 10, "Orca at the winner") {
                    try scene.client().focus(of: "orca").element?.path == winner.path
                }
            }
        }

        @Test func `identical moves share one way and one outcome`() async throws {
            try await withMove { scene, app, orca in
                try await orca.setDescendants(.followAfter(.milliseconds(200)))
                let before = try await orca.presentedCount()
                let (folder, reference) = (scene.runtimeFolder, app.referenceText("label"))
                let racers = (0..<3).map { _ in Background { try Client(folder).move(to: reference) } }
                let outcomes = try racers.map { try $0.value(within: 30) }
                #expect(outcomes.allSatisfy { $0.result == "confirmed" })
                #expect(try await orca.presentedCount() == before + 1)
            }
        }

        @Test func `a caller that goes away cancels`() async throws {
            try await withMove(follows: false) { scene, app, orca in
                app.script("GrabFocus", .never)
                let (folder, reference) = (scene.runtimeFolder, app.referenceText("help"))
                let place = app.calls.count
                // Its own deadline ends the caller, and with it the connection.
                let caller = Background {
                    let socket = try FocusSocket(
                        at: SocketLocation(runtimeFolder: folder), deadline: .after(.seconds(10)))
                    _ = try socket.call(
                        MoveFocus.self, parameters: .init(element: reference), deadline: .after(.milliseconds(150)))
                }
                _ = try await app.waitForCall("GrabFocus", from: place)
                #expect(throws: FocusSocketError.timedOut) { try caller.value(within: 20) }
                try scene.settle()
                // Nothing of it is in the way of the next.
                app.unscript()
                try await orca.follow(true)
                let outcome = try scene.client().move(to: app.referenceText("entry"))
                #expect(outcome.result == "confirmed")
            }
        }

        @Test func `a technology that is not configured is an error`() async throws {
            try await withMove { scene, app, _ in
                let error = #expect(throws: FocusSocketError.self) {
                    try scene.client().move(to: app.referenceText("help"), technologies: ["jaws"])
                }
                guard case .refused(let reply) = error else {
                    throw Missing(what: "an error of focusd's: \(error as Any)")
                }
                #expect(reply.name == "io.focusd.Focus.UnknownTechnology")
            }
        }

        @Test(arguments: [nil, ["odilia"], ["orca", "keyboard"]])
        func `without the technology it is refused`(technologies: [String]?) async throws {
            try await withScene { scene in
                let app = try scene.application()
                let outcome = try scene.client().move(to: app.referenceText("help"), technologies: technologies)
                #expect(outcome.result == "refused" && outcome.reason == "technologyNotActive")
                #expect(app.count("GrabFocus") == 0)
            }
        }

        @Test func `the keyboard is confirmed by live state, without any screen reader`() async throws {
            try await withScene { scene in
                let app = try scene.application()
                let outcome = try scene.client().move(to: app.referenceText("entry"), technologies: ["keyboard"])
                #expect(outcome.result == "confirmed" && outcome.route == "grabFocus")
                #expect(outcome.keyboardFocus == "moved" && app.node("entry").states.contains(.focused))
                app.script("GrabFocus", .values(true))
                let lie = try scene.client().move(to: app.referenceText("help"), technologies: ["keyboard"])
                #expect(lie.result == "timedOut" && lie.reason == "noConfirmation")
                #expect(lie.keyboardFocus == "elsewhere")
                let there = try scene.client().move(to: app.referenceText("entry"), technologies: ["keyboard"])
                #expect(there.result == "confirmed" && there.route == "none")
            }
        }

        @Test(arguments: FakeToolkit.allCases)
        func `what is hidden is refused and nothing moves`(toolkit: FakeToolkit) async throws {
            try await withMove(toolkit: toolkit) { scene, app, orca in
                let before = try await orca.presentedCount()
                let outcome = try scene.client().move(to: app.referenceText("hidden"))
                #expect(outcome.result == "refused" && outcome.reason == "elementHidden")
                #expect(app.count("GrabFocus") == 0)
                #expect(try await orca.presentedCount() == before)
            }
        }

        @Test func `what is defunct or was never there is refused`() async throws {
            try await withMove { scene, app, _ in
                app.node("help").states.insert(.defunct)
                let defunct = try scene.client().move(to: app.referenceText("help"))
                #expect(defunct.result == "refused" && defunct.reason == "elementDefunct")
                let stale = app.referenceText("entry")
                try app.remove("entry", announced: false)
                for reference in [stale, app.busName + "/org/a11y/atspi/accessible/4711"] {
                    let outcome = try scene.client().move(to: reference)
                    #expect(outcome.result == "refused" && outcome.reason == "elementDefunct")
                }
                #expect(app.count("GrabFocus") == 0)
            }
        }

        @Test func `an application that is not there is not found`() async throws {
            try await withMove { scene, app, _ in
                let path = app.node("help").path
                let outcome = try scene.client().move(to: ":1.4711" + path)
                #expect(outcome.result == "notFound" && outcome.reason == "noSuchApplication")
                let gone = app.referenceText("help")
                app.disconnect()
                #expect(try scene.client().move(to: gone).result == "notFound")
            }
        }

        @Test(arguments: ["entry", "password"])
        func `text is not reached without the keyboard unless the route is named`(key: String) async throws {
            try await withMove { scene, app, _ in
                app.script("GrabFocus", .values(false))
                let outcome = try scene.client().move(to: app.referenceText(key))
                #expect(outcome.result == "refused" && outcome.reason == "keyboardFocusCannotMove")
                let named = try scene.client().move(to: app.referenceText(key), routes: ["activeDescendant"])
                #expect(named.result == "confirmed" && named.keyboardFocus == "elsewhere")
            }
        }

        @Test func `a window that is not active is not raised`() async throws {
            try await withMove { scene, app, _ in
                let other = try scene.application("other")
                other.node("frame").states.remove(.active)
                for node in other.nodes { node.states.remove(.focused) }
                let outcome = try scene.client().move(to: other.referenceText("help"))
                #expect(outcome.result == "confirmed" && outcome.route == "activeDescendant")
                #expect(other.count("GrabFocus") == 0 && !other.node("frame").states.contains(.active))
                _ = app
            }
        }

        @Test func `a technology that leaves meanwhile ends it`() async throws {
            try await withMove(follows: false) { scene, app, orca in
                let (folder, reference) = (scene.runtimeFolder, app.referenceText("help"))
                let mover = Background { try Client(folder).move(to: reference, timeoutMilliseconds: 30_000) }
                _ = try await app.waitForCall("GrabFocus")
                orca.crash()
                let outcome = try mover.value(within: 20)
                #expect(outcome.result == "refused" && outcome.reason == "technologyNotActive")
            }
        }

        @Test func `an application that leaves while it is waited for ends it`() async throws {
            try await withMove(follows: false) { scene, app, _ in
                let (folder, reference) = (scene.runtimeFolder, app.referenceText("label"))
                let peer = try scene.peer()
                try peer.listen("type='signal',member='ActiveDescendantChanged',eavesdrop='true'")
                let mover = Background { try Client(folder).move(to: reference, timeoutMilliseconds: 30_000) }
                _ = try await peer.signals.wait { $0.member == "ActiveDescendantChanged" }
                app.disconnect()
                let outcome = try mover.value(within: 20)
                #expect(outcome.result == "refused" && outcome.reason == "elementDefunct")
            }
        }

        @Test func `an application that dies of GrabFocus ends it`() async throws {
            try await withMove { scene, app, _ in
                app.script("GrabFocus", .disconnect)
                let outcome = try scene.client().move(to: app.referenceText("help"))
                #expect(outcome.result == "refused" && outcome.reason == "elementDefunct")
            }
        }
    }
}
