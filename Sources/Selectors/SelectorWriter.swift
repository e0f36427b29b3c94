import AccessibilityTree

/// Finds the shortest selector that matches one element only, and will when its application is started anew.
///
/// Its id if that is unique; else its role and name, within ancestors that have an id or a name; else places among
/// siblings. It always begins with the application, so that no other application is looked at for it.
package struct SelectorWriter {
    package typealias Slot = ApplicationTree.Slot

    private let tree: ApplicationTree
    private let context = MatchContext()
    private let work = Work()

    /// Looks at one element before no selector is found for one; all that is tried is paid from it.
    private static let budget = 500_000

    private final class Work {
        var left = SelectorWriter.budget
    }

    /// Ancestors that are tried as the place to look in.
    private static let maximumAncestors = 8
    /// Longer names are whole texts, which change: no place is called by one.
    private static let maximumNameBytes = 256

    package init(tree: ApplicationTree) {
        self.tree = tree
    }

    /// Nil where no selector matches only it. Ids count only where they were read of all elements that could have the same.
    package func selector(for slot: Slot) -> Selector? {
        guard tree.contains(slot), tree.isRead(slot), tree.isInTree(slot) else { return nil }
        work.left = SelectorWriter.budget
        if tree.isRoot(slot) { return verified(ComplexSelector(application(of: slot)), slot) }
        return byHandles(slot) ?? byPlaces(slot)
    }

    // MARK: - Ids and names

    private func byHandles(_ slot: Slot) -> Selector? {
        let handles = handles(slot)
        for handle in handles {
            if let found = inApplication(slot, [], handle) { return found }
        }
        let around = ancestors(slot).prefix(SelectorWriter.maximumAncestors).compactMap {
            self.handles($0).last(where: isTelling)
        }
        for handle in handles {
            for ancestor in around {
                if let found = inApplication(slot, [ancestor], handle) { return found }
            }
        }
        guard let handle = handles.first else { return nil }
        for (index, inner) in around.enumerated() {
            for outer in around.dropFirst(index + 1) {
                if let found = inApplication(slot, [outer, inner], handle) { return found }
            }
        }
        return nil
    }

    /// What an element can be called by, the best first; the role alone only where it has nothing else.
    private func handles(_ slot: Slot) -> [CompoundSelector] {
        let role = TypeTest.role(tree.role(of: slot))
        var handles: [CompoundSelector] = []
        if let id = tree.id(of: slot), !id.isEmpty {
            let test = Condition.attribute(AttributeTest(.id, .equals, id))
            handles += [CompoundSelector(.any, [test]), CompoundSelector(role, [test])]
        }
        let name = PlainText.normal(tree.name(of: slot))
        if !name.isEmpty, name.utf8.count <= SelectorWriter.maximumNameBytes {
            handles.append(CompoundSelector(role, [.attribute(AttributeTest(.name, .equals, name))]))
        }
        if handles.isEmpty { handles.append(CompoundSelector(role)) }
        return handles
    }

    private func isTelling(_ compound: CompoundSelector) -> Bool { !compound.conditions.isEmpty }

    // MARK: - Places

    private func byPlaces(_ slot: Slot) -> Selector? {
        var steps: [CompoundSelector] = [placed(slot)]
        for ancestor in ancestors(slot) {
            for handle in handles(ancestor) where isTelling(handle) && inApplication(ancestor, [], handle) != nil {
                return verified(chain(from: handle, steps, within: slot), slot)
            }
            steps.insert(placed(ancestor), at: 0)
        }
        return verified(children(of: application(of: root(of: slot)), steps), slot)
    }

    private func placed(_ slot: Slot) -> CompoundSelector {
        let place = tree.position(of: slot).map { [Condition.position(Positions(offset: $0 + 1))] }
        return CompoundSelector(.role(tree.role(of: slot)), place ?? [])
    }

    private func chain(from handle: CompoundSelector, _ steps: [CompoundSelector], within slot: Slot) -> ComplexSelector
    {
        var selector = children(of: handle, steps)
        selector.rest.insert(.init(.descendant, selector.first), at: 0)
        selector.first = application(of: root(of: slot))
        return selector
    }

    private func children(of first: CompoundSelector, _ steps: [CompoundSelector]) -> ComplexSelector {
        ComplexSelector(first, steps.map { .init(.child, $0) })
    }

    // MARK: - Putting together

    private func inApplication(_ slot: Slot, _ ancestors: [CompoundSelector], _ handle: CompoundSelector) -> Selector? {
        let steps = (ancestors + [handle]).map { ComplexSelector.Step(.descendant, $0) }
        return verified(ComplexSelector(application(of: root(of: slot)), steps), slot)
    }

    private func application(of root: Slot) -> CompoundSelector {
        let name = PlainText.normal(tree.name(of: root))
        let isTop = tree.role(of: root) == .application
        guard !name.isEmpty, isTop else {
            return CompoundSelector(
                isTop ? .role(.application) : .any,
                [.attribute(AttributeTest(.toolkit, .equals, tree.application.toolkit))])
        }
        return CompoundSelector(.role(.application), [.attribute(AttributeTest(.name, .equals, name))])
    }

    /// The selector, if it matches that element, no other, and none of which that is not known yet.
    private func verified(_ complex: ComplexSelector, _ slot: Slot) -> Selector? {
        let selector = Selector([complex])
        return SelectorMatcher(selector).isOnlyMatch(slot, in: tree, context, budget: &work.left) ? selector : nil
    }

    private func root(of slot: Slot) -> Slot {
        var top = slot
        while let parent = tree.parent(of: top) { top = parent }
        return top
    }

    /// From the parent up; without the root.
    private func ancestors(_ slot: Slot) -> [Slot] {
        var found: [Slot] = []
        var next = tree.parent(of: slot)
        while let current = next, !tree.isRoot(current) {
            found.append(current)
            next = tree.parent(of: current)
        }
        return found
    }
}
