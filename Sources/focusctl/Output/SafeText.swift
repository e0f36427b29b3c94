/// Makes text of other programs harmless: it stays on its line and in its column, and tells the terminal nothing.
///
/// The escape is that of CSS strings, like `\a ` for a line break, so that a quoted name is also a string of a selector.
enum SafeText {
    /// The text with what would break lines, move the cursor or turn the writing direction escaped.
    static func escaped(_ text: String) -> String {
        escape(text) { isUnsafe($0) ? cssEscape($0) : nil }
    }

    /// The text as it is between double quotes.
    static func escapedForQuotes(_ text: String) -> String {
        escape(text) { scalar in
            switch scalar {
            case "\"", "\\": "\\" + String(scalar)
            default: isUnsafe(scalar) ? cssEscape(scalar) : nil
            }
        }
    }

    /// A line of JSON with the same scalars escaped as JSON does; outside of its strings there are none of them.
    static func escapedJSON(_ line: String) -> String {
        escape(line) { scalar in
            guard isUnsafe(scalar) else { return nil }
            return scalar.utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
        }
    }

    /// Keeps writing from right to left to itself, so that it does not take the columns beside it along.
    static func isolated(_ text: String) -> String {
        text.unicodeScalars.contains(where: isWrittenFromRightToLeft) ? "\u{2068}\(text)\u{2069}" : text
    }

    private static func escape(_ text: String, with replacement: (Unicode.Scalar) -> String?) -> String {
        let isPlain = text.utf8.allSatisfy { (0x20..<0x7F).contains($0) && $0 != 0x22 && $0 != 0x5C }
        if isPlain { return text }
        // Bytes, because a megabyte appended to a string scalar by scalar takes minutes.
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count * 2)
        for scalar in text.unicodeScalars {
            if let escape = replacement(scalar) {
                result.append(contentsOf: escape.utf8)
            } else {
                result.append(contentsOf: scalar.utf8)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func cssEscape(_ scalar: Unicode.Scalar) -> String {
        "\\" + String(scalar.value, radix: 16) + " "
    }

    /// Control and format characters and line separators, but not the joiners that spelling needs, nor visible marks.
    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x7F { return scalar.value < 0x20 }
        switch scalar.value {
        case 0x200C, 0x200D, 0x600...0x605, 0x6DD, 0x70F, 0x890...0x891, 0x8E2, 0x110BD, 0x110CD: return false
        default: break
        }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: return true
        default: return false
        }
    }

    private static func isWrittenFromRightToLeft(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x590: false
        case 0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
        default: false
        }
    }
}
