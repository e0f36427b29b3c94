import FocusProtocol
import Selectors

/// What binds make focusd hold; each client process has a share.
struct BindCost: Hashable {
    private(set) var binds = 0
    private var prototypes = 0
    private var selectorBytes = 0
    /// Selectors that a path does not decide: the trees of applications are kept for them.
    private var treeSelectors = 0

    init() {}

    init(_ wanted: WantedState, _ selectors: [Selector]) {
        binds = 1
        prototypes = selectors.count
        selectorBytes = wanted.prototypes.reduce(0) { $0 + $1.selector.utf8.count + $1.value.utf8.count }
        treeSelectors = selectors.count { !$0.isDecidedByPath }
    }

    static func + (one: BindCost, other: BindCost) -> BindCost {
        var sum = one
        sum.binds += other.binds
        sum.prototypes += other.prototypes
        sum.selectorBytes += other.selectorBytes
        sum.treeSelectors += other.treeSelectors
        return sum
    }

    static func - (one: BindCost, other: BindCost) -> BindCost {
        var rest = one
        rest.binds -= other.binds
        rest.prototypes -= other.prototypes
        rest.selectorBytes -= other.selectorBytes
        rest.treeSelectors -= other.treeSelectors
        return rest
    }

    /// The name of a limit that these pass; nil where they pass none.
    func exceeded(_ limits: ServiceLimits) -> String? {
        if binds > limits.maximumStatesPerProcess { return "maximumStatesPerProcess" }
        if prototypes > limits.maximumPrototypesPerProcess { return "maximumPrototypesPerProcess" }
        if selectorBytes > limits.maximumSelectorBytesPerProcess { return "maximumSelectorBytesPerProcess" }
        if treeSelectors > limits.maximumTreeSelectorsPerProcess { return "maximumTreeSelectorsPerProcess" }
        return nil
    }
}
