import AccessibilityTree
import CATSPI
import Testing

/// The tables of roles and states are libatspi's: focusd does not link it, and must know its numbers all the same.
@Suite struct LibraryTests {
    /// Names that a version of the library has, and focusd does not take from it.
    private static let renamed: [String: String] = ["button": "push-button", "list-box": "list-box"]

    @Test func `every role of the library has its number and name in the table`() {
        for number in 0..<ATSPI_ROLE_LAST_DEFINED.rawValue {
            guard let text = atspi_role_get_name(AtspiRole(rawValue: number)) else { continue }
            let name = String(cString: text).split(separator: " ").joined(separator: "-")
            let known = Role(rawValue: UInt32(number)).name
            #expect(known == name || known == Self.renamed[name], "role \(number) is \(name) there")
        }
    }

    @Test func `the states that decide something have the library's numbers`() {
        let numbers: [(State, AtspiStateType)] = [
            (.active, ATSPI_STATE_ACTIVE), (.defunct, ATSPI_STATE_DEFUNCT), (.editable, ATSPI_STATE_EDITABLE),
            (.enabled, ATSPI_STATE_ENABLED), (.focusable, ATSPI_STATE_FOCUSABLE), (.focused, ATSPI_STATE_FOCUSED),
            (.iconified, ATSPI_STATE_ICONIFIED), (.managesDescendants, ATSPI_STATE_MANAGES_DESCENDANTS),
            (.readOnly, ATSPI_STATE_READ_ONLY), (.sensitive, ATSPI_STATE_SENSITIVE),
            (.showing, ATSPI_STATE_SHOWING), (.visible, ATSPI_STATE_VISIBLE),
        ]
        for (state, number) in numbers { #expect(UInt32(state.rawValue) == number.rawValue, "\(state.name)") }
    }
}
