import AccessibilityTree
import FocusRegistry
import Testing

/// One move is one transaction, to those it concerns.
struct MovesOfFocusTests {
    @Test("the first signal enters; each kind of subscriber is told once, with one revision")
    func enter() throws {
        let desk = RegistryUnderTest()
        let transaction = try #require(desk.signal(Places.at(1), at: 10))
        #expect(transaction.revision == 1_002, "1001 told of the technology itself")
        #expect(Set(transaction.changes.map(\.audience)) == [.technology(.orca), .aggregate])
        for change in transaction.changes {
            #expect(change.cause == .moved)
            #expect(change.previous == nil)
            #expect(change.technology == .orca)
            #expect(change.current?.element == Places.reference(1))
            #expect(change.current?.mode == .focusTracking)
            #expect(change.current?.isAssumed == false)
            #expect(!change.isUpdateOnly)
        }
        #expect(transaction.time == 10_000)
        #expect(!transaction.changesTechnologies)
    }

    @Test("from one element straight to another is one change, never through none")
    func straight() throws {
        let desk = RegistryUnderTest()
        desk.signal(Places.at(1), at: 10)
        let transaction = try #require(desk.signal(Places.at(2), at: 20))
        #expect(transaction.changes.count == 2)
        for change in transaction.changes {
            #expect(change.previous == Places.reference(1))
            #expect(change.current?.element == Places.reference(2))
        }
        #expect(desk.transactions.flatMap(\.changes).filter { $0.current == nil && $0.previous != nil }.isEmpty)
    }

    @Test("the same signal again is nothing")
    func duplicate() {
        let desk = RegistryUnderTest()
        desk.signal(Places.at(1), region: .init(start: 0, end: 1), at: 10)
        #expect(desk.signal(Places.at(1), region: .init(start: 0, end: 1), at: 500) == nil)
    }

    @Test("another mode or region on the same element is for those who ask for updates")
    func update() throws {
        let desk = RegistryUnderTest()
        desk.signal(Places.at(1), at: 10)
        let mode = try #require(desk.signal(Places.at(1), .caretTracking, at: 20))
        let region = try #require(desk.signal(Places.at(1), .caretTracking, region: .init(start: 3, end: 4), at: 30))
        for change in mode.changes + region.changes {
            #expect(change.isUpdateOnly)
            #expect(change.cause == .updated)
            #expect(change.previous == nil)
        }
        #expect(region.changes.first?.current?.region == TextRegion(start: 3, end: 4))
    }

    @Test("the same path of another application is another element")
    func identity() throws {
        let desk = RegistryUnderTest()
        desk.signal(Places.at(1), at: 10)
        let transaction = try #require(desk.signal(Places.at(1, on: Places.browser), at: 20))
        #expect(transaction.changes.allSatisfy { !$0.isUpdateOnly })
    }

    @Test("revisions grow from the first one given, also across a restart")
    func revisions() throws {
        let first = RegistryUnderTest(firstRevision: 5_000_000)
        for number in 1...20 { first.signal(Places.at(number), at: Int64(number)) }
        let last = first.registry.revision
        #expect(last == 5_000_021)
        // A run that begins a moment later begins at a later clock.
        let second = RegistryUnderTest(firstRevision: 5_100_000)
        #expect(try #require(second.signal(Places.at(1), at: 1)).revision > last)
    }

    @Test("what a technology says before it is accepted, or under an unknown name, changes nothing")
    func unknownTechnology() {
        let desk = RegistryUnderTest(technologies: [])
        #expect(desk.signal(Places.at(1), at: 1) == nil)
        #expect(desk.signal(TechnologyID("nvda"), Places.at(1), at: 2) == nil)
        #expect(desk.element() == nil)
        #expect(desk.registry.revision == 1_000)
    }

    // MARK: - The keyboard

    @Test("the keyboard is told of by its own name only, and is never part of the aggregate")
    func keyboard() throws {
        let desk = RegistryUnderTest()
        let transaction = try #require(desk.signal(.keyboard, Places.at(1), nil, at: 10))
        #expect(transaction.changes.map(\.audience) == [.technology(.keyboard)])
        #expect(desk.aggregateElement == nil)
        #expect(desk.registry.aggregate?.technology == .orca)
        desk.signal(Places.at(2), at: 20)
        #expect(desk.element(.keyboard) == Places.reference(1))
        #expect(desk.keyboardLeft(at: 30)?.changes.map(\.audience) == [.technology(.keyboard)])
        #expect(desk.element() == Places.reference(2))
        #expect(desk.keyboardLeft(at: 40) == nil)
    }

    @Test("nobody becomes the keyboard by calling itself so")
    func keyboardIsBuiltIn() {
        let desk = RegistryUnderTest(technologies: [])
        #expect(!desk.appear(.keyboard))
        #expect(desk.registry.connection(of: .keyboard) == nil)
        #expect(desk.registry.activeTechnologies.isEmpty)
        #expect(desk.registry.aggregate == nil)
    }

    // MARK: - The aggregate

    @Test("the aggregate is the technology that moved last")
    func aggregate() throws {
        let desk = RegistryUnderTest(technologies: [.orca, .odilia])
        desk.signal(.orca, Places.at(1), at: 10)
        let other = try #require(desk.signal(.odilia, Places.at(2), at: 20))
        let change = try #require(other.changes.first { $0.audience == .aggregate })
        #expect(change.previous == Places.reference(1))
        #expect(change.technology == .odilia)
        #expect(desk.registry.activeTechnologies == [.odilia, .orca])
        desk.signal(.orca, Places.at(3), at: 30)
        #expect(desk.registry.aggregate?.technology == .orca)
        #expect(desk.element(.odilia) == Places.reference(2))
    }

    @Test("when the one that moved last leaves, the most recent of the others speaks; then none")
    func aggregateFallsBack() throws {
        let third = TechnologyID("third-reader")
        let desk = RegistryUnderTest(technologies: [.orca, .odilia, third])
        desk.signal(.orca, Places.at(1), at: 10)
        desk.signal(third, Places.at(3), at: 20)
        desk.signal(.odilia, Places.at(2), at: 30)
        desk.signal(.keyboard, Places.at(9), nil, at: 40)
        let left = try #require(desk.leaveBus(desk.busName(.odilia), at: 50))
        #expect(desk.registry.aggregate?.technology == third)
        #expect(left.changes.contains { $0.audience == .aggregate && $0.current?.element == Places.reference(3) })
        desk.leaveBus(desk.busName(third), at: 60)
        #expect(desk.aggregateElement == Places.reference(1))
        desk.leaveBus(desk.busName(.orca), at: 70)
        #expect(desk.registry.aggregate == nil)
        #expect(desk.element(.keyboard) == Places.reference(9))
    }

    @Test("the aggregate stays with the one that moved last, also while that one is nowhere")
    func aggregateIsNowhere() {
        let desk = RegistryUnderTest(technologies: [.orca, .odilia])
        desk.signal(.orca, Places.at(1), at: 10)
        desk.signal(.odilia, Places.at(2), at: 20)
        desk.gone(Places.reference(2), at: 30)
        #expect(desk.registry.aggregate?.technology == .odilia)
        #expect(desk.aggregateElement == nil)
    }

    @Test("being taken to be somewhere is no move: the aggregate stays with who did move")
    func assumedIsNoMove() {
        let desk = RegistryUnderTest(technologies: [.orca])
        desk.signal(.orca, Places.at(1), at: 10)
        desk.appear(.odilia, at: 20)
        desk.assume(.odilia, Places.at(2), at: 30)
        #expect(desk.element(.odilia) == Places.reference(2))
        #expect(desk.registry.aggregate?.technology == .orca)
        #expect(desk.aggregateElement == Places.reference(1))
    }

    @Test("of technologies that never moved the first by name speaks, whichever came first")
    func aggregateTie() {
        for order in [[TechnologyID.orca, .odilia], [.odilia, .orca]] {
            let desk = RegistryUnderTest(technologies: order)
            #expect(desk.registry.activeTechnologies == [.odilia, .orca])
        }
    }
}
