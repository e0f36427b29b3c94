import AccessibilityTree

/// A selector prepared for matching: values normalised, cheap tests first, a table number for all that is remembered.
struct CompiledSelector: Sendable {
    var alternatives: [CompiledComplex] = []
    /// How many tables of answers a run of matching needs.
    var tableCount = 0

    /// The tables that every run has.
    static let visibilityTable = 0
    static let secrecyTable = 1

    init(_ selector: Selector) {
        tableCount = 2
        alternatives = ordered(selector.alternatives.map { complex($0) })
    }

    // MARK: - Compiling

    private mutating func table() -> Int {
        tableCount += 1
        return tableCount - 1
    }

    private mutating func complex(_ selector: ComplexSelector) -> CompiledComplex {
        let compounds = selector.compounds.map { compound($0) }
        return CompiledComplex(
            compounds: compounds, combinators: selector.combinators,
            answers: compounds.map { _ in table() }, beyond: compounds.map { _ in table() },
            needsFacts: compounds.contains { $0.needsFacts })
    }

    private mutating func compound(_ selector: CompoundSelector) -> CompiledCompound {
        var compound = CompiledCompound(type: selector.type)
        for condition in selector.conditions { add(condition, to: &compound) }
        compound.cheap.sort { $0.cost < $1.cost }
        return compound
    }

    private mutating func add(_ condition: Condition, to compound: inout CompiledCompound) {
        switch condition {
        case .attribute(let test): add(test, to: &compound)
        case .state(let state): compound.states.insert(state)
        case .hidden: compound.structural.append(.hidden)
        case .accessibilityFocused: compound.cheap.append(.accessibilityFocused)
        case .ownApplication: compound.cheap.append(.ownApplication)
        case .position(let positions): compound.structural.append(.position(positions))
        case .lastChild: compound.structural.append(.lastChild)
        case .not(let list): nest(.not(ordered(list.map { complex($0) })), in: &compound)
        case .either(let list): nest(.either(ordered(list.map { complex($0) })), in: &compound)
        case .has(let list):
            let relatives = list.map { CompiledRelative(combinator: $0.combinator, complex: complex($0.selector)) }
            nest(
                .has(relatives.filter { !$0.complex.needsFacts } + relatives.filter(\.complex.needsFacts)),
                in: &compound)
        }
    }

    private mutating func nest(_ kind: NestedTest.Kind, in compound: inout CompiledCompound) {
        let test = NestedTest(kind: kind, answers: table())
        if test.needsFacts { compound.nestedWithFacts.append(test) } else { compound.nested.append(test) }
    }

    private func add(_ test: AttributeTest, to compound: inout CompiledCompound) {
        switch test.subject {
        case .name: compound.cheap.append(.name(TextComparison(test)))
        case .description: compound.cheap.append(.description(TextComparison(test)))
        case .role: compound.cheap.append(.role(RoleComparison(test)))
        case .application: compound.cheap.append(.application(TextComparison(test)))
        case .pid: compound.cheap.append(.pid(TextComparison(test, normalises: false)))
        case .toolkit: compound.cheap.append(.toolkit(TextComparison(test)))
        case .id: compound.facts.append(.id(TextComparison(test, normalises: false)))
        case .object(let name): compound.facts.append(.attribute(name, test.comparison, TextComparison(test)))
        case .text: compound.texts.append(TextComparison(test))
        }
        switch (test.subject, test.comparison, test.ignoresCase) {
        case (.id, .equals, false), (.id, .isExactly, _):
            if !test.value.isEmpty { compound.wantedID = test.value }
        case (.name, .equals, false), (.name, .isExactly, _):
            // Elements without a name are in no index.
            let normal = PlainText.normal(test.value)
            if !normal.isEmpty { compound.wantedName = normal }
        case (.role, .equals, _): compound.wantedRole = RoleNames.role(test.value)
        default: break
        }
    }

    /// Those that need nothing fetched first: where one of them matches, nothing is fetched.
    private func ordered(_ list: [CompiledComplex]) -> [CompiledComplex] {
        list.filter { !$0.needsFacts } + list.filter(\.needsFacts)
    }
}

struct CompiledComplex: Sendable {
    var compounds: [CompiledCompound]
    var combinators: [Combinator]
    /// For each compound the table of whether an element is it, with all that stands on the far side of it.
    var answers: [Int]
    /// For each compound the table of whether one is found from an element on: above it, below it, beside it.
    var beyond: [Int]
    var needsFacts: Bool

    var subject: Int { compounds.count - 1 }
}

struct CompiledRelative: Sendable {
    var combinator: Combinator
    var complex: CompiledComplex
}

struct CompiledCompound: Sendable {
    var type: TypeTest
    var states = StateSet()
    /// Looks at the element alone, at what is in memory.
    var cheap: [CheapTest] = []
    /// Looks at the elements around it.
    var structural: [StructuralTest] = []
    var nested: [NestedTest] = []
    var nestedWithFacts: [NestedTest] = []
    /// What may have to be fetched.
    var facts: [FactTest] = []
    var texts: [TextComparison] = []
    /// What an index finds it by.
    var wantedID: String?
    var wantedName: String?
    var wantedRole: Role?

    var needsFacts: Bool { !facts.isEmpty || !texts.isEmpty || !nestedWithFacts.isEmpty }
}

enum CheapTest: Sendable {
    case name(TextComparison)
    case description(TextComparison)
    case role(RoleComparison)
    case application(TextComparison)
    case pid(TextComparison)
    case toolkit(TextComparison)
    case accessibilityFocused
    case ownApplication

    var cost: Int {
        switch self {
        case .accessibilityFocused, .ownApplication: 0
        case .role, .pid, .toolkit: 1
        case .application: 2
        case .name, .description: 3
        }
    }
}

enum StructuralTest: Sendable {
    case position(Positions)
    case lastChild
    case hidden
}

enum FactTest: Sendable {
    case id(TextComparison)
    case attribute(String, AttributeTest.Comparison, TextComparison)
}

struct NestedTest: Sendable {
    enum Kind: Sendable {
        case not([CompiledComplex])
        case either([CompiledComplex])
        case has([CompiledRelative])
    }

    var kind: Kind
    /// The table of its answers.
    var answers: Int

    var needsFacts: Bool {
        switch kind {
        case .not(let list), .either(let list): list.contains(where: \.needsFacts)
        case .has(let list): list.contains(where: \.complex.needsFacts)
        }
    }
}

/// A comparison with what a role is called.
struct RoleComparison: Sendable {
    private let role: Role?
    private let text: TextComparison

    init(_ test: AttributeTest) {
        role = test.comparison == .equals ? RoleNames.role(test.value) : nil
        text = TextComparison(test)
    }

    /// With `=` any spelling of the role counts; else its stable name, written with `-` or with spaces.
    func holds(_ role: Role) -> Bool {
        if let wanted = self.role { return role == wanted }
        if text.holds(role.name) { return true }
        return role.name.utf8.contains(UInt8(ascii: "-"))
            && text.holds(String(role.name.map { $0 == "-" ? " " : $0 }))
    }
}
