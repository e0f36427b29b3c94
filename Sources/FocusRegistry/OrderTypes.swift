import AccessibilityTree

/// What a set or move asks for besides where to.
package struct OrderTerms: Hashable, Sendable {
    /// As in `MoveRequest`: without repetition, who moved last first where any is enough. Empty: refused.
    package var technologies: [TechnologyID]
    package var isAnyEnough: Bool
    package var presentsAgain: Bool
    package var routes: [Route]?
    package var filter: ModeFilter
    /// Nil for a plain move.
    package var state: FocusStateID?
    /// Nil for none, and for a plain move.
    package var value: String?
    package var startedAt: Microseconds
    package var deadline: Microseconds

    package init(
        technologies: [TechnologyID], isAnyEnough: Bool, presentsAgain: Bool = false, routes: [Route]? = nil,
        filter: ModeFilter = .usual, state: FocusStateID? = nil, value: String? = nil, startedAt: Microseconds,
        deadline: Microseconds
    ) {
        self.technologies = technologies
        self.isAnyEnough = isAnyEnough
        self.presentsAgain = presentsAgain
        self.routes = routes
        self.filter = filter
        self.state = state
        self.value = value
        self.startedAt = startedAt
        self.deadline = deadline
    }

    /// Whether an overlapping one wants the very same and may share the outcome.
    package func asksTheSame(as other: OrderTerms) -> Bool {
        var same = other
        same.startedAt = startedAt
        same.deadline = deadline
        return self == same
    }
}

/// Where to.
package enum OrderGoal: Hashable, Sendable {
    case element(ObjectReference)
    /// The element of a selector, or of the first of several that has one. For each: whether a client moves there itself.
    case search(owners: [Bool])
    /// Away from a state's elements: the first of these places that can be gone to (S6).
    case giveBack([GiveBackPlace])
}

/// A place to give focus back to.
package struct GiveBackPlace: Hashable, Sendable {
    package var target: ObjectReference
    package var needsActiveWindow: Bool
    /// Only where a set of this state moved the keyboard does it go back too.
    package var mayMoveKeyboard: Bool

    package init(target: ObjectReference, needsActiveWindow: Bool, mayMoveKeyboard: Bool) {
        self.target = target
        self.needsActiveWindow = needsActiveWindow
        self.mayMoveKeyboard = mayMoveKeyboard
    }
}

/// What a selector means at the moment.
package struct Sighting: Hashable, Sendable {
    package enum Matches: Hashable, Sendable {
        case none
        /// The only one, or the only one in the active window.
        case one(ObjectReference, isInActiveWindow: Bool)
        case several(count: Int)
    }

    package var matches: Matches
    /// All that could match was looked at, but for what does not answer.
    package var isDecided: Bool
    /// Why nothing is found, where that is so: `noMatch`, `stillLoading`, `noSuchApplication`, …
    package var reason: MoveReason

    package init(_ matches: Matches, isDecided: Bool, reason: MoveReason = .noMatch) {
        self.matches = matches
        self.isDecided = isDecided
        self.reason = reason
    }

    /// Of all that a selector matches, the only one, or else the only one in the active window.
    package init(
        among found: [(element: ObjectReference, isInActiveWindow: Bool)], isDecided: Bool,
        reason: MoveReason = .noMatch
    ) {
        let active = found.filter(\.isInActiveWindow)
        let one = found.count == 1 ? found[0] : active.count == 1 ? active[0] : nil
        if let one {
            self.init(.one(one.element, isInActiveWindow: one.isInActiveWindow), isDecided: isDecided, reason: reason)
        } else {
            self.init(found.isEmpty ? .none : .several(count: found.count), isDecided: isDecided, reason: reason)
        }
    }
}

/// What an order is told.
package enum OrderInput: Hashable, Sendable {
    /// What the selector of this number means now. Tell it afresh before `timePassed`.
    case sighted(Int, Sighting)
    /// The application in which the user is now.
    case userApplication(String?)
    /// The technologies that are meant now: active ones come and go while the element is waited for.
    case technologies([TechnologyID])
    /// The move that was begun for it ended.
    case moveEnded(MoveOutcome)
    case timePassed
    /// It is no longer wanted: nobody waits for it, its state was unbound, or is to have none again (S6).
    case cancelled(MoveReason)
}

/// What an order wants done next.
package enum OrderAction: Hashable, Sendable {
    /// Watch the selectors; answer with `sighted`, whenever what they mean has changed.
    case beginWatching
    case endWatching
    /// Begin a move; answer with `moveEnded`. Its technologies and the user go on from here without the order.
    case beginMove(MoveRequest)
    /// Nobody here waits for the move that was begun any more.
    case leaveMove
    case finish(OrderOutcome)
}

/// The answer to a set or move.
package struct OrderOutcome: Hashable, Sendable {
    package var result: MoveResult
    package var reason: MoveReason?
    /// Of `ambiguous`: how many elements the selector matches.
    package var matches: Int?
    /// Which of the selectors it came to.
    package var prototype: Int?
    /// The move that decided it, and what became of that; nil where it did not come to one.
    package var request: MoveRequest?
    package var move: MoveOutcome?
    package var finishedAt: Microseconds
}

/// What a set comes to before anything is done.
package enum SetAnswer: Hashable, Sendable {
    /// Confirmed, in silence, by no route. Moves in flight for these technologies are superseded all the same.
    case confirmed
    /// None is what it has: confirmed in silence, and pending sets of this state are cancelled.
    case confirmedAsNone
    /// The value's element is to be gone to. Where the state has the value, this is the element that it has it by.
    case move(to: ObjectReference?)
    case giveBack

    /// `isDisturbed`: something was done to the state's technologies that may still take them elsewhere.
    package init(setting wanted: String?, having current: StateValue, again: Bool, isDisturbed: Bool) {
        guard let wanted else {
            self = current.value == nil ? .confirmedAsNone : .giveBack
            return
        }
        guard current.value == wanted else {
            self = .move(to: nil)
            return
        }
        // What is only assumed never confirms a set (F9).
        self = again || isDisturbed || current.isAssumed ? .move(to: current.element) : .confirmed
    }
}
