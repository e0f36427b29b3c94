import FocusProtocol
import Foundation
import Testing
import Varlink

@testable import AccessibilityFocus

/// The service comes, goes, and errs; the library is quiet and comes back by itself.
struct ServiceTests {
    @Test("without a service values are none, and any number of sets say so in one line of the log")
    func noService() async throws {
        let scene = try Scene()
        let state = AccessibilityFocusState<Bool>(engine: scene.engine)
        Element("#a").accessibilityFocused(state.projectedValue)
        for _ in 0..<100 { state.wrappedValue = true }
        await #expect(throws: FocusClientError.noService(path: scene.folder.socket)) {
            try await state.projectedValue.set(true)
        }
        #expect(!state.wrappedValue)
        #expect(scene.log.value.count == 1)
        let socket = scene.folder.socket
        #expect(
            scene.log.value
                == ["AccessibilityFocus: focusd is not there (\(socket)): values stay false or nil until it comes"])
    }

    @Test("binding alone says nothing in the log")
    func quiet() async throws {
        let scene = try Scene()
        let state = AccessibilityFocusState<Bool>(engine: scene.engine)
        Element("#a").accessibilityFocused(state.projectedValue)
        try await scene.settle()
        #expect(!state.wrappedValue)
        #expect(scene.log.value.isEmpty)
    }

    @Test("it connects when the service comes", arguments: [false, true])
    func serviceComes(folderIsThere: Bool) async throws {
        let scene = try Scene()
        if folderIsThere { try scene.folder.makeServiceFolder() }
        let state = AccessibilityFocusState<Bool>(engine: scene.engine)
        Element("#a").accessibilityFocused(state.projectedValue)
        await #expect(throws: FocusClientError.noService(path: scene.folder.socket)) {
            try await state.projectedValue.set(true)
        }
        let focusd = try FakeFocusd(in: scene.folder)
        _ = try await focusd.next("Bind")
        focusd.say("#1", "true")
        try await state.projectedValue.becomes(true)
    }

    @Test("a set without a service is not made later")
    func noLateSet() async throws {
        let scene = try Scene()
        let state = AccessibilityFocusState<Bool>(engine: scene.engine)
        Element("#a").accessibilityFocused(state.projectedValue)
        state.wrappedValue = true
        try await scene.log.wait("the line") { !$0.isEmpty }
        let focusd = try FakeFocusd(in: scene.folder)
        _ = try await focusd.next("Bind")
        try await scene.settle()
        #expect(focusd.calls("SetValue").isEmpty)
        // The next absence is told again.
        focusd.stop()
        try await scene.settle()
        await #expect(throws: FocusClientError.self) { try await state.projectedValue.set(true) }
    }

    @Test("over a restart the values are lost, with the cause serviceGone, and everything is bound again")
    func restart() async throws {
        let scene = try Scene()
        let first = try FakeFocusd(in: scene.folder, instance: "1")
        let one = AccessibilityFocusState<Bool>(engine: scene.engine)
        let two = AccessibilityFocusState<Int?>(for: .keyboard, engine: scene.engine)
        Element("#one").accessibilityFocused(one.projectedValue)
        _ = try await first.next("Bind")
        Element("#two").accessibilityFocused(two.projectedValue, equals: 2)
        _ = try await first.next("Bind")
        first.say("#1", "true")
        first.say("#2", "2")
        try await one.projectedValue.becomes(true)
        try await two.projectedValue.becomes(2)
        let changes = two.projectedValue.changes

        first.stop()
        try await two.projectedValue.becomes(nil)
        try await one.projectedValue.becomes(false)
        #expect(one.projectedValue.current.cause == "serviceGone")

        let second = try FakeFocusd(in: scene.folder, instance: "2") { call, focusd in
            guard call.name == "Bind" else { return nil }
            let name = focusd.bound(call)
            let value = call.parameters(of: Bind.self)?.prototypes.first?.value
            let change = StateChange(state: name, value: value, assumed: true, cause: "restored", revision: 900)
            return .reply(encode(Bind.Reply(state: name, change: change)))
        }
        let binds = [try await second.next(Bind.self), try await second.next(Bind.self)]
        #expect(Set(binds.map { $0.prototypes[0].selector }) == ["#one", "#two"])
        #expect(Set(binds.map(\.technologies)) == [nil, ["keyboard"]])
        #expect(binds.allSatisfy { $0.session == "s1" })
        let seen = try await within(usualDeadline, "the changes over the restart") {
            var seen: [String] = []
            for await change in changes {
                seen.append("\(change.value.map(String.init) ?? "nil") \(change.cause) \(change.assumed)")
                if seen.count == 3 { break }
            }
            return seen
        }
        #expect(seen == ["2 moved false", "nil serviceGone false", "2 restored true"])
        try await one.projectedValue.becomes(true)
    }

    @Test("a set that was on its way when the service went is told so")
    func setWhenLost() async throws {
        let scene = try Scene()
        let focusd = try FakeFocusd(in: scene.folder)
        let state = AccessibilityFocusState<Bool>(engine: scene.engine)
        Element("#a").accessibilityFocused(state.projectedValue)
        let binding = state.projectedValue
        let set = Task { try await binding.set(true) }
        _ = try await focusd.next("SetValue")
        focusd.stop()
        await #expect(throws: FocusClientError.connectionLost) { try await set.value }
    }

    @Test("a lost session alone, or lost calls alone, begin both anew", arguments: [1, 2])
    func oneConnectionLost(number: Int) async throws {
        let scene = try Scene()
        let focusd = try FakeFocusd(in: scene.folder)
        let state = AccessibilityFocusState<Bool>(engine: scene.engine)
        Element("#a").accessibilityFocused(state.projectedValue)
        _ = try await focusd.next("Bind")
        focusd.say("#1", "true")
        try await state.projectedValue.becomes(true)
        focusd.state.value.connections[number]?.hangUp()
        try await state.projectedValue.becomes(false)
        #expect(try await focusd.next(Bind.self).session == "s3")
        try await focusd.state.wait("two connections") { $0.connections.count == 2 }
    }

    @Test("any number of states take two connections")
    func twoConnections() async throws {
        let scene = try Scene()
        let focusd = try FakeFocusd(in: scene.folder)
        let states = (0..<50).map { _ in AccessibilityFocusState<Bool>(engine: scene.engine) }
        for (number, state) in states.enumerated() {
            Element("#e\(number)").accessibilityFocused(state.projectedValue)
        }
        for _ in states { _ = try await focusd.next("Bind") }
        for state in states { state.wrappedValue = true }
        for _ in states { _ = try await focusd.next("SetValue") }
        #expect(focusd.state.value.mostConnections == 2)
        #expect(focusd.state.value.connectionsMade == 2)
        #expect(Set(focusd.calls("SetValue").map(\.connection)) == [2])
    }

    @Test("a reader that was too slow is connected anew and bound again")
    func tooSlow() async throws {
        let scene = try Scene()
        let focusd = try FakeFocusd(in: scene.folder)
        let state = AccessibilityFocusState<Bool>(engine: scene.engine)
        Element("#a").accessibilityFocused(state.projectedValue)
        _ = try await focusd.next("Bind")
        focusd.sayInSession(OutgoingMessage.error(FocusError.SubscriberTooSlow.name, parameters: []))
        _ = try await focusd.next("Bind")
        #expect(scene.log.value.isEmpty)
    }

    @Test(
        "a service that sends rubbish is left, told of once, and tried again more and more rarely",
        arguments: [
            "no JSON\0", "[]\0", "{\"parameters\":7}\0",
            "{\"parameters\":{\"change\":{\"state\":1}},\"continues\":true}\0",
            "{\"parameters\":{\"session\":[]},\"continues\":true}\0", "\0\0\0",
        ])
    func rubbish(message: String) async throws {
        let scene = try Scene {
            $0.firstPause = .milliseconds(1); $0.longestPause = .milliseconds(4)
        }
        let focusd = try FakeFocusd(in: scene.folder) { call, _ in
            call.name == "Bind" ? .rubbish(Array(message.utf8)) : nil
        }
        let state = AccessibilityFocusState<Bool>(engine: scene.engine)
        Element("#a").accessibilityFocused(state.projectedValue)
        for _ in 0..<3 { _ = try await focusd.next("Bind") }
        #expect(!state.wrappedValue)
        #expect(
            scene.log.value == ["AccessibilityFocus: what answers on focusd's socket does not answer as focusd does"])
    }

    @Test("rubbish in the session is no reason to trap either")
    func rubbishInSession() async throws {
        let scene = try Scene { $0.firstPause = .milliseconds(1) }
        let focusd = try FakeFocusd(in: scene.folder)
        let state = AccessibilityFocusState<Bool>(engine: scene.engine)
        Element("#a").accessibilityFocused(state.projectedValue)
        _ = try await focusd.next("Bind")
        focusd.say("#77", "true")
        focusd.say("#1", "no such value")
        focusd.say(OpenSession.Reply(move: OwnerMove(token: "x", state: "#77", value: "true")))
        focusd.sayInSession(Array("{\"parameters\":{\"change\":null},\"continues\":true}\0".utf8))
        focusd.say("#1", "true")
        try await state.projectedValue.becomes(true)
        focusd.sayInSession(Array("{\"parameters\":{\"change\":[]},\"continues\":true}\0".utf8))
        _ = try await focusd.next("Bind")
    }

    @Test("a service that never answers is given up")
    func mute() async throws {
        let scene = try Scene {
            $0.answerTime = .milliseconds(50)
            $0.firstPause = .milliseconds(1)
        }
        let focusd = try FakeFocusd(in: scene.folder) { _, _ in .later }
        let state = AccessibilityFocusState<Bool>(engine: scene.engine)
        Element("#a").accessibilityFocused(state.projectedValue)
        for _ in 0..<2 { _ = try await focusd.next("OpenSession") }
        await #expect(throws: FocusClientError.self) { try await state.projectedValue.set(true) }
        #expect(
            scene.log.value.first
                == "AccessibilityFocus: what answers on focusd's socket does not answer as focusd does")
    }

    @Test("an older service without sessions is told of once")
    func olderService() async throws {
        let scene = try Scene { $0.firstPause = .milliseconds(1) }
        let focusd = try FakeFocusd(in: scene.folder) { call, _ in
            .error("org.varlink.service.MethodNotFound", encode(["method": "io.focusd.Focus.\(call.name)"]))
        }
        let state = AccessibilityFocusState<Bool>(engine: scene.engine)
        Element("#a").accessibilityFocused(state.projectedValue)
        for _ in 0..<3 { _ = try await focusd.next("OpenSession") }
        #expect(
            scene.log.value == [
                "AccessibilityFocus: focusd refused OpenSession: it does not know io.focusd.Focus.OpenSession; "
                    + "it may be older than this library"
            ])
    }

    @Test("a folder that others can write to is not used")
    func untrusted() async throws {
        let scene = try Scene()
        let focusd = try FakeFocusd(in: scene.folder)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: scene.folder.serviceFolder)
        let state = AccessibilityFocusState<Bool>(engine: scene.engine)
        Element("#a").accessibilityFocused(state.projectedValue)
        await #expect(throws: FocusClientError.untrusted(path: scene.folder.serviceFolder)) {
            try await state.projectedValue.set(true)
        }
        #expect(focusd.state.value.connectionsMade == 0)
        #expect(scene.log.value.count == 1)
    }

    @Test("a flood of changes reaches everybody in its order, and keeps nobody from being heard")
    func flood() async throws {
        let scene = try Scene()
        let focusd = try FakeFocusd(in: scene.folder)
        let state = AccessibilityFocusState<Bool>(engine: scene.engine)
        Element("#a").accessibilityFocused(state.projectedValue)
        _ = try await focusd.next("Bind")
        let revisions = Watched<[Int64]>([])
        state.projectedValue.onChange { change in revisions.change { $0.append(change.revision) } }
        let unread = state.projectedValue.changes
        let count = 20_000
        let flood = Task.detached {
            for number in 1...count { focusd.say("#1", number.isMultiple(of: 2) ? nil : "true") }
        }
        // In the midst of it, a set still gets through.
        state.wrappedValue = true
        _ = try await focusd.next("SetValue")
        await flood.value
        try await revisions.wait("all changes") { $0.count == count }
        #expect(revisions.value == revisions.value.sorted())
        #expect(scene.log.value == ["AccessibilityFocus: changes are read too slowly, and some were left out"])
        let last = try await within(usualDeadline, "what was kept") {
            var kept: [Int64] = []
            for await change in unread {
                kept.append(change.revision)
                if kept.count == AccessibilityFocusLimits.waitingChanges { break }
            }
            return kept
        }
        #expect(last == Array(revisions.value.suffix(AccessibilityFocusLimits.waitingChanges)))
    }

    // MARK: - Selectors

    /// Refuses every Bind that has a selector with a `?` in it.
    static func strict(_ call: FakeFocusd.Call, _ focusd: FakeFocusd) -> FakeFocusd.Answer? {
        guard let bind = call.parameters(of: Bind.self) else { return nil }
        for (place, prototype) in bind.prototypes.enumerated() {
            guard let position = Array(prototype.selector.utf8).firstIndex(of: UInt8(ascii: "?")) else { continue }
            return .error(
                FocusError.InvalidSelector.name,
                encode(FocusError.InvalidSelector(position: position, expected: "a name", prototype: place)))
        }
        return nil
    }

    @Test("a bad selector is told once, in the log, among the problems, and by an explicit set; the others stay bound")
    func badSelector() async throws {
        let scene = try Scene()
        let focusd = try FakeFocusd(in: scene.folder, script: ServiceTests.strict)
        let state = AccessibilityFocusState<Int?>(engine: scene.engine)
        scene.inOneTurn {
            Element("#good").accessibilityFocused(state.projectedValue, equals: 1)
            Element("#b?d").accessibilityFocused(state.projectedValue, equals: 2)
            Element("#good").accessibilityFocused(state.projectedValue, equals: 1)
            Element("#fine").accessibilityFocused(state.projectedValue, equals: 3)
        }
        try await scene.log.wait("the problem") { !$0.isEmpty }
        await #expect(throws: FocusClientError.refused(.invalidSelector(position: 2, expected: "a name"))) {
            try await state.projectedValue.set(2)
        }
        state.wrappedValue = 3
        let set = try await focusd.next(SetValue.self)
        #expect(set.value == "3")
        let prototypes = try #require(focusd.state.value.states[set.state])
        #expect(prototypes.map(\.selector) == ["#good", "#fine"])
        let problem = FocusProblem.invalidSelector(selector: "#b?d", position: 2, expected: "a name")
        #expect(scene.log.value == ["AccessibilityFocus: \(problem)"])
        var problems = FocusClient(engine: scene.engine).problems.makeAsyncIterator()
        #expect(await problems.next() == problem)
    }

    @Test("a bad selector alone binds nothing and is told")
    func onlyBadSelector() async throws {
        let scene = try Scene()
        let focusd = try FakeFocusd(in: scene.folder, script: ServiceTests.strict)
        let state = AccessibilityFocusState<Bool>(engine: scene.engine)
        Element("?").accessibilityFocused(state.projectedValue)
        try await scene.log.wait("the problem") { !$0.isEmpty }
        await #expect(throws: FocusClientError.refused(.invalidSelector(position: 0, expected: "a name"))) {
            try await state.projectedValue.set(true)
        }
        #expect(focusd.calls("Bind").count == 1)
    }

    @Test("a place that no prototype has is no reason to trap")
    func wrongPlace() async throws {
        let scene = try Scene { $0.firstPause = .milliseconds(1) }
        let focusd = try FakeFocusd(in: scene.folder) { call, _ in
            guard call.name == "Bind" else { return nil }
            return .error(
                FocusError.InvalidSelector.name,
                encode(FocusError.InvalidSelector(position: 0, expected: "a name", prototype: 7)))
        }
        let state = AccessibilityFocusState<Bool>(engine: scene.engine)
        Element("#a").accessibilityFocused(state.projectedValue)
        for _ in 0..<2 { _ = try await focusd.next("Bind") }
        #expect(scene.log.value.count == 1)
    }

    @Test("what else is refused of a Bind is told once, and a set throws it")
    func bindRefused() async throws {
        let scene = try Scene()
        let focusd = try FakeFocusd(in: scene.folder) { call, _ in
            guard call.name == "Bind" else { return nil }
            return .error(FocusError.LimitExceeded.name, encode(FocusError.LimitExceeded(limit: "states")))
        }
        let state = AccessibilityFocusState<Bool>(engine: scene.engine)
        Element("#a").accessibilityFocused(state.projectedValue)
        _ = try await focusd.next("Bind")
        await #expect(throws: FocusClientError.refused(.limitExceeded("states"))) {
            try await state.projectedValue.set(true)
        }
        #expect(focusd.calls("Bind").count == 1)
        #expect(scene.log.value == ["AccessibilityFocus: focusd refused Bind: the limit states is reached"])
    }
}
