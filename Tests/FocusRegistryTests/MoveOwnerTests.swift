import AccessibilityTree
import FocusRegistry
import Testing

/// The client that bound the element is asked first, where it said that it moves there itself.
struct MoveOwnerTests {
    /// Asked, with nothing said yet.
    private func asked(
        _ target: TargetReport.Target = Targets.button(), for technologies: [TechnologyID] = [.orca],
        isAnyEnough: Bool = true
    ) -> MoveUnderTest {
        let move = MoveUnderTest(for: technologies, isAnyEnough: isAnyEnough, hasOwner: true)
        #expect(move.begin(target) == [.askOwner])
        return move
    }

    @Test("the owner is asked before anything else is tried, and the technology still confirms it", arguments: [1, 77])
    func asksTheOwner(signalled: Int) throws {
        let move = asked()
        let place = signalled == 1 ? Targets.place : Places.at(signalled, inside: [1, 5])
        #expect(move.signal(on: place) == [.readKeyboard])
        move.tell(.keyboardRead(true))
        let outcome = try #require(move.outcome)
        #expect(outcome.result == .confirmed)
        #expect(outcome.route == .application)
        #expect(outcome.attempts.isEmpty)
        #expect(outcome.keyboardFocus == .moved)
        #expect(!move.actions.contains(.grabFocus))
    }

    @Test("it is asked for a label too, and for what is disabled: it knows what its widgets can")
    func asksForAny() {
        _ = asked(Targets.label())
        _ = asked(Targets.button(isDisabled: true))
    }

    @Test("nobody is asked for the owner where there is none, and it is not spoken of unless it was named")
    func noOwner() throws {
        let move = MoveUnderTest()
        #expect(move.begin(Targets.button()) == [.grabFocus])
        move.wait(5_000)
        #expect(!move.actions.contains(.askOwner))
        #expect(try #require(move.outcome).attempts.allSatisfy { $0.route != .application })
        let named = MoveUnderTest(routes: [.application])
        named.begin(Targets.button())
        #expect(named.outcome?.result == .refused)
        #expect(named.outcome?.reason == .notSupported)
        #expect(named.outcome?.attempts == [.init(route: .application, reason: .notSupported)])
    }

    @Test("an owner that declines is followed by the next route at once")
    func declines() throws {
        let move = asked()
        #expect(move.tell(.ownerDeclined, after: 5) == [.grabFocus])
        move.tell(.grabAnswered(.accepted))
        move.signal(on: Targets.place)
        move.tell(.keyboardRead(true))
        let outcome = try #require(move.outcome)
        #expect(outcome.route == .grabFocus)
        #expect(outcome.attempts == [.init(route: .application, reason: .declined)])
    }

    @Test("one that does nothing is given up after 300 ms")
    func doesNothing() {
        let move = asked()
        #expect(move.nextDeadline == 301)
        #expect(move.wait(299).isEmpty)
        #expect(move.wait(1) == [.grabFocus])
        #expect(move.tell(.ownerDeclined).isEmpty, "that is over")
        move.wait(300)
        #expect(!move.isFinished)
    }

    @Test("where only the owner may move it, what it says is the outcome")
    func onlyTheOwner() throws {
        for (input, result, reason) in [
            (MoveInput.ownerDeclined, MoveResult.refused, MoveReason.declined),
            (.timePassed, .timedOut, .noConfirmation),
        ] {
            let move = MoveUnderTest(routes: [.application], hasOwner: true)
            #expect(move.begin(Targets.button()) == [.askOwner])
            move.tell(input, after: 300)
            move.tell(.keyboardRead(false))
            let outcome = try #require(move.outcome)
            #expect(outcome.result == result)
            #expect(outcome.reason == reason)
        }
    }

    @Test("an element that has the keyboard is presented: its owner could only do what is done")
    func hasKeyboard() {
        let move = MoveUnderTest(hasOwner: true)
        move.beginPresenting(Targets.button(hasKeyboardFocus: true))
        #expect(!move.actions.contains(.askOwner))
        move.wait(5_000)
        #expect(move.outcome?.attempts.first == .init(route: .application, reason: .alreadyFocused))
    }

    @Test("an owner is not asked into a window that is not active, unless that route is named")
    func inactiveWindow() {
        let move = MoveUnderTest(hasOwner: true)
        move.beginPresenting(Targets.button(isWindowActive: false))
        #expect(!move.actions.contains(.askOwner))
        let named = MoveUnderTest(routes: [.application], hasOwner: true)
        #expect(named.begin(Targets.button(isWindowActive: false)) == [.askOwner])
    }

    @Test("where the owner moved the keyboard and nobody followed, a grab would send no event: it is presented")
    func movedInSilence() throws {
        let move = asked()
        move.tell(.keyboardMoved(Targets.place), after: 20)
        #expect(move.wait(300) == [.recheck])
        #expect(move.tell(.rechecked(.present(Targets.button(hasKeyboardFocus: true)))) == [.presentTarget([.orca])])
        move.signal(on: Targets.place)
        move.tell(.keyboardRead(true))
        let outcome = try #require(move.outcome)
        #expect(outcome.route == .activeDescendant)
        #expect(outcome.keyboardFocus == .moved)
        #expect(
            outcome.attempts == [
                .init(route: .application, reason: .noConfirmation), .init(route: .grabFocus, reason: .alreadyFocused),
            ])
    }

    @Test("the keyboard is confirmed by live state, whoever moved it")
    func keyboard() throws {
        let move = asked(for: [.keyboard], isAnyEnough: false)
        #expect(move.tell(.keyboardMoved(Targets.place)) == [.readKeyboard])
        move.tell(.keyboardRead(true))
        let outcome = try #require(move.outcome)
        #expect(outcome.result == .confirmed)
        #expect(outcome.route == .application)
        #expect(outcome.keyboardFocus == .moved)
    }

    @Test("the user wins while the owner is asked, too")
    func userWins() {
        let move = asked()
        #expect(move.signal(on: Places.at(9)).isEmpty)
        move.signal(on: Places.at(8))
        #expect(move.outcome?.reason == .movedElsewhere)
        let byKeyboard = asked()
        byKeyboard.tell(.keyboardMoved(Places.at(8)))
        #expect(byKeyboard.outcome?.reason == .movedElsewhere)
    }

    @Test("a hidden element, or one that does not answer, is refused before anybody is asked")
    func refusedBefore() {
        for report in [TargetReport.hidden, .defunct, .applicationNotResponding] {
            let move = MoveUnderTest(hasOwner: true)
            move.start()
            move.tell(.checked(report))
            #expect(move.outcome?.result == .refused)
            #expect(!move.actions.contains(.askOwner))
        }
    }
}
