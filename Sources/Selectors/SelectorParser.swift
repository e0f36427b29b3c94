import AccessibilityTree

extension Selector {
    /// Reads a selector. Fails with the place and what was expected there; never reads further than the limits allow.
    package init(parsing text: String, limits: SelectorLimits = SelectorLimits()) throws(SelectorError) {
        guard text.utf8.count <= limits.maximumBytes else {
            throw SelectorError(position: limits.maximumBytes, expected: "at most \(limits.maximumBytes) bytes")
        }
        var parser = SelectorParser(text, limits: limits)
        alternatives = try parser.wholeText()
    }
}

/// Reads selectors by descending into them: as deep as the limits allow parentheses.
struct SelectorParser {
    private var reader: SelectorReader
    private let limits: SelectorLimits
    private var depth = 0
    private var steps = 0
    private var conditions = 0

    init(_ text: String, limits: SelectorLimits) {
        reader = SelectorReader(text)
        self.limits = limits
    }

    mutating func wholeText() throws(SelectorError) -> [ComplexSelector] {
        let list = try alternatives()
        guard reader.isAtEnd else { throw reader.fail("a combinator, a comma or the end") }
        return list
    }

    private mutating func alternatives() throws(SelectorError) -> [ComplexSelector] {
        var list: [ComplexSelector] = []
        repeat {
            reader.skipSpace()
            list.append(try complex())
        } while reader.skip(UInt8(ascii: ","))
        return list
    }

    private mutating func relatives() throws(SelectorError) -> [RelativeSelector] {
        var list: [RelativeSelector] = []
        repeat {
            reader.skipSpace()
            let leading = symbol()
            if leading != nil {
                reader.advance()
                reader.skipSpace()
            }
            list.append(RelativeSelector(leading ?? .descendant, try complex()))
        } while reader.skip(UInt8(ascii: ","))
        return list
    }

    /// Ends after white space, at a comma, a closing parenthesis or what cannot be part of it.
    private mutating func complex() throws(SelectorError) -> ComplexSelector {
        var complex = ComplexSelector(try compound())
        while true {
            let spaced = reader.skipSpace()
            if let combinator = symbol() {
                reader.advance()
                reader.skipSpace()
                complex.rest.append(.init(combinator, try compound()))
            } else if spaced, isAtCompound {
                complex.rest.append(.init(.descendant, try compound()))
            } else {
                return complex
            }
        }
    }

    private func symbol() -> Combinator? {
        switch reader.next {
        case UInt8(ascii: ">"): .child
        case UInt8(ascii: "+"): .nextSibling
        case UInt8(ascii: "~"): .laterSibling
        default: nil
        }
    }

    private var isAtCompound: Bool {
        switch reader.next {
        case UInt8(ascii: "*"), UInt8(ascii: "#"), UInt8(ascii: "["), UInt8(ascii: ":"): true
        default: reader.isAtName
        }
    }

    private mutating func compound() throws(SelectorError) -> CompoundSelector {
        guard isAtCompound else { throw reader.fail("a role, *, #id, [attribute] or :state") }
        steps += 1
        guard steps <= limits.maximumSteps else { throw reader.fail("at most \(limits.maximumSteps) steps") }
        var compound = CompoundSelector()
        if reader.isAtName {
            compound.type = try type()
        } else {
            _ = reader.skip(UInt8(ascii: "*"))
        }
        while let condition = try condition() { compound.conditions.append(condition) }
        if reader.isAtName || reader.next == UInt8(ascii: "*") {
            throw reader.fail("a role only at the beginning of a step")
        }
        return compound
    }

    private mutating func type() throws(SelectorError) -> TypeTest {
        let start = reader.position
        let name = try reader.word()
        if RoleNames.key(name) == "window" { return .anyWindow }
        guard let role = RoleNames.role(name) else { throw reader.fail("the name of a role", at: start) }
        return .role(role)
    }

    private mutating func condition() throws(SelectorError) -> Condition? {
        switch reader.next {
        case UInt8(ascii: "#"), UInt8(ascii: "["), UInt8(ascii: ":"):
            conditions += 1
            guard conditions <= limits.maximumConditions else {
                throw reader.fail("at most \(limits.maximumConditions) conditions")
            }
        default: return nil
        }
        if reader.skip(UInt8(ascii: "#")) {
            guard reader.isAtWord else { throw reader.fail("an id after #") }
            return .attribute(AttributeTest(.id, .equals, try reader.word()))
        }
        if reader.skip(UInt8(ascii: "[")) { return .attribute(try attribute()) }
        reader.advance()
        return try pseudoClass()
    }

    // MARK: - Attributes

    private mutating func attribute() throws(SelectorError) -> AttributeTest {
        reader.skipSpace()
        guard reader.isAtName else { throw reader.fail("the name of an attribute") }
        let subject = AttributeTest.Subject(name: try reader.word())
        reader.skipSpace()
        if reader.skip(UInt8(ascii: "]")) { return AttributeTest(subject, .isPresent) }
        let comparison = try comparison()
        reader.skipSpace()
        let start = reader.position
        let value: String
        if reader.next == UInt8(ascii: "\"") || reader.next == UInt8(ascii: "'") {
            value = try reader.string()
        } else if reader.isAtWord {
            value = try reader.word()
        } else {
            throw reader.fail("a value: a word, or text in quotes")
        }
        if subject == .role, comparison == .equals, RoleNames.role(value) == nil {
            throw reader.fail("the name or number of a role", at: start)
        }
        reader.skipSpace()
        let ignoresCase = reader.skip(UInt8(ascii: "i")) || reader.skip(UInt8(ascii: "I"))
        if ignoresCase, comparison == .isExactly { throw reader.fail("no i with ==", at: reader.position - 1) }
        reader.skipSpace()
        guard reader.skip(UInt8(ascii: "]")) else { throw reader.fail(ignoresCase ? "]" : "i or ]") }
        return AttributeTest(subject, comparison, value, ignoresCase: ignoresCase)
    }

    private mutating func comparison() throws(SelectorError) -> AttributeTest.Comparison {
        if reader.skip(UInt8(ascii: "=")) { return reader.skip(UInt8(ascii: "=")) ? .isExactly : .equals }
        let comparison: AttributeTest.Comparison? =
            switch reader.next {
            case UInt8(ascii: "~"): .hasWord
            case UInt8(ascii: "|"): .hasLanguage
            case UInt8(ascii: "^"): .begins
            case UInt8(ascii: "$"): .ends
            case UInt8(ascii: "*"): .contains
            default: nil
            }
        guard let comparison else { throw reader.fail("=, ~=, |=, ^=, $=, *=, == or ]") }
        reader.advance()
        guard reader.skip(UInt8(ascii: "=")) else { throw reader.fail("=") }
        return comparison
    }

    // MARK: - Pseudo-classes

    private mutating func pseudoClass() throws(SelectorError) -> Condition {
        let start = reader.position
        guard reader.isAtName else { throw reader.fail("the name of a state or pseudo-class after :") }
        let name = try reader.word().lowercased()
        if reader.next == UInt8(ascii: "(") { return try function(name, start) }
        switch name {
        case "hidden": return .hidden
        case "self": return .ownApplication
        case "accessibility-focused": return .accessibilityFocused
        case "first-child": return .position(Positions(offset: 1))
        case "last-child": return .lastChild
        case "not", "is", "has", "nth-child": throw reader.fail("( after :\(name)")
        default:
            guard let state = State(selectorName: name) else {
                throw reader.fail("the name of a state or pseudo-class", at: start)
            }
            return .state(state)
        }
    }

    private mutating func function(_ name: String, _ start: Int) throws(SelectorError) -> Condition {
        guard ["not", "is", "has", "nth-child"].contains(name) else {
            throw reader.fail(":not(), :is(), :has() or :nth-child()", at: start)
        }
        depth += 1
        guard depth <= limits.maximumDepth else { throw reader.fail("at most \(limits.maximumDepth) nested (") }
        reader.advance()
        let condition: Condition =
            switch name {
            case "not": .not(try alternatives())
            case "is": .either(try alternatives())
            case "has": .has(try relatives())
            default: .position(try positions())
            }
        guard reader.skip(UInt8(ascii: ")")) else { throw reader.fail(")") }
        depth -= 1
        return condition
    }

    /// `odd`, `even`, `3`, `2n`, `-n+3`, `2n + 1`.
    private mutating func positions() throws(SelectorError) -> Positions {
        reader.skipSpace()
        defer { reader.skipSpace() }
        switch reader.next {
        case UInt8(ascii: "o"), UInt8(ascii: "O"), UInt8(ascii: "e"), UInt8(ascii: "E"):
            let start = reader.position
            switch try reader.word().lowercased() {
            case "odd": return Positions(step: 2, offset: 1)
            case "even": return Positions(step: 2, offset: 0)
            default: throw reader.fail("odd, even, a number or a form like 2n+1", at: start)
            }
        default: break
        }
        let sign = sign() ?? 1
        let number = try reader.number(maximum: limits.maximumNumber)
        guard reader.skip(UInt8(ascii: "n")) || reader.skip(UInt8(ascii: "N")) else {
            guard let number else { throw reader.fail("odd, even, a number or a form like 2n+1") }
            return Positions(offset: sign * number)
        }
        let step = sign * (number ?? 1)
        reader.skipSpace()
        guard let offsetSign = self.sign() else { return Positions(step: step, offset: 0) }
        reader.skipSpace()
        guard let offset = try reader.number(maximum: limits.maximumNumber) else { throw reader.fail("a number") }
        return Positions(step: step, offset: offsetSign * offset)
    }

    private mutating func sign() -> Int? {
        if reader.skip(UInt8(ascii: "+")) { return 1 }
        return reader.skip(UInt8(ascii: "-")) ? -1 : nil
    }
}

extension State {
    /// A state as selectors write it: its name, or `state-50` for one without.
    init?(selectorName name: String) {
        if let known = State(name: name) {
            self = known
        } else if name.hasPrefix("state-"), let number = UInt8(name.dropFirst(6)), number < 64 {
            self = State(rawValue: number)
        } else {
            return nil
        }
    }
}
