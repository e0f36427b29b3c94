import AccessibilityTree

/// The moves in flight: at most one a technology; newer ones supersede, identical ones share (S4).
package struct MoveQueue<Caller: Hashable & Sendable>: Sendable {
    package typealias MoveID = Int

    /// How long after a move its target may still be signalled as an echo of it.
    package static var echoTime: Microseconds { 1_500_000 }

    private var moves: [MoveID: Move] = [:]
    private var callers: [MoveID: [Caller]] = [:]
    private var recentTargets: [(target: ObjectReference, at: Microseconds)] = []
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
    }

    package var isEmpty: Bool { moves.isEmpty }

    /// Whether a move of this technology is in flight.
    package func isMoving(_ id: TechnologyID) -> Bool {
        moves.values.contains { $0.request.technologies.contains(id) }
    }

    package var nextDeadline: Microseconds? { moves.values.compactMap(\.nextDeadline).min() }

    /// Takes a request: joins an identical one in flight, else supersedes those that hold one of its technologies.
    package mutating func begin(
        _ request: MoveRequest, caller: Caller, origins: [TechnologyID: Position], at now: Microseconds
    ) -> [Step] {
        if let same = moves.first(where: { $0.value.request.asksTheSame(as: request) })?.key {
            callers[same, default: []].append(caller)
            return []
        }
        var steps: [Step] = []
        recentTargets.removeAll { $0.at + Self.echoTime < now }
        let taken = Set(request.technologies)
        var onBlank: Set<TechnologyID> = []
        for id in moves.keys.sorted() {
            guard let move = moves[id], !taken.isDisjoint(with: move.request.technologies) else { continue }
            onBlank.formUnion(move.onItsWayToBlank.intersection(taken))
            steps += tell(id, .supersededByNewer(taking: taken), at: now)
        }
        lastID += 1
        var move = Move(
            request, origins: origins,
            echoes: Set(recentTargets.map(\.target)).subtracting([request.target]), onBlank: onBlank, limits: limits)
        callers[lastID] = [caller]
        let actions = move.start(at: now)
        moves[lastID] = move
        return steps + collect(lastID, actions)
    }

    /// Tells one move something.
    package mutating func tell(_ id: MoveID, _ input: MoveInput, at now: Microseconds) -> [Step] {
        guard let actions = moves[id]?.handle(input, at: now) else { return [] }
        return collect(id, actions)
    }

    /// Tells all moves something.
    package mutating func tellAll(_ input: MoveInput, at now: Microseconds) -> [Step] {
        moves.keys.sorted().flatMap { tell($0, input, at: now) }
    }

    /// The keyboard focus moved, as became known now: for moves that began since it is where they began.
    package mutating func keyboardMoved(_ position: Position, at now: Microseconds) -> [Step] {
        moves.keys.sorted().flatMap { id -> [Step] in
            guard let move = moves[id], move.request.startedAt > position.time else {
                return tell(id, .keyboardMoved(position.placement), at: now)
            }
            moves[id]?.origins[.keyboard] = position
            return []
        }
    }

    /// An application left the bus: moves to its elements end.
    package mutating func applicationLeft(_ busName: String, at now: Microseconds) -> [Step] {
        moves.filter { $0.value.request.target.busName == busName }.keys.sorted()
            .flatMap { tell($0, .applicationLeft, at: now) }
    }

    /// A caller went away: its move ends unless another waits for the same.
    package mutating func callerLeft(_ caller: Caller, at now: Microseconds) -> [Step] {
        var steps: [Step] = []
        for id in callers.filter({ $0.value.contains(caller) }).keys {
            callers[id]?.removeAll { $0 == caller }
            if callers[id]?.isEmpty == true { steps += tell(id, .cancelled, at: now) }
        }
        return steps
    }

    private mutating func collect(_ id: MoveID, _ actions: [MoveAction]) -> [Step] {
        guard let move = moves[id] else { return [] }
        let request = move.request
        return actions.map { action in
            guard case .finish(let outcome) = action else {
                return Step(id: id, request: request, action: action, callers: [])
            }
            // Whatever became of it, its target may still be signalled.
            if move.hasActed { recentTargets.append((request.target, outcome.finishedAt)) }
            moves[id] = nil
            return Step(id: id, request: request, action: action, callers: callers.removeValue(forKey: id) ?? [])
        }
    }
}
