import AccessibilityFocus
import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

extension FocusdTests {
    /// What sets are refused for, S7 to S10, and elements that their own program moves to.
    @Suite(.enabled(if: hasRegistry)) struct SetRefusals {
        // MARK: - S7, S8

        @Test(arguments: FakeToolkit.allCases)
        func `S7: what is hidden or gone is refused, and nothing moves`(toolkit: FakeToolkit) async throws {
            try await SetScene.withReader(toolkit: toolkit) { scene, app, orca in
                let state = try scene.bind(SetScene.places)
                #expect(try scene.client().set(state.state, to: "help").result == "confirmed")
                #expect(try scene.client().set(state.state, to: "ok").result == "confirmed")
                let before = try await orca.presentedCount()
                try app.hide("label")
                let hidden = try scene.client().set(state.state, to: "total", milliseconds: 500)
                // Where hiding takes it out of the tree nothing matches any more.
                #expect(
                    hidden.result == "refused" && hidden.reason == "elementHidden"
                        || hidden.result == "notFound" && hidden.reason == "noMatch", "\(hidden)")
                #expect(try await orca.presentedCount() == before)
            }
        }

        @Test func `S8: an application that does not answer is refused, and nobody else waits`() async throws {
            try await SetScene.withReader { scene, app, _ in
                let other = try scene.application("other")
                let state = try scene.bind([
                    "here": "application[name=calc] label", "there": "application[name=other] label",
                ])
                #expect(try scene.client().set(state.state, to: "there").result == "confirmed")
                #expect(try scene.client().set(state.state, to: "here").result == "confirmed")
                other.stop()
                let frozen = scene.setting(state.state, to: "there", milliseconds: 4_000)
                try scene.wait(within: 20, "it is asked") { try scene.client().state(state.state)?.pendingSets == 1 }
                let elsewhere = try scene.client().states()
                #expect(elsewhere.count == 1)
                let outcome = try frozen.value(within: 60)
                #expect(outcome.result == "refused" && outcome.reason == "applicationNotResponding", "\(outcome)")
                #expect(try scene.client().set(state.state, to: "here", again: true).result == "confirmed")
                other.resume()
            }
        }

        // MARK: - S9, S10

        @Test func `S9: what takes typing is not reached without the keyboard, unless the route is named`() async throws
        {
            try await SetScene.withReader { scene, app, _ in
                app.script("GrabFocus", .values(false))
                let state = try scene.bind(["amount": "entry"])
                let refused = try scene.client().set(state.state, to: "amount")
                #expect(refused.result == "refused" && refused.reason == "keyboardFocusCannotMove")
                let named = try scene.client().set(state.state, to: "amount", routes: ["activeDescendant"])
                #expect(named.result == "confirmed" && named.keyboardFocus == "elsewhere")
            }
        }

        @Test func `S10: a user who goes elsewhere is never pulled back`() async throws {
            try await SetScene.withReader(follows: false) { scene, app, orca in
                let state = try scene.bind(SetScene.places)
                let setting = scene.setting(state.state, to: "total")
                try scene.wait(within: 20, "it is under way") {
                    try scene.client().state(state.state)?.pendingSets == 1
                }
                _ = try await app.waitForCall("GetState", on: "label", within: .seconds(20))
                try await orca.present("help", of: app)
                let outcome = try setting.value(within: 60)
                #expect(
                    outcome.result == "superseded" && outcome.reason == "movedElsewhere"
                        || outcome.result == "timedOut", "\(outcome)")
                #expect(try scene.client().focus(of: "orca").element?.name == "Help")
            }
        }

        // MARK: - The owner's own route

        @Test func `a client that moves its element itself is asked first, and the signal confirms it`() async throws {
            try await SetScene.withReader { scene, app, orca in
                let state = try scene.bind(["total": "label[name=Total]"], moves: true)
                let setting = scene.setting(state.state, to: "total")
                let move = try state.nextMove()
                #expect(move.state == state.state && move.value == "total")
                try await orca.present("label", of: app)
                let outcome = try setting.value(within: 60)
                #expect(outcome.result == "confirmed" && outcome.route == "application", "\(outcome)")
                try state.expect("total", from: nil, "set")
            }
        }

        @Test func `what its owner declines is moved by the next route`() async throws {
            try await SetScene.withReader { scene, app, _ in
                let state = try scene.bind(["total": "label[name=Total]"], moves: true)
                let setting = scene.setting(state.state, to: "total")
                let move = try state.nextMove()
                _ = try scene.client().call(DeclineMove.self, .init(token: "nothing", reason: "a stranger"))
                _ = try scene.client().call(DeclineMove.self, .init(token: move.token, reason: "not shown"))
                let outcome = try setting.value(within: 60)
                #expect(outcome.result == "confirmed" && outcome.route == "activeDescendant", "\(outcome)")
                #expect(outcome.routesTried.contains(RouteAttempt(route: "application", reason: "declined")))
            }
        }

        @Test func `another process cannot decline for the owner`() async throws {
            try await SetScene.withReader { scene, app, _ in
                let script = """
                    import json, socket, sys
                    peer = socket.socket(socket.AF_UNIX)
                    peer.connect(sys.argv[1])
                    print("READY", flush=True)
                    token = sys.stdin.readline().strip()
                    call = {"method": "io.focusd.Focus.DeclineMove", "parameters": {"token": token, "reason": "a stranger"}}
                    peer.sendall(json.dumps(call).encode() + bytes(1))
                    print(json.loads(peer.recv(4096).rstrip(bytes(1))).get("error"), flush=True)
                    """
                let stranger = try TestDesktop.ChildProcess(
                    "/usr/bin/python3", ["-c", script, "\(scene.runtimeFolder)/focusd/io.focusd.Focus"],
                    environment: ["PATH": "/usr/bin:/bin"])
                try stranger.output.line("READY", within: 60)
                let state = try scene.bind(["total": "label[name=Total]"], moves: true)
                let setting = scene.setting(state.state, to: "total")
                let move = try state.nextMove()
                // Well within the time that the owner has, where the machine is not busy.
                try stranger.send(move.token)
                try stranger.output.line("None", within: 60)
                let outcome = try setting.value(within: 60)
                #expect(outcome.result == "confirmed" && outcome.route == "activeDescendant", "\(outcome)")
                #expect(outcome.routesTried.contains(RouteAttempt(route: "application", reason: "noConfirmation")))
            }
        }

        @Test(arguments: [false, true])
        func `of two who bound a state only the one that moves its element is asked`(isFirst: Bool) async throws {
            try await SetScene.withReader { scene, app, orca in
                func bind(moves: Bool) throws -> StateWatch {
                    try scene.bind(["total": "label[name=Total]"], name: "shared", moves: moves)
                }
                let first = try bind(moves: isFirst)
                let second = try bind(moves: !isFirst)
                let (owner, other) = isFirst ? (first, second) : (second, first)
                let setting = scene.setting("shared", to: "total")
                _ = try owner.nextMove()
                try await orca.present("label", of: app)
                let outcome = try setting.value(within: 60)
                #expect(outcome.result == "confirmed" && outcome.route == "application", "\(outcome)")
                // A move would have come before the change.
                for state in [owner, other] { try state.expect("total", from: nil, "set") }
            }
        }

        @Test func `an owner that says nothing costs its own route`() async throws {
            try await SetScene.withReader { scene, app, _ in
                let state = try scene.bind(["total": "label[name=Total]"], moves: true)
                let setting = scene.setting(state.state, to: "total")
                _ = try state.nextMove()
                let outcome = try setting.value(within: 60)
                #expect(outcome.result == "confirmed" && outcome.route == "activeDescendant")
                #expect(outcome.routesTried.contains(RouteAttempt(route: "application", reason: "noConfirmation")))
            }
        }
    }
}

/// What the tests of sets share: a screen reader that follows, and a state of three values.
enum SetScene {
    /// A screen reader that follows, on a button of an application.
    static func withReader(
        toolkit: FakeToolkit = .gtk3, follows: Bool = true, on key: String = "cancel",
        _ body: (FocusdScene, FakeApplication, FakeScreenReaderProcess) async throws -> Void
    ) async throws {
        try await withScene(registry: true) { scene in
            let app = try scene.application(toolkit: toolkit)
            let orca = try scene.reader(follows: follows)
            _ = try await scene.watch(orca, on: key, of: app)
            try await body(scene, app, orca)
        }
    }

    static let places: KeyValuePairs = [
        "ok": "push-button[name=OK]", "help": "push-button[name=Help]", "total": "label[name=Total]",
    ]
}
