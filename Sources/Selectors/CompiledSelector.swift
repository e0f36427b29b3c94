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
        defer { tableCount += 2 * compounds.count }
        return CompiledComplex(compounds: compounds, combinators: selector.combinators, firstTable: tableCount)
    }

    private mutating func compound(_ selector: CompoundSelector) -> CompiledCompound {
        var tests = CompoundTests()
        for condition in selector.conditions { add(condition, to: &tests) }
        tests.cheap.sort { $0.cost < $1.cost }
        return CompiledCompound(selector.type, tests)
    }

    private mutating func add(_ condition: Condition, to tests: inout CompoundTests) {
        switch condition {
        case .attribute(let test): add(test, to: &tests)
        case .state(let state): tests.states.insert(state)
        case .hidden: tests.structural.append(.hidden)
        case .accessibilityFocused:
            tests.cheap.append(.accessibilityFocused)
            tests.isAccessibilityFocused = true
        case .ownApplication: tests.cheap.append(.ownApplication)
        case .position(let positions): tests.structural.append(.position(positions))
        case .lastChild: tests.structural.append(.lastChild)
        case .not(let list): nest(.not(ordered(list.map { complex($0) })), in: &tests)
        case .either(let list): nest(.either(ordered(list.map { complex($0) })), in: &tests)
        case .has(let list):
            let relatives = list.map { CompiledRelative(combinator: $0.combinator, complex: complex($0.selector)) }
            nest(
                .has(relatives.filter { !$0.complex.needsFacts } + relatives.filter(\.complex.needsFacts)),
                in: &tests)
        }
    }

    private mutating func nest(_ kind: NestedTest.Kind, in tests: inout CompoundTests) {
        let test = NestedTest(kind: kind, answers: table())
        if test.needsFacts { tests.nestedWithFacts.append(test) } else { tests.nested.append(test) }
    }

    private func add(_ test: AttributeTest, to tests: inout CompoundTests) {
        switch test.subject {
        case .name: tests.cheap.append(.name(TextComparison(test)))
        case .description: tests.cheap.append(.description(TextComparison(test)))
        case .role: tests.cheap.append(.role(RoleComparison(test)))
        case .application: tests.cheap.append(.application(TextComparison(test)))
        case .pid: tests.cheap.append(.pid(TextComparison(test, normalises: false)))
        case .toolkit: tests.cheap.append(.toolkit(TextComparison(test)))
        case .id: tests.facts.append(.id(TextComparison(test, normalises: false)))
        case .object(let name): tests.facts.append(.attribute(name, test.comparison, TextComparison(test)))
        case .text: tests.texts.append(TextComparison(test))
        }
        switch (test.subject, test.comparison, test.ignoresCase) {
        case (.id, .equals, false), (.id, .isExactly, _):
            if !test.value.isEmpty { tests.wantedID = test.value }
        case (.name, .equals, false), (.name, .isExactly, _):
            // Elements without a name are in no index.
            let normal = PlainText.normal(test.value)
            if !normal.isEmpty { tests.wantedName = normal }
        case (.role, .equals, _): tests.wantedRole = RoleNames.role(test.value)
        default: break
        }
    }

    /// Those that need nothing fetched first: where one of them matches, nothing is fetched.
    private func ordered(_ list: [CompiledComplex]) -> [CompiledComplex] {
        list.filter { !$0.needsFacts } + list.filter(\.needsFacts)
    }
}

/// A class, as are its compounds, so that passing it on costs nothing.
final class CompiledComplex: Sendable {
    let compounds: [CompiledCompound]
    let combinators: [Combinator]
    /// The first of its tables: two for each compound.
    private let firstTable: Int
    let needsFacts: Bool
    let subject: Int

    init(compounds: [CompiledCompound], combinators: [Combinator], firstTable: Int) {
        self.compounds = compounds
        self.combinators = combinators
        self.firstTable = firstTable
        needsFacts = compounds.contains { $0.needsFacts }
        subject = compounds.count - 1
    }

    /// The table of whether an element is a compound, with all that stands on the far side of it.
    func answers(_ step: Int) -> Int { firstTable + step }

    /// The table of whether a compound is found from an element on: above it, below it, beside it.
    func beyond(_ step: Int) -> Int { firstTable + compounds.count + step }
}

struct CompiledRelative: Sendable {
    var combinator: Combinator
    var complex: CompiledComplex
}

final class CompiledCompound: Sendable {
    let type: TypeTest
    let states: StateSet
    let tests: CompoundTests
    let needsFacts: Bool
    let hasStructural: Bool
    let hasNested: Bool

    init(_ type: TypeTest, _ tests: CompoundTests) {
        self.type = type
        self.tests = tests
        states = tests.states
        needsFacts = !tests.facts.isEmpty || !tests.texts.isEmpty || !tests.nestedWithFacts.isEmpty
        hasStructural = !tests.structural.isEmpty
        hasNested = !tests.nested.isEmpty
    }
}

/// What an element must be beside its kind, by what it costs to look.
struct CompoundTests: Sendable {
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
    var isAccessibilityFocused = false
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
