import AccessibilityTree
import FocusRegistry
import Testing

/// Bound values: each rule by its number, as far as the registry decides it.
struct StateTests {
    /// A state with the value `a` on 5 and what is in it, `b` on 6; focus is outside, on 1.
    private func desk(_ technologies: [TechnologyID] = [.orca], version: String = "48.1") -> RegistryUnderTest {
        let desk = RegistryUnderTest(technologies: technologies, version: version)
        desk.states.select(1, 5)
        desk.states.select(2, 6)
        desk.signal(technologies[0], Places.at(1), at: 10)
        desk.bind("s", [("a", 1), ("b", 2)])
        return desk
    }

    private func change(_ transaction: Transaction?) throws -> StateChange {
        let changes = try #require(transaction).stateChanges
        #expect(changes.count == 1)
        return try #require(changes.first)
    }

    // MARK: - F1 to F5

    @Test("F1: focus on the element, or anywhere inside of it, gives the value", arguments: [[], [7], [8, 7]])
    func f1EnteringAnElementOrWhatIsInsideGivesTheValue(inside: [Int]) throws {
        let desk = desk()
        #expect(desk.value("s") == nil)
        let lineage = inside + [5]
        let place = Places.at(lineage[0], inside: Array(lineage.dropFirst()))
        let change = try change(desk.signal(place, at: 20))
        #expect(change.state == FocusStateID("s"))
        #expect(change.current.value == "a")
        #expect(change.current.prototype == 0)
        #expect(change.current.element == Places.reference(5))
        #expect(!change.current.isAssumed)
        #expect(change.previous == StateValue())
        #expect(change.cause == .moved)
        #expect(desk.value("s") == "a")
    }

    @Test("F2: leaving makes it none")
    func f2LeavingMakesItNone() throws {
        let desk = desk()
        desk.signal(Places.at(5), at: 20)
        let change = try change(desk.signal(Places.at(1), at: 30))
        #expect(change.current == StateValue())
        #expect(change.previous.value == "a")
        #expect(desk.registry.value(of: FocusStateID("s")) == StateValue())
    }

    @Test("F3: from one bound element straight to another is one change")
    func f3FromOneBoundElementStraightToAnotherIsOneChange() throws {
        let desk = desk()
        desk.signal(Places.at(5), at: 20)
        let change = try change(desk.signal(Places.at(7, inside: [6]), at: 30))
        #expect(change.previous.value == "a")
        #expect(change.current.value == "b")
        #expect(change.current.element == Places.reference(6))
        #expect(change.current.prototype == 1)
    }

    @Test("F4: moves inside the same bound element change nothing")
    func f4MovesInsideTheSameBoundElementChangeNothing() throws {
        let desk = desk()
        desk.signal(Places.at(5), at: 20)
        for (index, inside) in [7, 8, 9].enumerated() {
            let transaction = try #require(desk.signal(Places.at(inside, inside: [5]), at: Int64(30 + index)))
            #expect(transaction.stateChanges.isEmpty)
            #expect(!transaction.changes.isEmpty)
        }
        let update = desk.signal(
            Places.at(9, inside: [5]), .caretTracking, region: .init(start: 1, end: 2), at: 40)
        #expect(update?.stateChanges == [])
        #expect(desk.value("s") == "a")
    }

    @Test("F4: another element with the same value is told, with the value as its previous one")
    func f4AnotherElementWithTheSameValueIsTold() throws {
        let desk = desk()
        desk.states.select(3, 5, 6)
        desk.bind("t", [("x", 3)])
        desk.signal(Places.at(5), at: 20)
        let transaction = try #require(desk.signal(Places.at(6), at: 30))
        let change = try #require(transaction.stateChanges.first { $0.state == FocusStateID("t") })
        #expect(change.current.value == "x" && change.previous.value == "x")
        #expect(change.current.element == Places.reference(6))
        #expect(change.cause == .moved)
    }

    @Test("F4: another prototype for the same value and element is nobody's business")
    func f4AnotherPrototypeOfTheSameValueIsNoChange() throws {
        let desk = desk()
        desk.states.select(3, 6)
        desk.bind("t", [("x", 3), ("x", 4)])
        desk.signal(Places.at(6), at: 20)
        desk.states.select(3)
        desk.states.select(4, 6)
        #expect(desk.rematch(at: 30) == nil)
        #expect(desk.registry.value(of: FocusStateID("t"))?.prototype == 1)
    }

    @Test("F5: of nested matches the innermost wins, in whatever order they are listed")
    func f5TheInnermostElementWins() throws {
        let desk = desk()
        #expect(try change(desk.signal(Places.at(7, inside: [6, 5]), at: 20)).current.value == "b")
        #expect(try change(desk.signal(Places.at(8, inside: [5]), at: 30)).current.value == "a")
        #expect(desk.signal(Places.at(7, inside: [5, 6]), at: 40)?.stateChanges == [])
        #expect(try change(desk.signal(Places.at(6, inside: [5]), at: 50)).current.value == "b")
    }

    @Test("F5: a tie goes to the prototype listed first, and the same value may stand twice")
    func f5ATieGoesToTheFirstListed() throws {
        let desk = RegistryUnderTest()
        desk.states.select(1, 5, 100)
        desk.states.select(2, 5)
        desk.states.select(3, 5)
        desk.bind("s", [("wide", 4), ("first", 2), ("second", 1), ("first", 3)])
        let change = try change(desk.signal(Places.at(7, inside: [5]), at: 20))
        #expect(change.current.value == "first")
        #expect(change.current.prototype == 1)
        #expect(desk.signal(Places.at(8), at: 30)?.stateChanges.first?.current.value == "second", "by the window")
    }

    // MARK: - F6

    @Test("F6: what is gone takes the value along, with the cause", arguments: [7, 5, 100, 0])
    func f6AnElementThatIsGoneTakesTheValueAlong(number: Int) throws {
        for cause in [Cause.elementGone, .elementHidden] {
            let desk = desk()
            desk.signal(Places.at(7, inside: [5]), at: 20)
            let change = try change(desk.gone(Places.reference(number), cause: cause, at: 30))
            #expect(change.current == StateValue())
            #expect(change.cause == cause)
        }
    }

    @Test("F6: so do the application, the technology and the bus")
    func f6WhoLeavesTheBusTakesTheValueAlong() throws {
        let steps: [(Cause, (RegistryUnderTest) -> Transaction?)] = [
            (.applicationGone, { $0.applicationGone(Places.editor, at: 30) }),
            (.technologyGone, { desk in desk.leaveBus(desk.busName(.orca), at: 30) }),
            (.busGone, { $0.busLeft(at: 30) }),
        ]
        for (cause, step) in steps {
            let desk = desk()
            desk.signal(Places.at(5), at: 20)
            #expect(try change(step(desk)).cause == cause)
            #expect(desk.value("s") == nil)
        }
    }

    @Test("F6: a window that is left takes the value along after 150 ms, not in a menu, and not where another follows")
    func f6AWindowThatIsLeftTakesTheValueAlong() throws {
        let desk = desk()
        desk.activate(100, at: 15)
        desk.signal(Places.at(5), at: 20)
        desk.deactivate(100, at: 1_000)
        #expect(desk.advance(to: 1_149).transactions.isEmpty)
        #expect(desk.value("s") == "a")
        let transactions = desk.advance(to: 1_150).transactions
        #expect(try change(transactions.first).cause == .windowDeactivated)

        desk.activate(100, at: 2_000)
        desk.signal(Places.at(5, isInMenu: true), at: 2_010)
        desk.deactivate(100, at: 2_020)
        #expect(desk.advance(to: 2_500).transactions.isEmpty)
        #expect(desk.value("s") == "a")

        desk.activate(100, at: 3_000)
        desk.signal(Places.at(5), at: 3_010)
        desk.deactivate(100, at: 3_020)
        desk.activate(100, at: 3_100)
        #expect(desk.advance(to: 3_500).transactions.isEmpty)
        #expect(desk.value("s") == "a")
    }

    // MARK: - F7 and F8

    @Test("F7: one move is one transaction for all states: leaves first, then as they were bound")
    func f7OneMoveIsOneTransactionAcrossAllStates() throws {
        let desk = RegistryUnderTest()
        desk.states.select(1, 5)
        desk.states.select(2, 6)
        desk.bind("both", [("a", 1), ("b", 2)])
        desk.bind("in 1", [("x", 2)])
        desk.bind("out 1", [("x", 1)])
        desk.bind("in 2", [("x", 2)])
        desk.bind("nobody", [("x", 9)])
        desk.bind("out 2", [("x", 1)])
        desk.signal(Places.at(5), at: 10)
        let revision = desk.registry.revision
        let transaction = try #require(desk.signal(Places.at(6), at: 20))
        #expect(transaction.revision == revision + 1)
        #expect(transaction.changes.count == 2, "those who follow the focus hear it with the same revision")
        #expect(transaction.stateChanges.map(\.state.rawValue) == ["out 1", "out 2", "both", "in 1", "in 2"])
    }

    @Test("F7: a state that was bound again comes last, also where it takes the place of one that ended")
    func f7TheOrderIsThatOfBinding() {
        let desk = RegistryUnderTest()
        desk.states.select(1, 5)
        for id in ["a", "b", "c"] { desk.bind(id, [("x", 1)]) }
        desk.unbind("a")
        desk.bind("d", [("x", 1)])
        desk.bind("b", [("x", 1)])
        #expect(desk.signal(Places.at(5), at: 10)?.stateChanges.map(\.state.rawValue) == ["c", "d", "b"])
    }

    @Test("F8: who binds gets the value there is, and after that only what changes")
    func f8BindingGivesTheValueThatThereIs() throws {
        let desk = desk()
        desk.signal(Places.at(7, inside: [5]), at: 20)
        let revision = desk.registry.revision
        let value = desk.bind("later", [("z", 9), ("y", 1)])
        #expect(value.value == "y")
        #expect(value.prototype == 1)
        #expect(value.element == Places.reference(5))
        #expect(desk.registry.revision == revision, "nothing moved")
        #expect(try #require(desk.signal(Places.at(8, inside: [5]), at: 30)).stateChanges.isEmpty)
        #expect(desk.signal(Places.at(1), at: 40)?.stateChanges.count == 2)
    }

    @Test("a state that ended is told nothing, and the others still are")
    func unbound() {
        let desk = desk()
        desk.bind("t", [("x", 1)])
        desk.bind("u", [("x", 2)])
        desk.signal(Places.at(5), at: 20)
        desk.unbind("s")
        desk.unbind("never bound")
        #expect(desk.registry.stateCount == 2)
        #expect(desk.registry.value(of: FocusStateID("s")) == nil)
        #expect(desk.signal(Places.at(6), at: 30)?.stateChanges.map(\.state.rawValue) == ["t", "u"])
        desk.unbind("t")
        desk.unbind("u")
        #expect(desk.signal(Places.at(5), at: 40)?.stateChanges == [])
    }

    @Test("after the last state ended, new ones of other views are told as the first ones were")
    func boundAnew() {
        let desk = desk()
        desk.bind("k", [("x", 1)], FocusView(technologies: [.odilia], filter: ModeFilter([.flatReview])))
        desk.signal(Places.at(5), at: 20)
        for id in ["k", "s"] { desk.unbind(id) }
        #expect(desk.registry.stateCount == 0)
        desk.bind("t", [("b", 2)], FocusView(technologies: [.orca], filter: .usual))
        #expect(desk.bind("u", [("a", 1)]).value == "a")
        desk.bind("v", [("c", 2)])
        #expect(desk.signal(Places.at(6), at: 30)?.stateChanges.map(\.state.rawValue) == ["u", "t", "v"])
        #expect(desk.signal(Places.at(5), at: 40)?.stateChanges.map(\.state.rawValue) == ["t", "v", "u"])
    }

    // MARK: - F9 to F12

    @Test("F9: what is assumed says so, and that this ends is told by itself")
    func f9WhatIsAssumedSaysSoAndItsEndIsTold() throws {
        let desk = RegistryUnderTest()
        desk.states.select(1, 5)
        desk.bind("s", [("a", 1)])
        #expect(try change(desk.assume(Places.at(7, inside: [5]), at: 10)).current.isAssumed)
        let confirmed = try change(desk.signal(Places.at(8, inside: [5]), at: 20))
        #expect(confirmed.current.value == "a" && confirmed.previous.value == "a")
        #expect(!confirmed.current.isAssumed && confirmed.previous.isAssumed)
        #expect(confirmed.cause == .updated)
    }

    @Test("F9: no value is nothing that is assumed")
    func f9NoValueIsNeverAssumed() throws {
        let desk = RegistryUnderTest()
        desk.states.select(1, 5)
        desk.assume(Places.at(1), at: 10)
        #expect(desk.bind("s", [("a", 1)]) == StateValue())
        #expect(try #require(desk.signal(Places.at(1), at: 20)).stateChanges.isEmpty)
    }

    @Test("F10: renamed so that it matches now, or no longer, is matched again")
    func f10ARenamedElementIsMatchedAgain() throws {
        let desk = desk()
        desk.signal(Places.at(9), at: 20)
        desk.states.select(1, 9)
        let enter = try change(desk.rematch(at: 30))
        #expect(enter.current.value == "a" && enter.cause == .matchChanged)
        desk.states.select(1)
        desk.states.select(2, 9)
        #expect(try change(desk.rematch(at: 40)).current.value == "b")
        desk.states.select(2)
        let leave = try #require(desk.rematch(cause: .elementHidden, at: 50))
        #expect(try change(leave).current == StateValue())
        #expect(leave.changes.isEmpty, "the focus is where it was")
        #expect(try change(leave).cause == .elementHidden)
        #expect(desk.rematch(at: 60) == nil)
    }

    @Test("F10: an element that comes back is matched without a new request")
    func f10AnElementThatComesBackIsMatchedAgain() throws {
        let desk = desk()
        desk.signal(Places.at(5), at: 20)
        desk.applicationGone(Places.editor, at: 30)
        #expect(desk.value("s") == nil)
        desk.states.toggle(1, Places.reference(5, on: Places.browser))
        #expect(
            try change(desk.signal(Places.at(5, on: Places.browser), at: 40)).current.element
                == Places.reference(5, on: Places.browser))
    }

    @Test("F10: what a technology is about to be on, or may come back to, is matched again too")
    func f10WhatIsHeldIsMatchedAgain() throws {
        let desk = desk()
        desk.signal(Places.at(9), .flatReview, at: 20)
        desk.states.select(1, 9)
        #expect(desk.rematch(at: 21) == nil)
        desk.advance(to: 30)
        #expect(desk.value("s") == "a")

        desk.activate(100, at: 35)
        desk.signal(Places.at(8), at: 40)
        desk.deactivate(100, at: 1_000)
        desk.advance(to: 1_150)
        desk.states.select(1, 8)
        #expect(desk.rematch(at: 1_200) == nil)
        desk.activate(100, at: 2_000)
        let candidate = try #require(desk.advance(to: 2_250).restore.first)
        #expect(candidate.position.placement.matches.depth(of: SelectorKey(rawValue: 1)) == 0)
    }

    @Test("every stored place is asked for once, however many follow it; nil leaves it as it is")
    func rematchAsksOnce() throws {
        let desk = desk([.orca, .odilia])
        desk.signal(.odilia, Places.at(2), at: 20)
        desk.bind("all", [("a", 1)], FocusView(filter: ModeFilter([.focusTracking, .mouseReview])))
        desk.signal(.odilia, Places.at(3), .mouseReview, at: 30)
        var registry = desk.registry
        var asked: [ObjectReference] = []
        let transaction = registry.rematch(at: 40_000) { placement in
            asked.append(placement.element)
            return nil
        }
        #expect(transaction == nil)
        #expect(asked.sorted { $0.path < $1.path } == [1, 2, 3].map { Places.reference($0) })
    }

    @Test("F11: a silent return gives the value back, assumed until the next signal")
    func f11ASilentReturnGivesTheValueBackAssumed() throws {
        let desk = desk()
        desk.activate(100, at: 15)
        desk.signal(Places.at(5), at: 20)
        desk.deactivate(100, at: 1_000)
        desk.advance(to: 1_150)
        desk.activate(100, at: 2_000)
        let candidate = try #require(desk.advance(to: 2_250).restore.first)
        #expect(desk.value("s") == nil)
        let restored = try change(desk.restore(candidate, at: 2_260))
        #expect(restored.current.value == "a" && restored.current.isAssumed)
        #expect(restored.cause == .restored)
        #expect(try change(desk.signal(Places.at(5), at: 2_300)).cause == .updated)
    }

    @Test("F12: where a technology may move in silence its values are assumed", arguments: ["43.1", "48.1"])
    func f12WhereATechnologyMovesInSilenceValuesAreAssumed(version: String) throws {
        let desk = desk(version: version)
        let change = try change(desk.signal(Places.at(7, inside: [5], isInWebDocument: true), at: 20))
        #expect(change.current.isAssumed == (version == "43.1"))
        #expect(try self.change(desk.signal(Places.at(6), at: 30)).current.isAssumed == false)
    }
}
