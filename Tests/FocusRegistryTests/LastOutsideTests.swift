import AccessibilityTree
import FocusRegistry
import Testing

/// Where the focus of a state was before it came in: that is where it is given back to.
struct LastOutsideTests {
    /// A state that has a value on 5 and inside of it; focus is on 1.
    private func desk() -> RegistryUnderTest {
        let desk = RegistryUnderTest()
        desk.states.select(1, 5)
        desk.signal(Places.at(1), at: 10)
        desk.bind("s", [("in", 1)])
        return desk
    }

    private func outside(_ desk: RegistryUnderTest, _ id: String = "s") -> ObjectReference? {
        desk.registry.lastOutside(of: FocusStateID(id))?.element
    }

    @Test("outside it is where the focus is; inside, where it was before")
    func lastPlace() {
        let desk = desk()
        #expect(outside(desk) == Places.reference(1))
        desk.signal(Places.at(2), at: 20)
        #expect(outside(desk) == Places.reference(2))
        for step in 0..<40 { desk.signal(Places.at(10 + step, inside: [5]), at: Int64(30 + step)) }
        #expect(outside(desk) == Places.reference(2))
        desk.signal(Places.at(3), at: 100)
        #expect(outside(desk) == Places.reference(3))
    }

    @Test("the place is as it was there, with its mode and time")
    func wholePosition() throws {
        let desk = desk()
        desk.signal(Places.at(2), .caretTracking, region: .init(start: 1, end: 2), at: 20)
        desk.signal(Places.at(2), .caretTracking, region: .init(start: 3, end: 4), at: 21)
        desk.signal(Places.at(5), at: 30)
        let position = try #require(desk.registry.lastOutside(of: FocusStateID("s")))
        #expect(position.region == TextRegion(start: 3, end: 4))
        #expect(position.time == 21_000)
    }

    @Test("a window that left and came back inside does not change it")
    func nowhereBetween() {
        let desk = desk()
        desk.activate(100, at: 15)
        desk.signal(Places.at(5), at: 20)
        desk.deactivate(100, at: 1_000)
        desk.advance(to: 1_150)
        #expect(desk.value("s") == nil)
        #expect(outside(desk) == Places.reference(1))
        desk.activate(100, at: 2_000)
        for step in 0..<20 { desk.signal(Places.at(20 + step, inside: [5]), at: Int64(2_010 + step)) }
        #expect(outside(desk) == Places.reference(1))
    }

    @Test("it is forgotten with its application, its element or what is around it, or the bus")
    func forgotten() {
        let steps: [(RegistryUnderTest) -> Void] = [
            { $0.applicationGone(Places.editor, at: 40) },
            { $0.gone(Places.reference(1), at: 40) },
            { $0.gone(Places.reference(7), at: 40) },
            { $0.busLeft(at: 40) },
        ]
        for step in steps {
            let desk = RegistryUnderTest()
            desk.states.select(1, 5, on: Places.browser)
            desk.signal(Places.at(1, inside: [7]), at: 10)
            desk.bind("s", [("in", 1)])
            desk.signal(Places.at(5, on: Places.browser), at: 30)
            #expect(outside(desk) == Places.reference(1))
            step(desk)
            #expect(outside(desk) == nil)
        }
    }

    @Test("where the last place vanishes, the one before it counts, also long after")
    func theOneBefore() {
        let desk = desk()
        desk.signal(Places.at(2), at: 20)
        desk.signal(Places.at(3), at: 21)
        desk.signal(Places.at(5), at: 30)
        desk.gone(Places.reference(3), at: 31)
        #expect(outside(desk) == Places.reference(2))
        for step in 0..<40 { desk.signal(Places.at(10 + step, inside: [5]), at: Int64(40 + step)) }
        #expect(outside(desk) == Places.reference(2))
        desk.gone(Places.reference(2), at: 100)
        #expect(outside(desk) == nil)
    }

    @Test("a menu that was walked through and closed does not push out what was before it")
    func menu() {
        let desk = desk()
        for step in 0..<40 { desk.signal(Places.at(10 + step, inside: [9], isInMenu: true), at: Int64(20 + step)) }
        #expect(outside(desk) == Places.reference(49))
        desk.gone(Places.reference(9), at: 100)
        #expect(outside(desk) == Places.reference(1))
        desk.signal(Places.at(5), at: 110)
        #expect(outside(desk) == Places.reference(1))
    }

    @Test("each state has its own, and it is that of its view")
    func ownPlaces() {
        let desk = desk()
        desk.states.select(2, 6)
        desk.bind("t", [("in", 2)])
        desk.bind("keyboard", [("in", 1)], FocusView(technologies: [.keyboard]))
        desk.signal(.keyboard, Places.at(4), nil, at: 20)
        desk.signal(Places.at(5), at: 30)
        desk.signal(Places.at(6), at: 40)
        #expect(outside(desk) == Places.reference(6))
        #expect(outside(desk, "t") == Places.reference(5))
        #expect(outside(desk, "keyboard") == Places.reference(4))
        #expect(outside(desk, "never bound") == nil)
    }

    @Test("what is renamed so that it matches is not outside any more")
    func renamed() {
        let desk = desk()
        desk.signal(Places.at(2), at: 20)
        desk.signal(Places.at(5), at: 30)
        desk.states.select(1, 5, 2)
        desk.rematch(at: 40)
        #expect(outside(desk) == Places.reference(1))
        desk.states.select(1, 5)
        desk.rematch(at: 50)
        #expect(outside(desk) == Places.reference(2))
    }

    @Test("the one before what was renamed is remembered however long the focus stays inside")
    func renamedLongAgo() {
        let desk = desk()
        desk.signal(Places.at(2), at: 20)
        desk.signal(Places.at(5), at: 30)
        desk.states.select(1, 5, 2)
        desk.rematch(at: 40)
        for step in 0..<40 { desk.signal(Places.at(10 + step, inside: [5]), at: Int64(50 + step)) }
        #expect(outside(desk) == Places.reference(1))
    }

    @Test("an element that was moved inside is not outside any more")
    func movedInside() {
        let desk = desk()
        desk.signal(Places.at(2), at: 20)
        desk.signal(Places.at(2, inside: [5]), at: 30)
        #expect(desk.value("s") == "in")
        #expect(outside(desk) == Places.reference(1))
    }

    @Test("who binds while the focus is inside is given what the view remembers")
    func boundInside() {
        let desk = desk()
        desk.signal(Places.at(5), at: 20)
        desk.bind("late", [("in", 1)])
        #expect(outside(desk, "late") == Places.reference(1))
        desk.bind("alone", [("in", 1)], FocusView(technologies: [.orca]))
        #expect(outside(desk, "alone") == nil)
        for step in 0..<40 { desk.signal(Places.at(10 + step, inside: [5]), at: Int64(40 + step)) }
        #expect(outside(desk, "late") == Places.reference(1))
        desk.unbind("s")
        #expect(outside(desk, "late") == Places.reference(1))
    }
}
