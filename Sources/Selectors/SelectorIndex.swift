import AccessibilityTree

/// How much work one search of an index may be, in looks at one node. A look takes some 30 ns, in a long text up to 1 µs.
package struct SelectorIndexLimits: Hashable, Sendable {
    /// Work that each alternative of a selector may do of its own: far more than plain ones do.
    package var ownWork = 512
    /// Work for all those together that need more.
    package var sharedWork = 200_000
    /// What one alternative may have of it, so that one does not take all.
    package var borrowedWork = 50_000
    /// All work; what is kept by an id or a name is asked first.
    package var allWork = 4_000_000
    package init() {}
}

/// Many selectors asked of one focus path at once: finds those that match a node of it, and looks at few of the others.
///
/// Each alternative is kept by the rarest thing that it demands of its element or of one around it: an id, a name, the own
/// process, a role. One that demands nothing of these is asked of every path.
package struct SelectorIndex<Key: Hashable & Sendable>: Sendable {
    package var limits: SelectorIndexLimits
    private var rules = PathRules()
    private var numbers: [Key: Int32] = [:]
    private var keys: [Key?] = []

    package init(limits: SelectorIndexLimits = SelectorIndexLimits()) {
        self.limits = limits
    }

    package var isEmpty: Bool { numbers.isEmpty }
    package var count: Int { numbers.count }

    /// How many different demands there are; 0 in an empty index.
    package var bucketCount: Int { rules.buckets.count }

    /// What the selectors look at: where nothing else of a path changes, the matches do not.
    package var sensitivity: PathSensitivity { rules.tally.all }

    /// Takes a selector, in place of one with the same key. It must be decided by a path.
    package mutating func insert(_ selector: Selector, ownPID: Int, as key: Key) {
        precondition(selector.isDecidedByPath, "an index has selectors that a path decides")
        remove(key)
        let number = rules.insert(CompiledSelector(selector).alternatives, ownPID: ownPID)
        numbers[key] = number
        if Int(number) == keys.count { keys.append(key) } else { keys[Int(number)] = key }
    }

    /// Forgets a selector, if there is one with that key.
    package mutating func remove(_ key: Key) {
        guard let number = numbers.removeValue(forKey: key) else { return }
        rules.remove(number)
        keys[Int(number)] = nil
        if numbers.isEmpty { self = SelectorIndex(limits: limits) }
    }

    /// What a search found.
    package struct Findings: Sendable {
        /// In no order; each key once.
        package var matches: [(key: Key, depth: Int)] = []
        /// Took more work than the limits allow, so that nothing is known of them.
        package var givenUp: [Key] = []
    }

    /// Every key whose selector matches a node of the path, with the depth of the innermost such node; 0 is the element.
    ///
    /// `focused` says which nodes an assistive technology is on. It is asked only where a selector looks at that.
    package func findings(in path: FocusPath, focused: (ObjectReference) -> Bool) -> Findings {
        let found = rules.findings(in: path, limits: limits, focused: focused)
        var findings = Findings()
        if found.matches.isEmpty, found.givenUp.isEmpty { return findings }
        findings.matches.reserveCapacity(found.matches.count)
        for (number, depth) in found.matches {
            if let key = keys[Int(number)] { findings.matches.append((key, depth)) }
        }
        if !found.givenUp.isEmpty { findings.givenUp = found.givenUp.compactMap { keys[Int($0)] } }
        return findings
    }

    /// Every key whose selector matches a node of the path; a selector that takes too much work matches nothing.
    package func matches(_ path: FocusPath, focused: (ObjectReference) -> Bool) -> [(key: Key, depth: Int)] {
        findings(in: path, focused: focused).matches
    }
}
