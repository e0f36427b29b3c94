import AccessibilityTree
import EventLoop
import FocusProtocol
import FocusRegistry

/// What the focus and the selectors of focus states know of each other.
extension FocusDesk {
    /// Where an element stands, with which bound selectors match it. `mover` is the technology that is on it.
    func placement(_ path: FocusPath, of mover: TechnologyID) -> Placement {
        guard !selectors.isEmpty else { return Placement(path) }
        return Placement(path, matches: selectors.matches(of: path, focused: focusedElements(besides: mover, on: path)))
    }

    /// Finds out anew which bound selectors match where technologies are.
    func rematch(cause: Cause = .matchChanged) {
        guard !selectors.isEmpty else { return }
        let focused = focusedElements(besides: nil, on: nil)
        let transaction = registry.rematch(cause: cause, at: now) { placement in
            guard let path = self.loader.known(placement.element) else { return nil }
            return self.matches(path, in: placement, focused)
        }
        publish(transaction)
    }

    /// A node's name, states or the like changed: bound selectors may match it now, or no longer.
    func nodeChanged(_ reference: ObjectReference) {
        if !selectors.isEmpty, registry.isFollowed(below: reference) { rematch() }
    }

    /// The matches by places in the lineage as the registry has it, whatever became of the path since.
    private func matches(
        _ path: FocusPath, in placement: Placement, _ focused: Set<ObjectReference>
    ) -> SelectorMatches {
        let found = selectors.matches(of: path, focused: focused)
        let isSamePath =
            path.nodes.count == placement.lineage.count
            && zip(path.nodes, placement.lineage).allSatisfy { $0.reference == $1 }
        guard !isSamePath, !found.isEmpty else { return found }
        return SelectorMatches(
            found.depths.compactMap { key, depth in
                placement.lineage.firstIndex(of: path.nodes[depth].reference).map { (key, $0) }
            })
    }

    private func focusedElements(besides mover: TechnologyID?, on path: FocusPath?) -> Set<ObjectReference> {
        guard selectors.dependsOnFocus else { return [] }
        var focused: Set<ObjectReference> = []
        for id in registry.activeTechnologies where id != mover {
            if let element = registry.position(of: id)?.element { focused.insert(element) }
        }
        if let path, let mover, mover != .keyboard { focused.insert(path.element.reference) }
        return focused
    }

    /// An element as clients see it, where it is known.
    func element(_ reference: ObjectReference) -> Element? {
        loader.known(reference).map { renderer.element(of: $0) }
    }
}
