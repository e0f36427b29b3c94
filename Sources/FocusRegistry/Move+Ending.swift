import AccessibilityTree

/// How a move ends: with the reason, and with where the keyboard is.
extension Move {
    /// No route is left.
    mutating func giveUp(at now: Microseconds, _ actions: inout [MoveAction]) {
        if withholdsTyping { return finish(.refused, .keyboardFocusCannotMove, at: now, &actions) }
        // Nothing was confirmed though something was done: found, not confirmed. Else the first refusal says why.
        if let waited = attempts.first(where: { $0.reason == .noConfirmation }) {
            return finish(.timedOut, waited.reason, at: now, &actions)
        }
        finish(.refused, attempts.first?.reason ?? .notSupported, at: now, &actions)
    }

    mutating func keyboardRead(_ isThere: Bool?, at now: Microseconds, _ actions: inout [MoveAction]) {
        if case .grabbing = phase {
            guard isThere == true, request.technologies.contains(.keyboard) else { return }
            confirmed.insert(.keyboard)
            confirmedRoute = .grabFocus
            if isConfirmed { conclude(.confirmed, nil, at: now, &actions, keyboardIsThere: true) }
            return
        }
        guard case .closing = phase, var pendingOutcome else { return }
        if isThere == true && hasTouchedKeyboard && request.technologies.contains(.keyboard) {
            // It came without an event, or though the grab was answered with false.
            confirmed.insert(.keyboard)
            confirmedRoute = confirmedRoute ?? lastRoute
            if isConfirmed { pendingOutcome = (.confirmed, nil) }
        }
        end(pendingOutcome.result, pendingOutcome.reason, keyboard(isThere), at: now, &actions)
    }

    /// The result is known; where the keyboard is must be read still.
    mutating func conclude(
        _ result: MoveResult, _ reason: MoveReason?, at now: Microseconds, _ actions: inout [MoveAction],
        keyboardIsThere: Bool? = nil
    ) {
        if let isThere = keyboardIsThere { return end(result, reason, keyboard(isThere), at: now, &actions) }
        pendingOutcome = (result, reason)
        phase = .closing(until: now + limits.keyboardReadPatience)
        actions.append(.readKeyboard)
    }

    /// `keeping` are those whom a newer move takes over, from the blank too.
    mutating func finish(
        _ result: MoveResult, _ reason: MoveReason?, keeping taken: Set<TechnologyID> = [], at now: Microseconds,
        _ actions: inout [MoveAction]
    ) {
        guard phase != .finished else { return }
        // What is known stays known, whatever comes while the keyboard is being read.
        if let known = pendingOutcome {
            return end(known.result, known.reason, .unknown, keeping: taken, at: now, &actions)
        }
        // What was done moved the keyboard perhaps; what was not done left it where the check found it.
        if hasTouchedKeyboard && result != .superseded && reason != .applicationNotResponding && reason != .busGone {
            return conclude(result, reason, at: now, &actions)
        }
        var outcome = KeyboardFocusOutcome.unknown
        if let target, !hasTouchedKeyboard, result != .superseded {
            outcome = target.hasKeyboardFocus ? .alreadyThere : .elsewhere
        }
        end(result, reason, outcome, keeping: taken, at: now, &actions)
    }

    private mutating func end(
        _ result: MoveResult, _ reason: MoveReason?, _ keyboardFocus: KeyboardFocusOutcome,
        keeping taken: Set<TechnologyID> = [], at now: Microseconds, _ actions: inout [MoveAction]
    ) {
        // Who is only on the way cannot be turned back: an event right after the other is dropped. It is when it arrives.
        let stranded = blanks.filter { $0.value == .there && !taken.contains($0.key) }.keys.sorted()
        if !stranded.isEmpty { actions.append(.leaveBlank(stranded)) }
        phase = .finished
        actions.append(
            .finish(
                MoveOutcome(
                    result: result, reason: reason, route: result == .confirmed ? confirmedRoute : nil,
                    attempts: attempts, confirmed: confirmed.union(remembered), keyboardFocus: keyboardFocus,
                    finishedAt: now)))
    }

    private func keyboard(_ isThere: Bool?) -> KeyboardFocusOutcome {
        switch isThere {
        case nil: .unknown
        case false?: .elsewhere
        case true?: target?.hasKeyboardFocus ?? true ? .alreadyThere : .moved
        }
    }
}
