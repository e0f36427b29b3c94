import AccessibilityTree
import FocusRegistry
import Testing

/// Technologies come, go, and may not pretend to be each other.
struct TechnologyTests {
    @Test("a technology that appears is told of, without a focus")
    func appears() throws {
        let desk = RegistryUnderTest(technologies: [])
        #expect(desk.appear(.orca))
        let transaction = try #require(desk.transactions.last)
        #expect(transaction.changesTechnologies)
        #expect(desk.registry.activeTechnologies == [.orca])
        #expect(desk.registry.connection(of: .orca)?.busName == desk.busName(.orca))
        #expect(desk.registry.technology(at: desk.busName(.orca)) == .orca)
        #expect(desk.registry.technology(at: ":1.1") == nil)
    }

    @Test("a second connection of the same name is refused until the first has left")
    func second() {
        let desk = RegistryUnderTest()
        desk.signal(Places.at(1), at: 5)
        let revision = desk.registry.revision
        #expect(!desk.appear(.orca, busName: ":1.666"))
        #expect(desk.registry.revision == revision)
        #expect(desk.registry.connection(of: .orca)?.busName == desk.busName(.orca))
        #expect(desk.registry.technology(at: ":1.666") == nil)
        #expect(desk.element() == Places.reference(1))
        // It leaves again without a trace.
        #expect(desk.leaveBus(":1.666", at: 6) == nil)
        desk.leaveBus(desk.busName(.orca), at: 7)
        #expect(desk.appear(.orca, busName: ":1.667"))
        #expect(desk.registry.connection(of: .orca)?.busName == ":1.667")
        #expect(desk.element() == nil)
    }

    @Test("the same connection recognised again is accepted, and no news")
    func sameAgain() {
        let desk = RegistryUnderTest()
        let revision = desk.registry.revision
        #expect(desk.appear(.orca))
        #expect(desk.registry.revision == revision)
    }

    @Test("a technology that leaves takes its focus with it, in one leave")
    func leaves() throws {
        let desk = RegistryUnderTest()
        desk.signal(Places.at(1), at: 10)
        desk.signal(.keyboard, Places.at(1), nil, at: 10)
        let transaction = try #require(desk.leaveBus(desk.busName(.orca), at: 20))
        #expect(transaction.changesTechnologies)
        #expect(Set(transaction.changes.map(\.audience)) == [.technology(.orca), .aggregate])
        #expect(transaction.changes.allSatisfy { $0.current == nil && $0.cause == .technologyGone })
        #expect(transaction.changes.allSatisfy { $0.previous == Places.reference(1) })
        #expect(desk.registry.activeTechnologies.isEmpty)
        #expect(desk.registry.knownTechnologies == [.orca])
        #expect(desk.element(.keyboard) == Places.reference(1))
        #expect(desk.signal(Places.at(2), at: 30) == nil)
    }

    @Test("one that comes back begins anew: nothing of before is restored or settled later")
    func returns() {
        let desk = RegistryUnderTest()
        desk.activate(100, at: 0)
        desk.signal(Places.at(1), at: 10)
        desk.deactivate(100, at: 20)
        desk.advance(to: 200)
        desk.signal(Places.at(2), .flatReview, at: 300)
        desk.leaveBus(desk.busName(.orca), at: 301)
        desk.appear(.orca, busName: ":1.500", at: 302)
        desk.activate(100, at: 303)
        let (transactions, restore) = desk.advance(to: 5_000)
        #expect(transactions.isEmpty)
        #expect(restore.isEmpty)
        #expect(desk.element() == nil)
    }

    @Test("a connection that is no technology's leaves no trace")
    func otherConnections() {
        let desk = RegistryUnderTest()
        #expect(desk.leaveBus(Places.editor, at: 5) == nil)
    }

    @Test("with the bus everything is gone, in one transaction")
    func busLeft() throws {
        let desk = RegistryUnderTest(technologies: [.orca, .odilia])
        desk.activate(100, at: 0)
        desk.signal(.orca, Places.at(1), at: 10)
        desk.signal(.odilia, Places.at(2), at: 20)
        desk.signal(.keyboard, Places.at(3), nil, at: 30)
        desk.deactivate(100, at: 40)
        let transaction = try #require(desk.busLeft(at: 50))
        #expect(
            Set(transaction.changes.map(\.audience)) == [
                .technology(.orca), .technology(.odilia), .technology(.keyboard), .aggregate,
            ])
        #expect(transaction.changes.allSatisfy { $0.current == nil && $0.cause == .busGone })
        #expect(transaction.changesTechnologies)
        #expect(desk.registry.activeTechnologies.isEmpty)
        #expect(desk.registry.activeWindow == nil)
        #expect(desk.nextDeadline == nil)
        #expect(desk.busLeft(at: 60) == nil)
        // The keyboard needs no connection: it is followed again at once.
        #expect(desk.signal(.keyboard, Places.at(4), nil, at: 70) != nil)
    }

    // MARK: - Assumed

    @Test("a technology that was there before is assumed to be somewhere, until it speaks")
    func assumed() throws {
        let desk = RegistryUnderTest()
        let assumed = try #require(desk.assume(Places.at(1), at: 10))
        #expect(assumed.changes.allSatisfy { $0.current?.isAssumed == true && $0.cause == .initial })
        let confirmed = try #require(desk.signal(Places.at(1), nil, at: 20))
        for change in confirmed.changes {
            #expect(change.current?.isAssumed == false)
            #expect(!change.isUpdateOnly, "that it is true now is for everybody")
            #expect(change.cause == .updated)
            #expect(change.previous == nil)
        }
    }

    @Test("what was said is never overwritten by what is assumed")
    func assumedTooLate() {
        let desk = RegistryUnderTest()
        desk.signal(Places.at(1), at: 10)
        #expect(desk.assume(Places.at(2), at: 20) == nil)
        #expect(desk.registry.position(of: .orca)?.isAssumed == false)
        #expect(desk.assume(.odilia, Places.at(2), at: 30) == nil, "it is not on the bus")
        #expect(desk.assume(.keyboard, Places.at(2), at: 40) != nil)
    }

    // MARK: - F12

    @Test(
        "in web documents, what Orca before 48 says is assumed: it walks on without telling",
        arguments: [
            ("43.1", true), ("47.9", true), ("3.44", true), (nil, true), ("", true), ("beta", true), ("48.1", false),
            ("49.5", false), ("51", false),
        ])
    func webDocuments(version: String?, isAssumed: Bool) {
        let desk = RegistryUnderTest(version: version)
        desk.signal(Places.at(1, isInWebDocument: true), at: 10)
        #expect(desk.registry.position(of: .orca)?.isAssumed == isAssumed)
        desk.signal(Places.at(2), at: 20)
        #expect(desk.registry.position(of: .orca)?.isAssumed == false)
    }

    @Test("others than Orca, and the keyboard, are taken at their word in web documents")
    func webDocumentsOfOthers() {
        let desk = RegistryUnderTest(technologies: [.odilia], version: nil)
        desk.signal(.odilia, Places.at(1, isInWebDocument: true), at: 10)
        desk.signal(.keyboard, Places.at(1, isInWebDocument: true), nil, at: 10)
        #expect(desk.registry.position(of: .odilia)?.isAssumed == false)
        #expect(desk.registry.position(of: .keyboard)?.isAssumed == false)
    }
}
