/// A reference to an accessible: bus name directly followed by object path.
///
/// Valid: `:1.5/org/a11y/atspi/accessible/17`. Invalid: `1.5/org`, `:1.5`, `:1.5/`, `:1.5/a//b`, `:1.5/a-b`.
enum ElementReference {
    /// One that shows what it looks like.
    static let example = ":1.5/org/a11y/atspi/accessible/17"

    /// Whether somebody who wrote this meant a reference, well written or not: no selector begins like one.
    static func isMeant(by text: String) -> Bool {
        let beginning = text.prefix(2)
        return beginning.count == 2 && beginning.first == ":" && beginning.last?.isASCIIDigit == true
            && text.contains("/")
    }

    /// Whether D-Bus could know a connection and an object by these names.
    static func isValid(_ text: String) -> Bool {
        guard text.utf8.count <= 4096, let slash = text.firstIndex(of: "/") else { return false }
        return isUniqueName(text[..<slash]) && isObjectPath(text[slash...])
    }

    private static func isUniqueName(_ name: Substring) -> Bool {
        guard name.hasPrefix(":"), name.utf8.count <= 255 else { return false }
        let parts = name.dropFirst().split(separator: ".", omittingEmptySubsequences: false)
        return parts.count >= 2
            && parts.allSatisfy { part in
                !part.isEmpty && part.utf8.allSatisfy { isWordByte($0) || $0 == UInt8(ascii: "-") }
            }
    }

    private static func isObjectPath(_ path: Substring) -> Bool {
        let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        return parts.allSatisfy { part in !part.isEmpty && part.utf8.allSatisfy(isWordByte) }
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
