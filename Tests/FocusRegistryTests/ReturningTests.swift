import AccessibilityTree
import FocusRegistry
import Testing

/// A window comes back and its technology stays silent, because it believes it never left (F11).
struct ReturningTests {
    /// A desk whose technologies were on element 1 and left with window 100 at 1150 ms.
    private func left(_ technologies: [TechnologyID] = [.orca]) -> RegistryUnderTest {
        let desk = RegistryUnderTest(technologies: technologies)
        desk.activate(100, at: 0)
        for id in technologies { desk.signal(id, Places.at(1), at: 10) }
        desk.deactivate(100, at: 1_000)
        desk.advance(to: 1_150)
        #expect(technologies.allSatisfy { desk.element($0) == nil })
        return desk
    }

    @Test("after 250 ms of silence the element it had there is its focus again, assumed")
    func restored() throws {
        let desk = left()
        desk.activate(100, at: 2_000)
        #expect(desk.nextDeadline == 2_250)
        #expect(desk.advance(to: 2_249).restore.isEmpty)
        let candidates = desk.advance(to: 2_250).restore
        let candidate = try #require(candidates.first)
        #expect(candidates.count == 1)
        #expect(candidate.technology == .orca)
        #expect(candidate.position.element == Places.reference(1))
        #expect(candidate.window == Places.reference(100))
        #expect(desk.element() == nil, "the caller looks first whether it lives")
        let transaction = try #require(desk.restore(candidate, at: 2_260))
        #expect(transaction.changes.allSatisfy { $0.cause == .restored && $0.current?.isAssumed == true })
        #expect(transaction.changes.count == 2)
        #expect(desk.element() == Places.reference(1))
        // Its next signal makes it certain.
        #expect(
            try #require(desk.signal(Places.at(1), at: 2_300)).changes.allSatisfy { $0.current?.isAssumed == false })
    }

    @Test("the keyboard, read from live state, is not assumed")
    func restoredKeyboard() throws {
        let desk = RegistryUnderTest(technologies: [])
        desk.activate(100, at: 0)
        desk.signal(.keyboard, Places.at(1), nil, at: 10)
        desk.deactivate(100, at: 1_000)
        desk.advance(to: 1_150)
        desk.activate(100, at: 2_000)
        let candidate = try #require(desk.advance(to: 2_250).restore.first)
        desk.restore(candidate, at: 2_260)
        #expect(desk.registry.position(of: .keyboard)?.isAssumed == false)
    }

    @Test("a signal after the window left cancels it for good")
    func signalWhileAway() {
        let desk = left()
        desk.signal(Places.at(7, window: 200, on: Places.browser), at: 1_500)
        desk.gone(Places.reference(7, on: Places.browser), at: 1_600)
        desk.activate(100, at: 2_000)
        #expect(desk.advance(to: 9_000).restore.isEmpty)
    }

    @Test("a signal within the silence cancels it", arguments: [Mode.focusTracking, .mouseReview, .flatReview])
    func signalInSilence(mode: Mode) {
        let desk = left()
        desk.activate(100, at: 2_000)
        desk.signal(Places.at(2), mode, at: 2_249)
        #expect(desk.advance(to: 2_250).restore.isEmpty)
        #expect(desk.advance(to: 9_000).restore.isEmpty)
        #expect(desk.element() == Places.reference(2))
    }

    @Test("a signal between the candidate and its restoring cancels it")
    func signalWhileLooking() throws {
        let desk = left()
        desk.activate(100, at: 2_000)
        let candidate = try #require(desk.advance(to: 2_250).restore.first)
        desk.signal(Places.at(2), at: 2_255)
        #expect(desk.restore(candidate, at: 2_260) == nil)
        #expect(desk.element() == Places.reference(2))
    }

    @Test("a window that went again before it was looked at restores nothing")
    func windowWentAgain() throws {
        let desk = left()
        desk.activate(100, at: 2_000)
        let candidate = try #require(desk.advance(to: 2_250).restore.first)
        desk.activate(200, on: Places.browser, at: 2_255)
        #expect(desk.restore(candidate, at: 2_260) == nil)
        // When it comes back once more, it is looked at once more.
        desk.activate(100, at: 3_000)
        let again = try #require(desk.advance(to: 3_250).restore.first)
        #expect(desk.restore(again, at: 3_260) != nil)
    }

    @Test("another window of the same application is offered with its own name, for the caller to tell")
    func otherWindow() throws {
        let desk = left()
        // GTK 4 gives a window that comes back another path.
        desk.activate(555, at: 2_000)
        let candidate = try #require(desk.advance(to: 2_250).restore.first)
        #expect(candidate.window == Places.reference(555))
    }

    @Test("a window of another application restores nothing")
    func otherApplication() {
        let desk = left()
        desk.activate(100, on: Places.browser, at: 2_000)
        #expect(desk.nextDeadline == nil)
        #expect(desk.advance(to: 9_000).restore.isEmpty)
    }

    @Test("nothing is restored of an application, a technology or a bus that left")
    func goneMeanwhile() {
        let steps: [(RegistryUnderTest) -> Void] = [
            { $0.applicationGone(Places.editor, at: 1_500) },
            { desk in desk.leaveBus(desk.busName(.orca), at: 1_500) },
            { $0.busLeft(at: 1_500) },
        ]
        for step in steps {
            let desk = left()
            step(desk)
            desk.activate(100, at: 2_000)
            #expect(desk.advance(to: 9_000).restore.isEmpty)
        }
    }

    @Test("each technology that left is a candidate of its own")
    func several() {
        let desk = left([.orca, .odilia])
        desk.activate(100, at: 2_000)
        desk.signal(.odilia, Places.at(2), at: 2_100)
        #expect(desk.advance(to: 2_250).restore.map(\.technology) == [.orca])
    }

    @Test("who was looking around with the mouse comes back to where the focus was")
    func mouseReviewIsNoPlace() throws {
        let desk = RegistryUnderTest()
        desk.activate(100, at: 0)
        desk.signal(Places.at(1), at: 10)
        desk.signal(Places.at(2), .mouseReview, at: 20)
        desk.deactivate(100, at: 1_000)
        desk.advance(to: 1_150)
        desk.activate(100, at: 2_000)
        let candidate = try #require(desk.advance(to: 2_250).restore.first)
        #expect(candidate.position.element == Places.reference(1))
        desk.restore(candidate, at: 2_260)
        #expect(desk.aggregateElement == Places.reference(1))
    }

    @Test("a place hidden with its window is kept for its return")
    func hiddenPlace() throws {
        let desk = RegistryUnderTest()
        desk.activate(100, at: 0)
        desk.signal(Places.at(1), at: 10)
        desk.gone(Places.reference(1), cause: .elementHidden, at: 20)
        desk.activate(100, at: 2_000)
        let candidate = try #require(desk.advance(to: 2_250).restore.first)
        #expect(desk.restore(candidate, at: 2_260)?.changes.first?.cause == .restored)
    }
}
