import AccessibilityTree
import FocusRegistry
import Testing

/// The rules of setting a value, S1 to S10, one by one; what is finer is in the tests of each machine.
struct SettingRulesTests {
    private typealias Sight = OrderUnderTest

    private func value(_ value: String?, isAssumed: Bool = false) -> StateValue {
        var current = StateValue()
        current.value = value
        current.isAssumed = isAssumed
        return current
    }

    // MARK: - S1

    @Test func s1TheFirstThatSignalsConfirmsWhereNoneIsNamed() {
        let move = MoveUnderTest(for: [.orca, .odilia])
        move.beginPresenting()
        #expect(move.signal(.odilia, on: Targets.place) == [.readKeyboard])
    }

    @Test func s1EachThatIsNamedMustSignal() {
        let move = MoveUnderTest(for: [.orca, .odilia], isAnyEnough: false)
        move.beginPresenting()
        #expect(move.signal(.odilia, on: Targets.place).isEmpty)
        #expect(move.signal(.orca, on: Targets.place) == [.readKeyboard])
    }

    @Test func s1WhereNobodyIsActiveItIsRefused() {
        let order = OrderUnderTest(for: [])
        order.start()
        #expect(order.outcome?.result == .refused)
        #expect(order.outcome?.reason == .technologyNotActive)
    }

    // MARK: - S2

    @Test func s2NothingIsConfirmedOnTrust() {
        let move = MoveUnderTest()
        move.begin(Targets.button())
        #expect(move.tell(.grabAnswered(.accepted)).isEmpty)
        #expect(!move.isFinished)
        move.wait(300)
        move.tell(.rechecked(.present(Targets.button())))
        move.wait(1_000)
        move.tell(.keyboardRead(true))
        #expect(move.outcome?.result == .timedOut)
    }

    @Test func s2WhatIsNeverFoundIsNotFound() {
        let order = OrderUnderTest()
        order.start()
        order.sight(.none)
        order.tell(.timePassed, after: 2_000)
        #expect(order.outcome?.result == .notFound)
    }

    @Test func s2SeveralElementsAreAmbiguous() {
        let order = OrderUnderTest()
        order.start()
        order.sight(.several(count: 2))
        #expect(order.outcome?.result == .ambiguous)
        #expect(order.outcome?.matches == 2)
    }

    // MARK: - S3

    @Test func s3ASetWaitsForItsElement() {
        let order = OrderUnderTest(deadline: 60_000)
        order.start()
        order.sight(.none)
        order.sight(Sight.one(1), after: 59_000)
        #expect(order.targets == [1])
    }

    @Test func s3WhoMovedAwayMeanwhileIsLeftAlone() {
        let order = OrderUnderTest()
        order.start()
        order.sight(.none)
        order.tell(.userApplication(Places.browser))
        order.sight(Sight.one(1, isInActiveWindow: false))
        #expect(order.outcome?.result == .refused)
        #expect(order.outcome?.reason == .userMovedAway)
    }

    // MARK: - S4

    @Test func s4TheNewerOfTwoRacingMovesIsConfirmed() throws {
        let queue = QueueUnderTest()
        try queue.beginPresenting("first", to: 1)
        let second = try queue.beginPresenting("second", to: 2, after: 5)
        queue.signal(1)
        queue.signal(2)
        queue.tell(second, .keyboardRead(false))
        #expect(queue.outcomes["first"]?.first?.reason == .newerRequest)
        #expect(queue.outcomes["second"]?.first?.result == .confirmed)
    }

    @Test func s4ASetThatStillWaitsIsNotSuperseded() {
        let desk = DeskUnderTest(seed: 1)
        let waiting = desk.set(3, routes: [.activeDescendant], waits: 500)
        let other = desk.set(1, routes: [.activeDescendant])
        desk.run()
        #expect(desk.outcomes[other]?.first?.result == .confirmed)
        #expect(desk.outcomes[waiting]?.first?.result == .confirmed)
        #expect(desk.locus == .element(3))
    }

    @Test func s4IdenticalSetsShareOneOutcome() throws {
        let queue = QueueUnderTest()
        let id = try #require(queue.begin("first", to: 1, state: "s", value: "a").last?.id)
        #expect(queue.begin("second", to: 1, state: "s", value: "a", after: 3).isEmpty)
        queue.tell(id, .checked(.hidden))
        #expect(queue.outcomes["first"] == queue.outcomes["second"])
        #expect(queue.outcomes["second"]?.count == 1)
    }

    @Test func s4TheCallersDisconnectCancels() throws {
        let queue = QueueUnderTest()
        try queue.beginPresenting("first", to: 1)
        queue.leave("first")
        #expect(queue.isEmpty)
        let order = OrderUnderTest()
        order.start()
        #expect(order.tell(.cancelled(.newerRequest)).first == .endWatching)
    }

    // MARK: - S5

    @Test func s5TheValueItHasIsConfirmedAtOnce() {
        #expect(SetAnswer(setting: "a", having: value("a"), again: false, isDisturbed: false) == .confirmed)
        let move = MoveUnderTest(from: [.orca: Targets.place])
        #expect(move.start() == [.readKeyboard])
        move.tell(.keyboardRead(false))
        #expect(move.outcome?.result == .confirmed)
        #expect(move.outcome?.route == nil)
    }

    @Test func s5AgainIsPresentedAnew() {
        let desk = DeskUnderTest(seed: 1)
        desk.set(1)
        desk.run()
        let before = desk.spoken.count
        let id = desk.set(1, again: true)
        desk.run()
        #expect(desk.outcomes[id]?.first?.move?.route == .activeDescendant)
        #expect(desk.spoken.dropFirst(before).map(\.element) == [1])
    }

    @Test func s5WhatIsOnlyAssumedConfirmsNoSet() {
        let answer = SetAnswer(setting: "a", having: value("a", isAssumed: true), again: false, isDisturbed: false)
        #expect(answer == .move(to: nil))
        #expect(MoveUnderTest(from: [.orca: Targets.place], assumed: [.orca]).start() == [.check])
    }

    @Test func s5WhatAnOlderMoveMayStillTakeAwayIsNotConfirmedFromMemory() throws {
        let queue = QueueUnderTest()
        try queue.beginPresenting("first", to: 1)
        #expect(queue.begin("second", to: 9).last?.action == .check, "and not confirmed")
        #expect(queue.signal(1).isEmpty)
        #expect(queue.outcomes["second"] == nil)
    }

    // MARK: - S6

    private static func place(_ number: Int, mayMoveKeyboard: Bool = false) -> GiveBackPlace {
        GiveBackPlace(target: Places.reference(number), needsActiveWindow: true, mayMoveKeyboard: mayMoveKeyboard)
    }

    @Test func s6NoneGivesTheFocusBackToTheFirstPlaceThatWillDo() {
        #expect(SetAnswer(setting: nil, having: value("a"), again: false, isDisturbed: false) == .giveBack)
        let order = OrderUnderTest(.giveBack([1, 2, 100].map { SettingRulesTests.place($0) }), value: nil)
        order.start()
        order.end(.refused, .elementHidden)
        order.end(.refused, .windowNotActive)
        order.end(.confirmed)
        #expect(order.targets == [1, 2, 100])
        #expect(order.outcome?.result == .confirmed)
    }

    @Test func s6WithNoPlaceThereIsNowhereToGo() {
        let order = OrderUnderTest(.giveBack([SettingRulesTests.place(1)]), value: nil)
        order.start()
        order.end(.refused, .elementDefunct)
        #expect(order.outcome?.reason == .nowhereToGo)
    }

    @Test func s6APlaceWhoseWindowIsNotActiveWillNotDo() {
        let move = MoveUnderTest(needsActiveWindow: true)
        move.begin(Targets.label(isWindowActive: false))
        #expect(move.outcome?.reason == .windowNotActive)
    }

    @Test func s6TheKeyboardGoesBackOnlyIfASetMovedIt() {
        for mayMove in [true, false] {
            let order = OrderUnderTest(.giveBack([SettingRulesTests.place(1, mayMoveKeyboard: mayMove)]), value: nil)
            guard case .beginMove(let request) = order.start().last else {
                Issue.record("no move")
                return
            }
            let move = MoveUnderTest(mayMoveKeyboard: request.mayMoveKeyboard)
            #expect(move.begin(Targets.button()) == [mayMove ? .grabFocus : .recheck])
        }
    }

    @Test func s6NoneWhileNoneIsConfirmedAndCancelsAPendingSet() {
        #expect(SetAnswer(setting: nil, having: value(nil), again: false, isDisturbed: true) == .confirmedAsNone)
        for isMoving in [true, false] {
            let order = OrderUnderTest()
            order.start()
            if isMoving { order.sight(Sight.one(1)) }
            order.tell(.cancelled(.newerRequest))
            #expect(order.outcome?.result == .superseded)
            #expect(order.outcome?.reason == .newerRequest)
        }
    }

    // MARK: - S7

    @Test func s7WhatIsHiddenOrDefunctIsRefusedAndNothingMoves() {
        for (report, reason) in [(TargetReport.hidden, MoveReason.elementHidden), (.defunct, .elementDefunct)] {
            let move = MoveUnderTest(hasOwner: true)
            move.start()
            move.tell(.checked(report))
            #expect(move.outcome?.reason == reason)
            #expect(move.actions.count == 2, "check and finish")
        }
    }

    @Test func s7WhatIsDisabledIsRefusedForTheKeyboardOnly() {
        let keyboard = MoveUnderTest(for: [.keyboard], isAnyEnough: false)
        keyboard.begin(Targets.button(isDisabled: true))
        #expect(keyboard.outcome?.reason == .elementDisabled)
        MoveUnderTest().beginPresenting(Targets.button(isDisabled: true))
    }

    @Test func s7WhatIsScrolledOutIsScrolledTo() {
        #expect(MoveUnderTest().begin(Targets.label(isScrolledOut: true)).first == .scrollIntoView)
    }

    // MARK: - S8

    @Test func s8AFrozenApplicationIsNeverNamedToATechnology() {
        let before = MoveUnderTest()
        before.start()
        before.tell(.checked(.applicationNotResponding))
        let right = MoveUnderTest()
        right.begin(Targets.label())
        right.tell(.rechecked(.applicationNotResponding))
        for move in [before, right] {
            #expect(move.outcome?.result == .refused)
            #expect(move.outcome?.reason == .applicationNotResponding)
            #expect(!move.actions.contains(.presentTarget([.orca])))
        }
    }

    // MARK: - S9

    @Test func s9WhatTakesTypingIsNotReachedWithoutTheKeyboard() {
        let move = MoveUnderTest()
        move.begin(Targets.entry(isWindowActive: false))
        move.tell(.rechecked(.present(Targets.entry(isWindowActive: false))))
        #expect(move.outcome?.reason == .keyboardFocusCannotMove)
        MoveUnderTest(routes: [.activeDescendant]).beginPresenting(Targets.entry())
    }

    @Test func s9AWindowThatIsNotActiveIsNotGrabbedInto() {
        MoveUnderTest().beginPresenting(Targets.button(isWindowActive: false))
        #expect(MoveUnderTest(routes: [.grabFocus]).begin(Targets.button(isWindowActive: false)) == [.grabFocus])
    }

    @Test func s9TheOutcomeSaysWhereTheKeyboardIs() {
        for (isThere, expected) in [(true, KeyboardFocusOutcome.moved), (false, .elsewhere)] {
            let move = MoveUnderTest()
            move.beginGrabbing()
            move.signal(on: Targets.place)
            move.tell(.keyboardRead(isThere))
            #expect(move.outcome?.keyboardFocus == expected)
        }
    }

    // MARK: - S10

    @Test func s10TheUserWins() {
        for isKeyboard in [true, false] {
            let move = MoveUnderTest()
            move.beginGrabbing()
            if isKeyboard { move.tell(.keyboardMoved(Places.at(8))) } else { move.signal(on: Places.at(8)) }
            #expect(move.outcome?.result == .superseded)
            #expect(move.outcome?.reason == .movedElsewhere)
            #expect(!move.actions.contains(.recheck))
        }
    }

    @Test func s10NobodyIsLeftOnTheBlank() {
        let move = MoveUnderTest(again: true, from: [.orca: Targets.place, .keyboard: Places.at(9)])
        move.begin(Targets.label())
        move.tell(.rechecked(.present(Targets.label())))
        move.tell(.signalledBlank(.orca))
        move.tell(.keyboardMoved(Places.at(8)))
        #expect(move.actions.suffix(2).first == .leaveBlank([.orca]))
    }
}
