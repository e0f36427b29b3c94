import AccessibilityTree

/// A selector ready to be matched against many trees.
package struct SelectorMatcher: Sendable {
    package typealias Slot = ApplicationTree.Slot

    let compiled: CompiledSelector

    /// More matches than these are put in order by walking the tree.
    private static let maximumSorted = 256

    package init(_ selector: Selector) {
        compiled = CompiledSelector(selector)
    }

    /// Whether one element matches.
    package func answer(_ slot: Slot, in tree: ApplicationTree, _ context: MatchContext) -> Answer {
        guard tree.contains(slot), tree.isInTree(slot) else { return .no }
        return Matching(compiled, tree, context).answer(compiled.alternatives, slot)
    }

    /// The elements of a tree that match, in its order. All are counted; no more than `limit` are returned.
    package func matches(in tree: ApplicationTree, _ context: MatchContext, limit: Int = .max) -> MatchResult {
        let run = Matching(compiled, tree, context)
        var result = MatchResult()
        if let candidates = candidates(in: tree, context) {
            for slot in candidates {
                guard run.spend() else { break }
                let answer = run.answer(compiled.alternatives, slot)
                if answer == .no || !tree.isInTree(slot) { continue }
                if answer == .yes { result.matches.append(slot) } else { result.undecided.append(slot) }
            }
            result.matches = SelectorMatcher.inOrder(result.matches, tree)
        } else {
            TreeWalk.walk(tree) { slot in
                switch run.answer(compiled.alternatives, slot) {
                case .yes: result.matches.append(slot)
                case .unknown: result.undecided.append(slot)
                case .no: break
                }
                return run.spend()
            }
        }
        result.total = result.matches.count
        if result.total > limit { result.matches.removeLast(result.total - max(0, limit)) }
        result.needs = run.needs
        result.isBudgetExceeded = run.isExhausted
        return result
    }

    /// Whether an element matches and no other does, nor may. `budget` is what may be spent on it, and what is left then.
    ///
    /// Ends at the first other one: who wants to know whether a name is the only one must not look at all that have it.
    func isOnlyMatch(_ slot: Slot, in tree: ApplicationTree, _ context: MatchContext, budget: inout Int) -> Bool {
        var context = context
        context.budget = budget
        let run = Matching(compiled, tree, context)
        defer { budget = max(0, run.budget) }
        var isFound = false
        var isOnly = true
        func goesOn(_ candidate: Slot) -> Bool {
            let answer = run.answer(compiled.alternatives, candidate)
            if answer == .yes, candidate == slot {
                isFound = true
            } else if answer != .no, tree.isInTree(candidate) {
                isOnly = false
            }
            return isOnly && run.spend()
        }
        if let candidates = candidates(in: tree, context) {
            // They were all put together, however few of them are looked at.
            guard run.spend(candidates.count / 8) else { return false }
            for candidate in candidates {
                guard goesOn(candidate) else { break }
            }
        } else {
            TreeWalk.walk(tree, goesOn)
        }
        return isFound && isOnly && !run.isExhausted
    }

    /// Elements in the order of the tree.
    package static func inOrder(_ slots: [Slot], _ tree: ApplicationTree) -> [Slot] {
        guard slots.count > 1 else { return slots }
        guard slots.count <= maximumSorted else {
            var isWanted = [Bool](repeating: false, count: tree.entries.count)
            for slot in slots { isWanted[Int(slot.number)] = true }
            var ordered: [Slot] = []
            ordered.reserveCapacity(slots.count)
            TreeWalk.walk(tree) { slot in
                if isWanted[Int(slot.number)] { ordered.append(slot) }
                return ordered.count < slots.count
            }
            return ordered
        }
        let keyed = slots.map { (slot: $0, places: TreeWalk.places(of: $0, in: tree)) }
        return keyed.sorted { $0.places.lexicographicallyPrecedes($1.places) }.map(\.slot)
    }

    // MARK: - Candidates

    /// All that can match, by an index for each alternative; nil where one has none.
    private func candidates(in tree: ApplicationTree, _ context: MatchContext) -> [Slot]? {
        var all: [Slot] = []
        for alternative in compiled.alternatives {
            guard let some = candidates(alternative.compounds[alternative.subject], tree, context) else { return nil }
            all += some
        }
        guard compiled.alternatives.count > 1 else { return all }
        var seen: Set<Slot> = []
        return all.filter { seen.insert($0).inserted }
    }

    private func candidates(
        _ compound: CompiledCompound, _ tree: ApplicationTree, _ context: MatchContext
    ) -> [Slot]? {
        if compound.type == .role(.application) { return tree.roots }
        if let id = compound.tests.wantedID, tree.unaskedIDCount == 0 { return tree.slots(withID: id) }
        if compound.tests.isAccessibilityFocused { return context.focused.filter { tree.contains($0) } }
        if let name = compound.tests.wantedName { return tree.slots(named: name) }
        if let role = compound.tests.wantedRole { return tree.slots(withRole: role) }
        switch compound.type {
        case .any: return nil
        case .role(let role): return tree.slots(withRole: role)
        case .anyWindow: return Role.windows.flatMap { tree.slots(withRole: $0) }
        }
    }
}

extension Role {
    fileprivate static let windows = (UInt32(0)..<256).map(Role.init(rawValue:)).filter(\.isWindow)
}

extension Selector {
    /// The elements of a tree that match, in its order. All are counted; no more than `limit` are returned.
    package func matches(in tree: ApplicationTree, _ context: MatchContext, limit: Int = .max) -> MatchResult {
        SelectorMatcher(self).matches(in: tree, context, limit: limit)
    }
}

/// Walks trees without calling itself.
enum TreeWalk {
    typealias Slot = ApplicationTree.Slot

    /// Each element, before what is below it; until `body` returns false. What a node does not list comes last.
    static func walk(_ tree: ApplicationTree, from start: Slot? = nil, _ body: (Slot) -> Bool) {
        let entries = tree.entries
        var waiting = start.map { [$0] } ?? tree.roots.reversed()
        while let slot = waiting.popLast() {
            guard body(slot) else { return }
            if tree.hasUnlisted { waiting += tree.unlistedChildren(of: slot).reversed() }
            for child in entries[Int(slot.number)].children.reversed()
            where entries[Int(child.number)].parent == slot.number {
                waiting.append(child)
            }
        }
    }

    /// Where an element stands below its root, which sorts as a walk comes by.
    static func places(of slot: Slot, in tree: ApplicationTree) -> [Int] {
        var places: [Int] = []
        var current = slot
        while let parent = tree.parent(of: current) {
            if let place = tree.position(of: current) {
                places.append(place)
            } else {
                let after = tree.unlistedChildren(of: parent).firstIndex(of: current) ?? 0
                places.append(tree.children(of: parent).count + after)
            }
            current = parent
        }
        places.append(tree.roots.firstIndex(of: current) ?? 0)
        return places.reversed()
    }
}
