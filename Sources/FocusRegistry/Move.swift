import AccessibilityTree

/// The life of one move: inputs in, actions out, time passed in. It decides; it does nothing itself.
///
/// check → for each route: (recheck →) act → wait for the technology's own signal → read the keyboard → finish.
/// What it hears is in `Move+Hearing`, how it ends in `Move+Ending`.
package struct Move: Sendable {
    package let request: MoveRequest
    let limits: Limits
    /// Where each technology, and the keyboard, was before anything was done.
    var origins: [TechnologyID: Position]
    /// Where each technology said last that it is; nil on the blank.
    var places: [TechnologyID: ObjectReference]
    /// Elements that other moves sent these technologies to just now: their echo is not the user.
    let echoes: Set<ObjectReference>
    /// Where something else sent a technology that it has not said it reached: what it said before may not hold.
    var unsettled: [TechnologyID: Set<ObjectReference>]
    var blanks: [TechnologyID: BlankPlace]
    /// Who was on the blank in this move: all that was sent before has arrived, and what is said now is news.
    var fenced: Set<TechnologyID> = []
    var phase = Phase.created
    var target: TargetReport.Target?
    private var routes: [Route] = []
    var attempts: [MoveOutcome.Attempt] = []
    /// Who proved it after something was done.
    var confirmed: Set<TechnologyID> = []
    /// Who was there before anything was done (S5).
    private(set) var remembered: Set<TechnologyID> = []
    /// Of those of whom any is enough, the one that moved last.
    var speaker: TechnologyID?
    var confirmedRoute: Route?
    var gone: Set<TechnologyID> = []
    /// The route that something was done by last; a technology may answer it with a signal, also a late one.
    private(set) var lastRoute: Route?
    /// Who was sent to the target.
    private var sent: Set<TechnologyID> = []
    /// An application was asked to move the keyboard focus.
    private(set) var hasTouchedKeyboard = false
    /// When the target was asked last.
    private var askedAt: Microseconds = .min / 2
    var isKeyboardSeenThere = false
    var withholdsTyping = false
    var pendingOutcome: (result: MoveResult, reason: MoveReason?)?

    /// `origins` are where technologies are in the modes that count. `handovers` tell what was done to them just before.
    package init(
        _ request: MoveRequest, origins: [TechnologyID: Position], handovers: [TechnologyID: Handover] = [:],
        echoes: Set<ObjectReference> = [], limits: Limits = Limits()
    ) {
        self.request = request
        self.origins = origins
        self.echoes = echoes
        self.limits = limits
        places = origins.mapValues(\.element)
        unsettled = handovers.mapValues(\.arriving)
        blanks = handovers.compactMapValues(\.blank)
        for (id, blank) in blanks where blank == .there { places[id] = nil }
        speaker = assistive.first
    }

    package var isFinished: Bool { phase == .finished }

    /// Whether anything was done that a technology may answer with a signal, also a late one.
    var hasActed: Bool { lastRoute != nil }

    /// Who was sent to the target, has not said that it is there, and may still arrive.
    var arriving: Set<TechnologyID> { sent.subtracting(confirmed).subtracting(gone) }

    /// When `timePassed` is due.
    package var nextDeadline: Microseconds? {
        switch phase {
        case .created, .finished: nil
        case .closing(let until): until
        default: min(phase.patienceEnds ?? request.deadline, request.deadline)
        }
    }

    /// Begins: an element that has the focus already is confirmed at once, in silence (S5).
    package mutating func start(at now: Microseconds) -> [MoveAction] {
        var actions: [MoveAction] = []
        guard !request.technologies.isEmpty else {
            finish(.refused, .technologyNotActive, at: now, &actions)
            return actions
        }
        if !request.needsActiveWindow && confirmThoseThere() {
            conclude(.confirmed, nil, at: now, &actions)
            return actions
        }
        phase = .checking
        askedAt = now
        actions.append(.check)
        return actions
    }

    package mutating func handle(_ input: MoveInput, at now: Microseconds) -> [MoveAction] {
        var actions: [MoveAction] = []
        switch input {
        case .checked(let report): checked(report, at: now, &actions)
        case .rechecked(let report): rechecked(report, at: now, &actions)
        case .ownerDeclined:
            if case .askingOwner = phase { giveUpRoute(.application, .declined, at: now, &actions) }
        case .grabAnswered(let answer): grabAnswered(answer, at: now, &actions)
        case .signalled(let id, let placement, let mode, let isSameValue):
            signalled(id, placement, mode, isSameValue: isSameValue, at: now, &actions)
        case .signalledBlank(let id): signalledBlank(id, at: now, &actions)
        case .keyboardMoved(let placement, let isSameValue):
            keyboardMoved(placement, isSameValue: isSameValue, at: now, &actions)
        case .keyboardRead(let isThere): keyboardRead(isThere, at: now, &actions)
        case .technologyLeft(let id): technologyLeft(id, at: now, &actions)
        case .applicationLeft where phase == .checking: finish(.notFound, .noSuchApplication, at: now, &actions)
        case .applicationLeft: finish(.refused, .elementDefunct, at: now, &actions)
        case .supersededByNewer(let taken): finish(.superseded, .newerRequest, keeping: taken, at: now, &actions)
        // Where the outcome is known already, only the keyboard stays unread.
        case .busLeft where pendingOutcome != nil: keyboardRead(nil, at: now, &actions)
        case .busLeft: finish(.refused, .busGone, at: now, &actions)
        case .withdrawn(let reason): finish(.superseded, reason, at: now, &actions)
        case .cancelled: finish(.superseded, .newerRequest, at: now, &actions)
        case .timePassed: timePassed(at: now, &actions)
        }
        if actions.contains(.recheck) { askedAt = now }
        return actions
    }

    // MARK: - Checking

    private mutating func checked(_ report: TargetReport, at now: Microseconds, _ actions: inout [MoveAction]) {
        guard phase == .checking else { return }
        guard case .present(let target) = report else { return refuse(report, at: now, &actions) }
        self.target = target
        if target.isDisabled && request.technologies == [.keyboard] {
            return finish(.refused, .elementDisabled, at: now, &actions)
        }
        if request.needsActiveWindow && !target.isWindowActive {
            return finish(.refused, .windowNotActive, at: now, &actions)
        }
        if target.hasKeyboardFocus && request.technologies.contains(.keyboard) { confirmed.insert(.keyboard) }
        if confirmThoseThere() { return conclude(.confirmed, nil, at: now, &actions) }
        planRoutes(target)
        if target.isScrolledOut { actions.append(.scrollIntoView) }
        tryNextRoute(at: now, &actions)
    }

    private mutating func refuse(_ report: TargetReport, at now: Microseconds, _ actions: inout [MoveAction]) {
        switch report {
        case .noSuchApplication: finish(.notFound, .noSuchApplication, at: now, &actions)
        case .applicationNotResponding: finish(.refused, .applicationNotResponding, at: now, &actions)
        case .defunct: finish(.refused, .elementDefunct, at: now, &actions)
        case .hidden: finish(.refused, .elementHidden, at: now, &actions)
        case .present: break
        }
    }

    private mutating func planRoutes(_ target: TargetReport.Target) {
        let isNamed = request.routes != nil
        for route in request.routes ?? Route.allCases where request.mayMoveKeyboard || !route.movesKeyboard {
            var obstacle: MoveReason?
            switch route {
            // Who has not offered to move it is not spoken of, unless somebody asked for it.
            case .application where !request.hasOwner && !isNamed: continue
            case .application where !request.hasOwner: obstacle = .notSupported
            case .application: obstacle = target.obstacleToAsking(isNamed: isNamed)
            case .grabFocus: obstacle = target.obstacleToGrabbing(isNamed: isNamed)
            case .activeDescendant: break
            }
            if let obstacle { attempts.append(.init(route: route, reason: obstacle)) } else { routes.append(route) }
        }
    }

    // MARK: - Routes

    private mutating func tryNextRoute(at now: Microseconds, _ actions: inout [MoveAction]) {
        guard now < request.deadline else { return finish(.timedOut, .noConfirmation, at: now, &actions) }
        guard !routes.isEmpty else { return giveUp(at: now, &actions) }
        switch routes.removeFirst() {
        case .application:
            phase = .askingOwner(until: now + limits.applicationPatience)
            act(by: .application)
            actions.append(.askOwner)
        case .grabFocus:
            // The owner moved the keyboard there, and the technology did not follow: a grab would send no event.
            guard !isKeyboardSeenThere else { return giveUpRoute(.grabFocus, .alreadyFocused, at: now, &actions) }
            phase = .grabbing(until: now + limits.grabFocusPatience)
            act(by: .grabFocus)
            actions.append(.grabFocus)
        case .activeDescendant:
            // No event moves the keyboard.
            guard !waiting.isEmpty else { return tryNextRoute(at: now, &actions) }
            phase = .rechecking(isAfterBlank: false)
            actions.append(.recheck)
        }
    }

    /// With `isOnlyBlank` nobody is sent to the target yet.
    private mutating func act(by route: Route, isOnlyBlank: Bool = false) {
        lastRoute = route
        if route.movesKeyboard { hasTouchedKeyboard = true }
        if !isOnlyBlank { sent.formUnion(waiting) }
    }

    private mutating func rechecked(_ report: TargetReport, at now: Microseconds, _ actions: inout [MoveAction]) {
        guard case .rechecking(let isAfterBlank) = phase else { return }
        guard case .present(let target) = report else { return refuse(report, at: now, &actions) }
        if !hasTouchedKeyboard { self.target?.hasKeyboardFocus = target.hasKeyboardFocus }
        if !hasActed && confirmThoseThere() { return conclude(.confirmed, nil, at: now, &actions) }
        if target.takesTyping && !target.hasKeyboardFocus && request.routes == nil {
            withholdsTyping = true
            return tryNextRoute(at: now, &actions)
        }
        guard !waiting.isEmpty else { return tryNextRoute(at: now, &actions) }
        let until = now + limits.activeDescendantPatience
        if !isAfterBlank && waiting.contains(where: needsBlank) {
            act(by: .activeDescendant, isOnlyBlank: true)
            let leaving = waiting.filter { blanks[$0] != .there || needsBlank($0) }
            for id in leaving where blanks[id] == nil { blanks[id] = .onItsWay }
            phase = .presentingBlank(until: until, awaited: Set(leaving))
            actions.append(.presentBlank(leaving))
        } else {
            act(by: .activeDescendant)
            if isAfterBlank { fenced.formUnion(waiting) }
            for id in waiting where blanks[id] == .onItsWay { blanks[id] = nil }
            phase = .presenting(until: until)
            actions.append(.presentTarget(waiting))
        }
    }

    /// Whether the event alone would be met with silence, or its answer could be told from nobody else's.
    private func needsBlank(_ id: TechnologyID) -> Bool {
        if blanks[id] == .onItsWay { return true }
        if !fenced.contains(id), unsettled[id]?.contains(request.target) == true { return true }
        // Where it is not known to be it may be all the same, in silence.
        return blanks[id] == nil && (places[id] ?? request.target) == request.target
    }

    private mutating func grabAnswered(_ answer: GrabAnswer, at now: Microseconds, _ actions: inout [MoveAction]) {
        guard case .grabbing = phase else { return }
        switch answer {
        case .accepted:
            // It proves nothing. The keyboard is a matter of live state; the others must say it themselves.
            if request.technologies.contains(.keyboard) { actions.append(.readKeyboard) }
        case .refused: giveUpRoute(.grabFocus, .answeredFalse, at: now, &actions)
        case .notSupported: giveUpRoute(.grabFocus, .notSupported, at: now, &actions)
        case .notResponding: finish(.refused, .applicationNotResponding, at: now, &actions)
        case .gone: finish(.refused, .elementDefunct, at: now, &actions)
        }
    }

    private mutating func giveUpRoute(
        _ route: Route, _ reason: MoveReason, at now: Microseconds, _ actions: inout [MoveAction]
    ) {
        attempts.append(.init(route: route, reason: reason))
        tryNextRoute(at: now, &actions)
    }

    private mutating func timePassed(at now: Microseconds, _ actions: inout [MoveAction]) {
        guard let deadline = nextDeadline, deadline <= now else { return }
        switch phase {
        case .created, .finished: break
        // Of one that was asked only just now nobody can say that it does not answer.
        case .checking where now - askedAt < limits.answerPatience,
            .rechecking where now - askedAt < limits.answerPatience:
            finish(.timedOut, .noConfirmation, at: now, &actions)
        case .checking, .rechecking:
            finish(.refused, .applicationNotResponding, at: now, &actions)
        case .askingOwner: giveUpRoute(.application, .noConfirmation, at: now, &actions)
        case .grabbing: giveUpRoute(.grabFocus, .noConfirmation, at: now, &actions)
        case .presentingBlank where blanks.values.contains(.there) && now < request.deadline:
            // Those that got there go on without the others.
            phase = .rechecking(isAfterBlank: true)
            actions.append(.recheck)
        case .presentingBlank, .presenting: giveUpRoute(.activeDescendant, .noConfirmation, at: now, &actions)
        case .closing: keyboardRead(nil, at: now, &actions)
        }
    }

    // MARK: - Who is there

    /// What is there already, and need not be presented again, is confirmed in silence (S5). True where that is enough.
    private mutating func confirmThoseThere() -> Bool {
        remembered = request.presentsAgain ? [] : Set(assistive.filter(isThere))
        return isConfirmed
    }

    /// Whether a technology's own word is that it is there, and nothing is under way that could belie it.
    private func isThere(_ id: TechnologyID) -> Bool {
        guard let origin = origins[id], origin.element == request.target else { return false }
        return !origin.isAssumed && request.filter.accepts(origin.mode) && blanks[id] == nil
            && unsettled[id, default: []].isEmpty && !gone.contains(id)
    }

    /// Where any is enough, what is remembered counts of the one that speaks for all: the others are not the focus.
    var isConfirmed: Bool {
        if request.isAnyEnough { return !confirmed.isEmpty || speaker.map(remembered.contains) == true }
        return request.technologies.allSatisfy { confirmed.contains($0) || remembered.contains($0) }
    }

    /// Who must still be moved, without the keyboard, which no event moves.
    private var waiting: [TechnologyID] {
        assistive.filter { !confirmed.contains($0) && !remembered.contains($0) && !gone.contains($0) }
    }

    var assistive: [TechnologyID] { request.technologies.filter { $0 != .keyboard } }
}
