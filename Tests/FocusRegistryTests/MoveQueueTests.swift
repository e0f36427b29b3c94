import AccessibilityTree
import FocusRegistry
import Testing

/// One route in flight a technology: newer requests supersede, identical ones share (S4).
struct MoveQueueTests {
    @Test("a newer request supersedes the one in flight, at once")
    func superseded() throws {
        let queue = QueueUnderTest()
        try queue.beginPresenting("first", to: 1)
        let steps = queue.begin("second", to: 2)
        #expect(steps.count == 2)
        #expect(steps.first?.callers == ["first"])
        #expect(steps.last?.action == .check)
        #expect(queue.outcomes["first"]?.first?.result == .superseded)
        #expect(queue.outcomes["first"]?.first?.reason == .newerRequest)
        #expect(queue.outcomes["second"] == nil)
    }

    @Test("what an older move is told after its end reaches nobody")
    func lateAnswers() throws {
        let queue = QueueUnderTest()
        let first = try #require(queue.begin("first", to: 1).last?.id)
        queue.begin("second", to: 2)
        #expect(queue.tell(first, .checked(.present(QueueUnderTest.label(1)))).isEmpty)
        #expect(queue.tell(99, .timePassed).isEmpty)
    }

    @Test("of two that race exactly one is confirmed, whichever signal comes", arguments: [true, false])
    func race(echoComesFirst: Bool) throws {
        let queue = QueueUnderTest()
        try queue.beginPresenting("first", to: 1)
        let second = try queue.beginPresenting("second", to: 2, after: 5)
        if echoComesFirst {
            // The technology carries out the first event before the second.
            #expect(queue.tellAll(.signalled(.orca, Places.at(1), .focusTracking), after: 20).isEmpty)
            #expect(queue.tellAll(.keyboardMoved(Places.at(1))).isEmpty)
        }
        queue.tellAll(.signalled(.orca, Places.at(2), .focusTracking), after: 20)
        queue.tell(second, .keyboardRead(false))
        #expect(queue.outcomes["first"]?.first?.result == .superseded)
        #expect(queue.outcomes["second"]?.first?.result == .confirmed)
        #expect(queue.isEmpty)
    }

    @Test("of a crowd that races only the last is confirmed, and everybody is told once")
    func crowd() throws {
        let queue = QueueUnderTest()
        for number in 1...20 { try queue.beginPresenting("\(number)", to: number + 20) }
        for number in 1...19 { queue.tellAll(.signalled(.orca, Places.at(number + 20), .focusTracking)) }
        #expect(!queue.isEmpty, "echoes are not the user")
        let step = try #require(queue.tellAll(.signalled(.orca, Places.at(40), .focusTracking)).last)
        queue.tell(step.id, .keyboardRead(false))
        #expect(queue.outcomes.count == 20)
        #expect(queue.outcomes.filter { $0.value.first?.result == .confirmed }.map(\.key) == ["20"])
        #expect(queue.outcomes.filter { $0.value.first?.result == .superseded }.count == 19)
    }

    @Test("the echo of a move that timed out, or was given up, is not the user either")
    func echoOfTheTimedOut() throws {
        let queue = QueueUnderTest()
        try queue.beginPresenting("first", to: 1)
        queue.tellAll(.timePassed, after: 1_000)
        #expect(queue.outcomes["first"]?.first?.result == .timedOut)
        let second = try queue.beginPresenting("second", to: 2, after: 5)
        queue.tellAll(.signalled(.orca, Places.at(1), .focusTracking), after: 5)
        queue.tellAll(.signalled(.orca, Places.at(2), .focusTracking), after: 5)
        queue.tell(second, .keyboardRead(false))
        #expect(queue.outcomes["second"]?.first?.result == .confirmed)
    }

    @Test("a while later, or where nothing had been done, it is the user")
    func noEcho() throws {
        let late = QueueUnderTest()
        try late.beginPresenting("first", to: 1)
        try late.beginPresenting("second", to: 2)
        late.tellAll(.cancelled)
        try late.beginPresenting("third", to: 3, after: 1_600)
        late.tellAll(.signalled(.orca, Places.at(1), .focusTracking))
        #expect(late.outcomes["third"]?.first?.reason == .movedElsewhere)
        let unacted = QueueUnderTest()
        unacted.begin("first", to: 1)
        try unacted.beginPresenting("second", to: 2)
        unacted.tellAll(.signalled(.orca, Places.at(1), .focusTracking))
        #expect(unacted.outcomes["second"]?.first?.reason == .movedElsewhere)
    }

    @Test("going back to the first target: its echo confirms nothing, so it is gone to over the blank")
    func backAgain() throws {
        let queue = QueueUnderTest()
        try queue.beginPresenting("first", to: 1)
        try queue.beginPresenting("second", to: 2)
        let report = TargetReport.present(QueueUnderTest.label(1))
        let third = try #require(queue.begin("third", to: 1).last?.id)
        queue.tell(third, .checked(report))
        #expect(queue.tell(third, .rechecked(report)).map(\.action) == [.presentBlank([.orca])])
        queue.tellAll(.signalled(.orca, Places.at(1), .focusTracking))
        queue.tellAll(.signalled(.orca, Places.at(2), .focusTracking))
        #expect(queue.outcomes["third"] == nil)
        queue.tellAll(.signalledBlank(.orca))
        #expect(queue.tell(third, .rechecked(report)).map(\.action) == [.presentTarget([.orca])])
        queue.tellAll(.signalled(.orca, Places.at(1), .focusTracking))
        queue.tell(third, .keyboardRead(false))
        #expect(queue.outcomes["third"]?.first?.result == .confirmed)
        #expect(queue.outcomes.values.filter { $0.first?.result == .confirmed }.count == 1)
    }

    @Test("the user still wins against the newer one")
    func userWins() throws {
        let queue = QueueUnderTest()
        try queue.beginPresenting("first", to: 1)
        try queue.beginPresenting("second", to: 2)
        queue.tellAll(.signalled(.orca, Places.at(7), .focusTracking))
        #expect(queue.outcomes["second"]?.first?.reason == .movedElsewhere)
        #expect(queue.outcomes.values.allSatisfy { $0.first?.result == .superseded })
    }

    // MARK: - Sharing

    @Test("identical requests share one life and one outcome, however far the first has come")
    func shared() throws {
        let queue = QueueUnderTest()
        let id = try queue.beginPresenting("first", to: 1)
        #expect(queue.begin("second", to: 1).isEmpty)
        queue.tellAll(.signalled(.orca, Places.at(1), .focusTracking))
        #expect(queue.begin("third", to: 1).isEmpty)
        let steps = queue.tell(id, .keyboardRead(false))
        #expect(steps.last?.callers == ["first", "second", "third"])
        #expect(queue.outcomes.values.allSatisfy { $0.first?.result == .confirmed })
        #expect(queue.isEmpty)
    }

    @Test("what differs in anything is another request")
    func different() throws {
        let starts: [(QueueUnderTest) -> Void] = [
            { $0.begin("second", to: 2) }, { $0.begin("second", to: 1, again: true) },
            { $0.begin("second", to: 1, isAnyEnough: false) },
            { $0.begin("second", to: 1, routes: [.activeDescendant]) },
            { $0.begin("second", to: 1, for: [.orca, .odilia]) },
        ]
        for start in starts {
            let queue = QueueUnderTest()
            try queue.beginPresenting("first", to: 1)
            start(queue)
            #expect(queue.outcomes["first"]?.first?.result == .superseded)
            #expect(queue.outcomes["second"] == nil)
        }
    }

    @Test("a later deadline alone makes no other request")
    func deadlineIsNoDifference() throws {
        let queue = QueueUnderTest()
        try queue.beginPresenting("first", to: 1)
        #expect(queue.begin("second", to: 1, deadline: 60_000).isEmpty)
    }

    // MARK: - Technologies apart

    @Test("moves of different technologies do not touch each other")
    func apart() throws {
        let queue = QueueUnderTest()
        let first = try queue.beginPresenting("first", to: 1, for: [.orca])
        let second = try queue.beginPresenting("second", to: 2, for: [.odilia])
        #expect(queue.outcomes.isEmpty)
        #expect(queue.isMoving(.orca) && queue.isMoving(.odilia) && !queue.isMoving(.keyboard))
        queue.tellAll(.signalled(.orca, Places.at(1), .focusTracking))
        queue.tellAll(.signalled(.odilia, Places.at(2), .focusTracking))
        queue.tell(first, .keyboardRead(false))
        queue.tell(second, .keyboardRead(false))
        #expect(queue.outcomes.values.allSatisfy { $0.first?.result == .confirmed })
        #expect(queue.outcomes.count == 2)
        #expect(!queue.isMoving(.orca))
    }

    @Test("one that needs both supersedes both")
    func both() throws {
        let queue = QueueUnderTest()
        try queue.beginPresenting("first", to: 1, for: [.orca])
        try queue.beginPresenting("second", to: 2, for: [.odilia])
        queue.begin("third", to: 3, for: [.orca, .odilia])
        #expect(queue.outcomes["first"]?.first?.result == .superseded)
        #expect(queue.outcomes["second"]?.first?.result == .superseded)
    }

    @Test("the next deadline is the earliest of all")
    func deadlines() throws {
        let queue = QueueUnderTest()
        #expect(queue.nextDeadline == nil)
        queue.begin("first", to: 1, for: [.orca], deadline: 3_000)
        queue.begin("second", to: 2, for: [.odilia], deadline: 500)
        #expect(queue.nextDeadline == 500)
        queue.tellAll(.timePassed, after: 500)
        #expect(queue.outcomes["second"]?.first?.reason == .applicationNotResponding)
        #expect(queue.nextDeadline == 3_000)
    }

    // MARK: - The world

    @Test("an application that leaves ends the moves to its elements, and no others")
    func applicationLeft() throws {
        let queue = QueueUnderTest()
        try queue.beginPresenting("first", to: 1, for: [.orca])
        #expect(queue.applicationLeft(Places.browser).isEmpty)
        queue.begin("second", to: 2, for: [.odilia])
        queue.applicationLeft(Places.editor)
        #expect(queue.outcomes["first"]?.first?.reason == .elementDefunct)
        #expect(queue.outcomes["second"]?.first?.result == .notFound)
        #expect(queue.outcomes["second"]?.first?.reason == .noSuchApplication)
        #expect(queue.isEmpty)
    }

    @Test("a keyboard focus that moved before a move began, and became known later, does not end it")
    func lateKnowledge() throws {
        let queue = QueueUnderTest()
        try queue.beginPresenting("first", to: 1, after: 100)
        #expect(queue.moveKeyboard(to: Places.at(7), at: 99).isEmpty)
        #expect(queue.outcomes.isEmpty)
        // Now it is there, and the same again is no move.
        #expect(queue.moveKeyboard(to: Places.at(7), at: 200).isEmpty)
        queue.moveKeyboard(to: Places.at(8), at: 300)
        #expect(queue.outcomes["first"]?.first?.reason == .movedElsewhere)
    }

    // MARK: - Callers that leave

    @Test("the last caller that leaves cancels; nobody is told")
    func callersLeave() throws {
        let queue = QueueUnderTest()
        try queue.beginPresenting("first", to: 1)
        queue.begin("second", to: 1)
        #expect(queue.leave("first").isEmpty)
        #expect(!queue.isEmpty)
        let steps = queue.leave("second")
        #expect(steps.last?.callers.isEmpty == true)
        #expect(queue.isEmpty)
        #expect(queue.outcomes.isEmpty)
        #expect(queue.leave("nobody").isEmpty)
    }

    @Test("who stays is told, who left is not")
    func oneStays() throws {
        let queue = QueueUnderTest()
        let id = try queue.beginPresenting("first", to: 1)
        queue.begin("second", to: 1)
        queue.leave("first")
        queue.tellAll(.signalled(.orca, Places.at(1), .focusTracking))
        queue.tell(id, .keyboardRead(nil))
        #expect(queue.outcomes.keys.sorted() == ["second"])
    }

    // MARK: - The blank is handed on

    /// Begins anew on element 9, where Orca is, and gets it on its way to the blank.
    private func onTheWayToBlank(_ queue: QueueUnderTest) throws -> Int {
        let id = try #require(queue.begin("first", to: 9, again: true).last?.id)
        let report = TargetReport.present(QueueUnderTest.label(9))
        queue.tell(id, .checked(report))
        #expect(queue.tell(id, .rechecked(report)).map(\.action) == [.presentBlank([.orca])])
        return id
    }

    @Test("a technology on the blank is taken over, not called back into the newer move", arguments: [true, false])
    func blankIsTakenOver(hasArrived: Bool) throws {
        let queue = QueueUnderTest()
        _ = try onTheWayToBlank(queue)
        if hasArrived { queue.tellAll(.signalledBlank(.orca)) }
        let steps = queue.begin("second", to: 2)
        #expect(steps.allSatisfy { $0.action != .leaveBlank([.orca]) })
        // That one cannot go on: now it must not stay there.
        let id = try #require(steps.last?.id)
        let end = queue.tell(id, .checked(.hidden))
        // One that is only on its way is called back when it arrives: an event in between would be dropped.
        #expect((end.first?.action == .leaveBlank([.orca])) == hasArrived)
        #expect(queue.outcomes["second"]?.first?.reason == .elementHidden)
    }

    @Test("from the blank, the old element is not taken for reached")
    func notThereFromBlank() throws {
        let queue = QueueUnderTest()
        _ = try onTheWayToBlank(queue)
        queue.tellAll(.signalledBlank(.orca))
        let steps = queue.begin("second", to: 9)
        #expect(steps.last?.action == .check)
        let id = try #require(steps.last?.id)
        let report = TargetReport.present(QueueUnderTest.label(9))
        queue.tell(id, .checked(report))
        // It is on the blank already: straight to the target.
        #expect(queue.tell(id, .rechecked(report)).map(\.action) == [.presentTarget([.orca])])
        queue.tellAll(.signalled(.orca, Places.at(9), .focusTracking))
        #expect(queue.tell(id, .keyboardRead(false)).map(\.action).count == 1, "and nobody is called back")
        #expect(queue.outcomes["second"]?.first?.result == .confirmed)
    }

    @Test("a technology that the newer move does not take is called back")
    func blankIsLeft() throws {
        let queue = QueueUnderTest()
        queue.places[.odilia] = Places.at(9)
        let id = try #require(queue.begin("first", to: 9, for: [.orca, .odilia], again: true).last?.id)
        let report = TargetReport.present(QueueUnderTest.label(9))
        queue.tell(id, .checked(report))
        queue.tell(id, .rechecked(report))
        queue.tellAll(.signalledBlank(.orca))
        queue.tellAll(.signalledBlank(.odilia))
        #expect(queue.begin("second", to: 2, for: [.orca]).first?.action == .leaveBlank([.odilia]))
    }
}
