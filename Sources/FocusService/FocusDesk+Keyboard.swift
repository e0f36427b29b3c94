import ATSPI
import AccessibilityTree
import EventLoop
import FocusRegistry

/// Where typed keys go: found in live state, or told by events that live state confirmed.
extension FocusDesk {
    /// Where the keyboard is was found in live state, not told by an event: for moves under way that is no move.
    func keyboardFound(_ path: FocusPath) {
        let placement = placement(path, of: .keyboard)
        publish(registry.technologySignalled(.keyboard, Position(placement: placement, time: now)))
        moves.keyboardMoved(placement, at: .min)
    }

    func keyboardMoved(_ path: FocusPath, at time: Microseconds) {
        let placement = placement(path, of: .keyboard)
        let transaction = registry.technologySignalled(.keyboard, Position(placement: placement, time: time))
        // ORDER: a screen reader that must leave the element and come again is sent away before anybody is told and acts
        // on it. What the user does next must come to it after that, or it says the next element twice.
        moves.keyboardArrives(placement.element, at: time)
        publish(transaction)
        moves.keyboardMoved(placement, at: time)
    }

    /// Takes an element found in live state as where the keyboard is.
    func takeKeyboard(_ element: ObjectReference) async {
        let path: FocusPath? = await withCheckedContinuation { continuation in
            loader.load(element) { result in
                switch result {
                case .success(let path): continuation.resume(returning: path)
                case .failure: continuation.resume(returning: nil)
                }
            }
        }
        if let path { keyboardFound(path) }
    }

    func keyboardLeft() {
        arrivals.tell(.keyboardLeft)
        publish(registry.keyboardLeft(cause: .moved, at: now))
    }
}
