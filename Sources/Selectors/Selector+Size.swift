extension Selector {
    /// How many steps and conditions it has, those in parentheses included: what it takes in memory grows with them.
    package var partCount: Int { alternatives.reduce(0) { $0 + $1.partCount } }
}

extension ComplexSelector {
    fileprivate var partCount: Int {
        rest.reduce(first.partCount) { $0 + $1.compound.partCount }
    }
}

extension CompoundSelector {
    fileprivate var partCount: Int { conditions.reduce(1) { $0 + $1.partCount } }
}

extension Condition {
    fileprivate var partCount: Int {
        switch self {
        case .attribute, .state, .hidden, .accessibilityFocused, .ownApplication, .position, .lastChild: 1
        case .not(let list), .either(let list): list.reduce(1) { $0 + $1.partCount }
        case .has(let list): list.reduce(1) { $0 + $1.selector.partCount }
        }
    }
}
