import AccessibilityTree
import FocusRegistry
import Testing

/// What confirms a move, what refuses it, and when it is over.
struct MoveOutcomeTests {
    // MARK: - Confirmed

    @Test("a focusable element is grabbed, and confirmed by the technology's own signal")
    func grabFocus() throws {
        let move = MoveUnderTest()
        move.beginGrabbing()
        #expect(!move.isFinished, "that it was accepted proves nothing")
        #expect(move.signal(on: Targets.place) == [.readKeyboard])
        move.tell(.keyboardRead(true))
        let outcome = try #require(move.outcome)
        #expect(outcome.result == .confirmed)
        #expect(outcome.reason == nil)
        #expect(outcome.route == .grabFocus)
        #expect(outcome.attempts.isEmpty)
        #expect(outcome.confirmed == [.orca])
        #expect(outcome.keyboardFocus == .moved)
        #expect(outcome.finishedAt == 12_000)
    }

    @Test("a label is presented by focusd's own event, and the keyboard stays where it is")
    func activeDescendant() throws {
        let move = MoveUnderTest()
        move.beginPresenting()
        #expect(!move.actions.contains(.grabFocus))
        #expect(move.actions.contains(.presentTarget([.orca])))
        #expect(move.signal(on: Targets.place) == [.readKeyboard])
        move.tell(.keyboardRead(false))
        let outcome = try #require(move.outcome)
        #expect(outcome.result == .confirmed)
        #expect(outcome.route == .activeDescendant)
        #expect(outcome.attempts == [.init(route: .grabFocus, reason: .notFocusable)])
        #expect(outcome.keyboardFocus == .elsewhere)
    }

    @Test("after a grab a signal from inside the target confirms; after the event only the target itself does")
    func descendants() {
        let inside = Places.at(77, inside: [1, 5])
        let grabbed = MoveUnderTest()
        grabbed.beginGrabbing()
        #expect(grabbed.signal(on: inside) == [.readKeyboard])
        let presented = MoveUnderTest()
        presented.beginPresenting()
        #expect(presented.signal(on: inside).isEmpty)
        #expect(presented.signal(on: Targets.place) == [.readKeyboard])
    }

    @Test("a signal from before anything was done confirms nothing")
    func tooEarly() {
        let move = MoveUnderTest()
        move.start()
        #expect(move.signal(on: Places.at(8)).isEmpty)
        #expect(move.tell(.checked(.present(Targets.button()))) == [.grabFocus])
        #expect(!move.isFinished)
    }

    @Test("mouse review confirms nothing and is nobody's wish")
    func mouseReview() {
        let move = MoveUnderTest()
        move.beginGrabbing()
        #expect(move.signal(on: Targets.place, mode: .mouseReview).isEmpty)
        #expect(move.signal(on: Places.at(8), mode: .mouseReview).isEmpty)
        #expect(!move.isFinished)
    }

    @Test(
        "a keyboard that cannot be read is unknown, and holds the outcome up for half a second at most",
        arguments: [true, false])
    func keyboardUnread(isAnswered: Bool) throws {
        let move = MoveUnderTest()
        move.beginGrabbing()
        move.signal(on: Targets.place)
        if isAnswered { move.tell(.keyboardRead(nil)) } else { move.wait(500) }
        let outcome = try #require(move.outcome)
        #expect(outcome.result == .confirmed)
        #expect(outcome.keyboardFocus == .unknown)
    }

    @Test("an outcome that is known is not taken back while the keyboard is read")
    func knownOutcome() throws {
        let inputs: [MoveInput] = [
            .technologyLeft(.orca), .signalled(.orca, Places.at(8), .focusTracking), .keyboardMoved(Places.at(8)),
            .grabAnswered(.refused), .rechecked(.defunct), .checked(.hidden), .signalledBlank(.orca), .busLeft,
            .applicationLeft,
        ]
        for input in inputs {
            let move = MoveUnderTest()
            move.beginGrabbing()
            move.signal(on: Targets.place)
            move.tell(input)
            move.wait(500)
            #expect(try #require(move.outcome).result == .confirmed, "after \(input)")
        }
    }

    // MARK: - Any or each (S1)

    @Test("without names the first that signals confirms")
    func anyIsEnough() throws {
        let move = MoveUnderTest(for: [.orca, .odilia])
        move.beginPresenting()
        #expect(move.actions.contains(.presentTarget([.orca, .odilia])))
        move.signal(.odilia, on: Targets.place)
        move.tell(.keyboardRead(false))
        #expect(try #require(move.outcome).confirmed == [.odilia])
    }

    @Test("with names each must signal")
    func eachIsNeeded() throws {
        let move = MoveUnderTest(for: [.orca, .odilia], isAnyEnough: false)
        move.beginPresenting()
        #expect(move.signal(.odilia, on: Targets.place).isEmpty)
        #expect(move.signal(.orca, on: Targets.place) == [.readKeyboard])
        move.tell(.keyboardRead(false))
        #expect(try #require(move.outcome).confirmed == [.orca, .odilia])
    }

    @Test("one of the named that stays silent: timed out, and who was confirmed is told")
    func oneSilent() throws {
        let move = MoveUnderTest(for: [.orca, .odilia], isAnyEnough: false)
        move.beginPresenting()
        move.signal(.odilia, on: Targets.place)
        move.wait(1_500)
        let outcome = try #require(move.outcome)
        #expect(outcome.result == .timedOut)
        #expect(outcome.confirmed == [.odilia])
        #expect(outcome.route == nil)
    }

    @Test("the next route is only for those that are not there yet")
    func onlyTheOthers() {
        let move = MoveUnderTest(for: [.orca, .odilia], isAnyEnough: false)
        move.beginGrabbing()
        move.signal(.orca, on: Targets.place)
        #expect(move.wait(300).last == .recheck)
        #expect(move.tell(.rechecked(.present(Targets.button()))) == [.presentTarget([.odilia])])
    }

    @Test("nobody to move: refused at once", arguments: [true, false])
    func nobody(isAnyEnough: Bool) throws {
        let move = MoveUnderTest(for: [], isAnyEnough: isAnyEnough)
        #expect(move.start().count == 1)
        #expect(move.outcome?.result == .refused)
        #expect(move.outcome?.reason == .technologyNotActive)
        #expect(move.outcome?.keyboardFocus == .unknown)
    }

    @Test("signals of technologies that are not asked are no matter")
    func others() {
        let move = MoveUnderTest()
        move.beginPresenting()
        #expect(move.signal(.odilia, on: Targets.place).isEmpty)
        #expect(move.signal(.odilia, on: Places.at(8)).isEmpty)
        #expect(move.tell(.technologyLeft(.odilia)).isEmpty)
        #expect(!move.isFinished)
    }

    // MARK: - Refused and not found (S2, S7, S8)

    @Test(
        "what the check finds is the answer, and nothing is done",
        arguments: [
            (TargetReport.noSuchApplication, MoveResult.notFound, MoveReason.noSuchApplication),
            (.applicationNotResponding, .refused, .applicationNotResponding), (.defunct, .refused, .elementDefunct),
            (.hidden, .refused, .elementHidden),
        ])
    func refused(report: TargetReport, result: MoveResult, reason: MoveReason) throws {
        let move = MoveUnderTest()
        move.start()
        move.tell(.checked(report), after: 3)
        let outcome = try #require(move.outcome)
        #expect(outcome.result == result)
        #expect(outcome.reason == reason)
        #expect(outcome.attempts.isEmpty)
        #expect(move.actions.count == 2, "check and finish")
    }

    @Test(
        "the target is asked again before it is presented, and what it says then counts",
        arguments: [
            (TargetReport.applicationNotResponding, MoveReason.applicationNotResponding), (.defunct, .elementDefunct),
            (.hidden, .elementHidden),
        ])
    func refusedAtLast(report: TargetReport, reason: MoveReason) throws {
        let move = MoveUnderTest()
        #expect(move.begin(Targets.label()) == [.recheck])
        move.tell(.rechecked(report))
        #expect(move.outcome?.result == .refused)
        #expect(move.outcome?.reason == reason)
        #expect(!move.actions.contains(.presentTarget([.orca])), "a stopped application would freeze the technology")
    }

    @Test("an application that never answers is not responding at the deadline, and was never presented")
    func neverAnswers() throws {
        let unchecked = MoveUnderTest()
        unchecked.start()
        #expect(unchecked.nextDeadline == 2_000)
        #expect(unchecked.wait(1_999).isEmpty)
        unchecked.wait(1)
        #expect(unchecked.outcome?.reason == .applicationNotResponding)
        let unrechecked = MoveUnderTest()
        unrechecked.begin(Targets.label())
        unrechecked.wait(2_000)
        #expect(unrechecked.outcome?.reason == .applicationNotResponding)
        #expect(unrechecked.outcome?.result == .refused)
        #expect(!unrechecked.actions.contains(.presentTarget([.orca])))
    }

    @Test("of an application that was asked right before the deadline it is not said that it does not respond")
    func askedLate() {
        let move = MoveUnderTest()
        move.start()
        move.wait(1_900)
        move.tell(.checked(.present(Targets.label())))
        move.wait(100)
        #expect(move.outcome?.result == .timedOut && move.outcome?.reason == .noConfirmation)
    }

    @Test("an answer that comes after the end does nothing")
    func lateAnswers() {
        let move = MoveUnderTest()
        move.start()
        move.wait(2_000)
        for input in [
            MoveInput.checked(.present(Targets.button())), .rechecked(.hidden), .grabAnswered(.accepted), .timePassed,
        ] {
            #expect(move.tell(input).isEmpty)
        }
    }

    @Test("an answer that nobody asked for does nothing")
    func unaskedAnswers() {
        let move = MoveUnderTest()
        move.start()
        #expect(move.tell(.rechecked(.hidden)).isEmpty)
        #expect(move.tell(.grabAnswered(.gone)).isEmpty)
        #expect(move.tell(.keyboardRead(true)).isEmpty)
        #expect(move.tell(.timePassed).isEmpty)
        #expect(move.tell(.checked(.present(Targets.label()))) == [.recheck])
        #expect(move.tell(.checked(.hidden)).isEmpty)
        #expect(!move.isFinished)
    }

    @Test("what is scrolled out is scrolled into view first, then moved to")
    func scrolledOut() {
        let move = MoveUnderTest()
        #expect(move.begin(Targets.label(isScrolledOut: true)) == [.scrollIntoView, .recheck])
    }

    @Test("a grab that finds the element gone, or the application silent, says so")
    func grabFails() throws {
        let gone = MoveUnderTest()
        gone.begin(Targets.button())
        gone.tell(.grabAnswered(.gone))
        gone.tell(.keyboardRead(nil))
        #expect(gone.outcome?.reason == .elementDefunct)
        let silent = MoveUnderTest()
        silent.begin(Targets.button())
        silent.tell(.grabAnswered(.notResponding))
        #expect(silent.outcome?.reason == .applicationNotResponding)
        #expect(!silent.actions.contains(.readKeyboard), "it would not answer that either")
        #expect(silent.outcome?.keyboardFocus == .unknown)
    }

    // MARK: - Time

    @Test("a grab is given up after 300 ms, the event after 1 s; then it is timed out")
    func patience() throws {
        let move = MoveUnderTest()
        #expect(move.begin(Targets.button()) == [.grabFocus])
        move.tell(.grabAnswered(.accepted))
        #expect(move.nextDeadline == 301)
        #expect(move.wait(300) == [.recheck])
        #expect(move.tell(.rechecked(.present(Targets.button()))) == [.presentTarget([.orca])])
        #expect(move.nextDeadline == 1_301)
        move.wait(999)
        #expect(!move.actions.contains(.readKeyboard))
        #expect(move.wait(1) == [.readKeyboard])
        move.tell(.keyboardRead(false))
        let outcome = try #require(move.outcome)
        #expect(outcome.result == .timedOut)
        #expect(outcome.reason == .noConfirmation)
        #expect(outcome.route == nil)
        #expect(
            outcome.attempts == [
                .init(route: .grabFocus, reason: .noConfirmation),
                .init(route: .activeDescendant, reason: .noConfirmation),
            ])
        #expect(outcome.confirmed.isEmpty)
    }

    @Test("the deadline ends whatever route is under way", arguments: [50, 299, 301, 1_000])
    func deadline(milliseconds: Int64) throws {
        let move = MoveUnderTest(deadline: milliseconds)
        move.beginGrabbing()
        while !move.isFinished && move.now < 5_000 {
            if move.wait(10).contains(.recheck) { move.tell(.rechecked(.present(Targets.button()))) }
        }
        let outcome = try #require(move.outcome)
        #expect(outcome.result == .timedOut)
        #expect(
            outcome.finishedAt <= (milliseconds + 500) * 1_000, "the keyboard is read for half a second more at most")
    }

    @Test("a signal that comes after the patience ended still confirms, for the route that did it")
    func lateSignal() throws {
        let move = MoveUnderTest()
        move.beginGrabbing()
        // It was the grab that did it, though the next route is asked for already.
        #expect(move.wait(300) == [.recheck])
        move.signal(on: Targets.place)
        move.tell(.keyboardRead(true))
        #expect(move.outcome?.result == .confirmed)
        #expect(move.outcome?.route == .grabFocus)
    }

    // MARK: - The world goes away

    @Test("a technology that leaves ends a move that needs it", arguments: [[TechnologyID.orca], [.orca, .odilia]])
    func technologyLeft(technologies: [TechnologyID]) throws {
        let move = MoveUnderTest(for: technologies, isAnyEnough: false)
        move.beginPresenting()
        move.tell(.technologyLeft(.orca))
        #expect(move.outcome?.result == .refused)
        #expect(move.outcome?.reason == .technologyNotActive)
    }

    @Test("where any is enough, the last one that leaves ends it")
    func allLeft() {
        let move = MoveUnderTest(for: [.orca, .odilia])
        move.beginPresenting()
        #expect(move.tell(.technologyLeft(.orca)).isEmpty)
        #expect(!move.isFinished)
        move.tell(.technologyLeft(.odilia))
        #expect(move.outcome?.reason == .technologyNotActive)
    }

    @Test("an application that leaves: not found while it is asked, a defunct element once it was found")
    func applicationLeft() {
        let asked = MoveUnderTest()
        asked.start()
        asked.tell(.applicationLeft)
        #expect(asked.outcome?.result == .notFound)
        #expect(asked.outcome?.reason == .noSuchApplication)
        let found = MoveUnderTest()
        found.beginPresenting()
        found.tell(.applicationLeft)
        #expect(found.outcome?.result == .refused)
        #expect(found.outcome?.reason == .elementDefunct)
    }

    @Test("a technology that left is presented nothing")
    func presentedToTheLiving() {
        let move = MoveUnderTest(for: [.orca, .odilia])
        move.begin(Targets.label())
        move.tell(.technologyLeft(.odilia))
        #expect(move.tell(.rechecked(.present(Targets.label()))) == [.presentTarget([.orca])])
    }

    @Test(
        "bus, newer request and caller end it at once, in every phase",
        arguments: [MoveInput.busLeft, .supersededByNewer(taking: []), .cancelled])
    func ended(input: MoveInput) throws {
        let steps: [(MoveUnderTest) -> Void] = [
            { $0.start() }, { $0.begin(Targets.label()) }, { $0.begin(Targets.button()) }, { $0.beginGrabbing() },
            { $0.beginPresenting() },
        ]
        for step in steps {
            let move = MoveUnderTest()
            step(move)
            move.tell(input)
            let outcome = try #require(move.outcome)
            if input == .busLeft {
                #expect(outcome.result == .refused)
                #expect(outcome.reason == .busGone)
            } else {
                #expect(outcome.result == .superseded)
                #expect(outcome.reason == .newerRequest)
            }
        }
    }
}
