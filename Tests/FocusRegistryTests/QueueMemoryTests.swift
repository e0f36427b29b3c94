import AccessibilityTree
import FocusRegistry
import Testing

/// What a queue keeps of moves that ended, and how sets of a state are counted and withdrawn.
struct QueueMemoryTests {
    /// Begins and gets as far as the recheck's answer; its steps.
    private func present(_ queue: QueueUnderTest, _ caller: String, to target: Int) throws -> [MoveAction] {
        let id = try #require(queue.begin(caller, to: target).last?.id)
        let report = TargetReport.present(QueueUnderTest.label(target))
        queue.tell(id, .checked(report))
        return queue.tell(id, .rechecked(report)).map(\.action)
    }

    @Test("a newer move to where the technology is thought to be is not confirmed from memory while an older one acts")
    func disturbed() throws {
        let queue = QueueUnderTest()
        try queue.beginPresenting("first", to: 1)
        #expect(queue.isDisturbed())
        let steps = queue.begin("second", to: 9)
        #expect(steps.first?.arriving == [.orca])
        #expect(steps.last?.action == .check, "and not confirmed")
        let id = try #require(steps.last?.id)
        let report = TargetReport.present(QueueUnderTest.label(9))
        queue.tell(id, .checked(report))
        #expect(queue.tell(id, .rechecked(report)).map(\.action) == [.presentBlank([.orca])])
        queue.signal(1)
        queue.tellAll(.signalledBlank(.orca))
        #expect(queue.outcomes["second"] == nil)
        queue.tell(id, .rechecked(report))
        queue.signal(9)
        queue.tell(id, .keyboardRead(false))
        #expect(queue.outcomes["second"]?.first?.result == .confirmed)
        #expect(!queue.isDisturbed())
    }

    @Test("who is on the blank is there, however long, until it says that it is elsewhere")
    func onTheBlank() throws {
        let queue = QueueUnderTest()
        queue.tellAll(.signalledBlank(.orca))
        queue.tellAll(.timePassed, after: 60_000)
        #expect(queue.isDisturbed() && queue.isOnBlank())
        #expect(queue.begin("first", to: 9).last?.action == .check, "where it said last that it is, it is not")
        queue.leave("first")
        #expect(queue.isOnBlank())
        queue.signal(9)
        #expect(!queue.isDisturbed() && !queue.isOnBlank())
    }

    @Test("a move that had done nothing disturbs nobody")
    func undisturbed() throws {
        let queue = QueueUnderTest()
        queue.begin("first", to: 1)
        #expect(!queue.isDisturbed())
        let steps = queue.begin("second", to: 9)
        #expect(steps.map(\.arriving) == [[], []])
        #expect(steps.last?.action == .readKeyboard, "it is there")
    }

    @Test("whoever leaves a move that has acted leaves what it did", arguments: ["caller", "timedOut", "withdrawn"])
    func endsThatDisturb(end: String) throws {
        let queue = QueueUnderTest()
        try queue.beginPresenting("first", to: 1)
        switch end {
        case "caller": queue.leave("first")
        case "timedOut": queue.tellAll(.timePassed, after: 1_000)
        default: queue.tellAll(.withdrawn(.unbound))
        }
        #expect(queue.isEmpty)
        #expect(queue.isDisturbed())
        #expect(try present(queue, "second", to: 9) == [.presentBlank([.orca])])
    }

    @Test("until it arrived, or had its time", arguments: [true, false])
    func disturbanceEnds(arrives: Bool) throws {
        let queue = QueueUnderTest()
        try queue.beginPresenting("first", to: 1)
        queue.tellAll(.timePassed, after: 1_000)
        if arrives { queue.signal(1) } else { queue.tellAll(.timePassed, after: 1_501) }
        #expect(!queue.isDisturbed())
        #expect(queue.begin("second", to: 9).last?.action == .readKeyboard)
    }

    @Test("it has no effect that its application or its technology left for")
    func nothingArrives() throws {
        for leave: (QueueUnderTest) -> Void in [
            { $0.applicationLeft(Places.editor) }, { $0.tellAll(.technologyLeft(.orca)) }, { $0.tellAll(.busLeft) },
        ] {
            let queue = QueueUnderTest()
            try queue.beginPresenting("first", to: 1)
            leave(queue)
            #expect(!queue.isDisturbed())
        }
    }

    @Test("who has confirmed is there; who is enough without is not")
    func othersArrive() throws {
        let queue = QueueUnderTest()
        let id = try queue.beginPresenting("first", to: 1, for: [.orca, .odilia])
        queue.signal(1)
        let end = queue.tell(id, .keyboardRead(false))
        #expect(end.last?.arriving == [.odilia])
        #expect(!queue.isDisturbed(.orca))
        #expect(queue.isDisturbed(.odilia))
    }

    @Test("one that was on its way to the blank when its move ended is nobody's proof, and is awaited there")
    func stillOnItsWay() throws {
        let queue = QueueUnderTest()
        let id = try #require(queue.begin("first", to: 9, again: true).last?.id)
        let report = TargetReport.present(QueueUnderTest.label(9))
        queue.tell(id, .checked(report))
        #expect(queue.tell(id, .rechecked(report)).map(\.action) == [.presentBlank([.orca])])
        queue.tellAll(.keyboardMoved(Places.at(8)))
        #expect(queue.outcomes["first"]?.first?.reason == .movedElsewhere)
        #expect(queue.isDisturbed())
        queue.places[.orca] = Places.at(8)
        #expect(try present(queue, "second", to: 8) == [.presentBlank([.orca])])
    }

    @Test("one that came to the blank later, or was called back from it, goes straight on from there")
    func onBlankWithoutMove() throws {
        let queue = QueueUnderTest()
        queue.tellAll(.signalledBlank(.orca))
        #expect(queue.isDisturbed())
        #expect(try present(queue, "second", to: 9) == [.presentTarget([.orca])])
        let left = QueueUnderTest()
        left.tellAll(.signalledBlank(.orca))
        left.signal(9)
        #expect(!left.isDisturbed())
    }

    @Test("what something besides moves did is handed over as well")
    func handedOver() throws {
        let queue = QueueUnderTest()
        let steps = queue.begin("first", to: 9, handovers: [.orca: Handover(arriving: [Places.reference(3)])])
        #expect(steps.last?.action == .check)
    }

    // MARK: - Sets of a state

    @Test("sets of a state are counted by who waits for them")
    func counted() {
        let queue = QueueUnderTest()
        queue.begin("first", to: 1, state: "s", value: "a")
        queue.begin("second", to: 1, state: "s", value: "a")
        queue.begin("other", to: 2, for: [.odilia], state: "t", value: "a")
        #expect(queue.setsUnderWay(of: "s") == 2)
        #expect(queue.setsUnderWay(of: "t") == 1)
        #expect(queue.setsUnderWay(of: "u") == 0)
    }

    @Test("another state, or another value, is another request")
    func different() throws {
        for (state, value) in [("t", "a"), ("s", "b")] {
            let queue = QueueUnderTest()
            queue.begin("first", to: 1, state: "s", value: "a")
            queue.begin("second", to: 1, state: state, value: value)
            #expect(queue.outcomes["first"]?.first?.reason == .newerRequest)
        }
    }

    @Test("all sets of a state are withdrawn, and no others", arguments: [MoveReason.unbound, .newerRequest])
    func withdrawn(reason: MoveReason) throws {
        let queue = QueueUnderTest()
        queue.begin("first", to: 1, state: "s", value: "a")
        queue.begin("other", to: 2, for: [.odilia], state: "t", value: "a")
        let steps = queue.withdraw("s", reason)
        #expect(steps.last?.callers == ["first"])
        #expect(queue.outcomes["first"]?.first?.result == .superseded)
        #expect(queue.outcomes["first"]?.first?.reason == reason)
        #expect(queue.outcomes["other"] == nil)
        #expect(queue.setsUnderWay(of: "s") == 0)
        #expect(queue.withdraw("s", reason).isEmpty)
    }

    @Test("a request that needs no move supersedes those in flight all the same")
    func supersededWithoutMove() {
        let queue = QueueUnderTest()
        queue.begin("first", to: 1)
        queue.begin("other", to: 2, for: [.odilia])
        queue.supersede([.orca])
        #expect(queue.outcomes["first"]?.first?.reason == .newerRequest)
        #expect(queue.outcomes["other"] == nil)
    }

    @Test("each move is told for its own state whether it has the value")
    func sameValueOfEach() throws {
        let queue = QueueUnderTest()
        let id = try #require(queue.begin("first", to: 1, state: "s", value: "a").last?.id)
        let target = TargetReport.Target(
            placement: Places.at(1), isFocusable: true, hasKeyboardFocus: false, isWindowActive: true)
        queue.tell(id, .checked(.present(target)))
        let inside = Places.at(50, inside: [1])
        #expect(queue.signal(inside) { $0.value != "a" }.isEmpty)
        #expect(queue.signal(inside) { $0.state == FocusStateID("s") && $0.value == "a" }.last?.action == .readKeyboard)
    }
}
