import AccessibilityTree
import FocusRegistry

/// Clients that bound values and hear each change of them, and a table for what selectors match.
final class StatesUnderTest {
    struct Bound {
        let id: FocusStateID
        let prototypes: [StatePrototype]
        let view: FocusView
        /// What its client was told last.
        var told: StateValue
    }

    /// In the order in which they were bound.
    private(set) var bound: [Bound] = []
    /// The nodes that each selector matches.
    private(set) var table: [SelectorKey: Set<ObjectReference>] = [:]
    private var keysInUse: Set<SelectorKey> = []

    /// Says which elements a selector matches; without a rematch nobody asks.
    func select(_ key: Int32, _ numbers: Int..., on busName: String = Places.editor) {
        table[SelectorKey(rawValue: key)] = Set(numbers.map { Places.reference($0, on: busName) })
    }

    func toggle(_ key: Int32, _ element: ObjectReference) {
        table[SelectorKey(rawValue: key), default: []].formSymmetricDifference([element])
    }

    func matches(_ key: SelectorKey, _ element: ObjectReference) -> Bool { table[key]?.contains(element) ?? false }

    /// What the service does with every place before it hands it in.
    func matched(_ placement: Placement) -> Placement {
        var found: [(key: SelectorKey, depth: Int)] = []
        for (depth, element) in placement.lineage.enumerated() {
            for key in keysInUse where matches(key, element) { found.append((key, depth)) }
        }
        var placement = placement
        placement.matches = SelectorMatches(found)
        return placement
    }

    // MARK: - Lifetime

    /// Whether one of them is new.
    func use(_ keys: [SelectorKey]) -> Bool {
        let isNew = !keysInUse.isSuperset(of: keys)
        keysInUse.formUnion(keys)
        return isNew
    }

    func bound(_ id: FocusStateID, _ prototypes: [StatePrototype], _ view: FocusView, _ value: StateValue) {
        unbound(id)
        bound.append(Bound(id: id, prototypes: prototypes, view: view, told: value))
    }

    func unbound(_ id: FocusStateID) { bound.removeAll { $0.id == id } }

    // MARK: - What must hold

    /// From scratch, without what the registry keeps: the innermost node that a prototype matches.
    func naiveValue(_ state: Bound, at position: Position?) -> StateValue {
        var value = StateValue()
        guard let position else { return value }
        for element in position.placement.lineage {
            guard let index = state.prototypes.firstIndex(where: { matches($0.selector, element) }) else { continue }
            value.prototype = index
            value.value = state.prototypes[index].value
            value.element = element
            value.isAssumed = position.isAssumed
            return value
        }
        return value
    }

    func isOutside(_ placement: Placement, of state: Bound) -> Bool {
        !placement.lineage.contains { element in state.prototypes.contains { matches($0.selector, element) } }
    }

    func hear(_ changes: [StateChange]) -> [String] {
        var violations: [String] = []
        var orders: [(isEnter: Int, order: Int)] = []
        for change in changes {
            let id = change.state.rawValue
            guard let index = bound.firstIndex(where: { $0.id == change.state }) else {
                violations.append("a change of \(id), which nobody bound")
                continue
            }
            orders.append((change.current.value == nil ? 0 : 1, index))
            if change.current.shows(change.previous) { violations.append("\(id) is told of nothing") }
            if !change.previous.shows(bound[index].told) {
                violations.append("\(id): previous is \(change.previous), told was \(bound[index].told)")
            }
            let isSamePlace =
                change.current.value == change.previous.value && change.current.element == change.previous.element
            if isSamePlace != (change.cause == .updated) { violations.append("\(id): cause \(change.cause)") }
            bound[index].told = change.current
        }
        if Set(changes.map(\.state)).count != changes.count { violations.append("a state is told twice") }
        if !zip(orders, orders.dropFirst()).allSatisfy({ $0 < $1 }) {
            violations.append("not leaves first, then as they were bound: \(changes.map(\.state.rawValue))")
        }
        return violations
    }

    /// Whoever heard every change knows the present, and the present is where the focus is.
    func compare(with registry: FocusRegistry) -> [String] {
        var violations: [String] = []
        if registry.stateCount != bound.count { violations.append("\(registry.stateCount) states are bound") }
        for state in bound {
            let id = state.id.rawValue
            guard let value = registry.value(of: state.id) else {
                violations.append("\(id) has no value")
                continue
            }
            if !value.shows(state.told) { violations.append("\(id) was told \(state.told), is \(value)") }
            let naive = naiveValue(state, at: registry.current(state.view)?.position)
            if value != naive { violations.append("\(id) is \(value), should be \(naive)") }
        }
        return violations
    }
}
