import AccessibilityTree

/// What technologies and the user do while a move is under way: it confirms, it ends the move, or it is nothing to it.
extension Move {
    mutating func signalled(
        _ id: TechnologyID, _ placement: Placement, _ mode: Mode?, isSameValue: Bool, at now: Microseconds,
        _ actions: inout [MoveAction]
    ) {
        let confirms = request.filter.accepts(mode)
        guard request.technologies.contains(id), confirms || mode != .mouseReview else { return }
        let isDoubtful = isDoubtful(id)
        let element = placement.element
        // One that was only sent there may get there still.
        if blanks[id] == .there { blanks[id] = nil }
        unsettled[id]?.remove(element)
        places[id] = element
        guard phase.isUnderWay else { return }
        guard let target, hasActed else {
            origins[id] = Position(placement: placement, mode: mode, time: now)
            if confirms { speaker = id }
            return
        }
        let isInside = hasTouchedKeyboard && isSameValue && placement.lineage.contains(request.target)
        if element == request.target || isInside {
            // One that only passes by on its way to the blank confirms nothing.
            if case .presentingBlank = phase { return }
            guard confirms, !isDoubtful else { return }
            confirm(id, at: now, &actions)
            return
        }
        let isWhereItWas = element == origins[id]?.element
        guard !isWhereItWas, !placement.isRelated(to: target.placement), !echoes.contains(element) else { return }
        // S10: the user moved on, and is never pulled back.
        finish(.superseded, .movedElsewhere, at: now, &actions)
    }

    /// Whether a signal of the target may be old news: what an older move did may come before or after it.
    private func isDoubtful(_ id: TechnologyID) -> Bool {
        guard !fenced.contains(id) else { return false }
        if blanks[id] == .onItsWay { return true }
        guard let arriving = unsettled[id], !arriving.isEmpty else { return false }
        return places[id] == request.target || arriving.contains(request.target)
    }

    private mutating func confirm(_ id: TechnologyID, at now: Microseconds, _ actions: inout [MoveAction]) {
        confirmed.insert(id)
        confirmedRoute = lastRoute
        if isConfirmed { conclude(.confirmed, nil, at: now, &actions) }
    }

    mutating func signalledBlank(_ id: TechnologyID, at now: Microseconds, _ actions: inout [MoveAction]) {
        guard request.technologies.contains(id), phase != .finished else { return }
        blanks[id] = .there
        places[id] = nil
        fenced.insert(id)
        stopAwaiting(id, &actions)
    }

    /// The blank is left for the target when nobody is awaited there any more.
    private mutating func stopAwaiting(_ id: TechnologyID, _ actions: inout [MoveAction]) {
        guard case .presentingBlank(let until, var awaited) = phase else { return }
        awaited.remove(id)
        phase = awaited.isEmpty ? .rechecking(isAfterBlank: true) : .presentingBlank(until: until, awaited: awaited)
        if awaited.isEmpty { actions.append(.recheck) }
    }

    mutating func keyboardMoved(
        _ placement: Placement, isSameValue: Bool, at now: Microseconds, _ actions: inout [MoveAction]
    ) {
        guard phase.isUnderWay else { return }
        guard let target, hasActed else {
            origins[.keyboard] = Position(placement: placement, time: now)
            return
        }
        let element = placement.element
        if placement.lineage.contains(request.target) {
            isKeyboardSeenThere = true
            if request.technologies.contains(.keyboard), element == request.target || isSameValue {
                confirm(.keyboard, at: now, &actions)
            }
            return
        }
        isKeyboardSeenThere = false
        let isWhereItWas = element == origins[.keyboard]?.element
        guard !isWhereItWas, !placement.isRelated(to: target.placement), !echoes.contains(element) else { return }
        finish(.superseded, .movedElsewhere, at: now, &actions)
    }

    mutating func technologyLeft(_ id: TechnologyID, at now: Microseconds, _ actions: inout [MoveAction]) {
        guard request.technologies.contains(id), phase != .finished else { return }
        blanks[id] = nil
        unsettled[id] = nil
        guard phase.isUnderWay else { return }
        gone.insert(id)
        if request.technologies.allSatisfy(gone.contains) || !request.isAnyEnough {
            return finish(.refused, .technologyNotActive, at: now, &actions)
        }
        if speaker == id { speaker = assistive.first { !gone.contains($0) } }
        // The one that speaks now may be there, and nobody else is waited for.
        if target != nil && isConfirmed { return conclude(.confirmed, nil, at: now, &actions) }
        stopAwaiting(id, &actions)
    }
}
