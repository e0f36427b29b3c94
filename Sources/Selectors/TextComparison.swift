import AccessibilityTree

/// One comparison of a text with a value, prepared once for many texts.
struct TextComparison: Sendable {
    private let comparison: AttributeTest.Comparison
    private let ignoresCase: Bool
    private let value: String
    private let normalises: Bool

    /// `normalises` is whether white space and marks of direction are compared as people see them.
    init(_ test: AttributeTest, normalises: Bool = true) {
        comparison = test.comparison
        ignoresCase = test.ignoresCase
        self.normalises = normalises
        if comparison == .isExactly {
            value = test.value
        } else {
            let normal = normalises ? PlainText.normal(test.value) : test.value
            value = ignoresCase ? CaseFolding.folded(normal) : normal
        }
    }

    /// How much more a search for a long part costs than one look at each byte.
    var searchWeight: Int { comparison == .contains ? value.utf8.count / 32 : 0 }

    func holds(_ text: String) -> Bool { holds(text, plain: normalises ? nil : text) }

    /// The same where ``PlainText/normal(_:)`` of the text is at hand.
    func holds(_ text: String, plain: String?) -> Bool {
        switch comparison {
        case .isPresent: return !text.isEmpty
        case .isExactly: return text.utf8.elementsEqual(value.utf8)
        default: break
        }
        var text = plain ?? PlainText.normal(text)
        if ignoresCase { text = CaseFolding.folded(text) }
        switch comparison {
        case .isPresent, .isExactly, .equals: return text == value
        case .hasWord:
            guard !value.isEmpty, !value.utf8.contains(0x20) else { return false }
            return text.split(separator: " ").contains { $0 == value }
        case .hasLanguage: return text == value || PartSearch.finds(value + "-", in: text, .atStart)
        case .begins: return !value.isEmpty && PartSearch.finds(value, in: text, .atStart)
        case .ends: return !value.isEmpty && PartSearch.finds(value, in: text, .atEnd)
        case .contains: return !value.isEmpty && PartSearch.finds(value, in: text, .anywhere)
        }
    }
}

/// Makes texts the same that differ by upper and lower case only.
enum CaseFolding {
    /// Upper case and then lower, so that ß is ss and every sigma one; and the four letters i of Turkish are one.
    static func folded(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
        let lower = text.uppercased().lowercased()
        var folded = String.UnicodeScalarView()
        var afterI = false
        for scalar in lower.unicodeScalars {
            // What is left of İ after it was made small.
            if afterI, scalar == "\u{307}" { continue }
            afterI = scalar == "i"
            folded.append(scalar)
        }
        return String(folded)
    }
}

/// Finds a text in another by canonical equivalence, never between a letter and the marks on it.
enum PartSearch {
    enum Place { case atStart, atEnd, anywhere }

    static func finds(_ part: String, in text: String, _ place: Place) -> Bool {
        if isSimple(part), isSimple(text) { return findsBytes(part, text, place) }
        let parts = units(part)
        let all = units(text)
        guard parts.count <= all.count else { return false }
        switch place {
        case .atStart: return all.starts(with: parts)
        case .atEnd: return all.suffix(parts.count).elementsEqual(parts)
        case .anywhere:
            return (0...(all.count - parts.count)).contains { all[$0...].starts(with: parts) }
        }
    }

    /// Whether bytes say it all: below U+0300 nothing has two spellings within that range.
    private static func isSimple(_ text: String) -> Bool { text.utf8.allSatisfy { $0 < 0xCC } }

    private static func findsBytes(_ part: String, _ text: String, _ place: Place) -> Bool {
        let size = part.utf8.count
        let room = text.utf8.count - size
        guard room >= 0 else { return false }
        switch place {
        case .atStart: return text.utf8.starts(with: part.utf8)
        case .atEnd: return text.utf8.dropFirst(room).elementsEqual(part.utf8)
        case .anywhere:
            guard let first = part.utf8.first else { return true }
            var rest = text.utf8[...]
            while rest.count >= size, let found = rest.firstIndex(of: first) {
                rest = rest[found...]
                if rest.starts(with: part.utf8) { return true }
                rest = rest.dropFirst()
            }
            return false
        }
    }

    /// Letters with the marks on them. What is between two units is so in every spelling of a text.
    private static func units(_ text: String) -> [Substring] {
        var units: [Substring] = []
        let scalars = text.unicodeScalars
        var start = scalars.startIndex
        var index = start
        while index < scalars.endIndex {
            if index > start, !continuesUnit(scalars[index]) {
                units.append(text[start..<index])
                start = index
            }
            index = scalars.index(after: index)
        }
        if start < index { units.append(text[start..<index]) }
        return units
    }

    private static func continuesUnit(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x300 { return false }
        // The vowels and finals of Hangul that join the letter before them.
        if (0x1161...0x1175).contains(scalar.value) || (0x11A8...0x11C2).contains(scalar.value) { return true }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return true
        default: return false
        }
    }
}
