import AccessibilityTree

extension Selector {
    /// Whether the way up from an element decides whether it matches: nothing beside or below it must be looked at.
    ///
    /// Not so with `:has()`, siblings, places among siblings and `:hidden`, nor with texts and object attributes, which
    /// no ``FocusPath`` holds.
    package var isDecidedByPath: Bool { alternatives.allSatisfy(\.isDecidedByPath) }
}

extension ComplexSelector {
    fileprivate var isDecidedByPath: Bool {
        first.isDecidedByPath
            && rest.allSatisfy { step in
                switch step.combinator {
                case .descendant, .child: step.compound.isDecidedByPath
                case .nextSibling, .laterSibling: false
                }
            }
    }
}

extension CompoundSelector {
    fileprivate var isDecidedByPath: Bool { conditions.allSatisfy(\.isDecidedByPath) }
}

extension Condition {
    fileprivate var isDecidedByPath: Bool {
        switch self {
        case .state, .accessibilityFocused, .ownApplication: true
        case .hidden, .position, .lastChild, .has: false
        case .not(let list), .either(let list): list.allSatisfy(\.isDecidedByPath)
        case .attribute(let test):
            switch test.subject {
            case .name, .description, .id, .role, .application, .pid, .toolkit: true
            case .text, .object: false
            }
        }
    }
}
