import FocusProtocol
import Foundation
import Testing
import Varlink

@testable import AccessibilityFocus

/// The typed calls: what they send, what they give, and how they end.
struct ClientTests {
    static let application = ApplicationSnapshot(
        name: "notes", pid: 1, toolkit: "GTK", busName: ":1.5", responding: true)
    static let element = ElementSnapshot(
        busName: ":1.5", path: "/a/17", role: "label", name: "Mail", states: [], interfaces: [],
        application: application)
    static let focus = Focus(
        technology: "orca", element: element, assumed: false, cause: "initial", revision: 1, monotonicMicroseconds: 2)

    /// A client of a fake that answers with this.
    static func client(
        _ answer: @escaping @Sendable (FakeFocusd.Call) -> FakeFocusd.Answer
    ) throws -> (Scene, FakeFocusd, FocusClient) {
        let scene = try Scene()
        let focusd = try FakeFocusd(in: scene.folder) { call, _ in answer(call) }
        return (scene, focusd, FocusClient(engine: scene.engine))
    }

    @Test("every call sends its parameters and gives what is answered")
    func calls() async throws {
        let replies: [String: [UInt8]] = [
            "GetFocus": encode(GetFocus.Reply(focus: ClientTests.focus)),
            "ListTechnologies": encode(ListTechnologies.Reply(technologies: [Technology(id: "orca", active: true)])),
            "ListApplications": encode(ListApplications.Reply(applications: [ClientTests.application])),
            "Find": encode(Find.Reply(elements: [ClientTests.element], complete: true)),
            "Wait": encode(Wait.Reply(element: ClientTests.element)),
            "MoveFocus": encode(MoveFocus.Reply(outcome: .confirmed())),
            "SetValue": encode(SetValue.Reply(outcome: .confirmed())),
            "Bind": encode(Bind.Reply(state: "#4")),
            "DeclineMove": [], "Unbind": [],
            "ListStates": encode(ListStates.Reply(states: [])),
            "Announce": encode(Announce.Reply(route: "notification", delivered: true)),
            "GetStatistics": encode(
                GetStatistics.Reply(
                    statistics: ServiceStatistics(
                        version: "1", uptimeMilliseconds: 1, nodes: 2, counters: [:], applications: [], clients: []))),
            "Diagnose": encode(
                Diagnose.Reply(
                    findings: [Finding(code: "a", severity: "note", what: "b", whatToDo: "c")], version: "1")),
        ]
        let (_, focusd, client) = try ClientTests.client { .reply(replies[$0.name] ?? []) }

        #expect(try await client.focus(of: "orca") == ClientTests.focus)
        #expect(try await focusd.next(GetFocus.self) == GetFocus.Parameters(technology: "orca"))
        #expect(try await client.technologies().map(\.id) == ["orca"])
        #expect(try await client.applications() == [ClientTests.application])
        #expect(try await client.find("label", limit: 3, fields: ["extents"]).elements == [ClientTests.element])
        #expect(try await focusd.next(Find.self) == Find.Parameters(selector: "label", limit: 3, fields: ["extents"]))
        let waited = try await client.wait(for: "label", until: .focused, technology: "orca", timeout: .seconds(1))
        #expect(waited == ClientTests.element)
        #expect(
            try await focusd.next(Wait.self)
                == Wait.Parameters(
                    selector: "label", condition: "focused", technology: "orca", timeoutMilliseconds: 1000))
        #expect(try await client.move(to: "label", technologies: .orca, again: true, routes: [.grabFocus]).isConfirmed)
        #expect(
            try await focusd.next(MoveFocus.self)
                == MoveFocus.Parameters(selector: "label", technologies: ["orca"], again: true, routes: ["grabFocus"]))
        #expect(try await client.move(to: ClientTests.element, timeout: .nanoseconds(1)).isConfirmed)
        #expect(
            try await focusd.next(MoveFocus.self)
                == MoveFocus.Parameters(element: ":1.5/a/17", timeoutMilliseconds: 1))
        #expect(try await client.setValue(of: "form", to: nil).isConfirmed)
        #expect(try await focusd.next(SetValue.self) == SetValue.Parameters(state: "form"))
        let prototype = Prototype(value: "a", selector: "b")
        #expect(try await client.bind([prototype], name: "form", session: "s").state == "#4")
        #expect(
            try await focusd.next(Bind.self)
                == Bind.Parameters(prototypes: [prototype], name: "form", session: "s"))
        try await client.declineMove("t", reason: "r")
        #expect(try await focusd.next(DeclineMove.self) == DeclineMove.Parameters(token: "t", reason: "r"))
        try await client.unbind("form")
        #expect(try await client.states().isEmpty)
        #expect(try await client.announce("Hello", urgent: true).delivered)
        #expect(try await focusd.next(Announce.self) == Announce.Parameters(text: "Hello", urgent: true))
        #expect(try await client.statistics().nodes == 2)
        #expect(try await client.diagnose().map(\.code) == ["a"])
        try await focusd.state.wait("no connection left") { $0.connections.isEmpty }
    }

    @Test(
        "errors are told by their kind",
        arguments: [
            (
                FocusError.InvalidSelector.name, encode(FocusError.InvalidSelector(position: 3, expected: "x")),
                FocusRefusal.invalidSelector(position: 3, expected: "x")
            ),
            (FocusError.UnknownTechnology.name, encode(FocusError.UnknownTechnology(id: "a")), .unknownTechnology("a")),
            (FocusError.UnknownState.name, encode(FocusError.UnknownState(state: "a")), .unknownState("a")),
            (FocusError.UnknownValue.name, encode(FocusError.UnknownValue(value: "a")), .unknownValue("a")),
            (FocusError.StateExists.name, encode(FocusError.StateExists(state: "a")), .stateExists("a")),
            (FocusError.StaleElement.name, [], .staleElement),
            (
                FocusError.ElementNotFound.name, encode(FocusError.ElementNotFound(reason: "noMatch")),
                .elementNotFound(reason: "noMatch")
            ),
            (FocusError.WaitTimedOut.name, [], .waitTimedOut),
            (
                FocusError.AmbiguousSelector.name, encode(FocusError.AmbiguousSelector(count: 2)),
                .ambiguousSelector(count: 2)
            ),
            (FocusError.SubscriberTooSlow.name, [], .tooSlow),
            (FocusError.LimitExceeded.name, encode(FocusError.LimitExceeded(limit: "a")), .limitExceeded("a")),
            ("org.varlink.service.InvalidParameter", encode(["parameter": "a"]), .invalidParameter("a")),
            ("org.varlink.service.MethodNotFound", encode(["method": "a"]), .unknownMethod("a")),
            ("org.example.Unheard", [], .other("org.example.Unheard")),
            (FocusError.InvalidSelector.name, [], .other(FocusError.InvalidSelector.name)),
        ] as [(String, [UInt8], FocusRefusal)])
    func refusals(name: String, parameters: [UInt8], refusal: FocusRefusal) async throws {
        let (_, _, client) = try ClientTests.client { _ in .error(name, parameters) }
        await #expect(throws: FocusClientError.refused(refusal)) { try await client.focus() }
    }

    @Test("without a service a call throws at once, and a stream too")
    func noService() async throws {
        let scene = try Scene()
        let client = FocusClient(engine: scene.engine)
        await #expect(throws: FocusClientError.noService(path: scene.folder.socket)) { try await client.focus() }
        await #expect(throws: FocusClientError.noService(path: scene.folder.socket)) {
            for try await _ in client.focusChanges() {}
        }
        #expect(scene.log.value.isEmpty)
    }

    @Test("an answer that is none to the call is an error of its own")
    func unreadable() async throws {
        let (_, _, client) = try ClientTests.client { call in
            call.name == "GetFocus" ? .reply(encode(["focus": 1])) : .rubbish(Array("?\0".utf8))
        }
        await #expect(throws: FocusClientError.unreadableReply) { try await client.focus() }
        await #expect(throws: FocusClientError.unreadableReply) { try await client.states() }
    }

    @Test("a service that goes ends the call")
    func lost() async throws {
        let (_, focusd, client) = try ClientTests.client { _ in .hangUp }
        await #expect(throws: FocusClientError.connectionLost) { try await client.focus() }
        try await focusd.state.wait("no connection left") { $0.connections.isEmpty }
    }

    @Test(
        "a timeout that focusd does not take counts as the nearest one",
        arguments: [(.seconds(Int64.max), true), (.seconds(Int64.min), false), (.seconds(-60), false)]
            as [(Duration, Bool)])
    func timeouts(timeout: Duration, isLong: Bool) async throws {
        let (_, focusd, client) = try ClientTests.client { call in
            switch call.name {
            case "Wait": .reply(encode(Wait.Reply()))
            case "SetValue": .reply(encode(SetValue.Reply(outcome: .confirmed())))
            default: .reply(encode(MoveFocus.Reply(outcome: .confirmed())))
            }
        }
        _ = try await client.wait(for: "label", timeout: timeout)
        #expect(try await focusd.next(Wait.self).timeoutMilliseconds == (isLong ? 3_600_000 : 1))
        _ = try await client.move(to: "label", timeout: timeout)
        #expect(try await focusd.next(MoveFocus.self).timeoutMilliseconds == (isLong ? 60_000 : 1))
        _ = try await client.setValue(of: "form", to: nil, timeout: timeout)
        #expect(try await focusd.next(SetValue.self).timeoutMilliseconds == (isLong ? 60_000 : 1))
    }

    @Test("a service that does not answer in time ends the call")
    func late() async throws {
        let scene = try Scene { $0.answerTime = .milliseconds(50) }
        let focusd = try FakeFocusd(in: scene.folder) { _, _ in .later }
        await #expect(throws: FocusClientError.timedOut) { try await FocusClient(engine: scene.engine).states() }
        try await focusd.state.wait("no connection left") { $0.connections.isEmpty }
    }

    @Test("a long call keeps no other waiting, and cancelling it closes its connection")
    func longCall() async throws {
        let (_, focusd, client) = try ClientTests.client { call in
            call.name == "Wait" ? .later : .reply(encode(GetFocus.Reply(focus: ClientTests.focus)))
        }
        let waiting = Task { try await client.wait(for: "label", timeout: .seconds(3600)) }
        _ = try await focusd.next("Wait")
        _ = try await client.focus()
        waiting.cancel()
        await #expect(throws: FocusClientError.cancelled) { try await waiting.value }
        try await focusd.state.wait("no connection left") { $0.connections.isEmpty }
    }

    @Test("a call in a task that is cancelled already is not made")
    func cancelledBefore() async throws {
        let (_, focusd, client) = try ClientTests.client { _ in .later }
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await client.focus()
        }
        await #expect(throws: FocusClientError.cancelled) { try await task.value }
        try await focusd.state.wait("no connection left") { $0.connections.isEmpty }
    }

    @Test("a call that nobody waits for any more when it comes to be made is not made")
    func cancelledBetween() async throws {
        let (scene, focusd, _) = try ClientTests.client { _ in .later }
        let request = CallRequest(method: GetFocus.name, parameters: []) { _ in }
        request.isOver.set()
        scene.engine.post(.cancel(request.id))
        scene.engine.post(.call(request))
        try await scene.settle()
        #expect(focusd.state.value.connectionsMade == 0)
    }

    @Test("a client's sets go over one connection, in their order, without waiting for each other")
    func orderedSets() async throws {
        let (_, focusd, client) = try ClientTests.client { _ in .later }
        var sets: [Task<Outcome, any Error>] = []
        var calls: [FakeFocusd.Call] = []
        for number in 0..<3 {
            sets.append(Task { try await client.setValue(of: "form", to: "\(number)") })
            calls.append(try await focusd.next("SetValue"))
        }
        #expect(Set(calls.map(\.connection)).count == 1)
        #expect(try calls.map { try $0.read(SetValue.Parameters.self).value } == ["0", "1", "2"])
        for call in calls { focusd.answer(call, outcome: .confirmed()) }
        for set in sets { #expect(try await set.value.isConfirmed) }
        try await focusd.state.wait("no connection left") { $0.connections.isEmpty }
    }

    @Test("a stream gives every reply, ends with the last, and closes its connection when it is left")
    func streams() async throws {
        let (_, focusd, client) = try ClientTests.client { call in
            call.name == "GetFocus"
                ? .reply(encode(GetFocus.Reply(focus: ClientTests.focus, instance: "1")), continues: true)
                : .reply(encode(GetTree.Reply(nodes: [], complete: true)))
        }
        for try await focus in client.focusChanges(updates: true) {
            #expect(focus == ClientTests.focus)
            break
        }
        #expect(try await focusd.next(GetFocus.self) == GetFocus.Parameters(updates: true))
        var parts = 0
        for try await part in client.tree(of: "label", depth: 2) where part.complete { parts += 1 }
        #expect(parts == 1)
        try await focusd.state.wait("no connection left") { $0.connections.isEmpty }
    }

    @Test("a stream that is read too slowly ends with that error after what was kept, and misses nothing in silence")
    func slowStream() async throws {
        let many = (0..<5000).reduce(into: [UInt8]()) { bytes, number in
            bytes += OutgoingMessage.reply(
                parameters: encode(ListTechnologies.Reply(technologies: [Technology(id: "\(number)", active: true)])),
                continues: true)
        }
        let (_, focusd, client) = try ClientTests.client { _ in .rubbish(many) }
        let stream = client.technologyChanges()
        try await focusd.state.wait("the connection's end") { $0.connectionsMade == 1 && $0.connections.isEmpty }
        var ids: [String] = []
        await #expect(throws: FocusClientError.refused(.tooSlow)) {
            for try await technologies in stream { ids += technologies.map(\.id) }
        }
        #expect(ids == (0..<AccessibilityFocusLimits.waitingReplies).map(String.init))
    }

    @Test("a call waits for a service that is busy letting others in")
    func fullBacklog() async throws {
        let scene = try Scene()
        try scene.folder.makeServiceFolder()
        let listener = try BusyListener(at: scene.folder.socket)
        let client = FocusClient(engine: scene.engine)
        let call = Task { try await client.focus() }
        try await scene.settle()
        try await scene.settle()
        let served = listener.letIn(
            answering: OutgoingMessage.reply(
                parameters: encode(GetFocus.Reply(focus: ClientTests.focus)), continues: false))
        #expect(try await within(usualDeadline, "the answer") { try await call.value } == ClientTests.focus)
        served.cancel()
    }
}
