import AccessibilityFocus
import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

extension FocusdTests {
    /// Whose a focus state is, how long it lives, which focus it follows, and how much of it one client may have.
    @Suite struct SharedBinds {
        private func withReader(
            on key: String = "cancel",
            _ body: (FocusdScene, FakeApplication, FakeScreenReaderProcess) async throws -> Void
        ) async throws {
            try await withScene { scene in
                let app = try scene.application()
                let orca = try scene.reader()
                _ = try await scene.watch(orca, on: key, of: app)
                try await body(scene, app, orca)
            }
        }

        // MARK: - Life

        @Test func `a state without a name lives as long as its stream`() async throws {
            try await withReader { scene, _, _ in
                var name = ""
                do {
                    let state = try scene.bind(["true": "label"])
                    name = state.state
                    let listed = try #require(try scene.client().state(name))
                    #expect(name.hasPrefix("#") && !listed.named && listed.binds == 1)
                    #expect(listed.prototypes == [Prototype(value: "true", selector: "label")])
                    #expect(listed.pids == [Int(getpid())] && listed.pendingSets == 0)
                }
                try scene.wait(within: 20, "the state is gone") { try scene.client().states().isEmpty }
                let error = scene.refusal { try scene.client().set(name, to: "true") }
                #expect(error?.name == FocusError.UnknownState.name)
            }
        }

        @Test func `a named state is one for all who bind it, and ends with the last`() async throws {
            try await withReader { scene, app, orca in
                let first = try scene.bind(["true": "label"], name: "total")
                do {
                    let second = try scene.bind(["true": "label"], name: "total")
                    #expect(first.state == "total" && second.state == "total")
                    #expect(try scene.client().state("total")?.binds == 2)
                    try await orca.present("label", of: app)
                    for state in [first, second] { try state.expect("true", from: nil, "moved") }
                }
                try scene.wait(within: 20, "one has left") { try scene.client().state("total")?.binds == 1 }
                try await orca.present("ok", of: app)
                try first.expect(nil, from: "true", "moved")
            }
        }

        @Test func `who binds a name otherwise is told that it exists`() async throws {
            try await withReader { scene, _, _ in
                let state = try scene.bind(["true": "label"], name: "total")
                for other in [
                    Bind.Parameters(prototypes: [Prototype(value: "true", selector: "entry")], name: "total"),
                    Bind.Parameters(
                        prototypes: [Prototype(value: "true", selector: "label")], technologies: ["orca"], name: "total"
                    ),
                    Bind.Parameters(
                        prototypes: [Prototype(value: "true", selector: "label")], modes: ["say-all"], name: "total"),
                ] {
                    let error = scene.refusal { try StateWatch(scene.runtimeFolder, other) }
                    #expect(error?.name == FocusError.StateExists.name)
                    #expect(error?.parameters["state"] == .string("total"))
                }
                #expect(try scene.client().state(state.state)?.binds == 1)
            }
        }

        @Test func `no other process joins a state whose selectors have :self`() async throws {
            try await withReader { scene, _, _ in
                let first = try scene.bind(["true": ":self label"], name: "own")
                let second = try scene.bind(["true": ":self label"], name: "own")
                #expect(first.state == "own" && second.state == "own")
                let script = """
                    import json, socket, sys
                    peer = socket.socket(socket.AF_UNIX)
                    peer.connect(sys.argv[1])
                    call = b'{"method":"io.focusd.Focus.Bind","parameters":{"prototypes":[{"value":"true","selector":":self label"}],"name":"own"},"more":true}'
                    peer.sendall(call + bytes(1))
                    print(json.loads(peer.recv(4096).rstrip(bytes(1))).get("error"), flush=True)
                    """
                let process = try TestDesktop.ChildProcess(
                    "/usr/bin/python3", ["-c", script, "\(scene.runtimeFolder)/focusd/io.focusd.Focus"],
                    environment: ["PATH": "/usr/bin:/bin"])
                try process.output.line(FocusError.StateExists.name, within: 60)
            }
        }

        @Test func `Unbind ends every stream of a state with a last reply`() async throws {
            try await withReader(on: "ok") { scene, _, _ in
                let states = try (0..<3).map { _ in try scene.bind(["true": "push-button[name=OK]"], name: "shared") }
                let session = try SessionWatch(scene.runtimeFolder)
                let client = try scene.client()
                #expect(
                    try client.bind(["true": "push-button[name=OK]"], in: session.session, name: "shared").state != nil)
                try client.unbind("shared")
                for state in states {
                    let last = try #require(try state.nextReply()?.change)
                    #expect(last.cause == "unbound" && last.value == "true")
                    #expect(try state.nextReply() == nil)
                }
                let told = try session.nextChange()
                #expect(
                    told.state == "shared" && told.value == nil && told.previous == "true" && told.cause == "unbound")
                #expect(try client.states().isEmpty)
                let error = scene.refusal { try client.unbind("shared") }
                #expect(error?.name == FocusError.UnknownState.name)
            }
        }

        @Test func `a session has any number of states on one stream, and they end with it`() async throws {
            try await withReader(on: "ok") { scene, app, orca in
                do {
                    let session = try SessionWatch(scene.runtimeFolder)
                    let client = try scene.client()
                    var names: [String] = []
                    for (value, selector) in [("a", "push-button[name=OK]"), ("b", "label"), ("c", "entry")] {
                        let reply = try client.bind([value: selector], in: session.session)
                        names.append(try #require(reply.state))
                        #expect(reply.change?.value == (value == "a" ? "a" : nil) && reply.change?.cause == "initial")
                    }
                    try await orca.present("label", of: app)
                    let changes = [try session.nextChange(), try session.nextChange()]
                    #expect(changes.map(\.state) == [names[0], names[1]] && changes.map(\.value) == [nil, "b"])
                    #expect(try client.states().count == 3)
                }
                try scene.wait(within: 20, "all are gone") { try scene.client().states().isEmpty }
            }
        }

        @Test func `a client that dies takes its states with it`() async throws {
            try await withReader { scene, _, _ in
                let script = """
                    import socket, sys
                    peer = socket.socket(socket.AF_UNIX)
                    peer.connect(sys.argv[1])
                    call = b'{"method":"io.focusd.Focus.Bind","parameters":{"prototypes":[{"value":"x","selector":"label"}]},"more":true}'
                    peer.sendall(call + bytes(1))
                    assert peer.recv(4096)
                    print("READY", flush=True)
                    sys.stdin.read()
                    """
                let process = try TestDesktop.ChildProcess(
                    "/usr/bin/python3", ["-c", script, "\(scene.runtimeFolder)/focusd/io.focusd.Focus"],
                    environment: ["PATH": "/usr/bin:/bin"])
                try process.output.line("READY", within: 60)
                #expect(try scene.client().states().count == 1)
                process.signal(SIGKILL)
                try scene.wait(within: 20, "its state is gone") { try scene.client().states().isEmpty }
            }
        }

        @Test func `F8: who reads too slowly is cut off with the reason, and its state goes`() async throws {
            try await withReader(on: "ok") { scene, app, orca in
                let state = try scene.bind(["a": "push-button[name=OK]", "b": "label"])
                // Signals to what was never read are held, and the oldest of very many are dropped.
                try await orca.present("label", of: app)
                try state.expect("b", from: "a", "moved")
                try await orca.present("ok", of: app)
                try state.expect("a", from: "b", "moved")
                let reading = Background { [folder = scene.runtimeFolder] in
                    let steady = try StateWatch(folder, ["a": "push-button[name=OK]", "b": "label"])
                    for _ in 0..<3_000 { _ = try steady.next() }
                    return true
                }
                try scene.wait(within: 20, "both are bound") { try scene.client().states().count == 2 }
                try await orca.storm(
                    count: 3_000, bus: app.busName, paths: (app.node("label").path, app.node("ok").path))
                try scene.wait(within: 60, "it is gone") { try scene.client().state(state.state) == nil }
                var ending: ErrorReply?
                do {
                    while try state.nextReply() != nil {}
                } catch FocusSocketError.refused(let error) {
                    ending = error
                }
                #expect(ending?.name == FocusError.SubscriberTooSlow.name)
                #expect(try reading.value(within: 120))
            }
        }

        @Test func `F8: all that one move changes is told, however much it is at once`() async throws {
            try await withReader { scene, app, orca in
                let session = try SessionWatch(scene.runtimeFolder)
                let client = try scene.client()
                // Two mebibytes of changes and more, twice what may be unread.
                let (value, count) = (String(repeating: "v", count: 1_024), 2_048)
                for _ in 0..<count { _ = try client.bind([value: "label"], in: session.session) }
                try await orca.present("label", of: app)
                // Read only when all of it was written.
                try scene.wait(within: 60, "it moved") { try client.focus(of: "orca").element?.name == "Total" }
                let changes = try (0..<count).map { _ in try session.nextChange() }
                #expect(changes.allSatisfy { $0.value == value } && Set(changes.map(\.revision)).count == 1)
            }
        }

        // MARK: - Which focus

        @Test func `a state follows the technologies that it names, and the keyboard only then`() async throws {
            try await withReader(on: "ok") { scene, app, orca in
                let odilia = try scene.reader("odilia")
                try await odilia.present("label", of: app)
                try scene.wait(within: 20, "the other is there") {
                    try scene.client().focus(of: "odilia").element?.name == "Total"
                }
                let places: KeyValuePairs = [
                    "ok": "push-button[name=OK]", "total": "label", "help": "push-button[name=Help]",
                ]
                let any = try scene.bind(places)
                let orcas = try scene.bind(places, technologies: ["orca"])
                let keyboards = try scene.bind(places, technologies: ["keyboard"])
                #expect(any.first.value == "total" && orcas.first.value == "ok")
                try await orca.present("help", of: app)
                try any.expect("help", from: "total", "moved")
                try orcas.expect("help", from: "ok", "moved")
                try await odilia.present("ok", of: app)
                try any.expect("ok", from: "help", "moved")
                // The one that moved last leaves: the other speaks for both.
                odilia.crash()
                try any.expect("help", from: "ok", "technologyGone")
                try app.moveFocus(to: "help")
                if keyboards.first.value == "ok" {
                    try keyboards.expect("help", from: "ok", "moved")
                } else {
                    let change = try keyboards.next()
                    #expect(change.value == "ok" || change.value == "help")
                    if change.value == "ok" { try keyboards.expect("help", from: "ok", "moved") }
                }
            }
        }

        @Test func `mouse review moves no value by default, and named modes are the only ones that do`() async throws {
            try await withReader(on: "ok") { scene, app, orca in
                let places: KeyValuePairs = ["ok": "push-button[name=OK]", "total": "label", "amount": "entry"]
                let usual = try scene.bind(places)
                let mouse = try scene.bind(places, modes: ["mouse-review"])
                let tracking = try scene.bind(places, modes: ["focus-tracking"])
                #expect(mouse.first.value == nil && tracking.first.value == "ok")
                try await orca.present("label", of: app, mode: "mouse-review")
                try mouse.expect("total", from: nil, "moved")
                try await orca.present("entry", of: app, mode: "caret-tracking")
                try usual.expect("amount", from: "ok", "moved")
                try tracking.expect("amount", from: "ok", "moved")
                try await orca.present("label", of: app, mode: "object-navigator")
                try usual.expect("total", from: "amount", "moved")
                try await orca.present("ok", of: app)
                try usual.expect("ok", from: "total", "moved")
                try tracking.expect("ok", from: "amount", "moved")
                try await orca.present("ok", of: app, mode: "mouse-review")
                try mouse.expect("ok", from: "total", "moved")
            }
        }

        // MARK: - What is refused

        @Test func `what is wrong with a Bind is said, and the next one works`() async throws {
            try await withReader { scene, _, _ in
                let label = Prototype(value: "x", selector: "label")
                func error(_ parameters: Bind.Parameters) -> ErrorReply? {
                    scene.refusal { try StateWatch(scene.runtimeFolder, parameters) }
                }
                let bad = error(.init(prototypes: [label, Prototype(value: "y", selector: "push-button[")]))
                #expect(bad?.name == FocusError.InvalidSelector.name)
                #expect(bad?.parameters["position"] == .integer(12) && bad?.parameters["prototype"] == .integer(1))
                for (parameter, parameters) in [
                    ("prototypes", Bind.Parameters(prototypes: [])),
                    ("name", .init(prototypes: [label], name: "")), ("name", .init(prototypes: [label], name: "#1")),
                    ("name", .init(prototypes: [label], name: "a\nb")),
                    ("name", .init(prototypes: [label], name: String(repeating: "n", count: 256))),
                    ("session", .init(prototypes: [label], session: "none")),
                ] {
                    let error = error(parameters)
                    #expect(error?.name == "org.varlink.service.InvalidParameter")
                    #expect(error?.parameters["parameter"] == .string(parameter))
                }
                let unknown = error(.init(prototypes: [label], technologies: ["jaws"]))
                #expect(unknown?.name == FocusError.UnknownTechnology.name)
                let many = (0..<1_025).map { Prototype(value: "v\($0)", selector: "label") }
                #expect(error(.init(prototypes: many))?.parameters["limit"] == .string("maximumPrototypesPerState"))
                let modes = (0..<33).map { "mode-\($0)" }
                #expect(
                    error(.init(prototypes: [label], modes: modes))?.parameters["limit"]
                        == .string("maximumModesPerState"))
                let most = try StateWatch(scene.runtimeFolder, .init(prototypes: Array(many.dropLast())))
                #expect(most.first.value == nil)
                let noStream = scene.refusal { try scene.client().call(Bind.self, .init(prototypes: [label])) }
                #expect(noStream?.name == "org.varlink.service.ExpectedMore")
                let noSession = scene.refusal { try scene.client().call(OpenSession.self, .init()) }
                #expect(noSession?.name == "org.varlink.service.ExpectedMore")
            }
        }

        @Test func `who joins a state in other words gives back what it took`() async throws {
            try await withReader { scene, _, _ in
                func used() throws -> Int? {
                    try scene.client().statistics().limits.first { $0.name == "maximumSelectorBytes" }?.used
                }
                do {
                    let first = try scene.bind(["x": "label"], modes: ["focus-tracking"], name: "n")
                    let second = try scene.bind(["x": "label"], modes: ["caret-tracking", "focus-tracking"], name: "n")
                    #expect(first.state == second.state)
                    #expect(try used() == 2 * ("x" + "label" + "focus-tracking" + "n").utf8.count)
                }
                try scene.wait(within: 20, "all is given back") { try used() == 0 }
            }
        }

        @Test func `one process has no more than its share of choices of technologies and modes`() async throws {
            try await withReader { scene, _, _ in
                let session = try SessionWatch(scene.runtimeFolder)
                let client = try scene.client()
                func bind(_ mode: String?) throws -> String? {
                    let label = Prototype(value: "x", selector: "label")
                    return try client.call(
                        Bind.self,
                        .init(prototypes: [label], modes: mode.map { [$0] }, session: session.session)
                    ).state
                }
                func expectRefused(at location: SourceLocation = #_sourceLocation) {
                    let error = scene.refusal { try bind("one more") }
                    #expect(
                        error?.parameters["limit"] == .string("maximumViewsPerProcess"), sourceLocation: location)
                }
                let states = try (0..<32).map { try #require(try bind("mode-\($0)")) }
                expectRefused()
                // One that it has costs nothing more, and naming none nothing at all.
                let again = try bind("mode-7")
                #expect(try again != nil && bind(nil) != nil)
                try client.unbind(states[7])
                expectRefused()
                try client.unbind(try #require(again))
                #expect(try bind("another") != nil)
                expectRefused()
            }
        }

        @Test func `one process has no more than its share of states`() async throws {
            try await withReader { scene, _, _ in
                let session = try SessionWatch(scene.runtimeFolder)
                let client = try scene.client()
                for _ in 0..<4_096 { _ = try client.bind(["x": "label"], in: session.session) }
                let error = scene.refusal { try client.bind(["x": "label"], in: session.session) }
                #expect(error?.name == FocusError.LimitExceeded.name)
                #expect(error?.parameters["limit"] == .string("maximumStatesPerProcess"))
                try client.unbind(try #require(try client.states().first).state)
                #expect(try client.bind(["x": "label"], in: session.session).state != nil)
            }
        }
    }
}

extension FocusdScene {
    /// The error that focusd answers; nil where it answers none.
    func refusal<Value>(_ call: () throws -> Value) -> ErrorReply? {
        do {
            _ = try call()
            Issue.record("it was not refused")
        } catch FocusSocketError.refused(let error) {
            return error
        } catch {
            Issue.record("another error: \(error)")
        }
        return nil
    }
}
