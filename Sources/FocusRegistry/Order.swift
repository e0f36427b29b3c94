import AccessibilityTree

/// The life of one set or move, from its arrival to its outcome, around the moves it makes.
///
/// It waits for its element (S3), then makes one move; to give focus back (S6), or where several prototypes have the value,
/// one after the other until one is not refused. It decides; whoever owns the desk watches selectors and makes the moves.
package struct Order: Sendable {
    package private(set) var terms: OrderTerms
    private let goal: OrderGoal
    /// The application in which the user was when this began.
    private let firstApplication: String?
    private var application: String?
    private var sightings: [Sighting?] = []
    private var hasWaited = false
    private var phase = Phase.created

    private enum Phase {
        case created, waiting
        case moving(MoveRequest, prototype: Int?, rest: [Place])
        case finished
    }

    /// Somewhere to move to.
    private struct Place {
        var target: ObjectReference
        var prototype: Int?
        var hasOwner = false
        var needsActiveWindow = false
        var mayMoveKeyboard = true
    }

    /// What the move that is made now, or was made first, became; and whose it was.
    private var firstRefusal: (request: MoveRequest, prototype: Int?, outcome: MoveOutcome)?

    /// `userApplication` is the bus name of where the keyboard is, or else the technology that moved last.
    package init(_ goal: OrderGoal, _ terms: OrderTerms, userApplication: String?) {
        self.goal = goal
        self.terms = terms
        firstApplication = userApplication
        application = userApplication
        if case .search(let owners) = goal { sightings = Array(repeating: nil, count: owners.count) }
    }

    package var isFinished: Bool {
        if case .finished = phase { true } else { false }
    }

    /// Whether it waits for its element still: then nothing supersedes it (S4).
    package var isWaiting: Bool {
        if case .waiting = phase { true } else { false }
    }

    /// When `timePassed` is due. A move that was begun sees to its own time.
    package var nextDeadline: Microseconds? { isWaiting ? terms.deadline : nil }

    package mutating func start(at now: Microseconds) -> [OrderAction] {
        // It may have been called off already.
        guard case .created = phase else { return [] }
        guard !terms.technologies.isEmpty else { return finish(.refused, .technologyNotActive, at: now) }
        switch goal {
        case .element(let target): return begin([Place(target: target)], at: now)
        case .search:
            phase = .waiting
            return [.beginWatching]
        case .giveBack(let places):
            return begin(
                places.map {
                    Place(
                        target: $0.target, needsActiveWindow: $0.needsActiveWindow,
                        mayMoveKeyboard: $0.mayMoveKeyboard)
                }, at: now)
        }
    }

    package mutating func handle(_ input: OrderInput, at now: Microseconds) -> [OrderAction] {
        switch input {
        case .sighted(let index, let sighting):
            guard sightings.indices.contains(index) else { return [] }
            sightings[index] = sighting
            return isWaiting ? look(at: now) : []
        case .userApplication(let busName):
            application = busName
            return []
        case .technologies(let active):
            terms.technologies = active
            return []
        case .moveEnded(let outcome): return moveEnded(outcome, at: now)
        case .timePassed: return isWaiting && now >= terms.deadline ? timeIsOver(at: now) : []
        case .cancelled(let reason): return cancelled(reason, at: now)
        }
    }

    // MARK: - Waiting for the element

    /// The first prototype that means one element is gone to, once those listed before it are decided.
    private mutating func look(at now: Microseconds) -> [OrderAction] {
        guard case .search(let owners) = goal else { return [] }
        var found: [(place: Place, isInActiveWindow: Bool)] = []
        for (index, sighting) in sightings.enumerated() {
            guard let sighting, sighting.isDecided else {
                guard found.isEmpty else { continue }
                // The user may go away while trees are read as well as while nothing matches.
                hasWaited = true
                return []
            }
            guard case .one(let target, let isInActiveWindow) = sighting.matches else { continue }
            let place = Place(target: target, prototype: index, hasOwner: owners[index])
            found.append((place, isInActiveWindow))
        }
        guard let first = found.first else {
            if let count = ambiguity { return [.endWatching] + finish(.ambiguous, nil, matches: count, at: now) }
            hasWaited = true
            return []
        }
        if hasWaited, let firstApplication, let application, application != firstApplication {
            found.removeAll { !$0.isInActiveWindow }
        }
        guard !found.isEmpty else {
            return [.endWatching] + finish(.refused, .userMovedAway, prototype: first.place.prototype, at: now)
        }
        return [.endWatching] + begin(found.map(\.place), at: now)
    }

    /// How many elements the first selector means that means several.
    private var ambiguity: Int? {
        for case .several(let count)? in sightings.map({ $0?.matches }) { return count }
        return nil
    }

    private mutating func timeIsOver(at now: Microseconds) -> [OrderAction] {
        if let count = ambiguity { return [.endWatching] + finish(.ambiguous, nil, matches: count, at: now) }
        let reasons = sightings.map { sighting -> MoveReason in
            guard let sighting else { return .stillLoading }
            // What was found and not decided was one of many perhaps.
            if case .one = sighting.matches { return .stillLoading }
            return sighting.reason
        }
        // The one that says most of what to do about it.
        let telling = [MoveReason.stillLoading, .applicationNotResponding, .noMatch].first(where: reasons.contains)
        return [.endWatching] + finish(.notFound, telling ?? reasons.first ?? .noMatch, at: now)
    }

    // MARK: - Moving

    private mutating func begin(_ places: [Place], at now: Microseconds) -> [OrderAction] {
        guard !terms.technologies.isEmpty else { return finish(.refused, .technologyNotActive, at: now) }
        guard let place = places.first else { return noPlaceLeft(at: now) }
        // Found in the last moment: nothing can be tried any more.
        guard now < terms.deadline else {
            return finish(.timedOut, .noConfirmation, prototype: place.prototype, at: now)
        }
        let request = MoveRequest(
            target: place.target, technologies: terms.technologies, isAnyEnough: terms.isAnyEnough,
            presentsAgain: terms.presentsAgain, routes: terms.routes, filter: terms.filter, state: terms.state,
            value: terms.value, prototype: place.prototype, hasOwner: place.hasOwner,
            needsActiveWindow: place.needsActiveWindow,
            mayMoveKeyboard: place.mayMoveKeyboard, startedAt: terms.startedAt, deadline: terms.deadline)
        phase = .moving(request, prototype: place.prototype, rest: Array(places.dropFirst()))
        return [.beginMove(request)]
    }

    private mutating func moveEnded(_ outcome: MoveOutcome, at now: Microseconds) -> [OrderAction] {
        guard case .moving(let request, let prototype, let rest) = phase else { return [] }
        guard isAboutThePlace(outcome), now < terms.deadline else {
            return finish(
                outcome.result, outcome.reason, prototype: prototype, request: request, move: outcome, at: now)
        }
        if firstRefusal == nil { firstRefusal = (request, prototype, outcome) }
        return begin(rest, at: now)
    }

    /// Whether a move was refused for what its target is: another place may do.
    private func isAboutThePlace(_ outcome: MoveOutcome) -> Bool {
        switch outcome.result {
        case .refused: outcome.reason != .technologyNotActive && outcome.reason != .busGone
        case .notFound: true
        case .confirmed, .timedOut, .superseded, .ambiguous: false
        }
    }

    private mutating func noPlaceLeft(at now: Microseconds) -> [OrderAction] {
        if case .giveBack = goal { return finish(.refused, .nowhereToGo, at: now) }
        guard let (request, prototype, outcome) = firstRefusal else { return finish(.notFound, .noMatch, at: now) }
        return finish(outcome.result, outcome.reason, prototype: prototype, request: request, move: outcome, at: now)
    }

    // MARK: - The end

    private mutating func cancelled(_ reason: MoveReason, at now: Microseconds) -> [OrderAction] {
        switch phase {
        case .finished: []
        case .created: finish(.superseded, reason, at: now)
        case .waiting: [.endWatching] + finish(.superseded, reason, at: now)
        case .moving(let request, let prototype, _):
            [.leaveMove] + finish(.superseded, reason, prototype: prototype, request: request, at: now)
        }
    }

    private mutating func finish(
        _ result: MoveResult, _ reason: MoveReason?, matches: Int? = nil, prototype: Int? = nil,
        request: MoveRequest? = nil, move: MoveOutcome? = nil, at now: Microseconds
    ) -> [OrderAction] {
        phase = .finished
        return [
            .finish(
                OrderOutcome(
                    result: result, reason: reason, matches: matches, prototype: prototype, request: request,
                    move: move, finishedAt: now))
        ]
    }
}
