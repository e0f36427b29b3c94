import ATSPI
import AccessibilityTree
import EventLoop
import FocusRegistry

/// What is known of the elements that focus is on is read again where it may be otherwise by now.
extension FocusDesk {
    /// Elements that are to be read again, and those that are being read.
    struct Refreshing {
        fileprivate var due: Set<ObjectReference> = []
        /// True where one must be read once more after that.
        fileprivate var underWay: [ObjectReference: Bool] = [:]
        fileprivate var timer: LoopTimer?
    }

    /// Reads again, a moment later, what was shown from memory: some toolkits change names and states in silence.
    func refreshLater() {
        refreshLater(Set(registry.knownTechnologies.compactMap { registry.position(of: $0)?.element }))
    }

    func refreshLater(_ elements: Set<ObjectReference>) {
        guard !elements.isEmpty else { return }
        refreshing.due.formUnion(elements)
        guard refreshing.timer == nil else { return }
        refreshing.timer = LoopTimer(milliseconds: configuration.refreshMilliseconds) { [weak self] in
            guard let self else { return }
            self.refreshing.timer = nil
            let due = self.refreshing.due
            self.refreshing.due = []
            for element in due { self.refresh(element) }
        }
    }

    /// Something got another name, and perhaps what is around it with it: a button's name is what is in it, and of
    /// GTK 4.18 only the label in it says that it is another.
    func renamed(_ reference: ObjectReference) {
        let elements = registry.focusedElements(in: reference.busName)
        if !elements.contains(reference) { refreshLater(elements) }
    }

    /// Reads an element again; one that is being read, once more after that. It is never asked twice at a time, however
    /// much is told of it.
    func refresh(_ element: ObjectReference) {
        guard refreshing.underWay[element] == nil else {
            refreshing.underWay[element] = true
            return
        }
        refreshing.underWay[element] = false
        loader.refresh(element) { [weak self] result in
            guard let self else { return }
            let isDueAgain = self.refreshing.underWay.removeValue(forKey: element) ?? false
            switch result {
            case .success(let hasChanged):
                if hasChanged {
                    self.onElementCorrected?(element)
                    self.nodeChanged(element)
                }
                if isDueAgain { self.refreshLater([element]) }
            case .failure(.unknownObject): self.elementGone(element)
            case .failure: break
            }
        }
    }
}
