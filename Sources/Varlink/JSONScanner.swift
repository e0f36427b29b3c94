/// A strict reader of JSON that checks every byte but keeps nothing: the caller remembers the places it wants.
///
/// One pass, no allocation, no recursion deeper than the limit. Any input is safe.
struct JSONScanner {
    /// A string's place between its quotes.
    struct StringToken {
        var range: Range<Int>
        var hasEscapes: Bool
    }

    private(set) var position = 0
    /// Set by an escape for NUL or for half a surrogate pair: JSON's grammar has them, but no text can hold them.
    var hasUnusableEscape = false

    private let maximumDepth: Int

    init(maximumDepth: Int) {
        self.maximumDepth = maximumDepth
    }

    /// Skips white space and shows the next byte; it throws where the text is over.
    mutating func peek(_ bytes: Span<UInt8>) throws(MessageFault) -> UInt8 {
        while position < bytes.count {
            let byte = bytes[position]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
            position += 1
        }
        throw .endsEarly
    }

    /// Takes one byte that must come next.
    mutating func expect(_ wanted: UInt8, _ bytes: Span<UInt8>) throws(MessageFault) {
        guard try peek(bytes) == wanted else { throw .unexpectedByte(at: position) }
        position += 1
    }

    /// Checks that only white space is left.
    mutating func expectEnd(_ bytes: Span<UInt8>) throws(MessageFault) {
        while position < bytes.count {
            let byte = bytes[position]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else {
                throw .unexpectedByte(at: position)
            }
            position += 1
        }
    }

    /// Takes an object's next name and colon, or its closing brace, which is nil. The opening brace is already taken.
    mutating func nextName(_ bytes: Span<UInt8>, isFirst: Bool) throws(MessageFault) -> StringToken? {
        let next = try peek(bytes)
        if next == UInt8(ascii: "}") {
            position += 1
            return nil
        }
        if !isFirst {
            try expect(UInt8(ascii: ","), bytes)
        }
        let name = try string(bytes)
        try expect(UInt8(ascii: ":"), bytes)
        return name
    }

    /// Skips one value of any kind; `depth` is the number of objects and arrays it stands in.
    mutating func skipValue(_ bytes: Span<UInt8>, depth: Int) throws(MessageFault) {
        switch try peek(bytes) {
        case UInt8(ascii: "{"):
            guard depth < maximumDepth else { throw .tooDeep(at: position) }
            position += 1
            var isFirst = true
            while try nextName(bytes, isFirst: isFirst) != nil {
                isFirst = false
                try skipValue(bytes, depth: depth + 1)
            }
        case UInt8(ascii: "["):
            guard depth < maximumDepth else { throw .tooDeep(at: position) }
            position += 1
            try skipElements(bytes, depth: depth + 1)
        case UInt8(ascii: "\""): _ = try string(bytes)
        case UInt8(ascii: "t"): try literal("true", bytes)
        case UInt8(ascii: "f"): try literal("false", bytes)
        case UInt8(ascii: "n"): try literal("null", bytes)
        default: try skipNumber(bytes)
        }
    }

    /// Takes `true`, `false` or `null`, which is nil; anything else throws.
    mutating func optionalBool(_ bytes: Span<UInt8>) throws(MessageFault) -> Bool? {
        switch try peek(bytes) {
        case UInt8(ascii: "t"):
            try literal("true", bytes)
            return true
        case UInt8(ascii: "f"):
            try literal("false", bytes)
            return false
        default:
            try literal("null", bytes)
            return nil
        }
    }

    /// Takes one string and checks its UTF-8 and its escapes.
    mutating func string(_ bytes: Span<UInt8>) throws(MessageFault) -> StringToken {
        try expect(UInt8(ascii: "\""), bytes)
        let begin = position
        var hasEscapes = false
        while position < bytes.count {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return StringToken(range: begin..<(position - 1), hasEscapes: hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                try skipEscape(bytes)
            case ..<0x20: throw .unexpectedByte(at: position)
            case ..<0x80: position += 1
            default: try skipMultibyte(bytes, first: byte)
            }
        }
        throw .endsEarly
    }

    /// Takes a word like `null` that must come next.
    mutating func literal(_ word: StaticString, _ bytes: Span<UInt8>) throws(MessageFault) {
        _ = try peek(bytes)
        for index in 0..<word.utf8CodeUnitCount {
            guard position < bytes.count else { throw .endsEarly }
            // SAFETY: a static string of ASCII has a pointer, and `index` is below its count.
            guard bytes[position] == word.utf8Start[index] else { throw .unexpectedByte(at: position) }
            position += 1
        }
    }

    // MARK: -

    private mutating func skipElements(_ bytes: Span<UInt8>, depth: Int) throws(MessageFault) {
        if try peek(bytes) == UInt8(ascii: "]") {
            position += 1
            return
        }
        while true {
            try skipValue(bytes, depth: depth)
            let next = try peek(bytes)
            guard next == UInt8(ascii: ",") || next == UInt8(ascii: "]") else { throw .unexpectedByte(at: position) }
            position += 1
            if next == UInt8(ascii: "]") { return }
        }
    }

    private mutating func skipNumber(_ bytes: Span<UInt8>) throws(MessageFault) {
        if bytes[position] == UInt8(ascii: "-") { position += 1 }
        guard position < bytes.count else { throw .endsEarly }
        if bytes[position] == UInt8(ascii: "0") {
            position += 1
        } else {
            try skipDigits(bytes)
        }
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            position += 1
            try skipDigits(bytes)
        }
        if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
            position += 1
            if position < bytes.count, bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") {
                position += 1
            }
            try skipDigits(bytes)
        }
    }

    private mutating func skipDigits(_ bytes: Span<UInt8>) throws(MessageFault) {
        let begin = position
        while position < bytes.count, isDigit(bytes[position]) { position += 1 }
        guard position > begin else {
            if position == bytes.count { throw .endsEarly }
            throw .unexpectedByte(at: position)
        }
    }

    private mutating func skipEscape(_ bytes: Span<UInt8>) throws(MessageFault) {
        guard position + 1 < bytes.count else { throw .endsEarly }
        switch bytes[position + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 2
        case UInt8(ascii: "u"):
            let unit = try hexUnit(bytes, at: position + 2)
            position += 6
            if unit == 0 || 0xDC00...0xDFFF ~= unit {
                hasUnusableEscape = true
            } else if 0xD800...0xDBFF ~= unit {
                try skipLowSurrogate(bytes)
            }
        default: throw .unexpectedByte(at: position + 1)
        }
    }

    /// Skips the second half of a pair; where another thing comes, the first half stands alone.
    private mutating func skipLowSurrogate(_ bytes: Span<UInt8>) throws(MessageFault) {
        guard position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
            bytes[position + 1] == UInt8(ascii: "u"),
            0xDC00...0xDFFF ~= (try hexUnit(bytes, at: position + 2))
        else {
            hasUnusableEscape = true
            return
        }
        position += 6
    }

    private func hexUnit(_ bytes: Span<UInt8>, at begin: Int) throws(MessageFault) -> UInt32 {
        var unit: UInt32 = 0
        for index in begin..<(begin + 4) {
            guard index < bytes.count else { throw .endsEarly }
            guard let digit = hexDigit(bytes[index]) else { throw .unexpectedByte(at: index) }
            unit = unit << 4 | digit
        }
        return unit
    }

    /// Skips one character of two to four bytes, as Unicode's table of well-formed sequences has them.
    private mutating func skipMultibyte(_ bytes: Span<UInt8>, first: UInt8) throws(MessageFault) {
        let count: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch first {
        case 0xC2...0xDF: count = 2
        case 0xE0: (count, second) = (3, 0xA0...0xBF)
        case 0xED: (count, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: count = 3
        case 0xF0: (count, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: count = 4
        case 0xF4: (count, second) = (4, 0x80...0x8F)
        default: throw .invalidUTF8(at: position)
        }
        guard position + count <= bytes.count else { throw .endsEarly }
        guard second.contains(bytes[position + 1]) else { throw .invalidUTF8(at: position) }
        for offset in 2..<max(count, 2) where bytes[position + offset] & 0xC0 != 0x80 {
            throw .invalidUTF8(at: position)
        }
        position += count
    }
}

private func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

/// The value of a hexadecimal digit in either case.
func hexDigit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
}
