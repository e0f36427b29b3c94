import AccessibilityTree
import Testing

struct StateSetTests {
    /// Numbers from `AtspiStateType` in atspi-constants.h of at-spi2-core.
    @Test(
        "states have AT-SPI's numbers and names",
        arguments: [
            (0, "invalid"), (1, "active"), (4, "checked"), (6, "defunct"), (7, "editable"), (8, "enabled"),
            (11, "focusable"), (12, "focused"), (13, "has-tooltip"), (15, "iconified"), (16, "modal"), (23, "selected"),
            (24, "sensitive"), (25, "showing"), (26, "single-line"), (30, "visible"), (31, "manages-descendants"),
            (32, "indeterminate"), (33, "required"), (38, "selectable-text"), (40, "visited"), (43, "read-only"),
        ])
    func names(number: UInt8, name: String) {
        #expect(State(rawValue: number).name == name)
        #expect(State(name: name)?.rawValue == number)
    }

    @Test("every named state is found by its name, and by no other")
    func namesRoundTrip() {
        for number in UInt8(0)...43 { #expect(State(name: State(rawValue: number).name)?.rawValue == number) }
    }

    @Test("a state that no table knows is kept by number and has no name to be found by")
    func unknownStates() {
        #expect(State(rawValue: 44).name == "state-44")
        #expect(State(name: "state-44") == nil)
        #expect(State(name: "") == nil)
        #expect(State(name: "Focused") == nil)
        #expect(State(name: "manages descendants") == nil)
    }

    @Test("the lower word holds the lower numbers")
    func wireForm() {
        let set = StateSet(low: 1 << 12 | 1 << 31, high: 1 << (43 - 32))
        #expect(set.contains(.focused))
        #expect(set.contains(.managesDescendants))
        #expect(set.contains(.readOnly))
        #expect(!set.contains(.editable))
        #expect(set.names == ["focused", "manages-descendants", "read-only"])
        #expect(StateSet(low: 0, high: 1 << 31).names == ["state-63"])
        #expect(StateSet(low: .max, high: .max).names.count == 64)
        #expect(StateSet().names.isEmpty)
    }

    @Test("inserting and removing touch one state only, and twice is once")
    func insertAndRemove() {
        var set = StateSet(.focused, .visible)
        set.insert(.focused)
        set.insert(.readOnly)
        #expect(set == StateSet(.visible, .readOnly, .focused))
        set.remove(.showing)
        set.remove(.focused)
        #expect(set == StateSet(.visible, .readOnly))
        #expect(set.names == ["visible", "read-only"])
    }

    @Test("a state beyond the 64th is in no set and harms none", arguments: [64, 65, 128, 255] as [UInt8])
    func statesBeyondTheSet(number: UInt8) {
        var set = StateSet(.focused)
        set.insert(State(rawValue: number))
        #expect(set == StateSet(.focused))
        #expect(!set.contains(State(rawValue: number)))
        set.remove(State(rawValue: number))
        #expect(set == StateSet(.focused))
    }
}
