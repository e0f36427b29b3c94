import AccessibilityTree

/// Makes the user hear an element that the keyboard comes to after a screen reader was sent there without it.
///
/// The screen reader believes that it is there already, and says nothing. So it is sent to the blank accessible, and from
/// there to the element, but only if the user has not moved on meanwhile: nobody is pulled back. A technology that is left
/// on the blank, or that arrives where the user is not any more, is sent after the user once it stays there.
package struct SilentArrival: Sendable {
    package struct Limits: Sendable {
        /// How long a technology may take to say that it is on the blank, and then on the element.
        package var patience: Microseconds = 1_000_000
        /// How long it may stay where the user is not, before it is sent after the user.
        package var strayTime: Microseconds = 300_000
        /// How often it is sent after the user without saying anything.
        package var maximumCalls = 3
        package init() {}
    }

    package enum Input: Hashable, Sendable {
        /// A move or a presentation by focusd's own event put a technology on an element, as it confirmed.
        case moved(TechnologyID, to: ObjectReference)
        /// The keyboard focus came to an element; the time is that of the user's move. Also told where nothing changed.
        /// Tell moves first: those that are in flight still see to their technologies themselves.
        case keyboardArrived(ObjectReference, at: Microseconds, moving: Set<TechnologyID> = [])
        case keyboardLeft
        case signalled(TechnologyID, ObjectReference, Mode?)
        case reachedBlank(TechnologyID)
        /// An element was not presented: it did not answer, or lacks the keyboard focus where that was asked for.
        case notPresented(TechnologyID)
        case elementGone(ObjectReference)
        case technologyLeft(TechnologyID)
        case busLeft
        case timePassed
    }

    package enum Action: Hashable, Sendable {
        /// Send a technology to the blank accessible, in place of an element.
        case presentBlank(insteadOf: ObjectReference, to: TechnologyID)
        /// Ask the element for its states, and send the technology there if it has the keyboard focus still. Else
        /// answer with `notPresented`.
        case presentIfFocused(ObjectReference, to: TechnologyID)
        /// The same, but it only needs to answer.
        case present(ObjectReference, to: TechnologyID)
    }

    /// Where a technology was put without the keyboard.
    private struct Planted {
        var element: ObjectReference
        var at: Microseconds
    }

    private struct Repair {
        var element: ObjectReference
        var phase: Phase
        /// The user, or the technology, did something since the first step.
        var hasMovedOn = false
        var isOnBlank = false
        var calls = 0
    }

    private enum Phase {
        case headingForBlank(until: Microseconds)
        /// It stays where the user is not: on the blank, or where it was sent. Nil: until something happens.
        case stray(until: Microseconds?)
        case sent(ObjectReference, until: Microseconds)

        var deadline: Microseconds? {
            switch self {
            case .headingForBlank(let until), .sent(_, let until): until
            case .stray(let until): until
            }
        }
    }

    private let limits: Limits
    private var planted: [TechnologyID: Planted] = [:]
    private var repairs: [TechnologyID: Repair] = [:]
    private var keyboard: ObjectReference?

    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// When `timePassed` is due.
    package var nextDeadline: Microseconds? { repairs.values.compactMap(\.phase.deadline).min() }

    /// Whether a technology is on the blank, or on its way to it, because of this: nobody else calls it back.
    package func holds(_ id: TechnologyID) -> Bool {
        guard let repair = repairs[id] else { return false }
        if case .headingForBlank = repair.phase { return true }
        return repair.isOnBlank
    }

    /// Whether it is still to be sent to an element. Ask right before sending: the element was asked, and that takes time.
    package func wants(_ id: TechnologyID, at element: ObjectReference) -> Bool {
        guard case .sent(element, _)? = repairs[id]?.phase else { return false }
        return true
    }

    /// A move of a technology begins, and sees to it from here.
    package mutating func moveBegan(_ id: TechnologyID) -> Handover {
        guard let repair = repairs.removeValue(forKey: id) else { return Handover() }
        var handover = Handover(blank: repair.isOnBlank ? .there : nil)
        switch repair.phase {
        case .headingForBlank: handover.blank = .onItsWay
        case .sent(let element, _): handover.arriving = [element]
        case .stray: break
        }
        return handover
    }

    package mutating func handle(_ input: Input, at now: Microseconds) -> [Action] {
        switch input {
        case .moved(let id, let element):
            planted[id] = Planted(element: element, at: now)
            return []
        case .keyboardArrived(let element, let time, let moving):
            return keyboardArrived(element, at: time, moving: moving, now)
        case .keyboardLeft:
            keyboard = nil
            for id in repairs.keys { repairs[id]?.hasMovedOn = true }
            return []
        case .signalled(let id, let element, let mode):
            signalled(id, element, mode, at: now)
            return []
        case .reachedBlank(let id): return reachedBlank(id, at: now)
        case .notPresented(let id):
            notPresented(id, at: now)
            return []
        case .elementGone(let element):
            for (id, place) in planted where place.element == element { planted[id] = nil }
            for (id, repair) in repairs where repair.element == element { repairs[id]?.hasMovedOn = true }
            if keyboard == element { keyboard = nil }
            return []
        case .technologyLeft(let id):
            planted[id] = nil
            repairs[id] = nil
            return []
        case .busLeft:
            self = SilentArrival(limits: limits)
            return []
        case .timePassed:
            return repairs.keys.sorted().flatMap { timePassed($0, at: now) }
        }
    }

    // MARK: - The user

    private mutating func keyboardArrived(
        _ element: ObjectReference, at time: Microseconds, moving: Set<TechnologyID>, _ now: Microseconds
    ) -> [Action] {
        // Toolkits announce it twice, and what is found anew is no move.
        guard keyboard != element else { return [] }
        keyboard = element
        for (id, repair) in repairs {
            repairs[id]?.hasMovedOn = true
            // What was given up is worth another try.
            if repair.isOnBlank, case .stray(nil) = repair.phase {
                repairs[id]?.calls = 0
                repairs[id]?.phase = .stray(until: now + limits.strayTime)
            }
        }
        let silent = planted.filter { id, place in
            place.element == element && place.at < time && repairs[id] == nil && !moving.contains(id)
        }
        return silent.keys.sorted().map { id in
            repairs[id] = Repair(element: element, phase: .headingForBlank(until: now + limits.patience))
            return .presentBlank(insteadOf: element, to: id)
        }
    }

    // MARK: - The technology

    private mutating func signalled(
        _ id: TechnologyID, _ element: ObjectReference, _ mode: Mode?, at now: Microseconds
    ) {
        // What the pointer is over is no place of it.
        guard mode != .mouseReview else { return }
        guard mode != .flatReview && mode != .objectNavigator else {
            // Looking around leaves it where it is. Who does that is not interrupted by the element.
            if element != repairs[id]?.element { repairs[id]?.hasMovedOn = true }
            return
        }
        if planted[id]?.element != element { planted[id] = nil }
        guard var repair = repairs[id] else { return }
        repair.isOnBlank = false
        switch repair.phase {
        case .headingForBlank:
            // It moved by itself. Yet what it was sent may come after that.
            if element != repair.element { repair.hasMovedOn = true }
        case .sent(let sent, _):
            guard element == sent else { break }
            planted[id] = Planted(element: element, at: now)
            if element == keyboard {
                repairs[id] = nil
                return
            }
            repair.phase = .stray(until: now + limits.strayTime)
        case .stray:
            repairs[id] = nil
            return
        }
        repairs[id] = repair
    }

    private mutating func reachedBlank(_ id: TechnologyID, at now: Microseconds) -> [Action] {
        guard var repair = repairs[id] else { return [] }
        defer { repairs[id] = repair }
        repair.isOnBlank = true
        guard case .headingForBlank = repair.phase else { return [] }
        guard !repair.hasMovedOn, keyboard == repair.element else {
            repair.phase = .stray(until: now + limits.strayTime)
            return []
        }
        repair.phase = .sent(repair.element, until: now + limits.patience)
        return [.presentIfFocused(repair.element, to: id)]
    }

    private mutating func notPresented(_ id: TechnologyID, at now: Microseconds) {
        guard let repair = repairs[id], case .sent = repair.phase else { return }
        repairs[id]?.hasMovedOn = true
        repairs[id]?.phase = .stray(until: now + limits.strayTime)
    }

    private mutating func timePassed(_ id: TechnologyID, at now: Microseconds) -> [Action] {
        guard var repair = repairs[id], let deadline = repair.phase.deadline, deadline <= now else { return [] }
        switch repair.phase {
        case .headingForBlank:
            // It never went there: nothing is to be repaired, or nothing can be.
            repairs[id] = nil
            return []
        case .sent where !repair.isOnBlank:
            repairs[id] = nil
            return []
        case .sent, .stray:
            // Where nobody knows the keyboard, the element it came from is better than the blank.
            guard repair.calls < limits.maximumCalls, let place = keyboard ?? (repair.isOnBlank ? repair.element : nil)
            else {
                repairs[id] = repair.isOnBlank ? repair : nil
                repairs[id]?.phase = .stray(until: nil)
                return []
            }
            repair.calls += 1
            repair.phase = .sent(place, until: now + limits.patience)
            repairs[id] = repair
            return [.present(place, to: id)]
        }
    }
}
