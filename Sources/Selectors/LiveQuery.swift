import AccessibilityTree

/// What a selector matches in one tree, kept true by matching again only what changes can have touched.
package struct LiveQuery: Sendable {
    package typealias Slot = ApplicationTree.Slot

    private let matcher: SelectorMatcher
    private let reach: Reach
    private var matched: Set<Slot> = []
    private var undecided: Set<Slot> = []
    /// Matching took more than the context's budget: the matches are not to be trusted until a later update says otherwise.
    package private(set) var isBudgetExceeded = false
    private var before: (application: ApplicationNode, context: MatchContext)?

    /// Nothing is matched before the first ``update(_:in:_:)``.
    package init(_ selector: Selector) {
        matcher = SelectorMatcher(selector)
        reach = Reach(selector)
    }

    /// How many match.
    package var count: Int { matched.count }

    /// Whether something must be fetched before all matches are known.
    package var isUndecided: Bool { !undecided.isEmpty }

    package func contains(_ slot: Slot) -> Bool { matched.contains(slot) }

    /// What matches, in the order of the tree, which must be the one of the last update.
    package func matches(in tree: ApplicationTree) -> [Slot] {
        SelectorMatcher.inOrder(Array(matched), tree)
    }

    /// Takes all changes of the tree since the last update. Returns what must be fetched before all is known.
    ///
    /// The first update looks at the whole tree, as does one with ``TreeChange/everything``.
    @discardableResult
    package mutating func update(
        _ changes: [TreeChange], in tree: ApplicationTree, _ context: MatchContext
    ) -> [Need] {
        defer { before = (tree.application, context) }
        guard let before, !isBudgetExceeded, before.application == tree.application,
            before.context.ownPID == context.ownPID,
            let touched = touched(changes, tree, before.context, context)
        else { return matchAll(tree, context) }
        let run = Matching(matcher.compiled, tree, context)
        for slot in touched {
            matched.remove(slot)
            undecided.remove(slot)
            guard tree.contains(slot), tree.isInTree(slot) else { continue }
            switch run.answer(matcher.compiled.alternatives, slot) {
            case .yes: matched.insert(slot)
            case .unknown: undecided.insert(slot)
            case .no: break
            }
        }
        isBudgetExceeded = run.isExhausted
        return run.needs
    }

    private mutating func matchAll(_ tree: ApplicationTree, _ context: MatchContext) -> [Need] {
        let result = matcher.matches(in: tree, context)
        matched = Set(result.matches)
        undecided = Set(result.undecided)
        isBudgetExceeded = result.isBudgetExceeded
        return result.needs
    }

    /// The elements to match again; nil where that is all of them.
    private func touched(
        _ changes: [TreeChange], _ tree: ApplicationTree, _ before: MatchContext, _ now: MatchContext
    ) -> Set<Slot>? {
        var touched = Touched(tree: tree, reach: reach)
        for change in Set(changes) {
            touched.take(change)
            if touched.isEverything { return nil }
        }
        if !reach.ofFocus.isEmpty {
            for slot in before.focused.symmetricDifference(now.focused) { touched.add(slot, reach.ofFocus) }
        }
        if !reach.ofText.isEmpty {
            for (slot, text) in now.texts where before.texts[slot] != text { touched.add(slot, reach.ofText) }
            for slot in before.texts.keys where now.texts[slot] == nil { touched.add(slot, reach.ofText) }
        }
        if touched.isEverything { return nil }
        // What could not be decided may need something that nobody has fetched since.
        return touched.slots.union(undecided)
    }
}

/// Collects the elements that changes can have touched.
private struct Touched {
    typealias Slot = ApplicationTree.Slot

    let tree: ApplicationTree
    let reach: Reach
    var slots: Set<Slot> = []
    var isEverything = false
    private var wholeTrees: Set<Slot> = []
    private var climbed: Set<Slot> = []

    init(tree: ApplicationTree, reach: Reach) {
        self.tree = tree
        self.reach = reach
    }

    mutating func take(_ change: TreeChange) {
        switch change {
        case .everything: isEverything = true
        case .removed(let slot): slots.insert(slot)
        case .inserted(let slot):
            // What was a root of its own may have been somebody's sibling.
            if tree.contains(slot), tree.isRoot(slot) { isEverything = true }
            addTree(slot)
            add(slot, reach.ofPlace)
        case .children(let slot): addChildren(slot)
        case .states(let slot, let states): add(slot, reach.region(of: states))
        case .name(let slot):
            if reach.dependsOnApplicationName, tree.contains(slot), tree.isRoot(slot) { isEverything = true }
            add(slot, reach.ofName)
        case .role(let slot): add(slot, reach.ofRole)
        case .description(let slot): add(slot, reach.ofDescription)
        case .id(let slot): add(slot, reach.ofID)
        case .attributes(let slot): add(slot, reach.ofAttributes)
        }
    }

    mutating func add(_ slot: Slot, _ region: Region) {
        guard !region.isEmpty, tree.contains(slot) else { return }
        if region.contains(.everything) { isEverything = true }
        if region.contains(.itself) { slots.insert(slot) }
        if region.contains(.descendants) {
            for child in tree.children(of: slot) + tree.unlistedChildren(of: slot)
            where tree.parent(of: child) == slot {
                addTree(child)
            }
        }
        guard let parent = tree.parent(of: slot) else { return }
        addAround(parent, region)
    }

    /// As one of a node's children was touched, which may be there no more.
    private mutating func addAround(_ parent: Slot, _ region: Region) {
        if region.contains(.siblingTrees) {
            addTree(parent)
        } else if region.contains(.siblings) {
            slots.formUnion(tree.children(of: parent))
        }
        guard region.contains(.ancestors) else { return }
        var next: Slot? = parent
        while let current = next, climbed.insert(current).inserted {
            slots.insert(current)
            next = tree.parent(of: current)
        }
    }

    private mutating func addChildren(_ parent: Slot) {
        guard tree.contains(parent) else { return }
        if reach.ofPlace.contains(.everything) { isEverything = true }
        addAround(parent, reach.ofPlace)
        // Nobody tells of what came in with a node that has not said yet what it is.
        for child in tree.children(of: parent) where tree.parent(of: child) == parent && !tree.isRead(child) {
            addTree(child)
        }
    }

    private mutating func addTree(_ top: Slot) {
        guard tree.contains(top) else { return }
        var waiting = [top]
        while let slot = waiting.popLast() {
            guard wholeTrees.insert(slot).inserted else { continue }
            slots.insert(slot)
            for child in tree.children(of: slot) + tree.unlistedChildren(of: slot)
            where tree.parent(of: child) == slot {
                waiting.append(child)
            }
        }
    }
}

extension ApplicationTree {
    /// Whether a root leads to a node.
    func isInTree(_ slot: Slot) -> Bool {
        var top = slot
        while let parent = parent(of: top) { top = parent }
        return isRoot(top)
    }
}
