import AccessibilityTree
import FocusRegistry
import Testing

/// What is there already, what is presented anew, and the way over the blank accessible (S5).
struct MoveAgainTests {
    private let there: [TechnologyID: Placement] = [.orca: Targets.place, .keyboard: Places.at(9)]

    /// Begins anew with an element that the technology is on, and gets as far as the blank.
    private func onTheWay(_ technologies: [TechnologyID] = [.orca]) -> MoveUnderTest {
        var places = there
        places[.odilia] = Targets.place
        let move = MoveUnderTest(for: technologies, again: true, from: places)
        #expect(move.begin(Targets.label()) == [.recheck])
        #expect(move.tell(.rechecked(.present(Targets.label()))) == [.presentBlank(technologies)])
        return move
    }

    @Test("what has the focus already is confirmed at once, in silence, by no route")
    func alreadyThere() throws {
        let move = MoveUnderTest(from: there)
        #expect(move.start() == [.readKeyboard])
        move.tell(.keyboardRead(false))
        let outcome = try #require(move.outcome)
        #expect(outcome.result == .confirmed)
        #expect(outcome.route == nil)
        #expect(outcome.attempts.isEmpty)
        #expect(outcome.keyboardFocus == .elsewhere)
        #expect(move.actions.count == 2)
    }

    @Test("what is only assumed to be there is not believed: it is gone to, over the blank")
    func assumedThere() {
        let move = MoveUnderTest(from: there, assumed: [.orca])
        move.begin(Targets.label())
        #expect(move.tell(.rechecked(.present(Targets.label()))) == [.presentBlank([.orca])])
    }

    @Test("of several, those that are there need not move; any of them is enough where none is named")
    func someAreThere() {
        let places = [TechnologyID.orca: Targets.place, .odilia: Places.at(9)]
        #expect(MoveUnderTest(for: [.orca, .odilia], from: places).start() == [.readKeyboard])
        let named = MoveUnderTest(for: [.orca, .odilia], isAnyEnough: false, from: places)
        named.beginPresenting()
        #expect(named.actions.contains(.presentTarget([.odilia])))
        #expect(named.signal(.odilia, on: Targets.place) == [.readKeyboard])
    }

    @Test("a technology that gets there by itself while the target is asked is there")
    func arrivesDuringCheck() throws {
        let move = MoveUnderTest()
        move.start()
        #expect(move.signal(on: Targets.place).isEmpty)
        #expect(move.tell(.checked(.present(Targets.button()))) == [.readKeyboard])
        move.tell(.keyboardRead(true))
        #expect(move.outcome?.result == .confirmed)
        #expect(move.outcome?.route == nil)
        let later = MoveUnderTest()
        later.begin(Targets.label())
        later.signal(on: Targets.place)
        #expect(later.tell(.rechecked(.present(Targets.label()))) == [.readKeyboard])
    }

    @Test("anew: first the blank, and once the technology is on it, after one more question, the target")
    func again() throws {
        let move = onTheWay()
        #expect(move.tell(.signalledBlank(.orca), after: 50) == [.recheck])
        #expect(move.tell(.rechecked(.present(Targets.label()))) == [.presentTarget([.orca])])
        #expect(move.signal(on: Targets.place) == [.readKeyboard])
        move.tell(.keyboardRead(false))
        let outcome = try #require(move.outcome)
        #expect(outcome.result == .confirmed)
        #expect(outcome.route == .activeDescendant)
        #expect(!move.actions.contains(.leaveBlank([.orca])))
    }

    @Test("anew from elsewhere needs no blank")
    func againFromElsewhere() {
        let move = MoveUnderTest(again: true)
        move.beginPresenting()
        #expect(!move.actions.contains(.presentBlank([.orca])))
    }

    @Test("anew, an element that has the keyboard is not confirmed by that alone")
    func againWithKeyboard() {
        let move = MoveUnderTest(again: true, from: there)
        move.begin(Targets.button(hasKeyboardFocus: true))
        #expect(move.tell(.rechecked(.present(Targets.button(hasKeyboardFocus: true)))) == [.presentBlank([.orca])])
    }

    @Test("a signal for the target on the way to the blank confirms nothing")
    func signalOnTheWay() {
        let move = onTheWay()
        #expect(move.signal(on: Targets.place).isEmpty)
        #expect(!move.isFinished)
    }

    @Test("the blank is waited for by all that were sent there")
    func allOnBlank() {
        let move = onTheWay([.orca, .odilia])
        #expect(move.tell(.signalledBlank(.odilia)).isEmpty)
        #expect(move.tell(.signalledBlank(.odilia)).isEmpty)
        #expect(move.tell(.signalledBlank(.orca)) == [.recheck])
        #expect(move.tell(.rechecked(.present(Targets.label()))) == [.presentTarget([.orca, .odilia])])
    }

    @Test("one that leaves the bus is not waited for")
    func leavesOnTheWay() {
        let move = onTheWay([.orca, .odilia])
        #expect(move.tell(.signalledBlank(.orca)).isEmpty)
        #expect(move.tell(.technologyLeft(.odilia)) == [.recheck])
        #expect(move.tell(.rechecked(.present(Targets.label()))) == [.presentTarget([.orca])])
    }

    @Test("one that never gets to the blank holds the others up for a second, no longer")
    func oneNeverOnBlank() {
        let move = onTheWay([.orca, .odilia])
        move.tell(.signalledBlank(.orca))
        #expect(move.wait(1_000) == [.recheck])
        #expect(move.tell(.rechecked(.present(Targets.label()))) == [.presentTarget([.orca, .odilia])])
        #expect(move.signal(.orca, on: Targets.place) == [.readKeyboard])
    }

    // MARK: - Never left on the blank (S10)

    @Test("whatever ends a move while its technology is on the blank, it is called back first")
    func neverLeftOnBlank() throws {
        let ends: [(MoveUnderTest) -> Void] = [
            { $0.tell(.rechecked(.applicationNotResponding)) }, { $0.tell(.rechecked(.defunct)) },
            { $0.tell(.keyboardMoved(Places.at(8))) }, { $0.tell(.cancelled) },
            { $0.tell(.supersededByNewer(taking: [])) }, { $0.tell(.supersededByNewer(taking: [.odilia])) },
            { $0.wait(5_000) },
            { move in
                move.tell(.rechecked(.present(Targets.label())))
                move.wait(5_000)
            },
            { move in
                move.tell(.rechecked(.present(Targets.label())))
                move.tell(.cancelled)
            },
        ]
        for (index, end) in ends.enumerated() {
            let move = onTheWay()
            #expect(move.tell(.signalledBlank(.orca)) == [.recheck])
            end(move)
            #expect(move.isFinished, "end \(index)")
            #expect(move.actions.suffix(2).first == .leaveBlank([.orca]), "end \(index)")
        }
    }

    @Test("who left the blank by itself is not called back")
    func leftByItself() {
        let move = onTheWay()
        move.tell(.signalledBlank(.orca))
        move.signal(on: Places.at(8))
        #expect(move.outcome?.reason == .movedElsewhere)
        #expect(!move.actions.contains(.leaveBlank([.orca])))
    }

    @Test("who left the bus is not called back")
    func leftTheBus() {
        let move = onTheWay()
        move.tell(.signalledBlank(.orca))
        move.tell(.technologyLeft(.orca))
        #expect(move.outcome?.reason == .technologyNotActive)
        #expect(!move.actions.contains(.leaveBlank([.orca])))
    }

    @Test("whom a newer request takes over is not called back: that one takes it from there")
    func takenOver() {
        let move = onTheWay()
        move.tell(.signalledBlank(.orca))
        move.tell(.supersededByNewer(taking: [.orca]))
        #expect(move.isFinished)
        #expect(!move.actions.contains(.leaveBlank([.orca])))
    }

    @Test("a technology that comes to the blank though the move is past that step is called back at its end")
    func lateOnBlank() {
        let move = MoveUnderTest(deadline: 1_200)
        move.beginPresenting()
        #expect(move.tell(.signalledBlank(.orca)).isEmpty)
        move.wait(2_000)
        #expect(move.actions.contains(.leaveBlank([.orca])))
    }
}
