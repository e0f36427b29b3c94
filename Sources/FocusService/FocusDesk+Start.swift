import ATSPI
import AccessibilityTree
import EventLoop
import FocusRegistry

/// Where a technology is taken to be that was there before focusd, until it says so itself.
extension FocusDesk {
    /// Where the run before knew it, if nothing has moved since; else where the keyboard is.
    func assumePlace(of id: TechnologyID, _ connection: TechnologyConnection, _ look: FirstLook.Part?) {
        let kept = lastPlaces.take(id, at: connection.busName, onBus: bus.live?.serverID)
        Loop.task { [weak self] in
            defer { withExtendedLifetime(look) {} }
            guard let self else { return }
            let keyboard = await self.keyboard.searchDesktop()
            var path: FocusPath?
            if let kept, keyboard == nil || kept.keyboard == nil || keyboard == kept.keyboard {
                path = await self.livePath(of: kept.place)
            }
            self.lastPlaces.settle(id)
            guard self.registry.connection(of: id)?.busName == connection.busName else { return }
            if let kept, let path {
                let placement = self.placement(path, of: id)
                self.publish(
                    self.registry.assume(
                        id, placement, cause: .restored, precedence: kept.precedence, at: self.now))
            }
            guard let keyboard else { return }
            self.loader.load(keyboard) { [weak self] result in
                defer { withExtendedLifetime(look) {} }
                guard let self, case .success(let path) = result else { return }
                if self.registry.position(of: .keyboard) == nil { self.keyboardFound(path) }
                // Nothing, where the place is known by now.
                self.publish(self.registry.assume(id, self.placement(path, of: id), at: self.now))
            }
        }
    }

    /// The path of a kept place; nil where it does not count any more: dead, hidden, or its window was left.
    private func livePath(of place: LastPlace) async -> FocusPath? {
        await withCheckedContinuation { continuation in
            loader.loadAfresh(place.element) { [weak self] result in
                guard let self, case .success(let path) = result, !path.isDefunct, path.visibility() != .hidden,
                    !place.isInActiveWindow || path.window?.states.contains(.active) == true
                else { return continuation.resume(returning: nil) }
                // What GTK 4 hides is only missing among its parent's children.
                self.moves.findUnlisted(path) { unlisted in
                    guard let unlisted, path.visibility(unlisted: unlisted) != .hidden else {
                        return continuation.resume(returning: nil)
                    }
                    continuation.resume(returning: path)
                }
            }
        }
    }
}
