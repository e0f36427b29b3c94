import AccessibilityTree

/// Which elements are meant: a subset of CSS Selectors over accessible elements, read from text.
///
/// Several alternatives, as between commas; an element matches where one of them does. Never empty.
package struct Selector: Hashable, Sendable {
    package var alternatives: [ComplexSelector]

    package init(_ alternatives: [ComplexSelector]) {
        precondition(!alternatives.isEmpty, "a selector has at least one alternative")
        self.alternatives = alternatives
    }
}

/// Steps joined by combinators, the outermost element first; the last step is the element that is meant.
package struct ComplexSelector: Hashable, Sendable {
    package struct Step: Hashable, Sendable {
        /// How it stands to the step before it.
        package var combinator: Combinator
        package var compound: CompoundSelector

        package init(_ combinator: Combinator, _ compound: CompoundSelector) {
            self.combinator = combinator
            self.compound = compound
        }
    }

    package var first: CompoundSelector
    package var rest: [Step]

    package init(_ first: CompoundSelector, _ rest: [Step] = []) {
        self.first = first
        self.rest = rest
    }

    package var compounds: [CompoundSelector] { [first] + rest.map(\.compound) }
    package var combinators: [Combinator] { rest.map(\.combinator) }
    package var subject: CompoundSelector { rest.last?.compound ?? first }
}

/// How an element stands to the one that the step before it names.
package enum Combinator: Hashable, Sendable, CaseIterable {
    /// Anywhere inside.
    case descendant
    case child
    /// Directly after it, below the same parent.
    case nextSibling
    /// Somewhere after it, below the same parent.
    case laterSibling
}

/// All that one element must be.
package struct CompoundSelector: Hashable, Sendable {
    package var type: TypeTest
    package var conditions: [Condition]

    package init(_ type: TypeTest = .any, _ conditions: [Condition] = []) {
        self.type = type
        self.conditions = conditions
    }
}

/// What kind of element is meant.
package enum TypeTest: Hashable, Sendable {
    case any
    /// Of this role. The role `application` means the top of an application only.
    case role(Role)
    /// Any kind of window: frame, window, dialog, alert and the choosers.
    case anyWindow
}

/// One thing that an element must be, beside its kind.
package indirect enum Condition: Hashable, Sendable {
    case attribute(AttributeTest)
    case state(State)
    /// It cannot be seen, and not because it is scrolled out of sight.
    case hidden
    /// An assistive technology is on it.
    case accessibilityFocused
    /// It is of the program that asks.
    case ownApplication
    case position(Positions)
    case lastChild
    case not([ComplexSelector])
    case either([ComplexSelector])
    case has([RelativeSelector])
}

/// What must be found around an element, beginning at it.
package struct RelativeSelector: Hashable, Sendable {
    /// From the element to the first step.
    package var combinator: Combinator
    package var selector: ComplexSelector

    package init(_ combinator: Combinator, _ selector: ComplexSelector) {
        self.combinator = combinator
        self.selector = selector
    }
}

/// Places among the children of a parent, counted from 1: every `step`th, and `offset` is one of them.
package struct Positions: Hashable, Sendable {
    package var step: Int
    package var offset: Int

    package init(step: Int = 0, offset: Int) {
        self.step = step
        self.offset = offset
    }

    package func contains(_ place: Int) -> Bool {
        let distance = place - offset
        guard step != 0 else { return distance == 0 }
        return distance % step == 0 && distance / step >= 0
    }
}

/// A text that an element has, compared with one that is written in the selector.
package struct AttributeTest: Sendable {
    package enum Subject: Hashable, Sendable {
        case name, description, id, role, application, pid, toolkit, text
        /// An object attribute of the application's own, like `tag`.
        case object(String)
    }

    package enum Comparison: Hashable, Sendable, CaseIterable {
        case isPresent, equals, hasWord, hasLanguage, begins, ends, contains
        /// Byte for byte.
        case isExactly
    }

    package var subject: Subject
    package var comparison: Comparison
    /// Empty with ``Comparison/isPresent``.
    package var value: String
    package var ignoresCase: Bool

    package init(_ subject: Subject, _ comparison: Comparison, _ value: String = "", ignoresCase: Bool = false) {
        self.subject = subject
        self.comparison = comparison
        self.value = value
        self.ignoresCase = ignoresCase
    }
}

extension AttributeTest: Hashable {
    /// Values are compared by their bytes: with `==` two spellings of one character are two selectors.
    package static func == (one: AttributeTest, other: AttributeTest) -> Bool {
        one.subject == other.subject && one.comparison == other.comparison && one.ignoresCase == other.ignoresCase
            && one.value.utf8.elementsEqual(other.value.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(subject)
        hasher.combine(comparison)
        hasher.combine(value)
    }
}
