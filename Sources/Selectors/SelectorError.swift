/// A selector that cannot be read: where, and what was expected there.
package struct SelectorError: Error, Hashable, Sendable {
    /// Bytes of UTF-8 from the beginning of the text.
    package let position: Int
    /// In words, to follow "expected".
    package let expected: String

    package init(position: Int, expected: String) {
        self.position = position
        self.expected = expected
    }
}

/// How much a selector may ask for. Beyond one of these it is refused with the place where it goes too far.
package struct SelectorLimits: Hashable, Sendable {
    /// Bytes of UTF-8 of the whole text.
    package var maximumBytes = 65_536
    /// Parentheses inside parentheses: reading and matching go one call deeper for each.
    package var maximumDepth = 32
    /// Steps, also of selectors in parentheses: each is one more table of what is known in matching.
    package var maximumSteps = 256
    /// Conditions of all steps together: each is tried on every element.
    package var maximumConditions = 1_024
    /// The numbers of `:nth-child()`, in either direction.
    package var maximumNumber = 1_000_000_000
    package init() {}
}
