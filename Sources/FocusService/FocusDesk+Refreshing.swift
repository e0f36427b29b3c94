import ATSPI
import AccessibilityTree
import EventLoop
import FocusRegistry

/// What is known of the elements that focus is on is read again where it may be otherwise by now.
extension FocusDesk {
    /// Reads again, a moment later, what was shown from memory: some toolkits change names and states in silence.
    func refreshLater() {
        guard refreshTimer == nil else { return }
        refreshTimer = LoopTimer(milliseconds: configuration.refreshMilliseconds) { [weak self] in
            guard let self else { return }
            self.refreshTimer = nil
            let elements = Set(self.registry.knownTechnologies.compactMap { self.registry.position(of: $0)?.element })
            for element in elements { self.refresh(element) }
        }
    }

    func refresh(_ element: ObjectReference) {
        loader.refresh(element) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let hasChanged):
                guard hasChanged else { return }
                self.onElementCorrected?(element)
                self.nodeChanged(element)
            case .failure(.unknownObject): self.elementGone(element)
            case .failure: break
            }
        }
    }

    /// The same where something in an application has another name: a button's name is what is in it, and of GTK 4.18
    /// only the label in it says that it is another.
    func refreshLater(in busName: String) {
        let isFocused = registry.knownTechnologies.contains { registry.position(of: $0)?.element.busName == busName }
        if isFocused { refreshLater() }
    }
}
