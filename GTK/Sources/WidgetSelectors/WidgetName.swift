/// The beginning of an element's accessible name, as long as a selector needs it.
///
/// The beginning and not all of it, since toolkits put further words behind it, like the name of the group around it.
package struct WidgetName: Hashable, Sendable {
    /// Enough to tell texts apart, and short enough for a request.
    package static let maximumCharacters = 200
    package static let maximumBytes = 1_000

    package let text: String

    /// nil where nothing of the text can be seen.
    package init?(_ text: String) {
        var short = ""
        var characters = 0
        var endsWord = false
        for character in text {
            if character.isWhitespace {
                endsWord = !short.isEmpty
                continue
            }
            let addition = (endsWord ? " " : "") + String(character)
            characters += addition.count
            guard characters <= WidgetName.maximumCharacters,
                short.utf8.count + addition.utf8.count <= WidgetName.maximumBytes
            else { break }
            short += addition
            endsWord = false
        }
        guard !short.isEmpty else { return nil }
        self.text = short
    }

    /// Whether a selector for this name also takes an element of the other name.
    func takes(_ other: WidgetName?) -> Bool { other?.text.hasPrefix(text) ?? false }
}
