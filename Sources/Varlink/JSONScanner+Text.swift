extension JSONScanner.StringToken {
    /// The string's text. Escapes that no text can hold become U+FFFD.
    func text(in bytes: Span<UInt8>) -> String {
        let content = bytes.extracting(range)
        return String(unsafeUninitializedCapacity: content.count) { output in
            // SAFETY: an escape is never shorter than what it stands for in UTF-8 (`\uXXXX` is six bytes for at most
            // three, a pair twelve for four), so the text fits into the room its source took.
            var count = 0
            var index = 0
            while index < content.count {
                if content[index] != UInt8(ascii: "\\") {
                    output[count] = content[index]
                    (count, index) = (count + 1, index + 1)
                    continue
                }
                for byte in Unicode.UTF8.encode(Self.unescape(content, &index))
                    ?? Unicode.UTF8.encodedReplacementCharacter
                {
                    output[count] = byte
                    count += 1
                }
            }
            return count
        }
    }

    /// Whether the string is this ASCII text; one with escapes is decoded first.
    func equals(_ text: StaticString, in bytes: Span<UInt8>) -> Bool {
        if hasEscapes { return self.text(in: bytes) == text.description }
        guard range.count == text.utf8CodeUnitCount else { return false }
        for index in 0..<range.count {
            // SAFETY: a static string of ASCII has a pointer, and `index` is below its count.
            guard bytes[range.lowerBound + index] == text.utf8Start[index] else { return false }
        }
        return true
    }

    /// The character that the escape at `index` stands for; `index` moves behind it. The escape's form was checked.
    private static func unescape(_ content: Span<UInt8>, _ index: inout Int) -> Unicode.Scalar {
        let kind = content[index + 1]
        guard kind == UInt8(ascii: "u") else {
            index += 2
            return switch kind {
            case UInt8(ascii: "b"): "\u{8}"
            case UInt8(ascii: "f"): "\u{C}"
            case UInt8(ascii: "n"): "\n"
            case UInt8(ascii: "r"): "\r"
            case UInt8(ascii: "t"): "\t"
            default: Unicode.Scalar(kind)
            }
        }
        let unit = hexUnit(content, at: index + 2)
        index += 6
        if 0xD800...0xDBFF ~= unit, index + 5 < content.count, content[index] == UInt8(ascii: "\\"),
            content[index + 1] == UInt8(ascii: "u")
        {
            let low = hexUnit(content, at: index + 2)
            if 0xDC00...0xDFFF ~= low {
                index += 6
                return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)) ?? "\u{FFFD}"
            }
        }
        return Unicode.Scalar(unit) ?? "\u{FFFD}"
    }

    private static func hexUnit(_ content: Span<UInt8>, at begin: Int) -> UInt32 {
        (begin..<(begin + 4)).reduce(0) { unit, index in unit << 4 | (hexDigit(content[index]) ?? 0) }
    }
}
