/// How names are compared: what people cannot see or do not mean makes no difference.
package enum PlainText {
    /// A text with every run of white space as one space, and without marks of writing direction.
    ///
    /// Two texts are the same to people where these are equal; Swift compares them by canonical equivalence.
    package static func normal(_ text: String) -> String {
        if isPlain(text) { return text }
        var normal = String.UnicodeScalarView()
        var isInSpace = false
        for scalar in text.unicodeScalars {
            if isDirectionMark(scalar) { continue }
            if scalar.properties.isWhitespace {
                if !isInSpace { normal.append(" ") }
                isInSpace = true
            } else {
                isInSpace = false
                normal.append(scalar)
            }
        }
        return String(normal)
    }

    /// Printable ASCII without two spaces in a row, as nearly all names are.
    private static func isPlain(_ text: String) -> Bool {
        var previous: UInt8 = 0
        for byte in text.utf8 {
            guard byte >= 0x20, byte < 0x7F, byte != 0x20 || previous != 0x20 else { return false }
            previous = byte
        }
        return true
    }

    private static func isDirectionMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
