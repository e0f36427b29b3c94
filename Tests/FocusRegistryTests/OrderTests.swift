import AccessibilityTree
import FocusRegistry
import Testing

/// A set or move waits for its element, and then makes its moves.
struct OrderTests {
    private typealias Sight = OrderUnderTest

    // MARK: - Waiting

    @Test("a known element is gone to at once, with all that was asked for")
    func element() throws {
        let order = OrderUnderTest(
            .element(Places.reference(1)), again: true, routes: [.activeDescendant], filter: ModeFilter([.sayAll]))
        let actions = order.start()
        guard case .beginMove(let request) = actions.last, actions.count == 1 else {
            Issue.record("\(actions)")
            return
        }
        #expect(request.target == Places.reference(1) && request.technologies == [.orca] && request.isAnyEnough)
        #expect(
            request.presentsAgain && request.routes == [.activeDescendant] && request.filter == ModeFilter([.sayAll]))
        #expect(request.state == FocusStateID("s") && request.value == "a" && !request.hasOwner)
        #expect(request.startedAt == 0 && request.deadline == 2_000_000)
        order.end(.confirmed)
        let outcome = try #require(order.outcome)
        #expect(outcome.result == .confirmed && outcome.move?.result == .confirmed && outcome.request == request)
    }

    @Test(
        "an element that is there when all is looked at is gone to; its owner is the prototype's",
        arguments: [true, false])
    func found(hasOwner: Bool) {
        let order = OrderUnderTest(.search(owners: [hasOwner]))
        #expect(order.start() == [.beginWatching])
        #expect(order.sight(Sight.one(1), isDecided: false).isEmpty, "there may be another")
        #expect(order.isWaiting)
        let actions = order.sight(Sight.one(1))
        #expect(actions.first == .endWatching)
        guard case .beginMove(let request) = actions.last else { return }
        #expect(request.hasOwner == hasOwner && request.prototype == 0)
        #expect(!order.isWaiting && order.nextDeadline == nil, "the move sees to its time")
        order.end(.confirmed)
        #expect(order.outcome?.prototype == 0)
    }

    @Test("one that comes later is waited for, until the deadline and no longer")
    func comesLater() {
        let order = OrderUnderTest()
        order.start()
        #expect(order.nextDeadline == 2_000)
        #expect(order.sight(.none).isEmpty)
        #expect(order.tell(.timePassed, after: 1_999).isEmpty)
        #expect(order.sight(Sight.one(1)).count == 2)
        let late = OrderUnderTest()
        late.start()
        late.sight(.none)
        late.tell(.timePassed, after: 2_000)
        #expect(late.outcome?.result == .notFound)
        #expect(late.outcome?.reason == .noMatch)
        #expect(late.actions.contains(.endWatching))
    }

    @Test("an element that is found when time is over is not gone to any more")
    func foundTooLate() {
        let order = OrderUnderTest()
        order.start()
        order.sight(.none)
        order.tell(.userApplication(nil), after: 2_000)
        order.sight(Sight.one(1))
        #expect(order.outcome?.result == .timedOut && order.targets.isEmpty)
    }

    @Test("why nothing was found is the reason; of several selectors the one that can still be")
    func reasons() {
        let cases: [([MoveReason], MoveReason)] = [
            ([.noMatch], .noMatch), ([.noSuchApplication], .noSuchApplication), ([.stillLoading], .stillLoading),
            ([.noSuchApplication, .noMatch], .noMatch), ([.noMatch, .stillLoading], .stillLoading),
            ([.noMatch, .applicationNotResponding], .applicationNotResponding),
        ]
        for (reasons, expected) in cases {
            let order = OrderUnderTest(.search(owners: reasons.map { _ in false }))
            order.start()
            for (index, reason) in reasons.enumerated() {
                order.sight(.none, of: index, isDecided: reason != .stillLoading, reason: reason)
            }
            order.tell(.timePassed, after: 2_000)
            #expect(order.outcome?.reason == expected, "\(reasons)")
        }
        let undecided = OrderUnderTest()
        undecided.start()
        undecided.sight(Sight.one(1), isDecided: false, reason: .noMatch)
        undecided.tell(.timePassed, after: 2_000)
        #expect(undecided.outcome?.reason == .stillLoading, "it was perhaps one of many")
        let unseen = OrderUnderTest()
        unseen.start()
        unseen.tell(.timePassed, after: 2_000)
        #expect(unseen.outcome?.reason == .stillLoading)
    }

    @Test("several are ambiguous at once where all is looked at, else at the deadline", arguments: [true, false])
    func several(isDecided: Bool) {
        let order = OrderUnderTest()
        order.start()
        order.sight(.several(count: 3), isDecided: isDecided)
        #expect(order.isFinished == isDecided)
        if !isDecided { order.tell(.timePassed, after: 2_000) }
        #expect(order.outcome?.result == .ambiguous)
        #expect(order.outcome?.matches == 3)
        #expect(order.outcome?.reason == nil)
    }

    @Test("of all matches the only one counts, or the only one in the active window")
    func sightings() {
        let (a, b, c) = (Places.reference(1), Places.reference(2), Places.reference(3))
        #expect(Sighting(among: [], isDecided: true).matches == .none)
        #expect(Sighting(among: [(a, false)], isDecided: true).matches == .one(a, isInActiveWindow: false))
        #expect(Sighting(among: [(a, false), (b, true)], isDecided: true).matches == .one(b, isInActiveWindow: true))
        #expect(Sighting(among: [(a, false), (b, false)], isDecided: true).matches == .several(count: 2))
        #expect(Sighting(among: [(a, true), (b, true), (c, false)], isDecided: true).matches == .several(count: 3))
    }

    // MARK: - Several prototypes

    @Test("the first listed that means one element is gone to, once those before it are looked at")
    func firstListed() {
        let order = OrderUnderTest(.search(owners: [false, true]))
        order.start()
        #expect(order.sight(Sight.one(2), of: 1).isEmpty, "the first is not decided")
        order.sight(.none, of: 0)
        #expect(order.targets == [2])
        order.end(.confirmed)
        #expect(order.outcome?.prototype == 1)
        let both = OrderUnderTest(.search(owners: [false, true]))
        both.start()
        both.sight(Sight.one(2), of: 1)
        both.sight(Sight.one(1), of: 0)
        #expect(both.targets == [1])
    }

    @Test("one that is ambiguous is passed over for one that is not; if all that is there is ambiguous, that is said")
    func ambiguousIsPassedOver() {
        let order = OrderUnderTest(.search(owners: [false, false]))
        order.start()
        #expect(order.sight(.several(count: 2), of: 0).isEmpty)
        order.sight(Sight.one(2), of: 1)
        #expect(order.targets == [2])
        let none = OrderUnderTest(.search(owners: [false, false]))
        none.start()
        none.sight(.none, of: 1)
        none.sight(.several(count: 2), of: 0)
        #expect(none.outcome?.result == .ambiguous)
        #expect(none.outcome?.matches == 2)
    }

    @Test(
        "where the first is refused for what it is, the next that is there is tried; if none will do, the first is told"
    )
    func refusedFirst() throws {
        for last in [MoveResult.confirmed, .refused] {
            let order = OrderUnderTest(.search(owners: [false, true, false]))
            order.start()
            order.sight(.none, of: 1)
            order.sight(Sight.one(3), of: 2)
            order.sight(Sight.one(1), of: 0)
            order.end(.refused, .elementHidden)
            #expect(order.targets == [1, 3])
            order.end(last, last == .refused ? .elementDefunct : nil)
            let outcome = try #require(order.outcome)
            #expect(outcome.result == last)
            #expect(outcome.reason == (last == .refused ? .elementHidden : nil))
            #expect(outcome.prototype == (last == .refused ? 0 : 2))
            #expect(outcome.request?.target == Places.reference(last == .refused ? 1 : 3))
        }
    }

    // MARK: - The user and technologies meanwhile

    @Test("an element that comes when the user is in another application is not gone to, unless its window is active")
    func userMovedAway() {
        for (application, isInActiveWindow, hasWaited, isRefused) in [
            (Places.browser, false, true, true), (Places.browser, true, true, false),
            (Places.editor, false, true, false), (Places.browser, false, false, false),
        ] {
            let order = OrderUnderTest()
            order.start()
            if hasWaited { order.sight(.none) }
            order.tell(.userApplication(application))
            order.sight(Sight.one(1, isInActiveWindow: isInActiveWindow))
            #expect((order.outcome?.reason == .userMovedAway) == isRefused)
            #expect(order.targets == (isRefused ? [] : [1]))
        }
        let reading = OrderUnderTest()
        reading.start()
        reading.sight(.none, isDecided: false, reason: .stillLoading)
        reading.tell(.userApplication(Places.browser))
        reading.sight(Sight.one(1, isInActiveWindow: false))
        #expect(reading.outcome?.reason == .userMovedAway, "whether it waited for trees or for elements")
        let nowhere = OrderUnderTest()
        nowhere.start()
        nowhere.sight(.none)
        nowhere.tell(.userApplication(nil))
        nowhere.sight(Sight.one(1, isInActiveWindow: false))
        #expect(nowhere.targets == [1], "nobody knows that they went away")
    }

    @Test("nobody to move: refused at once, and nothing is watched")
    func nobody() {
        for goal in [OrderGoal.element(Places.reference(1)), .search(owners: [false]), .giveBack([])] {
            let order = OrderUnderTest(goal, for: [])
            #expect(order.start().count == 1)
            #expect(order.outcome?.result == .refused)
            #expect(order.outcome?.reason == .technologyNotActive)
        }
    }

    @Test("technologies that come and go while it waits: those that are there when it begins are moved")
    func technologiesMeanwhile() {
        let order = OrderUnderTest()
        order.start()
        order.sight(.none)
        order.tell(.technologies([]))
        #expect(!order.isFinished, "it may be restarting")
        order.tell(.technologies([.odilia]))
        guard case .beginMove(let request) = order.sight(Sight.one(1)).last else {
            Issue.record("it does not begin")
            return
        }
        #expect(request.technologies == [.odilia])
        let gone = OrderUnderTest()
        gone.start()
        gone.tell(.technologies([]))
        gone.sight(Sight.one(1))
        #expect(gone.outcome?.reason == .technologyNotActive)
    }

    // MARK: - The end

    @Test("what becomes of its move becomes of it")
    func ends() {
        let ends: [(MoveResult, MoveReason?)] = [
            (.confirmed, nil), (.refused, .elementHidden), (.timedOut, .noConfirmation),
            (.superseded, .newerRequest), (.superseded, .movedElsewhere), (.notFound, .noSuchApplication),
        ]
        for (result, reason) in ends {
            let order = OrderUnderTest()
            order.start()
            order.sight(Sight.one(1))
            order.end(result, reason)
            #expect(order.outcome?.result == result)
            #expect(order.outcome?.reason == reason)
            #expect(order.outcome?.move != nil)
        }
    }

    @Test("what comes after the end, or for nobody, is passed over")
    func late() {
        let order = OrderUnderTest()
        #expect(order.tell(.timePassed).isEmpty)
        #expect(order.sight(Sight.one(1)).isEmpty, "not begun")
        order.start()
        #expect(order.end(.confirmed).isEmpty, "it made no move")
        #expect(order.sight(.none, of: 7).isEmpty)
        order.tell(.cancelled(.unbound))
        for input in [OrderInput.timePassed, .cancelled(.unbound), .userApplication(nil), .technologies([])] {
            #expect(order.tell(input).isEmpty)
        }
        #expect(order.sight(Sight.one(1)).isEmpty)
    }

    @Test("it can be called off at any time, with the reason", arguments: [MoveReason.unbound, .newerRequest])
    func cancelled(reason: MoveReason) {
        let waiting = OrderUnderTest()
        waiting.start()
        #expect(waiting.tell(.cancelled(reason)).first == .endWatching)
        let moving = OrderUnderTest()
        moving.start()
        moving.sight(Sight.one(1))
        #expect(moving.tell(.cancelled(reason)).first == .leaveMove)
        let new = OrderUnderTest()
        new.tell(.cancelled(reason))
        #expect(new.start().isEmpty)
        for order in [waiting, moving, new] {
            #expect(order.outcome?.result == .superseded)
            #expect(order.outcome?.reason == reason)
        }
    }

    // MARK: - Giving back

    private static let places = [
        GiveBackPlace(target: Places.reference(1), needsActiveWindow: true, mayMoveKeyboard: true),
        GiveBackPlace(target: Places.reference(2), needsActiveWindow: true, mayMoveKeyboard: false),
        GiveBackPlace(target: Places.reference(100), needsActiveWindow: true, mayMoveKeyboard: false),
    ]

    @Test(
        "the next place is tried where one is refused for what it is",
        arguments: [
            MoveReason.elementHidden, .elementDefunct, .windowNotActive, .applicationNotResponding, .notSupported,
            .keyboardFocusCannotMove, .answeredFalse,
        ])
    func nextPlace(reason: MoveReason) throws {
        let order = OrderUnderTest(.giveBack(OrderTests.places), value: nil)
        guard case .beginMove(let first) = order.start().last else { return }
        #expect(first.needsActiveWindow && first.mayMoveKeyboard && first.value == nil && first.state != nil)
        guard case .beginMove(let second) = order.end(.refused, reason).last else {
            Issue.record("no next place")
            return
        }
        #expect(second.needsActiveWindow && !second.mayMoveKeyboard)
        order.end(.notFound, .noSuchApplication)
        order.end(.confirmed)
        #expect(order.targets == [1, 2, 100])
        #expect(try #require(order.outcome).request?.target == Places.reference(100))
    }

    @Test(
        "but not where it was confirmed, or somebody else came, or nobody is there any more",
        arguments: [
            (MoveResult.confirmed, nil), (.superseded, MoveReason.movedElsewhere), (.superseded, .newerRequest),
            (.timedOut, .noConfirmation), (.refused, .technologyNotActive), (.refused, .busGone),
        ])
    func noNextPlace(result: MoveResult, reason: MoveReason?) {
        let order = OrderUnderTest(.giveBack(OrderTests.places), value: nil)
        order.start()
        order.end(result, reason)
        #expect(order.targets == [1])
        #expect(order.outcome?.result == result)
        #expect(order.outcome?.reason == reason)
    }

    @Test("no place, or none that will do: nowhere to go")
    func nowhere() {
        let none = OrderUnderTest(.giveBack([]), value: nil)
        none.start()
        let refused = OrderUnderTest(.giveBack(OrderTests.places), value: nil)
        refused.start()
        for _ in 0..<3 { refused.end(.refused, .elementHidden) }
        for order in [none, refused] {
            #expect(order.outcome?.result == .refused)
            #expect(order.outcome?.reason == .nowhereToGo)
            #expect(order.outcome?.request == nil)
        }
    }

    @Test("when the time is over no further place is tried")
    func noTimeLeft() {
        let order = OrderUnderTest(.giveBack(OrderTests.places), value: nil)
        order.start()
        order.end(.refused, .applicationNotResponding, after: 2_000)
        #expect(order.targets == [1])
        #expect(order.outcome?.reason == .applicationNotResponding)
    }

    // MARK: - What needs no order

    private func value(_ value: String?, isAssumed: Bool = false) -> StateValue {
        var current = StateValue()
        current.value = value
        current.element = value == nil ? nil : Places.reference(1)
        current.isAssumed = isAssumed
        return current
    }

    @Test(
        "the value that it has is confirmed at once, unless it is to be said again, is assumed, or may be on its way off"
    )
    func answers() {
        let here = SetAnswer.move(to: Places.reference(1))
        func answer(_ wanted: String?, _ current: StateValue, again: Bool = false, isDisturbed: Bool = false)
            -> SetAnswer
        {
            SetAnswer(setting: wanted, having: current, again: again, isDisturbed: isDisturbed)
        }
        #expect(answer("a", value("a")) == .confirmed)
        #expect(answer("a", value("a"), again: true) == here)
        #expect(answer("a", value("a"), isDisturbed: true) == here)
        #expect(answer("a", value("a", isAssumed: true)) == here)
        #expect(answer("b", value("a")) == .move(to: nil))
        #expect(answer("a", value(nil)) == .move(to: nil))
        for again in [true, false] {
            #expect(answer(nil, value(nil), again: again, isDisturbed: true) == .confirmedAsNone)
            #expect(answer(nil, value("a"), again: again) == .giveBack)
            #expect(answer(nil, value("a", isAssumed: true), again: again) == .giveBack)
        }
    }
}
