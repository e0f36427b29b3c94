import AccessibilityTree

/// The life of one move: inputs in, actions out, time passed in. It decides; it does nothing itself.
///
/// check → for each route: (recheck →) act → wait for the technology's own signal → read the keyboard → finish.
package struct Move: Sendable {
    package let request: MoveRequest
    private let limits: Limits
    /// Where each technology, and the keyboard, was before anything was done.
    var origins: [TechnologyID: Position]
    /// Elements that other moves sent these technologies to just now: their echo is not the user.
    private let echoes: Set<ObjectReference>
    private var phase = Phase.created
    private var target: TargetReport.Target?
    private var routes: [Route] = []
    private var attempts: [MoveOutcome.Attempt] = []
    private var confirmed: Set<TechnologyID> = []
    private var confirmedRoute: Route?
    private var gone: Set<TechnologyID> = []
    private var onBlank: Set<TechnologyID>
    /// Whether anything was done that a technology may answer with a signal, also a late one.
    private(set) var hasActed = false
    private var hasGrabbed = false
    private var withholdsTyping = false
    private var pendingOutcome: (result: MoveResult, reason: MoveReason?)?

    /// `onBlank` are technologies that a move before this one left on the blank accessible: they are this one's now.
    package init(
        _ request: MoveRequest, origins: [TechnologyID: Position], echoes: Set<ObjectReference> = [],
        onBlank: Set<TechnologyID> = [], limits: Limits = Limits()
    ) {
        self.request = request
        self.origins = origins
        self.echoes = echoes
        self.onBlank = onBlank
        self.limits = limits
    }

    package var isFinished: Bool { phase == .finished }

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
        guard !confirmThoseThere() else {
            conclude(.confirmed, nil, at: now, &actions)
            return actions
        }
        phase = .checking
        actions.append(.check)
        return actions
    }

    package mutating func handle(_ input: MoveInput, at now: Microseconds) -> [MoveAction] {
        var actions: [MoveAction] = []
        switch input {
        case .checked(let report): checked(report, at: now, &actions)
        case .rechecked(let report): rechecked(report, at: now, &actions)
        case .grabAnswered(let answer): grabAnswered(answer, at: now, &actions)
        case .signalled(let id, let placement, let mode): signalled(id, placement, mode, at: now, &actions)
        case .signalledBlank(let id): signalledBlank(id, at: now, &actions)
        case .keyboardMoved(let placement): keyboardMoved(placement, at: now, &actions)
        case .keyboardRead(let isThere): keyboardRead(isThere, at: now, &actions)
        case .technologyLeft(let id): technologyLeft(id, at: now, &actions)
        case .applicationLeft where phase == .checking: finish(.notFound, .noSuchApplication, at: now, &actions)
        case .applicationLeft: finish(.refused, .elementDefunct, at: now, &actions)
        case .supersededByNewer(let taken):
            onBlank.subtract(taken)
            finish(.superseded, .newerRequest, at: now, &actions)
        // Where the outcome is known already, only the keyboard stays unread.
        case .busLeft where pendingOutcome != nil: keyboardRead(nil, at: now, &actions)
        case .busLeft: finish(.refused, .busGone, at: now, &actions)
        case .cancelled: finish(.superseded, .newerRequest, at: now, &actions)
        case .timePassed: timePassed(at: now, &actions)
        }
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
        for route in request.routes ?? Route.allCases {
            if route == .grabFocus, let obstacle = target.obstacleToGrabbing(isNamed: request.routes != nil) {
                attempts.append(.init(route: route, reason: obstacle))
            } else {
                routes.append(route)
            }
        }
    }

    // MARK: - Routes

    private mutating func tryNextRoute(at now: Microseconds, _ actions: inout [MoveAction]) {
        guard now < request.deadline else { return finish(.timedOut, .noConfirmation, at: now, &actions) }
        guard !routes.isEmpty else { return giveUp(at: now, &actions) }
        switch routes.removeFirst() {
        case .grabFocus:
            phase = .grabbing(until: now + limits.grabFocusPatience)
            hasActed = true
            hasGrabbed = true
            actions.append(.grabFocus)
        case .activeDescendant:
            // No event moves the keyboard.
            guard !waiting.isEmpty else { return tryNextRoute(at: now, &actions) }
            phase = .rechecking(isAfterBlank: false)
            actions.append(.recheck)
        }
    }

    private mutating func rechecked(_ report: TargetReport, at now: Microseconds, _ actions: inout [MoveAction]) {
        guard case .rechecking(let isAfterBlank) = phase else { return }
        guard case .present(let target) = report else { return refuse(report, at: now, &actions) }
        if !hasGrabbed { self.target?.hasKeyboardFocus = target.hasKeyboardFocus }
        if !hasActed && confirmThoseThere() { return conclude(.confirmed, nil, at: now, &actions) }
        if target.takesTyping && !target.hasKeyboardFocus && request.routes == nil {
            withholdsTyping = true
            return tryNextRoute(at: now, &actions)
        }
        guard !waiting.isEmpty else { return tryNextRoute(at: now, &actions) }
        hasActed = true
        // Where it is thought to be already, the event alone would be met with silence.
        if !isAfterBlank && waiting.contains(where: { origins[$0]?.element == request.target && !onBlank.contains($0) })
        {
            phase = .presentingBlank(until: now + limits.activeDescendantPatience, awaited: Set(waiting))
            actions.append(.presentBlank(waiting))
        } else {
            phase = .presenting(until: now + limits.activeDescendantPatience)
            actions.append(.presentTarget(waiting))
        }
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

    /// No route is left.
    private mutating func giveUp(at now: Microseconds, _ actions: inout [MoveAction]) {
        if withholdsTyping { return finish(.refused, .keyboardFocusCannotMove, at: now, &actions) }
        // Nothing was confirmed though something was done: found, not confirmed. Else the first refusal says why.
        if let waited = attempts.first(where: { $0.reason == .noConfirmation }) {
            return finish(.timedOut, waited.reason, at: now, &actions)
        }
        finish(.refused, attempts.first?.reason ?? .notSupported, at: now, &actions)
    }

    private mutating func timePassed(at now: Microseconds, _ actions: inout [MoveAction]) {
        guard let deadline = nextDeadline, deadline <= now else { return }
        switch phase {
        case .created, .finished: break
        case .checking, .rechecking:
            finish(.refused, .applicationNotResponding, at: now, &actions)
        case .grabbing: giveUpRoute(.grabFocus, .noConfirmation, at: now, &actions)
        case .presentingBlank where !onBlank.isEmpty && now < request.deadline:
            // Those that got there go on without the others.
            phase = .rechecking(isAfterBlank: true)
            actions.append(.recheck)
        case .presentingBlank, .presenting: giveUpRoute(.activeDescendant, .noConfirmation, at: now, &actions)
        case .closing: keyboardRead(nil, at: now, &actions)
        }
    }

    // MARK: - What technologies and the user do

    private mutating func signalled(
        _ id: TechnologyID, _ placement: Placement, _ mode: Mode?, at now: Microseconds, _ actions: inout [MoveAction]
    ) {
        guard request.technologies.contains(id), mode != .mouseReview else { return }
        onBlank.remove(id)
        guard phase.isUnderWay else { return }
        guard let target, hasActed else {
            origins[id] = Position(placement: placement, mode: mode, time: now)
            return
        }
        let isTarget = placement.element == request.target
        let isInside = hasGrabbed && placement.lineage.contains(request.target)
        if isTarget || isInside {
            // One that only passes by on its way to the blank confirms nothing.
            if case .presentingBlank = phase { return }
            confirmed.insert(id)
            confirmedRoute = currentRoute
            if isConfirmed { conclude(.confirmed, nil, at: now, &actions) }
            return
        }
        let isWhereItWas = placement.element == origins[id]?.element
        guard !isWhereItWas, !placement.isRelated(to: target.placement), !echoes.contains(placement.element)
        else { return }
        // S10: the user moved on, and is never pulled back.
        finish(.superseded, .movedElsewhere, at: now, &actions)
    }

    private mutating func signalledBlank(_ id: TechnologyID, at now: Microseconds, _ actions: inout [MoveAction]) {
        guard request.technologies.contains(id), phase != .finished else { return }
        onBlank.insert(id)
        stopAwaiting(id, &actions)
    }

    /// The blank is left for the target when nobody is awaited there any more.
    private mutating func stopAwaiting(_ id: TechnologyID, _ actions: inout [MoveAction]) {
        guard case .presentingBlank(let until, var awaited) = phase else { return }
        awaited.remove(id)
        phase = awaited.isEmpty ? .rechecking(isAfterBlank: true) : .presentingBlank(until: until, awaited: awaited)
        if awaited.isEmpty { actions.append(.recheck) }
    }

    private mutating func keyboardMoved(_ placement: Placement, at now: Microseconds, _ actions: inout [MoveAction]) {
        guard phase.isUnderWay else { return }
        guard let target, hasActed else {
            origins[.keyboard] = Position(placement: placement, time: now)
            return
        }
        if placement.lineage.contains(request.target) {
            if request.technologies.contains(.keyboard) {
                confirmed.insert(.keyboard)
                confirmedRoute = currentRoute
                if isConfirmed { conclude(.confirmed, nil, at: now, &actions) }
            }
            return
        }
        let isWhereItWas = placement.element == origins[.keyboard]?.element
        guard !isWhereItWas, !placement.isRelated(to: target.placement), !echoes.contains(placement.element) else {
            return
        }
        finish(.superseded, .movedElsewhere, at: now, &actions)
    }

    private mutating func technologyLeft(_ id: TechnologyID, at now: Microseconds, _ actions: inout [MoveAction]) {
        guard request.technologies.contains(id), phase != .finished else { return }
        onBlank.remove(id)
        guard phase.isUnderWay else { return }
        gone.insert(id)
        if request.technologies.allSatisfy(gone.contains) || !request.isAnyEnough {
            return finish(.refused, .technologyNotActive, at: now, &actions)
        }
        stopAwaiting(id, &actions)
    }

    // MARK: - The end

    private mutating func keyboardRead(_ isThere: Bool?, at now: Microseconds, _ actions: inout [MoveAction]) {
        if case .grabbing = phase {
            guard isThere == true, request.technologies.contains(.keyboard) else { return }
            confirmed.insert(.keyboard)
            confirmedRoute = .grabFocus
            if isConfirmed { conclude(.confirmed, nil, at: now, &actions, keyboardIsThere: true) }
            return
        }
        guard case .closing = phase, var pendingOutcome else { return }
        if isThere == true && hasGrabbed && request.technologies.contains(.keyboard) {
            // It came without an event, or though the grab was answered with false.
            confirmed.insert(.keyboard)
            confirmedRoute = confirmedRoute ?? .grabFocus
            if isConfirmed { pendingOutcome = (.confirmed, nil) }
        }
        end(pendingOutcome.result, pendingOutcome.reason, keyboard(isThere), at: now, &actions)
    }

    /// The result is known; where the keyboard is must be read still.
    private mutating func conclude(
        _ result: MoveResult, _ reason: MoveReason?, at now: Microseconds, _ actions: inout [MoveAction],
        keyboardIsThere: Bool? = nil
    ) {
        if let isThere = keyboardIsThere { return end(result, reason, keyboard(isThere), at: now, &actions) }
        pendingOutcome = (result, reason)
        phase = .closing(until: now + limits.keyboardReadPatience)
        actions.append(.readKeyboard)
    }

    private mutating func finish(
        _ result: MoveResult, _ reason: MoveReason?, at now: Microseconds, _ actions: inout [MoveAction]
    ) {
        guard phase != .finished else { return }
        // What is known stays known, whatever comes while the keyboard is being read.
        if let known = pendingOutcome { return end(known.result, known.reason, .unknown, at: now, &actions) }
        // What was done moved the keyboard perhaps; what was not done left it where the check found it.
        if hasGrabbed && result != .superseded && reason != .applicationNotResponding && reason != .busGone {
            return conclude(result, reason, at: now, &actions)
        }
        var outcome = KeyboardFocusOutcome.unknown
        if let target, !hasGrabbed, result != .superseded {
            outcome = target.hasKeyboardFocus ? .alreadyThere : .elsewhere
        }
        end(result, reason, outcome, at: now, &actions)
    }

    private mutating func end(
        _ result: MoveResult, _ reason: MoveReason?, _ keyboardFocus: KeyboardFocusOutcome, at now: Microseconds,
        _ actions: inout [MoveAction]
    ) {
        let stranded = onBlank.sorted()
        if !stranded.isEmpty { actions.append(.leaveBlank(stranded)) }
        phase = .finished
        actions.append(
            .finish(
                MoveOutcome(
                    result: result, reason: reason, route: result == .confirmed ? confirmedRoute : nil,
                    attempts: attempts, confirmed: confirmed, keyboardFocus: keyboardFocus, finishedAt: now)))
    }

    // MARK: -

    private func keyboard(_ isThere: Bool?) -> KeyboardFocusOutcome {
        switch isThere {
        case nil: .unknown
        case false?: .elsewhere
        case true?: target?.hasKeyboardFocus ?? true ? .alreadyThere : .moved
        }
    }

    /// What is there already, and need not be presented again, is confirmed in silence (S5). True where that is enough.
    private mutating func confirmThoseThere() -> Bool {
        if !request.presentsAgain {
            for id in assistive where origins[id]?.element == request.target && origins[id]?.isAssumed == false {
                if !onBlank.contains(id) { confirmed.insert(id) }
            }
        }
        return isConfirmed
    }

    /// Who is on the blank accessible, or was sent there.
    var onItsWayToBlank: Set<TechnologyID> {
        guard case .presentingBlank(_, let awaited) = phase else { return onBlank }
        return onBlank.union(awaited)
    }

    private var isConfirmed: Bool {
        request.isAnyEnough
            ? !confirmed.isEmpty : request.technologies.allSatisfy { confirmed.contains($0) }
    }

    /// Who must still be moved, without the keyboard, which no event moves.
    private var waiting: [TechnologyID] {
        assistive.filter { !confirmed.contains($0) && !gone.contains($0) }
    }

    private var assistive: [TechnologyID] { request.technologies.filter { $0 != .keyboard } }

    private var currentRoute: Route {
        switch phase {
        case .presenting, .presentingBlank: .activeDescendant
        default: hasGrabbed ? .grabFocus : .activeDescendant
        }
    }
}
