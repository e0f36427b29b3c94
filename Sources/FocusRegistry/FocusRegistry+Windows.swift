import AccessibilityTree

/// Windows that come and go, and the deadlines that follow from them.
extension FocusRegistry {
    /// A window was activated.
    package mutating func windowActivated(_ window: ObjectReference, at time: Microseconds) {
        activeWindow = window
        pendingDeactivation = nil
        for (id, record) in technologies {
            // By application: GTK 4 gives a window that comes back another path.
            guard let left = record.left, left.position.element.busName == window.busName else { continue }
            technologies[id]?.left?.restoreAt = time + limits.silenceBeforeRestoring
            technologies[id]?.left?.returnedWindow = window
        }
    }

    /// A window was deactivated. It counts where it is the active one; what follows within the grace undoes it.
    package mutating func windowDeactivated(_ window: ObjectReference, at time: Microseconds) {
        if let activeWindow {
            // Another was activated before: Activate and Deactivate come in mixed order.
            guard activeWindow == window else { return }
        } else {
            guard technologies.values.contains(where: { $0.position?.placement.window == window }) else { return }
        }
        pendingDeactivation = PendingDeactivation(window: window, deadline: time + limits.deactivationGrace)
    }

    /// When ``advance(to:)`` has something to do next; nil while nothing is pending.
    package var nextDeadline: Microseconds? {
        var next = pendingDeactivation?.deadline
        for record in technologies.values {
            for deadline in [record.heldReview?.deadline, record.left?.restoreAt] {
                guard let deadline else { continue }
                next = min(next ?? deadline, deadline)
            }
        }
        return next
    }

    /// A place that counts again if the caller finds it alive and in the window that came back.
    package struct RestoreCandidate: Hashable, Sendable {
        package let technology: TechnologyID
        package let position: Position
        package let window: ObjectReference
    }

    /// Does what is due: focus that is gone with its window, flat review steps, places that may count again.
    package mutating func advance(to time: Microseconds) -> (transactions: [Transaction], restore: [RestoreCandidate]) {
        var transactions: [Transaction] = []
        if let pending = pendingDeactivation, pending.deadline <= time {
            pendingDeactivation = nil
            activeWindow = nil
            let transaction = transact(at: time, cause: .windowDeactivated) { registry in
                for (id, record) in registry.technologies {
                    guard !pending.signalledSince.contains(id) else { continue }
                    if let position = record.position {
                        if !position.placement.isInMenu { registry.leave(id, keepsPlace: true) }
                    } else if !record.filtered.isEmpty {
                        // Nowhere, but for those who follow some of its modes.
                        registry.technologies[id]?.leaveFiltered { !$0.isInMenu }
                    }
                }
            }
            if let transaction { transactions.append(transaction) }
        }
        for (id, record) in technologies {
            guard let held = record.heldReview, held.deadline <= time else { continue }
            technologies[id]?.heldReview = nil
            if let transaction = transact(at: held.position.time, cause: .moved, { $0.settle(id, held.position) }) {
                transactions.append(transaction)
            }
        }
        var candidates: [RestoreCandidate] = []
        for (id, record) in technologies {
            guard let left = record.left, let restoreAt = left.restoreAt, restoreAt <= time,
                let window = left.returnedWindow
            else { continue }
            technologies[id]?.left?.restoreAt = nil
            candidates.append(RestoreCandidate(technology: id, position: left.position, window: window))
        }
        return (transactions, candidates)
    }

    /// The caller found a candidate alive: the technology is taken to be there again until it speaks (F11).
    package mutating func restore(
        _ candidate: RestoreCandidate, placement: Placement, at time: Microseconds
    ) -> Transaction? {
        // It spoke meanwhile, or its window went again.
        guard technologies[candidate.technology]?.left != nil, activeWindow == candidate.window else { return nil }
        var position = candidate.position
        position.placement = placement
        position.isAssumed = candidate.technology != .keyboard
        position.time = time
        position.toldTime = time
        technologies[candidate.technology]?.left = nil
        return transact(at: time, cause: .restored) { $0.settle(candidate.technology, position, isSignal: false) }
    }
}
