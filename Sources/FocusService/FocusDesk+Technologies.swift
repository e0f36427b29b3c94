import ATSPI
import AccessibilityTree
import EventLoop
import FocusRegistry

/// What technologies say of where they are.
extension FocusDesk {
    /// A technology is on an element whose path is known.
    func technologyMoved(
        _ id: TechnologyID, _ path: FocusPath, mode: Mode?, region: TextRegion, at time: Microseconds,
        isFromMemory: Bool
    ) {
        let placement = placement(path, of: id)
        // Where the caret is in a password or a terminal is nobody else's business, nor that it moved: neither the
        // time nor any count may tell how much is typed there.
        let known = path.hidesText ? toldPosition(of: id, on: path.element.reference, mode) : nil
        if known == nil { tally.count(.moves) }
        let position = Position(
            placement: placement, mode: mode, region: path.hidesText ? nil : region, time: time,
            toldTime: known?.toldTime)
        publish(registry.technologySignalled(id, position, cause: moves.isSent(id, to: placement) ? .set : .moved))
        if mode == .flatReview { armRegistryTimer() }
        moves.technologySignalled(id, placement, mode)
        if isFromMemory, known == nil { refreshLater() }
    }

    /// What clients were told already of a technology that is on an element in a mode.
    func toldPosition(of id: TechnologyID, on element: ObjectReference, _ mode: Mode?) -> Position? {
        guard let position = registry.position(of: id), position.element == element, position.mode == mode,
            !position.isAssumed
        else { return nil }
        return position
    }

    /// A technology named an element that does not exist: it is nowhere that can be said.
    func technologyOnDeadElement(_ id: TechnologyID, mode: Mode?, at time: Microseconds) {
        tally.count(.unreadableElements)
        publish(registry.technologyLost(id, mode: mode, at: time))
    }

    /// An element that a technology is on, and that did not answer when it came there, was read.
    func wasRead(_ path: FocusPath) {
        guard
            let id = registry.knownTechnologies.first(where: {
                registry.position(of: $0)?.element == path.element.reference
            })
        else { return }
        publish(registry.located(placement(path, of: id), at: now))
        onElementRead?(path.element.reference)
    }

    func technologyOnOwnAccessible(_ id: TechnologyID) {
        moves.technologyReachedBlank(id)
    }

    /// A place that its technology may have come back to in silence counts if it is alive in the window that returned.
    func restore(_ candidate: FocusRegistry.RestoreCandidate) {
        loader.loadAfresh(candidate.position.element) { [weak self] result in
            guard let self, case .success(let path) = result, !path.isDefunct, path.visibility() != .hidden,
                path.window?.reference == candidate.window
            else { return }
            if candidate.technology == .keyboard, !path.element.states.contains(.focused) { return }
            // What GTK 4 hides, like a menu that was closed, is only missing among its parent's children.
            self.moves.findUnlisted(path) { unlisted in
                guard let unlisted, path.visibility(unlisted: unlisted) != .hidden else { return }
                let placement = self.placement(path, of: candidate.technology)
                self.publish(self.registry.restore(candidate, placement: placement, at: self.now))
            }
        }
    }

    // MARK: - Who they are

    /// Finds out whether a connection is a technology's; `look` is the first look round, where it is part of that.
    func recognise(_ busName: String, _ look: FirstLook.Part? = nil) {
        guard busName != bus.uniqueName, registry.technology(at: busName) == nil else { return }
        recogniser.recognise(busName) { [weak self] found in
            guard let self else { return }
            if let (id, connection) = found { self.technologyFound(id, connection, look) }
            self.screenReaders.recognised(busName)
        }
    }

    private func technologyFound(_ id: TechnologyID, _ connection: TechnologyConnection, _ look: FirstLook.Part?) {
        let (isAccepted, transaction) = registry.technologyAppeared(id, connection, at: now)
        guard isAccepted else {
            // One live connection an id: the second waits until the first has left.
            recogniser.putInLine(connection.busName, for: id)
            rivals[connection.busName] = id
            onTrouble?("a second \(id.rawValue) came (\(connection.busName)): refused while the first is there")
            return tally.count(.refusedTechnologies)
        }
        onStep?("\(id.rawValue) is there (process \(connection.pid), \(connection.busName))")
        adjustDemand()
        publish(transaction)
        assumePlace(of: id, connection, look)
    }
}
