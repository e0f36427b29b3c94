import AccessibilityTree

/// Asks alternatives of selectors of the nodes of one focus path, one after another. Says what ``Matching`` says of a tree.
///
/// Nothing is tried twice: steps are found greedily, each as near as can be to the one inside it, which leaves the most
/// room to those outside. Only answers of nested selectors are remembered.
struct PathMatching {
    private let nodes: [Node]
    private let application: ApplicationNode
    private let applicationName: String
    /// After ``PlainText/normal(_:)``; empty where no selector looks at names.
    let names: [String]
    /// Whether an assistive technology is on a node; empty where no selector asks.
    private let focused: [Bool]

    private var ownPID = 0
    private let limits: SelectorIndexLimits
    /// Work that the alternative may still do before it must borrow.
    private var allowance = 0
    /// What it was given at first.
    private var granted = 0
    private var borrowed = 0
    private var shared: Int
    private var left: Int
    /// The alternative took too much work: its answer is worth nothing.
    private(set) var isExhausted = false
    private var remembered: [Int: Bool] = [:]

    init(
        _ path: FocusPath, _ sensitivity: PathSensitivity, _ limits: SelectorIndexLimits,
        focused: (ObjectReference) -> Bool
    ) {
        nodes = path.nodes
        application = path.application
        applicationName = path.reachesTop ? path.nodes[path.nodes.count - 1].name : path.application.name
        // By index, so that no node is copied with all that it holds.
        let asked = path.nodes.indices
        names = sensitivity.facts.contains(.names) ? asked.map { PlainText.normal(path.nodes[$0].name) } : []
        self.focused = sensitivity.facts.contains(.focus) ? asked.map { focused(path.nodes[$0].reference) } : []
        self.limits = limits
        shared = limits.sharedWork
        left = limits.allWork
    }

    // MARK: - Work

    private mutating func begin(_ rule: PathRule) {
        ownPID = rule.ownPID
        left -= granted - max(0, allowance)
        granted = min(limits.ownWork, left)
        allowance = granted
        borrowed = 0
        isExhausted = false
        if !remembered.isEmpty { remembered.removeAll(keepingCapacity: true) }
    }

    private mutating func spend(_ work: Int = 1) -> Bool {
        allowance -= work
        return allowance >= 0 || borrow()
    }

    private mutating func borrow() -> Bool {
        let wanted = -allowance
        guard !isExhausted, wanted <= min(shared, left - granted), borrowed + wanted <= limits.borrowedWork else {
            isExhausted = true
            return false
        }
        shared -= wanted
        left -= wanted
        borrowed += wanted
        allowance = 0
        return true
    }

    // MARK: - Steps

    /// The innermost node that an alternative means, from a depth on.
    mutating func innermost(_ rule: PathRule, from first: Int) -> Int? {
        begin(rule)
        let complex = rule.complex
        let subject = complex.compounds[complex.subject]
        for depth in first..<nodes.count {
            guard spend() else { return nil }
            // Most end here.
            guard isOfKind(subject, depth), let rest = chain(complex, complex.subject, depth) else { continue }
            // Where the rest is not found from here on, it is not found from further out.
            return isFound(complex, rest) && !isExhausted ? depth : nil
        }
        return nil
    }

    private mutating func isMatch(_ complex: CompiledComplex, _ depth: Int) -> Bool {
        guard let rest = chain(complex, complex.subject, depth) else { return false }
        return isFound(complex, rest)
    }

    private struct Rest {
        /// The last of the steps that must still be found; −1 where none is left.
        var step: Int
        /// Where it may be found, or further out.
        var depth: Int
    }

    /// The steps from one to the left as far as `>` joins them, of nodes that follow one another.
    private mutating func chain(_ complex: CompiledComplex, _ step: Int, _ depth: Int) -> Rest? {
        var rest = Rest(step: step, depth: depth)
        repeat {
            guard rest.depth < nodes.count, holds(complex.compounds[rest.step], rest.depth) else { return nil }
            rest.step -= 1
            rest.depth += 1
        } while rest.step >= 0 && complex.combinators[rest.step] == .child
        return rest
    }

    private mutating func isFound(_ complex: CompiledComplex, _ first: Rest) -> Bool {
        var rest = first
        while rest.step >= 0 {
            guard rest.step < nodes.count - rest.depth, !isExhausted else { return false }
            if let next = chain(complex, rest.step, rest.depth) {
                rest = next
            } else {
                rest.depth += 1
            }
        }
        return true
    }

    // MARK: - One step

    private mutating func holds(_ compound: CompiledCompound, _ depth: Int) -> Bool {
        guard spend(), isOfKind(compound, depth) else { return false }
        for test in compound.tests.cheap where !holds(test, depth) { return false }
        for test in compound.tests.facts where !holds(test, depth) { return false }
        for test in compound.tests.nested where !holds(test, depth) { return false }
        for test in compound.tests.nestedWithFacts where !holds(test, depth) { return false }
        return true
    }

    private func isOfKind(_ compound: CompiledCompound, _ depth: Int) -> Bool {
        let states = compound.states.bits
        guard nodes[depth].states.bits & states == states else { return false }
        switch compound.type {
        case .any: return true
        case .anyWindow: return nodes[depth].role.isWindow
        case .role(let role):
            return nodes[depth].role == role && (role != .application || depth == nodes.count - 1)
        }
    }

    private mutating func holds(_ test: CheapTest, _ depth: Int) -> Bool {
        switch test {
        case .name(let comparison):
            let name = nodes[depth].name
            return spend(comparison.work(name)) && comparison.holds(name, plain: names[depth])
        case .description(let comparison): return compare(comparison, nodes[depth].description)
        case .role(let comparison): return spend(4) && comparison.holds(nodes[depth].role)
        case .application(let comparison): return compare(comparison, applicationName)
        case .pid(let comparison): return spend() && comparison.holds(String(application.pid))
        case .toolkit(let comparison): return compare(comparison, application.toolkit)
        case .accessibilityFocused: return focused[depth]
        case .ownApplication: return application.pid == ownPID
        }
    }

    private mutating func holds(_ test: FactTest, _ depth: Int) -> Bool {
        switch test {
        case .id(let comparison): return compare(comparison, nodes[depth].id)
        case .attribute:
            assertionFailure("no path holds object attributes")
            return false
        }
    }

    private mutating func compare(_ comparison: TextComparison, _ text: String) -> Bool {
        spend(comparison.work(text)) && comparison.holds(text)
    }

    private mutating func holds(_ test: NestedTest, _ depth: Int) -> Bool {
        switch test.kind {
        case .not(let list): return !isEither(list, test, depth)
        case .either(let list): return isEither(list, test, depth)
        case .has:
            assertionFailure("no path holds what is around it")
            return false
        }
    }

    private mutating func isEither(_ list: [CompiledComplex], _ test: NestedTest, _ depth: Int) -> Bool {
        // One step is asked of one node once. Several go up, and would be asked from every node that comes by.
        guard list.contains(where: { $0.subject > 0 }) else {
            for complex in list where isMatch(complex, depth) { return true }
            return false
        }
        let key = test.answers * nodes.count + depth
        guard spend(2) else { return false }
        if let known = remembered[key] { return known }
        var isEither = false
        for complex in list where isMatch(complex, depth) {
            isEither = true
            break
        }
        remembered[key] = isEither
        return isEither
    }
}
