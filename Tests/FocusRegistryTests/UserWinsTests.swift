import AccessibilityTree
import FocusRegistry
import Testing

/// The user moves on while a move is under way, and is never pulled back (S10).
struct UserWinsTests {
    private enum Phase: String, CaseIterable {
        case grabbing, recheckingAfterGrab, presenting, onTheWayToBlank, onBlank
    }

    private func move(in phase: Phase) -> MoveUnderTest {
        let isAgain = phase == .onTheWayToBlank || phase == .onBlank
        let move =
            isAgain
            ? MoveUnderTest(again: true, from: [.orca: Targets.place, .keyboard: Places.at(9)]) : MoveUnderTest()
        switch phase {
        case .grabbing: move.beginGrabbing()
        case .recheckingAfterGrab:
            move.beginGrabbing()
            #expect(move.wait(300) == [.recheck])
        case .presenting: move.beginPresenting()
        case .onTheWayToBlank, .onBlank:
            move.begin(Targets.label())
            #expect(move.tell(.rechecked(.present(Targets.label()))) == [.presentBlank([.orca])])
            if phase == .onBlank { #expect(move.tell(.signalledBlank(.orca)) == [.recheck]) }
        }
        return move
    }

    @Test("a signal for another element ends the move, and nothing is tried after it", arguments: Phase.allCases)
    private func technologyMoves(phase: Phase) throws {
        let move = move(in: phase)
        let actions = move.signal(on: Places.at(8))
        #expect(actions.count == 1)
        let outcome = try #require(move.outcome)
        #expect(outcome.result == .superseded)
        #expect(outcome.reason == .movedElsewhere)
        #expect(outcome.route == nil)
        #expect(move.tell(.rechecked(.present(Targets.label()))).isEmpty)
        #expect(move.tell(.grabAnswered(.accepted)).isEmpty)
    }

    @Test("the keyboard focus moving elsewhere ends it as well", arguments: Phase.allCases)
    private func keyboardMoves(phase: Phase) throws {
        let move = move(in: phase)
        move.tell(.keyboardMoved(Places.at(8)))
        let outcome = try #require(move.outcome)
        #expect(outcome.result == .superseded)
        #expect(outcome.reason == .movedElsewhere)
        #expect(move.actions.contains(.leaveBlank([.orca])) == (phase == .onBlank))
    }

    @Test("the element it was on before, signalled again, is no move", arguments: Phase.allCases)
    private func ownOldElement(phase: Phase) {
        let move = move(in: phase)
        let old = phase == .onTheWayToBlank || phase == .onBlank ? Targets.place : Places.at(9)
        // From the blank, its old element is the target, and a way there.
        if phase != .onBlank { #expect(move.signal(on: old).isEmpty) }
        #expect(move.tell(.keyboardMoved(Places.at(9))).isEmpty)
        #expect(!move.isFinished)
    }

    @Test("an ancestor or a descendant of the target is no move away", arguments: Phase.allCases)
    private func related(phase: Phase) {
        for place in [Places.at(5), Places.at(100, window: nil), Places.at(0, window: nil)] {
            let move = move(in: phase)
            #expect(move.signal(on: place).isEmpty)
            #expect(move.tell(.keyboardMoved(place)).isEmpty)
            #expect(!move.isFinished)
        }
        let move = move(in: .presenting)
        #expect(move.signal(on: Places.at(77, inside: [1, 5])).isEmpty)
        #expect(!move.isFinished)
    }

    @Test("the same path in another application is another element")
    func otherApplication() {
        let move = move(in: .presenting)
        move.signal(on: Places.at(1, inside: [5], on: Places.browser))
        #expect(move.outcome?.reason == .movedElsewhere)
    }

    @Test("the echo of a move that came just before is no move of the user's", arguments: [true, false])
    func echo(isKeyboard: Bool) {
        let move = MoveUnderTest(echoes: [Places.reference(8)])
        move.beginGrabbing()
        if isKeyboard { move.tell(.keyboardMoved(Places.at(8))) } else { move.signal(on: Places.at(8)) }
        #expect(!move.isFinished)
        #expect(move.signal(on: Targets.place) == [.readKeyboard])
    }

    @Test("where the user goes before anything is done is where they were: going back there later is no move")
    func movesDuringCheck() {
        let move = MoveUnderTest()
        move.start()
        move.signal(on: Places.at(8))
        move.tell(.keyboardMoved(Places.at(8)))
        move.tell(.checked(.present(Targets.button())))
        move.tell(.grabAnswered(.accepted))
        #expect(move.signal(on: Places.at(8)).isEmpty)
        #expect(move.tell(.keyboardMoved(Places.at(8))).isEmpty)
        #expect(!move.isFinished)
        // And where they were before that is a move now.
        move.signal(on: Places.at(9))
        #expect(move.outcome?.reason == .movedElsewhere)
    }
}
