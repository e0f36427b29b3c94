import AccessibilityFocus
import FocusProtocol

/// Where a selector cannot be read, and what would have been right there.
struct SelectorFault {
    let selector: String
    /// In bytes of UTF-8; a service may say one that is not in the selector.
    let position: Int
    let expected: String
    /// The value that it is the selector of, where there are several.
    var value: String?

    /// The fault that the service answered with; nil where its error is another one.
    init?(_ error: ErrorReply, in selector: String) {
        guard error.name == FocusError.InvalidSelector.name else { return nil }
        self.selector = selector
        if case .integer(let position) = error.parameters["position"] {
            self.position = Int(clamping: position)
        } else {
            position = 0
        }
        expected = error.parameters["expected"]?.plainText ?? "something else"
    }

    /// What was expected, in a sentence.
    var what: String {
        let whose = value.map { " of '\(SafeText.escaped($0))'" } ?? ""
        return "the selector\(whose) cannot be read: expected \(SafeText.escaped(expected))"
    }

    /// The selector, or what of it is around the place where it is long, and a caret below the place.
    func picture(width: Int) -> [String] {
        let indent = 2
        let (parts, place) = shownParts()
        // One cell is for a caret behind the end.
        let range = Self.window(parts, around: place, cells: max(8, width - indent - 1))
        var column = parts[range.lowerBound..<place].reduce(0) { $0 + $1.cells }
        var line = parts[range].map(\.text).joined()
        if range.lowerBound > 0 {
            line = "…" + line
            column += 1
        }
        if range.upperBound < parts.count { line += "…" }
        return [spaces(indent) + Self.inOrder(line), spaces(indent + column) + "^"]
    }

    /// A character as it is shown, and the cells that it takes.
    private typealias Part = (text: String, cells: Int)

    /// The selector's characters as they are shown, and which of them is at the position; their count for its end.
    private func shownParts() -> ([Part], place: Int) {
        var parts: [Part] = []
        var place: Int?
        var bytes = 0
        for character in selector {
            bytes += character.utf8.count
            if place == nil, position < bytes { place = parts.count }
            let shown = SafeText.escaped(String(character))
            parts.append((shown, TextWidth.cells(of: shown)))
        }
        return (parts, place ?? parts.count)
    }

    /// As many parts as fit into the cells, those of the place among them, with room for the marks of what is cut.
    private static func window(_ parts: [Part], around place: Int, cells: Int) -> Range<Int> {
        let total = parts.reduce(0) { $0 + $1.cells }
        guard total > cells else { return 0..<parts.count }
        var left = cells - 2
        var range = place..<place
        // What comes before the place explains it best; a third is for what follows.
        var before = left * 2 / 3
        while range.lowerBound > 0, parts[range.lowerBound - 1].cells <= before {
            range = range.lowerBound - 1..<range.upperBound
            before -= parts[range.lowerBound].cells
            left -= parts[range.lowerBound].cells
        }
        while range.upperBound < parts.count, parts[range.upperBound].cells <= left {
            left -= parts[range.upperBound].cells
            range = range.lowerBound..<range.upperBound + 1
        }
        while range.lowerBound > 0, parts[range.lowerBound - 1].cells <= left {
            range = range.lowerBound - 1..<range.upperBound
            left -= parts[range.lowerBound].cells
        }
        return range
    }

    /// Keeps a terminal from turning what is written from right to left: the caret counts in the selector's order.
    private static func inOrder(_ line: String) -> String {
        SafeText.isolated(line) == line ? line : "\u{202D}\(line)\u{202C}"
    }

    private func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }
}
