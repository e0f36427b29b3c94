import ATSPI
import AccessibilityTree
import EventLoop
import FocusRegistry
import Selectors

/// What the mirrors of applications and the focus know of each other.
extension FocusDesk {
    /// What a selector is matched with beside the tree.
    func matchContext(for mirror: ApplicationMirror, ownPID: Int, texts: [ObjectReference: String]) -> MatchContext {
        var context = MatchContext(ownPID: ownPID)
        context.budget = MatchContext.budget(forNodes: mirror.tree.nodeCount)
        for id in registry.activeTechnologies {
            guard let element = registry.position(of: id)?.element, element.busName == mirror.busName,
                let slot = mirror.tree.slot(at: element.path)
            else { continue }
            context.focused.insert(slot)
        }
        for (reference, text) in texts where reference.busName == mirror.busName {
            if let slot = mirror.tree.slot(at: reference.path) { context.texts[slot] = text }
        }
        return context
    }

    /// The technologies on each element that any is on.
    func focusedBy() -> [ObjectReference: [String]] {
        var found: [ObjectReference: [String]] = [:]
        for id in registry.activeTechnologies + [.keyboard] {
            guard let element = registry.position(of: id)?.element else { continue }
            found[element, default: []].append(id.rawValue)
        }
        return found
    }

    /// The element that a technology is on and all above it; of the aggregate where none is named.
    func lineage(of technology: TechnologyID?) -> [ObjectReference]? {
        guard let technology else { return registry.aggregate?.position?.placement.lineage }
        return registry.position(of: technology)?.placement.lineage
    }

    /// The shortest selector that matches only an element, and will when its application is started anew.
    func selector(for slot: ApplicationTree.Slot, in application: DesktopApplication) -> String? {
        guard let mirror = application.mirror else { return nil }
        return SelectorWriter(tree: mirror.tree).selector(for: slot)?.description
    }

    /// Elements that focus is on are in the tree too where their parents do not list them.
    func showInMirrors(_ transaction: Transaction) {
        guard desktop.hasMirrors else { return }
        for change in transaction.changes {
            guard let element = change.current?.element,
                let mirror = desktop.application(element.busName)?.mirror, let path = loader.known(element)
            else { continue }
            mirror.insert(path)
        }
    }

    /// Who wants to look again after each transaction; ends with ``removeFocusObserver(_:)``.
    func addFocusObserver(_ observer: @escaping @Loop () -> Void) -> UInt64 {
        lastFocusObserver += 1
        focusObservers[lastFocusObserver] = observer
        return lastFocusObserver
    }

    func removeFocusObserver(_ number: UInt64) { focusObservers[number] = nil }
}
