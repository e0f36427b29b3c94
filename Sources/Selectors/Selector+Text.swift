import AccessibilityTree

extension Selector: CustomStringConvertible {
    /// The selector as text that reads back as the same; one line, whatever its values hold.
    package var description: String { SelectorText.list(alternatives) }
}

extension AttributeTest.Subject {
    /// The subject of an attribute's name as selectors write it.
    init(name: String) {
        self =
            switch name {
            case "name": .name
            case "description": .description
            case "id": .id
            case "role": .role
            case "app": .application
            case "pid": .pid
            case "toolkit": .toolkit
            case "text": .text
            default: .object(name)
            }
    }

    var name: String {
        switch self {
        case .name: "name"
        case .description: "description"
        case .id: "id"
        case .role: "role"
        case .application: "app"
        case .pid: "pid"
        case .toolkit: "toolkit"
        case .text: "text"
        case .object(let name): name
        }
    }
}

/// Writes selectors in their one canonical form.
enum SelectorText {
    static func list(_ alternatives: [ComplexSelector]) -> String {
        alternatives.map(complex).joined(separator: ", ")
    }

    static func complex(_ selector: ComplexSelector) -> String {
        var text = compound(selector.first)
        for step in selector.rest {
            text += symbol(step.combinator, between: " ")
            text += compound(step.compound)
        }
        return text
    }

    private static func symbol(_ combinator: Combinator, between space: String) -> String {
        switch combinator {
        case .descendant: space
        case .child: "\(space)> "
        case .nextSibling: "\(space)+ "
        case .laterSibling: "\(space)~ "
        }
    }

    static func compound(_ compound: CompoundSelector) -> String {
        let conditions = compound.conditions.map(condition).joined()
        switch compound.type {
        case .any: return conditions.isEmpty ? "*" : conditions
        case .anyWindow: return "window" + conditions
        // The word means every kind of window.
        case .role(.window): return "role-\(Role.window.rawValue)" + conditions
        case .role(let role): return role.name + conditions
        }
    }

    private static func condition(_ condition: Condition) -> String {
        switch condition {
        case .attribute(let test): attribute(test)
        case .state(let state): ":\(state.name)"
        case .hidden: ":hidden"
        case .accessibilityFocused: ":accessibility-focused"
        case .ownApplication: ":self"
        case .position(let positions): position(positions)
        case .lastChild: ":last-child"
        case .not(let list): ":not(\(self.list(list)))"
        case .either(let list): ":is(\(self.list(list)))"
        case .has(let list):
            ":has(\(list.map { symbol($0.combinator, between: "") + complex($0.selector) }.joined(separator: ", ")))"
        }
    }

    private static func attribute(_ test: AttributeTest) -> String {
        if test.subject == .id, test.comparison == .equals, !test.ignoresCase, isWord(test.value) {
            return "#" + test.value
        }
        let name = word(test.subject.name)
        let sign =
            switch test.comparison {
            case .isPresent: ""
            case .equals: "="
            case .hasWord: "~="
            case .hasLanguage: "|="
            case .begins: "^="
            case .ends: "$="
            case .contains: "*="
            case .isExactly: "=="
            }
        if sign.isEmpty { return "[\(name)]" }
        return "[\(name)\(sign)\(quoted(test.value))\(test.ignoresCase ? " i" : "")]"
    }

    private static func position(_ positions: Positions) -> String {
        if positions == Positions(offset: 1) { return ":first-child" }
        guard positions.step != 0 else { return ":nth-child(\(positions.offset))" }
        let step =
            switch positions.step {
            case 1: "n"
            case -1: "-n"
            default: "\(positions.step)n"
            }
        let offset = positions.offset
        return ":nth-child(\(step)\(offset == 0 ? "" : offset < 0 ? "\(offset)" : "+\(offset)"))"
    }

    // MARK: - Words and strings

    private static func isWord(_ text: String) -> Bool {
        !text.isEmpty && text.unicodeScalars.allSatisfy { isWordPart($0) }
    }

    private static func isWordPart(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "-": true
        default: false
        }
    }

    /// A name with everything escaped that could end it.
    private static func word(_ text: String) -> String {
        var word = ""
        for (index, scalar) in text.unicodeScalars.enumerated() {
            let isStart = index == 0 || (index == 1 && word == "-")
            let isDigit = ("0"..."9").contains(scalar)
            if isWordPart(scalar), !(isStart && isDigit), !(scalar == "-" && index == 0 && text == "-") {
                word.unicodeScalars.append(scalar)
            } else {
                word += escaped(scalar)
            }
        }
        return word
    }

    /// In double quotes, with escapes for what would end it, break the line or not be seen.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            default:
                if isInvisible(scalar) {
                    quoted += escaped(scalar)
                } else {
                    quoted.unicodeScalars.append(scalar)
                }
            }
        }
        return quoted + "\""
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String { "\\\(String(scalar.value, radix: 16)) " }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .format, .surrogate, .privateUse, .unassigned: true
        case .spaceSeparator: scalar != " "
        default: false
        }
    }
}
