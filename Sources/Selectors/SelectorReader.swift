/// Reads the small parts of a selector: names, strings, numbers, white space. Knows where it stands.
struct SelectorReader {
    private let bytes: [UInt8]
    private(set) var position = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    var byteCount: Int { bytes.count }
    var next: UInt8? { position < bytes.count ? bytes[position] : nil }
    var afterNext: UInt8? { position + 1 < bytes.count ? bytes[position + 1] : nil }
    var isAtEnd: Bool { position == bytes.count }

    mutating func advance() { if position < bytes.count { position += 1 } }

    mutating func skip(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position += 1
        return true
    }

    /// True where there was some.
    @discardableResult
    mutating func skipSpace() -> Bool {
        let start = position
        while let byte = next, isSpace(byte) { position += 1 }
        return position > start
    }

    func fail(_ expected: String, at position: Int? = nil) -> SelectorError {
        SelectorError(position: position ?? self.position, expected: expected)
    }

    // MARK: - Names

    /// Whether a name begins here: not with a digit, and not with `-` and one.
    var isAtName: Bool {
        guard let next else { return false }
        if isNameStart(next) { return true }
        guard next == UInt8(ascii: "-"), let after = afterNext else { return false }
        return isNameStart(after) || after == UInt8(ascii: "-")
    }

    var isAtWord: Bool { next.map { isNameStart($0) || isNamePart($0) } ?? false }

    /// Name characters and escapes, as many as there are; may be empty.
    mutating func word() throws(SelectorError) -> String {
        var read: [UInt8] = []
        while let byte = next {
            if byte == UInt8(ascii: "\\") {
                try escape(into: &read)
            } else if isNamePart(byte) {
                read.append(byte)
                position += 1
            } else {
                break
            }
        }
        return String(decoding: read, as: UTF8.self)
    }

    /// A string in either kind of quotes; the opening one is next.
    mutating func string() throws(SelectorError) -> String {
        let start = position
        guard let quote = next else { throw fail("a string") }
        position += 1
        var read: [UInt8] = []
        while let byte = next {
            if byte == quote {
                position += 1
                return String(decoding: read, as: UTF8.self)
            }
            if byte == UInt8(ascii: "\\") {
                if let after = afterNext, isNewline(after) {
                    position += after == 0x0D && position + 2 < bytes.count && bytes[position + 2] == 0x0A ? 3 : 2
                } else {
                    try escape(into: &read)
                }
            } else if byte == 0 {
                throw fail("text without NUL")
            } else {
                read.append(byte)
                position += 1
            }
        }
        throw fail("a closing \(quote == UInt8(ascii: "'") ? "'" : "\"") for the one at byte \(start)")
    }

    /// `\` and up to six hexadecimal digits with one white space after them, or any other character.
    private mutating func escape(into read: inout [UInt8]) throws(SelectorError) {
        position += 1
        guard let byte = next, !isNewline(byte), byte != 0 else { throw fail("a character after \\") }
        guard hexadecimal(byte) != nil else {
            // The first byte of a character; those that follow it are name parts and string parts anyway.
            read.append(byte)
            position += 1
            return
        }
        var value: UInt32 = 0
        var digits = 0
        while digits < 6, let byte = next, let digit = hexadecimal(byte) {
            value = value * 16 + digit
            digits += 1
            position += 1
        }
        if next == 0x0D, afterNext == 0x0A {
            position += 2
        } else if let byte = next, isSpace(byte) {
            position += 1
        }
        let scalar = value == 0 ? nil : Unicode.Scalar(value)
        read += Array(String(Character(scalar ?? "\u{FFFD}")).utf8)
    }

    // MARK: - Numbers

    /// Decimal digits as a number; nil where there are none.
    mutating func number(maximum: Int) throws(SelectorError) -> Int? {
        let start = position
        var value = 0
        while let byte = next, isDigit(byte) {
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
            guard value <= maximum else { throw fail("a number of at most \(maximum)", at: start) }
            position += 1
        }
        return position > start ? value : nil
    }

    // MARK: - Kinds of bytes

    private func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0C || isNewline(byte)
    }

    private func isNewline(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
    private func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

    private func isNameStart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
            UInt8(ascii: "\\"), 0x80...:
            true
        default: false
        }
    }

    private func isNamePart(_ byte: UInt8) -> Bool {
        byte != UInt8(ascii: "\\") && isNameStart(byte) || isDigit(byte) || byte == UInt8(ascii: "-")
    }

    private func hexadecimal(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a")) + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A")) + 10
        default: nil
        }
    }
}
