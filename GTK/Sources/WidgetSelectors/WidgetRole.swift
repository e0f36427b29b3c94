/// What kind of element a widget is, in a selector's words; several where versions of a toolkit disagree.
package struct WidgetRole: Hashable, Sendable {
    /// The roles that it can have; empty where that is not known.
    package let words: [String]

    package init(_ words: String...) { self.words = words }

    package static let unknown = WidgetRole()

    /// A selector's step for it.
    var step: String {
        switch words.count {
        case 0: "*"
        case 1: words[0]
        default: ":is(\(words.joined(separator: ", ")))"
        }
    }

    /// Whether an element of one kind can be taken for one of the other.
    func canBe(_ other: WidgetRole) -> Bool {
        words.isEmpty || other.words.isEmpty || !Set(words).isDisjoint(with: other.words)
    }
}
