extension PlainText {
    /// The beginning of a text, cut between two scalars, with a mark that it is cut.
    package static func cut(_ text: String, maximumBytes: Int) -> String {
        guard text.utf8.count > maximumBytes else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: maximumBytes)
        while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
        return String(text[..<end]) + "…"
    }
}
