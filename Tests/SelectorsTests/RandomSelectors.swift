import AccessibilityTree
import Selectors

/// Selectors over few words, so that they often match something.
struct RandomSelectors {
    var random: SeededGenerator
    /// Texts that may stand in one; few of them for matching, strange ones for reading.
    var values = [
        "a", "b", "a b", "", "it's", "say \"hi\"", "a\\b", "]", "x\ny", "é", "e\u{301}", "\u{200E}a", "12", "שלום", "👩‍👧",
    ]
    var usesFacts = true
    /// Only such as a focus path decides.
    var isDecidedByPath = false

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    mutating func selector(depth: Int = 2) -> Selector { Selector(list(depth)) }

    private mutating func list(_ depth: Int) -> [ComplexSelector] {
        (0..<(random.chance(1, in: 4) ? 2 : 1)).map { _ in complex(depth) }
    }

    private mutating func complex(_ depth: Int) -> ComplexSelector {
        let first = compound(depth)
        let count = random.pick([0, 0, 1, 1, 2, 3])
        return ComplexSelector(
            first, (0..<count).map { _ in .init(random.pick(combinators), compound(depth)) })
    }

    private var combinators: [Combinator] { isDecidedByPath ? [.descendant, .child] : Combinator.allCases }

    private mutating func compound(_ depth: Int) -> CompoundSelector {
        let types: [TypeTest] = [
            .any, .any, .role(.label), .role(.pushButton), .role(.panel), .role(.list), .anyWindow,
            .role(Role(rawValue: 250)), .role(.window), .role(.application),
        ]
        let count = random.pick([0, 0, 1, 1, 2])
        return CompoundSelector(random.pick(types), (0..<count).map { _ in condition(depth) })
    }

    private mutating func condition(_ depth: Int) -> Condition {
        if isDecidedByPath { return conditionOfPath(depth) }
        switch Int.random(in: 0..<(depth > 0 ? 16 : 10), using: &random) {
        case 0: return .state(random.pick([.visible, .showing, .focused, State(rawValue: 50)]))
        case 1: return .hidden
        case 2: return random.chance(1, in: 2) ? .accessibilityFocused : .ownApplication
        case 3:
            return .position(
                Positions(step: Int.random(in: -2...3, using: &random), offset: Int.random(in: -2...4, using: &random)))
        case 4: return .lastChild
        case 5...9: return .attribute(attribute())
        case 10, 11: return .not(list(depth - 1))
        case 12: return .either(list(depth - 1))
        default:
            return .has(
                list(depth - 1).map { RelativeSelector(random.pick(Combinator.allCases), $0) })
        }
    }

    private mutating func conditionOfPath(_ depth: Int) -> Condition {
        switch Int.random(in: 0..<(depth > 0 ? 11 : 7), using: &random) {
        case 0: .state(random.pick([.visible, .showing, .focused, State(rawValue: 50)]))
        case 1: random.chance(1, in: 2) ? .accessibilityFocused : .ownApplication
        case 2...6: .attribute(attribute())
        case 7, 8: .not(list(depth - 1))
        default: .either(list(depth - 1))
        }
    }

    private mutating func attribute() -> AttributeTest {
        var subjects: [AttributeTest.Subject] = [
            .name, .name, .name, .description, .application, .pid, .toolkit, .role,
        ]
        if isDecidedByPath {
            subjects += [.id, .id]
        } else if usesFacts {
            subjects += [.id, .id, .object("tag"), .object("5 x-é"), .text]
        }
        let subject = random.pick(subjects)
        let comparison = random.pick(AttributeTest.Comparison.allCases)
        if comparison == .isPresent { return AttributeTest(subject, comparison) }
        let value = subject == .role ? random.pick(["label", "push-button", "250"]) : random.pick(values)
        return AttributeTest(
            subject, comparison, value, ignoresCase: comparison != .isExactly && random.chance(1, in: 3))
    }
}
