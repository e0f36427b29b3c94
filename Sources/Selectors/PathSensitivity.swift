import AccessibilityTree

/// What selectors look at in a focus path: a change of anything else changes no match.
package struct PathSensitivity: Hashable, Sendable {
    package struct Facts: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let names = Facts(rawValue: 1)
        package static let descriptions = Facts(rawValue: 2)
        package static let ids = Facts(rawValue: 4)
        package static let roles = Facts(rawValue: 8)
        /// Where assistive technologies are, for `:accessibility-focused`.
        package static let focus = Facts(rawValue: 16)
        /// The name of the application's own node, which every node of the path is asked for.
        package static let applicationName = Facts(rawValue: 32)
    }

    package var facts: Facts = []
    /// The states that some selector names.
    package var states = StateSet()

    package init(facts: Facts = [], states: StateSet = StateSet()) {
        self.facts = facts
        self.states = states
    }

    init(_ complex: CompiledComplex) {
        visit(complex)
    }

    private mutating func visit(_ complex: CompiledComplex) {
        for compound in complex.compounds {
            if compound.type != .any { facts.insert(.roles) }
            states.bits |= compound.states.bits
            for test in compound.tests.cheap { visit(test) }
            if !compound.tests.facts.isEmpty { facts.insert(.ids) }
            for test in compound.tests.nested + compound.tests.nestedWithFacts { visit(test) }
        }
    }

    private mutating func visit(_ test: CheapTest) {
        switch test {
        case .name: facts.insert(.names)
        case .description: facts.insert(.descriptions)
        case .role: facts.insert(.roles)
        case .application: facts.insert(.applicationName)
        case .accessibilityFocused: facts.insert(.focus)
        case .pid, .toolkit, .ownApplication: break
        }
    }

    private mutating func visit(_ test: NestedTest) {
        switch test.kind {
        case .not(let list), .either(let list): for complex in list { visit(complex) }
        case .has: break
        }
    }
}

/// Counts what many selectors look at, so that it can be said after each that comes or goes.
struct SensitivityTally: Sendable {
    private(set) var all = PathSensitivity()
    private var facts: [Int32] = []
    private var states: [Int32] = []

    mutating func add(_ one: PathSensitivity) {
        if facts.isEmpty {
            facts = Array(repeating: 0, count: UInt8.bitWidth)
            states = Array(repeating: 0, count: UInt64.bitWidth)
        }
        count(one, by: 1)
    }

    mutating func remove(_ one: PathSensitivity) { count(one, by: -1) }

    private mutating func count(_ one: PathSensitivity, by step: Int32) {
        let facts = SensitivityTally.count(UInt64(one.facts.rawValue), by: step, in: &self.facts)
        all.facts = .init(rawValue: all.facts.rawValue & ~one.facts.rawValue | UInt8(truncatingIfNeeded: facts))
        let states = SensitivityTally.count(one.states.bits, by: step, in: &self.states)
        all.states.bits = all.states.bits & ~one.states.bits | states
    }

    /// Which of some bits are counted at least once then.
    private static func count(_ bits: UInt64, by step: Int32, in counts: inout [Int32]) -> UInt64 {
        var rest = bits
        var left: UInt64 = 0
        while rest != 0 {
            let bit = rest.trailingZeroBitCount
            rest &= rest - 1
            counts[bit] += step
            if counts[bit] > 0 { left |= 1 << UInt64(bit) }
        }
        return left
    }
}
