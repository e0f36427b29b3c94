import AccessibilityTree
import FocusRegistry
import Testing

/// Whose focus a state follows: of which technologies, in which modes.
struct StateViewTests {
    private let focusOnly = ModeFilter([.focusTracking])
    private let reviewOnly = ModeFilter([.flatReview])

    /// Whether 5 is in the view is the value of every state here.
    private func desk(_ views: [String: FocusView], _ technologies: [TechnologyID] = [.orca]) -> RegistryUnderTest {
        let desk = RegistryUnderTest(technologies: technologies)
        desk.states.select(1, 5)
        for (id, view) in views.sorted(by: { $0.key < $1.key }) { desk.bind(id, [("in", 1)], view) }
        return desk
    }

    // MARK: - Technologies

    @Test("without technologies a state follows the one that moved last, never the keyboard")
    func aggregate() {
        let desk = desk(["s": .aggregate], [.orca, .odilia])
        desk.signal(.keyboard, Places.at(5), nil, at: 10)
        #expect(desk.value("s") == nil)
        desk.signal(.orca, Places.at(5), at: 20)
        #expect(desk.value("s") == "in")
        desk.signal(.odilia, Places.at(1), at: 30)
        #expect(desk.value("s") == nil)
        desk.signal(.orca, Places.at(6, inside: [5]), at: 40)
        #expect(desk.value("s") == "in")
    }

    @Test("when the one that moved last leaves, the most recent of the others is followed; then nobody")
    func fallsBack() {
        let third = TechnologyID("third-reader")
        let desk = desk(
            ["all": .aggregate, "two": FocusView(technologies: [.orca, .odilia])], [.orca, .odilia, third])
        desk.signal(.orca, Places.at(5), at: 10)
        desk.signal(third, Places.at(2), at: 20)
        desk.signal(.odilia, Places.at(1), at: 30)
        #expect(desk.value("all") == nil && desk.value("two") == nil)
        desk.leaveBus(desk.busName(.odilia), at: 40)
        #expect(desk.value("two") == "in")
        #expect(desk.value("all") == nil)
        desk.leaveBus(desk.busName(third), at: 50)
        #expect(desk.value("all") == "in")
        desk.leaveBus(desk.busName(.orca), at: 60)
        #expect(desk.value("all") == nil && desk.value("two") == nil)
        #expect(desk.registry.current(FocusView(technologies: [.orca, .odilia])) == nil)
    }

    @Test("a technology that is nowhere is still the one that moved last")
    func nowhere() {
        let desk = desk(["s": .aggregate], [.orca, .odilia])
        desk.signal(.orca, Places.at(5), at: 10)
        desk.signal(.odilia, Places.at(2), at: 20)
        desk.gone(Places.reference(2), at: 30)
        #expect(desk.value("s") == nil)
        #expect(desk.registry.current(.aggregate)?.technology == .odilia)
    }

    @Test("a named technology is followed whatever the others do, also one that comes later")
    func named() {
        let desk = desk(["s": FocusView(technologies: [.odilia])])
        desk.signal(.orca, Places.at(5), at: 10)
        #expect(desk.value("s") == nil)
        #expect(desk.registry.current(FocusView(technologies: [.odilia])) == nil)
        desk.appear(.odilia, at: 20)
        desk.signal(.odilia, Places.at(5), at: 30)
        desk.signal(.orca, Places.at(1), at: 40)
        #expect(desk.value("s") == "in")
    }

    @Test("the keyboard is followed by name, and beside others while it is somewhere")
    func keyboard() {
        let both = FocusView(technologies: [.orca, .keyboard])
        let desk = desk(["keyboard": FocusView(technologies: [.keyboard]), "both": both])
        #expect(desk.registry.current(FocusView(technologies: [.keyboard])) == nil)
        desk.signal(.orca, Places.at(5), at: 10)
        desk.signal(.keyboard, Places.at(1), nil, at: 20)
        #expect(desk.value("keyboard") == nil)
        #expect(desk.value("both") == nil, "the keyboard moved last")
        desk.keyboardLeft(at: 30)
        #expect(desk.value("both") == "in")
        desk.signal(.keyboard, Places.at(5), nil, at: 40)
        #expect(desk.value("keyboard") == "in")
        #expect(desk.registry.current(both)?.technology == .keyboard)
        desk.gone(Places.reference(5), at: 50)
        #expect(desk.value("keyboard") == nil && desk.value("both") == nil)
    }

    @Test("what one technology does is told to no state that follows another")
    func onlyThoseConcerned() throws {
        let desk = desk(
            ["orca": FocusView(technologies: [.orca]), "odilia": FocusView(technologies: [.odilia])], [.orca, .odilia])
        let transaction = try #require(desk.signal(.odilia, Places.at(5), at: 10))
        #expect(transaction.stateChanges.map(\.state.rawValue) == ["odilia"])
    }

    // MARK: - Modes

    @Test("mouse review does not move a state; one that names it is moved by nothing else")
    func mouseReview() {
        let desk = desk(["usual": .aggregate, "mouse": FocusView(filter: ModeFilter([.mouseReview]))])
        desk.signal(Places.at(1), at: 10)
        desk.signal(Places.at(5), .mouseReview, at: 20)
        #expect(desk.value("usual") == nil)
        #expect(desk.value("mouse") == "in")
        desk.signal(Places.at(2), at: 30)
        #expect(desk.value("mouse") == "in")
        desk.signal(Places.at(2), .mouseReview, at: 40)
        #expect(desk.value("mouse") == nil)
    }

    @Test("focus tracking and caret tracking are one, and no mode at all is focus tracking")
    func caretTracking() {
        for named in [Mode.focusTracking, .caretTracking] {
            let desk = desk(["s": FocusView(filter: ModeFilter([named]))])
            for (index, mode) in [Mode.focusTracking, .caretTracking, nil].enumerated() {
                desk.signal(Places.at(5), mode, at: Int64(10 + index * 20))
                #expect(desk.value("s") == "in")
                desk.signal(Places.at(1), mode, at: Int64(20 + index * 20))
                #expect(desk.value("s") == nil)
            }
        }
    }

    @Test("a state that follows the focus stays where it is while flat review looks around, and the other way")
    func reviewAndFocus() {
        let desk = desk(["focus": FocusView(filter: focusOnly), "review": FocusView(filter: reviewOnly)])
        desk.signal(Places.at(5), at: 10)
        desk.signal(Places.at(2), .flatReview, at: 20)
        desk.advance(to: 25)
        #expect(desk.value("focus") == "in")
        #expect(desk.value("review") == nil)
        desk.signal(Places.at(5), .flatReview, at: 30)
        desk.advance(to: 35)
        desk.signal(Places.at(2), at: 40)
        #expect(desk.value("focus") == nil)
        #expect(desk.value("review") == "in")
    }

    @Test("who moved last is decided within the modes that are followed")
    func lastMoveInMode() {
        let desk = desk(["focus": FocusView(filter: focusOnly), "usual": .aggregate], [.orca, .odilia])
        desk.signal(.orca, Places.at(1), at: 10)
        desk.signal(.odilia, Places.at(5), at: 20)
        desk.signal(.orca, Places.at(2), .sayAll, at: 30)
        #expect(desk.value("usual") == nil)
        #expect(desk.value("focus") == "in")
        #expect(desk.registry.current(FocusView(filter: focusOnly))?.technology == .odilia)
        #expect(desk.registry.current(.aggregate)?.technology == .orca)
    }

    @Test(
        "modes that come into use begin with the present place, if it counts in them; else with the focus; else with none"
    )
    func beginsWithThePresent() {
        let desk = desk([:])
        desk.signal(Places.at(5), at: 10)
        #expect(desk.bind("focus", [("in", 1)], FocusView(filter: focusOnly)).value == "in")
        desk.unbind("focus")
        desk.signal(Places.at(2), .mouseReview, at: 20)
        #expect(desk.bind("focus", [("in", 1)], FocusView(filter: focusOnly)).value == "in", "the focus is still there")
        #expect(desk.bind("review", [("in", 1)], FocusView(filter: reviewOnly)).value == nil)
        desk.signal(Places.at(5), .mouseReview, at: 30)
        #expect(desk.bind("mouse", [("in", 1)], FocusView(filter: ModeFilter([.mouseReview]))).value == "in")
    }

    @Test("modes that nobody follows any more are not remembered; while one does they are")
    func endsWithTheLast() {
        let desk = desk(["one": FocusView(filter: focusOnly), "two": FocusView(filter: focusOnly)])
        desk.signal(Places.at(5), at: 10)
        desk.signal(Places.at(2), .sayAll, at: 20)
        desk.unbind("one")
        #expect(desk.bind("one", [("in", 1)], FocusView(filter: focusOnly)).value == "in")
        desk.unbind("one")
        desk.unbind("two")
        #expect(desk.bind("one", [("in", 1)], FocusView(filter: focusOnly)).value == nil)
    }

    @Test("what is gone in one mode is still there in another")
    func goneInOneMode() throws {
        let desk = desk(["focus": FocusView(filter: focusOnly), "review": FocusView(filter: reviewOnly)])
        desk.states.select(1, 5, 6)
        desk.rematch(at: 5)
        desk.signal(Places.at(5), at: 10)
        desk.signal(Places.at(6), .flatReview, at: 20)
        desk.advance(to: 25)
        let transaction = try #require(desk.gone(Places.reference(6), at: 30))
        #expect(transaction.stateChanges.map(\.state.rawValue) == ["review"])
        #expect(desk.value("focus") == "in")
        // It is nowhere now, but its window can still take the rest along.
        desk.activate(100, at: 40)
        desk.deactivate(100, at: 1_000)
        #expect(desk.advance(to: 1_150).transactions.first?.stateChanges.map(\.state.rawValue) == ["focus"])
    }

    @Test("when what the mouse is over goes, who follows both is where the focus is")
    func mouseElementGone() throws {
        let desk = desk(["both": FocusView(filter: ModeFilter([.focusTracking, .mouseReview]))])
        desk.signal(Places.at(5), at: 10)
        desk.signal(Places.at(6), .mouseReview, at: 20)
        #expect(desk.value("both") == nil)
        desk.gone(Places.reference(6), at: 30)
        #expect(desk.value("both") == "in")
    }

    @Test("a technology that left comes back with nothing in any mode")
    func comesBackEmpty() {
        let desk = desk(["focus": FocusView(filter: focusOnly)])
        desk.signal(Places.at(5), at: 10)
        desk.leaveBus(desk.busName(.orca), at: 20)
        desk.appear(.orca, at: 30)
        #expect(desk.value("focus") == nil)
        #expect(desk.registry.current(FocusView(filter: focusOnly))?.position == nil)
    }
}
