import AccessibilityTree
import FocusRegistry
import Testing

/// Flat review comes in pairs, mouse review does not count as focus, unknown modes are passed on.
struct ModeTests {
    // MARK: - Flat review

    @Test("of a flat review pair the last counts, 5 ms after the first")
    func pair() throws {
        let desk = RegistryUnderTest()
        desk.signal(Places.at(1), at: 10)
        #expect(desk.signal(Places.at(2), .flatReview, at: 100) == nil)
        #expect(desk.nextDeadline == 105)
        #expect(desk.signal(Places.at(3), .flatReview, at: 104) == nil)
        #expect(desk.element() == Places.reference(1))
        #expect(desk.nextDeadline == 105, "however many follow, the first is held for 5 ms")
        let transactions = desk.advance(to: 105).transactions
        #expect(transactions.count == 1)
        let change = try #require(transactions.first?.changes.first)
        #expect(change.previous == Places.reference(1))
        #expect(change.current?.element == Places.reference(3))
        #expect(change.current?.mode == .flatReview)
        #expect(desk.nextDeadline == nil)
    }

    @Test("a step alone is settled after 5 ms")
    func single() {
        let desk = RegistryUnderTest()
        desk.signal(Places.at(2), .flatReview, at: 100)
        #expect(desk.advance(to: 104).transactions.isEmpty)
        #expect(desk.advance(to: 105).transactions.count == 1)
    }

    @Test("a step that comes after the 5 ms does not swallow the one before, also where the timer is late")
    func lateTimer() throws {
        let desk = RegistryUnderTest()
        desk.signal(Places.at(2), .flatReview, at: 100)
        let transaction = try #require(desk.signal(Places.at(3), .flatReview, at: 106))
        #expect(transaction.changes.first?.current?.element == Places.reference(2))
        #expect(desk.nextDeadline == 111)
        desk.advance(to: 111)
        #expect(desk.element() == Places.reference(3))
    }

    @Test("steps without a pause are told every 5 ms, not held back until they end")
    func flood() {
        let desk = RegistryUnderTest()
        for step in 0..<100 {
            desk.signal(Places.at(10 + step), .flatReview, at: Int64(100 + 2 * step))
            desk.advance(to: Int64(101 + 2 * step))
        }
        #expect(desk.transactions.count > 20)
        desk.advance(to: 1_000)
        #expect(desk.element() == Places.reference(109))
    }

    @Test("a signal of another mode counts at once, and a step held before it is past")
    func otherModeAfterReview() {
        let desk = RegistryUnderTest()
        desk.signal(Places.at(2), .flatReview, at: 100)
        #expect(desk.signal(Places.at(3), .focusTracking, at: 102) != nil)
        #expect(desk.nextDeadline == nil)
        #expect(desk.advance(to: 200).transactions.isEmpty)
        #expect(desk.element() == Places.reference(3))
    }

    @Test("a step whose element vanished meanwhile is no focus")
    func reviewedElementGone() {
        let desk = RegistryUnderTest()
        desk.signal(Places.at(1), at: 10)
        desk.signal(Places.at(2, inside: [5]), .flatReview, at: 100)
        #expect(desk.gone(Places.reference(5), at: 101) == nil)
        #expect(desk.advance(to: 200).transactions.isEmpty)
        #expect(desk.element() == Places.reference(1))
    }

    @Test("two technologies in flat review do not hold each other up")
    func twoReviewers() {
        let desk = RegistryUnderTest(technologies: [.orca, .odilia])
        desk.signal(.orca, Places.at(1), .flatReview, at: 100)
        desk.signal(.odilia, Places.at(2), .flatReview, at: 103)
        #expect(desk.advance(to: 105).transactions.count == 1)
        #expect(desk.nextDeadline == 108)
        #expect(desk.advance(to: 108).transactions.count == 1)
        #expect(desk.registry.aggregate?.technology == .odilia)
    }

    // MARK: - Mouse review

    @Test("mouse review is told to those who follow the technology, and moves nothing else")
    func mouseReview() throws {
        let desk = RegistryUnderTest()
        desk.signal(Places.at(1), at: 10)
        let transaction = try #require(desk.signal(Places.at(2), .mouseReview, at: 20))
        #expect(transaction.changes.map(\.audience) == [.technology(.orca)])
        #expect(desk.element() == Places.reference(2))
        #expect(desk.aggregateElement == Places.reference(1))
    }

    @Test("mouse review does not make a technology speak for all")
    func mouseReviewIsNoMove() {
        let desk = RegistryUnderTest(technologies: [.orca, .odilia])
        desk.signal(.orca, Places.at(1), at: 10)
        desk.signal(.odilia, Places.at(2), at: 20)
        desk.signal(.orca, Places.at(3), .mouseReview, at: 30)
        #expect(desk.registry.aggregate?.technology == .odilia)
    }

    @Test("when what the mouse was over vanishes, the focus is still where it was")
    func mouseReviewedElementGone() throws {
        let desk = RegistryUnderTest()
        desk.signal(Places.at(1), at: 10)
        desk.signal(Places.at(2, inside: [5]), .mouseReview, at: 20)
        let transaction = try #require(desk.gone(Places.reference(5), at: 30))
        #expect(transaction.changes.map(\.audience) == [.technology(.orca)])
        #expect(desk.aggregateElement == Places.reference(1))
        #expect(desk.element() == Places.reference(1))
    }

    @Test("when the focus vanishes under mouse review, the aggregate leaves and the mouse's element stays")
    func focusGoneUnderMouseReview() throws {
        let desk = RegistryUnderTest()
        desk.signal(Places.at(1), at: 10)
        desk.signal(Places.at(2), .mouseReview, at: 20)
        let transaction = try #require(desk.gone(Places.reference(1), at: 30))
        #expect(transaction.changes.map(\.audience) == [.aggregate])
        #expect(transaction.changes.first?.current == nil)
        #expect(desk.element() == Places.reference(2))
    }

    @Test("both vanish: both leave")
    func bothGone() {
        let desk = RegistryUnderTest()
        desk.signal(Places.at(1), at: 10)
        desk.signal(Places.at(2), .mouseReview, at: 20)
        #expect(desk.applicationGone(Places.editor, at: 30)?.changes.count == 2)
        #expect(desk.element() == nil)
        #expect(desk.aggregateElement == nil)
    }

    // MARK: - Others

    @Test(
        "every other mode counts at once, also one that nobody knows",
        arguments: ["say-all", "object-navigator", "x", ""])
    func otherModes(name: String) {
        let desk = RegistryUnderTest()
        #expect(desk.signal(Places.at(1), Mode(rawValue: name), at: 10)?.changes.count == 2)
        #expect(desk.registry.position(of: .orca)?.mode?.rawValue == name)
        #expect(desk.nextDeadline == nil)
    }
}
