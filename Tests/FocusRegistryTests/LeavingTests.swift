import AccessibilityTree
import FocusRegistry
import Testing

/// Technologies send no "leave": it is concluded (F6).
struct LeavingTests {
    @Test("focus is gone with its element, and with any ancestor of it", arguments: [1, 5, 6, 100, 0])
    func elementGone(number: Int) throws {
        let desk = RegistryUnderTest()
        desk.signal(Places.at(1, inside: [5, 6]), at: 10)
        desk.signal(.keyboard, Places.at(2), nil, at: 10)
        let transaction = try #require(desk.gone(Places.reference(number), at: 20))
        let mine = transaction.changes.filter { $0.technology == .orca }
        #expect(Set(mine.map(\.audience)) == [.technology(.orca), .aggregate])
        #expect(mine.allSatisfy { $0.current == nil && $0.previous == Places.reference(1) && $0.cause == .elementGone })
        #expect(desk.element() == nil)
        #expect((desk.element(.keyboard) == nil) == (number == 100 || number == 0))
        #expect(desk.gone(Places.reference(number), at: 30) == nil)
    }

    @Test("an element beside, below, or of another application takes nothing with it")
    func otherElementGone() {
        let desk = RegistryUnderTest()
        desk.signal(Places.at(1, inside: [5]), at: 10)
        for number in [2, 6, 101] { #expect(desk.gone(Places.reference(number), at: 20) == nil) }
        for number in [1, 5, 100] { #expect(desk.gone(Places.reference(number, on: Places.browser), at: 20) == nil) }
        #expect(desk.element() == Places.reference(1))
    }

    @Test("a technology that names an element that does not exist is nowhere, and nobody goes with it")
    func lost() throws {
        let desk = RegistryUnderTest(technologies: [.orca, .odilia])
        desk.activate(100, at: 0)
        for id in [TechnologyID.odilia, .keyboard, .orca] { desk.signal(id, Places.at(1), at: 10) }
        let transaction = try #require(desk.lost(at: 20))
        #expect(transaction.changes.allSatisfy { $0.technology == .orca && $0.cause == .elementGone })
        #expect(desk.element() == nil)
        #expect(desk.element(.odilia) == Places.reference(1) && desk.element(.keyboard) == Places.reference(1))
        #expect(desk.registry.activeWindow == Places.reference(100))
        #expect(desk.lost(at: 30) == nil)
    }

    @Test("with the mouse over what does not exist the focus is where it was")
    func lostUnderTheMouse() {
        let desk = RegistryUnderTest()
        desk.bind("focus", [("a", 1)])
        desk.signal(Places.at(1), at: 10)
        let value = desk.value("focus")
        desk.signal(Places.at(2), .mouseReview, at: 20)
        desk.lost(.orca, .mouseReview, at: 30)
        #expect(desk.element() == Places.reference(1) && desk.value("focus") == value)
    }

    @Test("all that somebody follows is told as where technologies are")
    func focusedElements() {
        let desk = RegistryUnderTest()
        desk.signal(Places.at(1, inside: [5]), at: 10)
        desk.signal(Places.at(2), .mouseReview, at: 20)
        desk.signal(.keyboard, Places.at(3, inside: [5]), nil, at: 20)
        #expect(desk.registry.focusedElements == Set([1, 2, 3].map { Places.reference($0) }))
        #expect(
            desk.registry.focusedElements(inside: Places.reference(5)) == [Places.reference(1), Places.reference(3)])
    }

    @Test("a hidden element says so as the cause")
    func hidden() {
        let desk = RegistryUnderTest()
        desk.signal(Places.at(1), at: 10)
        #expect(desk.gone(Places.reference(1), cause: .elementHidden, at: 20)?.changes.first?.cause == .elementHidden)
    }

    @Test("an application that leaves takes every focus in it along, in one transaction")
    func applicationGone() throws {
        let desk = RegistryUnderTest(technologies: [.orca, .odilia])
        desk.activate(100, at: 0)
        desk.signal(.orca, Places.at(1), at: 10)
        desk.signal(.odilia, Places.at(2, on: Places.browser), at: 11)
        desk.signal(.keyboard, Places.at(1), nil, at: 12)
        desk.deactivate(100, at: 15)
        let transaction = try #require(desk.applicationGone(Places.editor, at: 20))
        #expect(Set(transaction.changes.map(\.audience)) == [.technology(.orca), .technology(.keyboard)])
        #expect(transaction.changes.allSatisfy { $0.current == nil && $0.cause == .applicationGone })
        #expect(desk.registry.activeWindow == nil)
        #expect(desk.nextDeadline == nil, "the window's deactivation means nothing any more")
        #expect(desk.element(.odilia) == Places.reference(2, on: Places.browser))
        #expect(desk.applicationGone(Places.editor, at: 30) == nil)
    }

    @Test("what vanishes while a technology is elsewhere changes nothing for it")
    func goneAfterMovingOn() {
        let desk = RegistryUnderTest()
        desk.signal(Places.at(1), at: 10)
        desk.signal(Places.at(2), at: 20)
        #expect(desk.gone(Places.reference(1), at: 30) == nil)
    }

    @Test("leaves of several technologies come before enters, under one revision")
    func leavesFirst() throws {
        let desk = RegistryUnderTest(technologies: [.orca, .odilia])
        desk.signal(.odilia, Places.at(2), at: 10)
        desk.signal(.orca, Places.at(1), at: 20)
        // Orca leaves; the aggregate enters where the other one is.
        let transaction = try #require(desk.leaveBus(desk.busName(.orca), at: 30))
        #expect(transaction.changes.map { $0.current == nil } == [true, false])
        #expect(transaction.changes.last?.audience == .aggregate)
    }

    // MARK: - Windows

    @Test("focus is gone 150 ms after its window was deactivated and nothing followed")
    func deactivated() throws {
        let desk = RegistryUnderTest()
        desk.activate(100, at: 0)
        desk.signal(Places.at(1), at: 10)
        desk.deactivate(100, at: 1_000)
        #expect(desk.nextDeadline == 1_150)
        #expect(desk.advance(to: 1_149).transactions.isEmpty)
        #expect(desk.element() == Places.reference(1))
        let transaction = try #require(desk.advance(to: 1_150).transactions.first)
        #expect(transaction.changes.allSatisfy { $0.current == nil && $0.cause == .windowDeactivated })
        #expect(transaction.changes.count == 2)
        #expect(desk.registry.activeWindow == nil)
        #expect(desk.nextDeadline == nil)
        #expect(desk.advance(to: 9_000).transactions.isEmpty)
    }

    @Test(
        "a window that is activated within the grace undoes it", arguments: [100, 101], [Places.editor, Places.browser])
    func activatedWithinGrace(window: Int, busName: String) {
        let desk = RegistryUnderTest()
        desk.activate(100, at: 0)
        desk.signal(Places.at(1), at: 10)
        desk.deactivate(100, at: 1_000)
        desk.activate(window, on: busName, at: 1_149)
        #expect(desk.nextDeadline == nil)
        #expect(desk.advance(to: 2_000).transactions.isEmpty)
        #expect(desk.element() == Places.reference(1))
        #expect(desk.registry.activeWindow == Places.reference(window, on: busName))
    }

    @Test("Activate before Deactivate is the same: they come in mixed order")
    func mixedOrder() {
        let desk = RegistryUnderTest()
        desk.activate(100, at: 0)
        desk.signal(Places.at(1), at: 10)
        desk.activate(101, at: 1_000)
        desk.deactivate(100, at: 1_100)
        #expect(desk.nextDeadline == nil)
        desk.advance(to: 2_000)
        #expect(desk.element() == Places.reference(1))
        // The next deactivation of the one that is active counts again.
        desk.deactivate(101, at: 3_000)
        #expect(desk.advance(to: 3_150).transactions.count == 1)
    }

    @Test("a technology that signals within the grace is where it says; the silent one has left")
    func signalledWithinGrace() {
        let desk = RegistryUnderTest(technologies: [.orca, .odilia])
        desk.activate(100, at: 0)
        desk.signal(.orca, Places.at(1), at: 10)
        desk.signal(.odilia, Places.at(2), at: 11)
        desk.signal(.keyboard, Places.at(1), nil, at: 12)
        desk.deactivate(100, at: 1_000)
        desk.signal(.orca, Places.at(7, window: 200, on: Places.browser), at: 1_100)
        let transactions = desk.advance(to: 1_150).transactions
        #expect(transactions.count == 1)
        #expect(desk.element(.orca) == Places.reference(7, on: Places.browser))
        #expect(desk.element(.odilia) == nil)
        #expect(desk.element(.keyboard) == nil)
    }

    @Test("a signal for the very same element counts as well")
    func sameSignalWithinGrace() {
        let desk = RegistryUnderTest()
        desk.activate(100, at: 0)
        desk.signal(Places.at(1), at: 10)
        desk.deactivate(100, at: 1_000)
        #expect(desk.signal(Places.at(1), at: 1_050) == nil)
        #expect(desk.advance(to: 2_000).transactions.isEmpty)
    }

    @Test("a flat review step within the grace counts, though it is settled later")
    func reviewWithinGrace() {
        let desk = RegistryUnderTest()
        desk.activate(100, at: 0)
        desk.signal(Places.at(1), at: 10)
        desk.deactivate(100, at: 1_000)
        desk.signal(Places.at(2), .flatReview, at: 1_148)
        #expect(desk.advance(to: 1_150).transactions.isEmpty)
        #expect(desk.advance(to: 1_153).transactions.count == 1)
        #expect(desk.element() == Places.reference(2))
    }

    @Test("while focus is in a menu, deactivation is ignored")
    func menu() {
        let desk = RegistryUnderTest()
        desk.activate(100, at: 0)
        desk.signal(Places.at(1, isInMenu: true), at: 10)
        desk.deactivate(100, at: 20)
        #expect(desk.advance(to: 5_000).transactions.isEmpty)
        #expect(desk.element() == Places.reference(1))
    }

    @Test("the active window is the one activated last, wherever the focus is")
    func focusElsewhere() {
        let desk = RegistryUnderTest()
        desk.activate(200, on: Places.browser, at: 0)
        // Moved to a window in the background.
        desk.signal(Places.at(1, window: 100), at: 10)
        desk.deactivate(200, on: Places.browser, at: 1_000)
        #expect(desk.advance(to: 1_150).transactions.count == 1)
        #expect(desk.element() == nil)
    }

    @Test("a window in the background that is deactivated takes nothing away")
    func background() {
        let desk = RegistryUnderTest()
        desk.activate(100, at: 0)
        desk.signal(Places.at(1), at: 10)
        desk.deactivate(101, at: 20)
        desk.deactivate(100, on: Places.browser, at: 20)
        #expect(desk.nextDeadline == nil)
        #expect(desk.advance(to: 1_000).transactions.isEmpty)
    }

    @Test("where no activation was seen yet, the window that holds a focus counts as active")
    func unknownActiveWindow() {
        let desk = RegistryUnderTest()
        desk.signal(Places.at(1), at: 10)
        desk.deactivate(101, at: 20)
        #expect(desk.nextDeadline == nil)
        desk.deactivate(100, at: 30)
        #expect(desk.nextDeadline == 180)
        #expect(desk.advance(to: 180).transactions.count == 1)
    }

    @Test("a window that is destroyed is the active one no more")
    func destroyed() {
        let desk = RegistryUnderTest()
        desk.activate(100, at: 0)
        #expect(desk.gone(Places.reference(100), at: 10) == nil)
        #expect(desk.registry.activeWindow == nil)
    }
}
