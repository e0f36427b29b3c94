import AccessibilityTree
import CATSPI
import Testing

/// The table of roles is libatspi's: focusd does not link it, and must know its numbers all the same.
@Suite struct LibraryTests {
    /// Names that some version of the library has, and focusd does not take from it.
    private static let renamed = ["button": "push-button"]

    @Test func `every role that the library names has its number and name in the table`() throws {
        for number in 0..<UInt32(126) {
            let text = try #require(atspi_role_get_name(Int32(number)))
            let name = String(cString: text).split(separator: " ").joined(separator: "-")
            let known = Role(rawValue: number).name
            #expect(known == name || known == Self.renamed[name], "role \(number) is \(name) there")
        }
    }
}
