import FocusProtocol
import Testing

@testable import AccessibilityFocus

/// An assignment asks, and the value stays what was confirmed.
struct SettingTests {
    /// A Boolean that is bound, on a fake that answers sets when the test says so.
    struct Bound {
        let scene: Scene
        let focusd: FakeFocusd
        let state: AccessibilityFocusState<Bool>

        init(_ script: @escaping @Sendable (FakeFocusd.Call, FakeFocusd) -> FakeFocusd.Answer? = { _, _ in nil })
            async throws
        {
            scene = try Scene()
            focusd = try FakeFocusd(in: scene.folder, script: script)
            state = AccessibilityFocusState(engine: scene.engine)
            Element("#a").accessibilityFocused(state.projectedValue)
            _ = try await focusd.next("Bind")
        }
    }

    @Test("an assignment sends the value and changes nothing until the service confirms it")
    func assignment() async throws {
        let bound = try await Bound()
        bound.state.wrappedValue = true
        #expect(!bound.state.wrappedValue)
        let call = try await bound.focusd.next("SetValue")
        #expect(try call.read(SetValue.Parameters.self) == SetValue.Parameters(state: "#1", value: "true"))
        #expect(!bound.state.wrappedValue)
        bound.focusd.say("#1", "true", cause: "set")
        bound.focusd.answer(call, outcome: .confirmed())
        try await bound.state.projectedValue.becomes(true)
    }

    @Test("an outcome that is not confirmed leaves the value as it is", arguments: ["refused", "timedOut"])
    func refusedAssignment(result: String) async throws {
        let bound = try await Bound()
        bound.state.wrappedValue = true
        let call = try await bound.focusd.next("SetValue")
        bound.focusd.answer(call, outcome: Outcome(result: result, keyboardFocus: "unknown", elapsedMilliseconds: 1))
        let later = Task { try await bound.state.projectedValue.set(true) }
        bound.focusd.answer(try await bound.focusd.next("SetValue"), outcome: .confirmed())
        _ = try await later.value
        #expect(!bound.state.wrappedValue)
    }

    @Test("an equal value is sent too, and false without a value")
    func equalValues() async throws {
        let bound = try await Bound()
        bound.scene.inOneTurn {
            bound.state.wrappedValue = false
            bound.state.wrappedValue = false
            bound.state.wrappedValue = true
            bound.state.wrappedValue = true
        }
        var values: [String?] = []
        for _ in 0..<4 { values.append(try await bound.focusd.next(SetValue.self).value) }
        #expect(values == [nil, nil, "true", "true"])
    }

    @Test("a set before the Bind is answered goes out after it, and one with an element that comes after it does not")
    func setBeforeBound() async throws {
        let scene = try Scene()
        let focusd = try FakeFocusd(in: scene.folder)
        let state = AccessibilityFocusState<Bool>(engine: scene.engine)
        scene.inOneTurn {
            state.wrappedValue = true
            Element("#a").accessibilityFocused(state.projectedValue)
            state.wrappedValue = true
        }
        #expect(try await focusd.next(SetValue.self).value == "true")
        try await scene.settle()
        #expect(focusd.calls("SetValue").count == 1)
        #expect(scene.log.value == ["AccessibilityFocus: no element is bound to the value \"true\" that was set"])
    }

    @Test("an explicit set gives the outcome, with all that was asked sent")
    func explicitSet() async throws {
        let bound = try await Bound()
        let binding = bound.state.projectedValue
        let set = Task {
            try await binding.set(true, again: true, routes: [.application, "grabFocus"], timeout: .seconds(3))
        }
        let call = try await bound.focusd.next("SetValue")
        #expect(
            try call.read(SetValue.Parameters.self)
                == SetValue.Parameters(
                    state: "#1", value: "true", again: true, routes: ["application", "grabFocus"],
                    timeoutMilliseconds: 3000))
        let outcome = Outcome(
            result: "refused", reason: "elementHidden", keyboardFocus: "elsewhere", elapsedMilliseconds: 5)
        bound.focusd.answer(call, outcome: outcome)
        #expect(try await set.value == outcome)
    }

    @Test("when a set is confirmed the value is there already")
    func valueBeforeOutcome() async throws {
        let bound = try await Bound()
        let binding = bound.state.projectedValue
        for round in 0..<50 {
            let wanted = round.isMultiple(of: 2)
            let set = Task { try await binding.set(wanted) }
            let call = try await bound.focusd.next("SetValue")
            bound.focusd.say("#1", wanted ? "true" : nil, cause: "set")
            bound.focusd.answer(call, outcome: .confirmed())
            #expect(try await set.value.isConfirmed)
            #expect(binding.wrappedValue == wanted)
        }
    }

    @Test("a hundred tasks that set at once are each answered with their own outcome")
    func concurrentSets() async throws {
        let bound = try await Bound { call, focusd in
            guard call.name == "SetValue" else { return nil }
            let milliseconds = call.parameters(of: SetValue.self)?.timeoutMilliseconds ?? 0
            return .reply(
                encode(
                    SetValue.Reply(
                        outcome: Outcome(
                            result: "superseded", reason: "newerRequest", keyboardFocus: "unknown",
                            elapsedMilliseconds: milliseconds))))
        }
        let binding = bound.state.projectedValue
        let outcomes = try await withThrowingTaskGroup(of: (Int, Outcome).self) { group in
            for number in 1...100 {
                group.addTask { (number, try await binding.set(true, timeout: .milliseconds(number))) }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        #expect(outcomes.count == 100)
        for (number, outcome) in outcomes { #expect(outcome.elapsedMilliseconds == number) }
        #expect(bound.focusd.state.value.mostConnections == 2)
    }

    @Test("sets go out without waiting for the outcomes before them")
    func pipelined() async throws {
        let bound = try await Bound()
        bound.state.wrappedValue = true
        _ = try await bound.focusd.next("SetValue")
        bound.state.wrappedValue = false
        _ = try await bound.focusd.next("SetValue")
    }

    @Test("a task that is cancelled stops waiting")
    func cancelled() async throws {
        let bound = try await Bound()
        let binding = bound.state.projectedValue
        let set = Task { () -> FocusClientError? in
            do throws(FocusClientError) {
                _ = try await binding.set(true)
                return nil
            } catch {
                return error
            }
        }
        let call = try await bound.focusd.next("SetValue")
        set.cancel()
        #expect(await set.value == .cancelled)
        bound.focusd.answer(call, outcome: .confirmed())
        bound.state.wrappedValue = true
        _ = try await bound.focusd.next("SetValue")
    }

    @Test("a value that no element has is told once, and an explicit set of it throws")
    func nothingBound() async throws {
        let scene = try Scene()
        let state = AccessibilityFocusState<Int?>(engine: scene.engine)
        for _ in 0..<3 { state.wrappedValue = 7 }
        await #expect(throws: FocusClientError.nothingBound) { try await state.projectedValue.set(7) }
        #expect(scene.log.value == ["AccessibilityFocus: no element is bound to the value \"7\" that was set"])
    }

    @Test("a state that somebody ended is bound again for the next set, which comes after that")
    func endedByOthers() async throws {
        let bound = try await Bound { call, _ in
            guard call.parameters(of: SetValue.self)?.state == "#1" else { return nil }
            return .error(FocusError.UnknownState.name, encode(FocusError.UnknownState(state: "#1")))
        }
        bound.state.wrappedValue = true
        _ = try await bound.focusd.next("SetValue")
        _ = try await bound.focusd.next("Bind")
        #expect(try await bound.focusd.next(SetValue.self) == SetValue.Parameters(state: "#2", value: "true"))
    }

    @Test("of two sets to a state that somebody ended, the later one comes last again")
    func twoSetsEndedByOthers() async throws {
        let bound = try await Bound { call, _ in
            guard call.parameters(of: SetValue.self)?.state == "#1" else { return nil }
            return .error(FocusError.UnknownState.name, encode(FocusError.UnknownState(state: "#1")))
        }
        bound.scene.inOneTurn {
            bound.state.wrappedValue = true
            bound.state.wrappedValue = false
        }
        var sets: [SetValue.Parameters] = []
        for _ in 0..<4 { sets.append(try await bound.focusd.next(SetValue.self)) }
        #expect(
            sets == [
                SetValue.Parameters(state: "#1", value: "true"), SetValue.Parameters(state: "#1"),
                SetValue.Parameters(state: "#2", value: "true"), SetValue.Parameters(state: "#2"),
            ])
        #expect(bound.scene.log.value.isEmpty)
    }

    @Test("a set that went to a state which somebody ended is not made again behind a newer one")
    func overtakenAfterEnd() async throws {
        let bound = try await Bound()
        let other = AccessibilityFocusState<Bool>(engine: bound.scene.engine)
        Element("#b").accessibilityFocused(other.projectedValue)
        _ = try await bound.focusd.next("Bind")
        bound.state.wrappedValue = true
        let first = try await bound.focusd.next("SetValue")
        other.wrappedValue = true
        let between = try await bound.focusd.next("SetValue")
        let set = Task { try await bound.state.projectedValue.set(false) }
        let overtaken = try await bound.focusd.next("SetValue")
        let ended = FakeFocusd.Answer.error(
            FocusError.UnknownState.name, encode(FocusError.UnknownState(state: "#1")))
        bound.focusd.answer(overtaken, ended)
        bound.focusd.answer(first, ended)
        // The answer to the last one waits for the one before it.
        #expect(try await bound.focusd.next(SetValue.self) == SetValue.Parameters(state: "#3", value: "true"))
        bound.state.wrappedValue = true
        #expect(try await bound.focusd.next(SetValue.self) == SetValue.Parameters(state: "#3", value: "true"))
        bound.focusd.answer(between, outcome: .confirmed())
        let outcome = try await set.value
        #expect(outcome.result == "superseded")
        #expect(outcome.reason == "newerRequest")
        try await bound.scene.settle()
        #expect(bound.focusd.calls("SetValue").count == 5)
    }

    @Test(
        "a timeout that focusd does not take counts as the nearest one, and ends nothing",
        arguments: [
            (.seconds(Int64.max), 60_000), (.seconds(Int64.max) * 10, 60_000), (.seconds(61), 60_000), (.zero, 1),
            (.seconds(-3_600), 1), (.seconds(Int64.min) * 10, 1),
        ] as [(Duration, Int)])
    func timeouts(timeout: Duration, milliseconds: Int) async throws {
        let bound = try await Bound()
        let binding = bound.state.projectedValue
        let set = Task { try await binding.set(true, timeout: timeout) }
        let call = try await bound.focusd.next("SetValue")
        #expect(try call.read(SetValue.Parameters.self).timeoutMilliseconds == milliseconds)
        try await bound.scene.settle()
        bound.focusd.answer(call, outcome: .confirmed())
        #expect(try await set.value.isConfirmed)
        #expect(bound.focusd.state.value.connectionsMade == 2)
    }

    @Test("what is refused is thrown with its reason, and told once for assignments")
    func refusals() async throws {
        let bound = try await Bound { call, _ in
            guard call.name == "SetValue" else { return nil }
            return .error(FocusError.LimitExceeded.name, encode(FocusError.LimitExceeded(limit: "pendingSets")))
        }
        await #expect(throws: FocusClientError.refused(.limitExceeded("pendingSets"))) {
            try await bound.state.projectedValue.set(true)
        }
        #expect(bound.scene.log.value.isEmpty)
        bound.state.wrappedValue = true
        bound.state.wrappedValue = true
        await #expect(throws: FocusClientError.refused(.limitExceeded("pendingSets"))) {
            try await bound.state.projectedValue.set(true)
        }
        #expect(
            bound.scene.log.value == ["AccessibilityFocus: focusd refused SetValue: the limit pendingSets is reached"])
    }

    // MARK: - Sets and other calls

    @Test("an element that is bound while a set waits is bound at once, on a third connection that does not stay")
    func bindBesideSet() async throws {
        let bound = try await Bound()
        bound.state.wrappedValue = true
        let set = try await bound.focusd.next("SetValue")
        let other = AccessibilityFocusState<Bool>(engine: bound.scene.engine)
        Element("#b").accessibilityFocused(other.projectedValue)
        let bind = try await bound.focusd.next("Bind")
        #expect(bind.connection == 3)
        bound.focusd.say("#2", "true")
        try await other.projectedValue.becomes(true)
        try await bound.focusd.state.wait("two connections") { $0.connections.count == 2 }
        bound.focusd.answer(set, outcome: .confirmed())
    }

    @Test("what was bound before stays until its set is answered")
    func retiring() async throws {
        let bound = try await Bound()
        let binding = bound.state.projectedValue
        let set = Task { try await binding.set(true) }
        let call = try await bound.focusd.next("SetValue")
        Element("#b").accessibilityFocused(binding)
        _ = try await bound.focusd.next("Bind")
        try await bound.scene.settle()
        #expect(bound.focusd.calls("Unbind").isEmpty)
        bound.focusd.answer(call, outcome: .confirmed())
        #expect(try await set.value.isConfirmed)
        #expect(try await bound.focusd.next(Unbind.self) == Unbind.Parameters(state: "#1"))
    }

    @Test("a newer set ends what was bound before, and the older set is told that it was superseded")
    func supersededByRebind() async throws {
        let bound = try await Bound()
        let binding = bound.state.projectedValue
        let set = Task { try await binding.set(true) }
        let call = try await bound.focusd.next("SetValue")
        Element("#b").accessibilityFocused(binding)
        _ = try await bound.focusd.next("Bind")
        bound.state.wrappedValue = false
        #expect(try await bound.focusd.next(Unbind.self) == Unbind.Parameters(state: "#1"))
        #expect(try await bound.focusd.next(SetValue.self) == SetValue.Parameters(state: "#2"))
        bound.focusd.answer(
            call,
            outcome: Outcome(result: "refused", reason: "unbound", keyboardFocus: "unknown", elapsedMilliseconds: 1))
        let outcome = try await set.value
        #expect(outcome.result == "superseded")
        #expect(outcome.reason == "newerRequest")
    }

    // MARK: - Moves of the app's own

    @Test("an element moves itself when it is asked, and only where it declines is the service told so")
    func ownMoves() async throws {
        let scene = try Scene()
        let focusd = try FakeFocusd(in: scene.folder)
        let state = AccessibilityFocusState<Int?>(engine: scene.engine)
        let moved = Watched<[Int]>([])
        scene.inOneTurn {
            Element("#1") {
                moved.change { $0.append(1) }
                return .moved
            }.accessibilityFocused(state.projectedValue, equals: 1)
            Element("#2a") { .declined(reason: "not shown") }.accessibilityFocused(state.projectedValue, equals: 2)
            Element("#2b") {
                moved.change { $0.append(2) }
                return .declined(reason: "no window")
            }.accessibilityFocused(state.projectedValue, equals: 2)
            Element("#3").accessibilityFocused(state.projectedValue, equals: 3)
        }
        _ = try await focusd.next("Bind")
        focusd.say(OpenSession.Reply(move: OwnerMove(token: "t1", state: "#1", value: "1")))
        try await moved.wait("the first move") { $0 == [1] }
        state.wrappedValue = 2
        let set = try await focusd.next("SetValue")
        focusd.say(OpenSession.Reply(move: OwnerMove(token: "t2", state: "#1", value: "2")))
        // It must not wait for the very set that it is about.
        #expect(
            try await focusd.next(DeclineMove.self)
                == DeclineMove.Parameters(token: "t2", reason: "not shown; no window"))
        #expect(moved.value == [1, 2])
        focusd.say(OpenSession.Reply(move: OwnerMove(token: "t3", state: "#1", value: "3")))
        #expect(try await focusd.next(DeclineMove.self).token == "t3")
        focusd.answer(set, outcome: .confirmed("application"))
        #expect(focusd.calls("DeclineMove").count == 2)
    }
}
