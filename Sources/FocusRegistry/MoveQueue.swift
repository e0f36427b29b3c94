import AccessibilityTree

/// The moves in flight: at most one a technology; newer ones supersede, identical ones share (S4).
///
/// It also remembers, for a while, where moves that have ended sent technologies: what still arrives there is neither the
/// user, nor does it confirm a newer move.
package struct MoveQueue<Caller: Hashable & Sendable>: Sendable {
    package typealias MoveID = Int

    /// How long after a move what it did may still take effect.
    package static var echoTime: Microseconds { 1_500_000 }

    /// What a move that has ended did.
    private struct Trace: Sendable {
        var target: ObjectReference
        /// Who has not said that it is there.
        var arriving: Set<TechnologyID>
        var at: Microseconds
    }

    private var moves: [MoveID: Move] = [:]
    private var callers: [MoveID: [Caller]] = [:]
    private var traces: [Trace] = []
    /// Who was left on the blank, or on the way to it, when its move ended.
    private var blanks: [TechnologyID: (place: BlankPlace, at: Microseconds)] = [:]
    private var lastID = 0
    private let limits: Move.Limits

    package init(limits: Move.Limits = Move.Limits()) {
        self.limits = limits
    }

    /// What is to be done, and for which move.
    package struct Step: Sendable {
        package let id: MoveID
        package let request: MoveRequest
        package let action: MoveAction
        /// Who waits for the outcome; with `finish` only.
        package let callers: [Caller]
        /// Who was sent to the target and may still arrive there, unwanted perhaps; with `finish` only.
        package let arriving: Set<TechnologyID>
    }

    package var isEmpty: Bool { moves.isEmpty }

    package func isInFlight(_ id: MoveID) -> Bool { moves[id] != nil }

    /// Whether a move of this technology is in flight.
    package func isMoving(_ id: TechnologyID) -> Bool {
        moves.values.contains { $0.request.technologies.contains(id) }
    }

    /// Whether a move to an element of this application is in flight.
    package func concerns(_ busName: String) -> Bool {
        moves.values.contains { $0.request.target.busName == busName }
    }

    /// Whether a technology is on the blank and no move sees to it. Nothing but its own word ends that.
    package func isOnBlank(_ id: TechnologyID) -> Bool { blanks[id]?.place == .there && !isMoving(id) }

    /// The technologies of which a move is in flight.
    package var technologiesMoving: Set<TechnologyID> { Set(moves.values.flatMap(\.request.technologies)) }

    /// Whether a move in flight has sent this technology to this place, or to something around it that hands focus on.
    package func isSent(_ id: TechnologyID, to placement: Placement) -> Bool {
        moves.values.contains { move in
            guard move.arriving.contains(id), let route = move.lastRoute else { return false }
            return placement.element == move.request.target
                || route.movesKeyboard && placement.lineage.contains(move.request.target)
        }
    }

    package var nextDeadline: Microseconds? { moves.values.compactMap(\.nextDeadline).min() }

    /// Whether something was done to one of these that may still take it elsewhere: then what it said is no proof (S5).
    package func isDisturbed(_ technologies: some Sequence<TechnologyID>, at now: Microseconds) -> Bool {
        let ids = Set(technologies)
        return moves.values.contains { !$0.arriving.isDisjoint(with: ids) || !ids.isDisjoint(with: $0.blanks.keys) }
            || traces.contains { isFresh($0.at, now) && !$0.arriving.isDisjoint(with: ids) }
            || blanks.contains { ids.contains($0.key) && counts($0.value, now) }
    }

    /// How many sets of a state are in flight.
    package func setsUnderWay(of state: FocusStateID) -> Int {
        moves.filter { $0.value.request.state == state }.keys.reduce(0) { $0 + callers[$1, default: []].count }
    }

    // MARK: - Requests

    /// Takes a request: joins an identical one in flight, else supersedes those that hold one of its technologies.
    ///
    /// `origins` are where technologies are in the modes that count; `handovers` tell what was done to them besides moves.
    package mutating func begin(
        _ request: MoveRequest, caller: Caller, origins: [TechnologyID: Position],
        handovers: [TechnologyID: Handover] = [:], at now: Microseconds
    ) -> [Step] {
        if let same = moves.first(where: { $0.value.request.asksTheSame(as: request) })?.key {
            callers[same, default: []].append(caller)
            return []
        }
        let taken = Set(request.technologies)
        let steps = supersede(taken, taking: taken, at: now)
        forgetOld(now)
        var handed = handovers.filter { taken.contains($0.key) }
        for id in taken {
            if let blank = blanks.removeValue(forKey: id) { handed[id, default: Handover()].blank = blank.place }
            for trace in traces where trace.arriving.contains(id) {
                handed[id, default: Handover()].arriving.insert(trace.target)
            }
        }
        lastID += 1
        let echoes = Set(traces.map(\.target)).subtracting([request.target])
        var move = Move(request, origins: origins, handovers: handed, echoes: echoes, limits: limits)
        callers[lastID] = [caller]
        let actions = move.start(at: now)
        moves[lastID] = move
        return steps + collect(lastID, actions)
    }

    /// Ends the moves in flight of these technologies because of a newer request that is confirmed without a move.
    package mutating func supersede(_ technologies: Set<TechnologyID>, at now: Microseconds) -> [Step] {
        supersede(technologies, taking: [], at: now)
    }

    private mutating func supersede(
        _ technologies: Set<TechnologyID>, taking taken: Set<TechnologyID>, at now: Microseconds
    ) -> [Step] {
        moves.filter { !technologies.isDisjoint(with: $0.value.request.technologies) }.keys.sorted()
            .flatMap { tell($0, .supersededByNewer(taking: taken), at: now) }
    }

    /// Ends all sets of a state that are in flight, as superseded for this reason.
    package mutating func withdrawSets(
        of state: FocusStateID, because reason: MoveReason, at now: Microseconds
    ) -> [Step] {
        moves.filter { $0.value.request.state == state }.keys.sorted()
            .flatMap { tell($0, .withdrawn(reason), at: now) }
    }

    /// A caller went away: its move ends unless another waits for the same.
    package mutating func callerLeft(_ caller: Caller, at now: Microseconds) -> [Step] {
        var steps: [Step] = []
        for id in callers.filter({ $0.value.contains(caller) }).keys.sorted() {
            callers[id]?.removeAll { $0 == caller }
            if callers[id]?.isEmpty == true { steps += tell(id, .cancelled, at: now) }
        }
        return steps
    }

    // MARK: - What happens

    /// Tells one move something.
    package mutating func tell(_ id: MoveID, _ input: MoveInput, at now: Microseconds) -> [Step] {
        guard let actions = moves[id]?.handle(input, at: now) else { return [] }
        return collect(id, actions)
    }

    /// Tells all moves something. Tell it also while there are none: it remembers what may still arrive.
    package mutating func tellAll(_ input: MoveInput, at now: Microseconds) -> [Step] {
        let steps = moves.keys.sorted().flatMap { tell($0, input, at: now) }
        note(input, at: now)
        return steps
    }

    /// A technology's signal. `isSameValue` is asked for each move: whether its state has the wanted value now.
    package mutating func signalled(
        _ id: TechnologyID, _ placement: Placement, _ mode: Mode?, at now: Microseconds,
        isSameValue: (MoveRequest) -> Bool = { _ in true }
    ) -> [Step] {
        let steps = moves.keys.sorted().flatMap { key -> [Step] in
            guard let request = moves[key]?.request else { return [] }
            return tell(key, .signalled(id, placement, mode, isSameValue: isSameValue(request)), at: now)
        }
        note(.signalled(id, placement, mode), at: now)
        return steps
    }

    /// The keyboard focus moved, as became known now: for moves that began since it is where they began.
    package mutating func keyboardMoved(
        _ position: Position, at now: Microseconds, isSameValue: (MoveRequest) -> Bool = { _ in true }
    ) -> [Step] {
        moves.keys.sorted().flatMap { id -> [Step] in
            guard let request = moves[id]?.request else { return [] }
            guard request.startedAt > position.time else {
                return tell(id, .keyboardMoved(position.placement, isSameValue: isSameValue(request)), at: now)
            }
            moves[id]?.origins[.keyboard] = position
            return []
        }
    }

    /// An application left the bus: moves to its elements end.
    package mutating func applicationLeft(_ busName: String, at now: Microseconds) -> [Step] {
        let steps = moves.filter { $0.value.request.target.busName == busName }.keys.sorted()
            .flatMap { tell($0, .applicationLeft, at: now) }
        traces.removeAll { $0.target.busName == busName }
        return steps
    }

    // MARK: - What may still arrive

    private func isFresh(_ time: Microseconds, _ now: Microseconds) -> Bool { now <= time + Self.echoTime }

    /// Who was sent to the blank may not have gone; who is there is there until it says otherwise.
    private func counts(_ blank: (place: BlankPlace, at: Microseconds), _ now: Microseconds) -> Bool {
        blank.place == .there || isFresh(blank.at, now)
    }

    private mutating func forgetOld(_ now: Microseconds) {
        traces = traces.filter { isFresh($0.at, now) }
        for (id, blank) in blanks where !counts(blank, now) { blanks[id] = nil }
    }

    private mutating func note(_ input: MoveInput, at now: Microseconds) {
        switch input {
        case .signalled(let id, let placement, let mode, _) where mode != .mouseReview:
            // One that was only sent there may get there still.
            if blanks[id]?.place == .there { blanks[id] = nil }
            settle(id, at: placement.element)
        case .signalledBlank(let id): if !isMoving(id) { blanks[id] = (.there, now) }
        case .technologyLeft(let id):
            blanks[id] = nil
            settle(id, at: nil)
        case .busLeft:
            blanks = [:]
            traces = []
        default: break
        }
    }

    /// A technology arrived where a move had sent it, or with nil will arrive nowhere.
    private mutating func settle(_ id: TechnologyID, at element: ObjectReference?) {
        for index in traces.indices where element == nil || element == traces[index].target {
            traces[index].arriving.remove(id)
        }
    }

    private mutating func collect(_ id: MoveID, _ actions: [MoveAction]) -> [Step] {
        guard let move = moves[id] else { return [] }
        let request = move.request
        return actions.map { action in
            guard case .finish(let outcome) = action else {
                return Step(id: id, request: request, action: action, callers: [], arriving: [])
            }
            // Whatever became of it, its target may still be signalled.
            if move.hasActed {
                traces.append(Trace(target: request.target, arriving: move.arriving, at: outcome.finishedAt))
            }
            for (technology, place) in move.blanks { blanks[technology] = (place, outcome.finishedAt) }
            moves[id] = nil
            return Step(
                id: id, request: request, action: action, callers: callers.removeValue(forKey: id) ?? [],
                arriving: move.arriving)
        }
    }
}
