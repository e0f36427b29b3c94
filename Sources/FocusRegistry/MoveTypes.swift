import AccessibilityTree

/// A way to make a technology go to an element, in the order in which they are tried.
package enum Route: String, Hashable, Sendable, CaseIterable {
    /// The client that bound the element moves the focus to its own widget: the keyboard focus goes there too.
    case application
    /// `Component.GrabFocus`: the keyboard focus goes there too.
    case grabFocus
    /// An `active-descendant-changed` event from focusd's own accessible: the keyboard stays where it is.
    case activeDescendant

    package var movesKeyboard: Bool { self != .activeDescendant }
}

/// What became of a move or a set.
package enum MoveResult: String, Hashable, Sendable {
    case confirmed, refused, timedOut, superseded, notFound, ambiguous
}

/// Why, in the protocol's words.
package enum MoveReason: String, Hashable, Sendable {
    case technologyNotActive, elementHidden, elementDefunct, elementDisabled, applicationNotResponding
    case keyboardFocusCannotMove, movedElsewhere, newerRequest, noSuchApplication, notFocusable, notSupported
    case windowNotActive, noConfirmation, busGone, alreadyFocused, answeredFalse, userMovedAway
    case nowhereToGo, declined, unbound, noMatch, stillLoading
}

/// Where typed keys go after a move.
package enum KeyboardFocusOutcome: String, Hashable, Sendable {
    case moved, alreadyThere, elsewhere, unknown
}

/// Whether a technology is on the blank accessible, or was sent there and has not said so yet.
package enum BlankPlace: Hashable, Sendable {
    case onItsWay, there
}

/// What was done to a technology just before a move of it begins: it is that move's to see to.
package struct Handover: Hashable, Sendable {
    package var blank: BlankPlace?
    /// Where it was sent and may still arrive.
    package var arriving: Set<ObjectReference>

    package init(blank: BlankPlace? = nil, arriving: Set<ObjectReference> = []) {
        self.blank = blank
        self.arriving = arriving
    }
}

/// A request to move technologies to an element, resolved: what to do, for whom, until when.
package struct MoveRequest: Hashable, Sendable {
    package var target: ObjectReference
    /// Without repetition. Where any is enough, the one that moved last comes first: it speaks for all.
    package var technologies: [TechnologyID]
    /// The request named no technology: the first that confirms is enough.
    package var isAnyEnough: Bool
    package var presentsAgain: Bool
    /// Those that the request names; nil where all are allowed.
    package var routes: [Route]?
    /// Only signals in these modes confirm.
    package var filter: ModeFilter
    /// The state that this is a set of; nil for a plain move.
    package var state: FocusStateID?
    /// The value that the state is set to; nil for none, which gives the focus back, and for a plain move.
    package var value: String?
    /// Which of the selectors that the order searches for the target is of; nil where it is of none.
    package var prototype: Int?
    /// A client that bound the element said that it moves there itself.
    package var hasOwner: Bool
    /// Nobody is sent into a window that is not the active one.
    package var needsActiveWindow: Bool
    /// Whether the keyboard focus may be taken along. Unlike a route that is named, this allows no trap for keys (S9).
    package var mayMoveKeyboard: Bool
    package var startedAt: Microseconds
    package var deadline: Microseconds

    package init(
        target: ObjectReference, technologies: [TechnologyID], isAnyEnough: Bool, presentsAgain: Bool = false,
        routes: [Route]? = nil, filter: ModeFilter = .usual, state: FocusStateID? = nil, value: String? = nil,
        prototype: Int? = nil, hasOwner: Bool = false, needsActiveWindow: Bool = false, mayMoveKeyboard: Bool = true,
        startedAt: Microseconds, deadline: Microseconds
    ) {
        self.target = target
        self.technologies = technologies
        self.isAnyEnough = isAnyEnough
        self.presentsAgain = presentsAgain
        self.routes = routes
        self.filter = filter
        self.state = state
        self.value = value
        self.prototype = prototype
        self.hasOwner = hasOwner
        self.needsActiveWindow = needsActiveWindow
        self.mayMoveKeyboard = mayMoveKeyboard
        self.startedAt = startedAt
        self.deadline = deadline
    }

    /// Whether an overlapping request wants the very same and may share the outcome.
    package func asksTheSame(as other: MoveRequest) -> Bool {
        var same = other
        same.startedAt = startedAt
        same.deadline = deadline
        return self == same
    }
}

/// What the target's application said when it was asked within this very move.
package enum TargetReport: Hashable, Sendable {
    case noSuchApplication
    case applicationNotResponding
    case defunct
    case hidden
    case present(Target)

    package struct Target: Hashable, Sendable {
        package var placement: Placement
        package var isFocusable: Bool
        package var hasKeyboardFocus: Bool
        package var isWindowActive: Bool
        /// Typed keys change it, or it is a password field or a terminal (S9).
        package var takesTyping: Bool
        package var isDisabled: Bool
        package var isScrolledOut: Bool

        package init(
            placement: Placement, isFocusable: Bool, hasKeyboardFocus: Bool, isWindowActive: Bool,
            takesTyping: Bool = false, isDisabled: Bool = false, isScrolledOut: Bool = false
        ) {
            self.placement = placement
            self.isFocusable = isFocusable
            self.hasKeyboardFocus = hasKeyboardFocus
            self.isWindowActive = isWindowActive
            self.takesTyping = takesTyping
            self.isDisabled = isDisabled
            self.isScrolledOut = isScrolledOut
        }

        /// Why it is not grabbed; nil where it can be. A request may name the route, and mean it.
        func obstacleToGrabbing(isNamed: Bool) -> MoveReason? {
            if !isFocusable { return .notFocusable }
            if isDisabled { return .elementDisabled }
            // It would send no event (FOCUSED already), and no technology would follow.
            if hasKeyboardFocus { return .alreadyFocused }
            // GTK 3 would raise the window under the user's hands.
            return isWindowActive || isNamed ? nil : .windowNotActive
        }

        /// Why its owner is not asked; nil where it is. What can have the focus and how, the owner knows best.
        func obstacleToAsking(isNamed: Bool) -> MoveReason? {
            if hasKeyboardFocus { return .alreadyFocused }
            // Nothing is signalled from a window in the background, and raising it would take keys out of the user's hands.
            return isWindowActive || isNamed ? nil : .windowNotActive
        }
    }
}

/// What a move wants done next, by whoever owns the bus.
package enum MoveAction: Hashable, Sendable {
    /// Read the target, its ancestors and what hides it, afresh; answer with `checked`.
    case check
    /// Ask the target only `GetState`; answer with `rechecked`.
    case recheck
    /// `Component.ScrollTo`; its answer does not matter.
    case scrollIntoView
    /// Ask the client that bound the element to move there; answer with `ownerDeclined` only if it cannot.
    case askOwner
    /// `Component.GrabFocus`; answer with `grabAnswered`.
    case grabFocus
    /// Send the event that makes these technologies go to the target.
    case presentTarget([TechnologyID])
    /// Send them to the blank accessible, so that they leave the target and can come to it again.
    case presentBlank([TechnologyID])
    /// They must not stay on the blank accessible: send them to where the user is.
    case leaveBlank([TechnologyID])
    /// Read whether the target has the keyboard focus now; answer with `keyboardRead`.
    case readKeyboard
    case finish(MoveOutcome)
}

/// What a move is told.
package enum MoveInput: Hashable, Sendable {
    case checked(TargetReport)
    case rechecked(TargetReport)
    /// GrabFocus was answered: true, false, or an error.
    case grabAnswered(GrabAnswer)
    /// The client that was asked to move cannot, or has gone.
    case ownerDeclined
    /// A technology's signal, after it was understood. `isSameValue`: the state has the wanted value now; true without one.
    case signalled(TechnologyID, Placement, Mode?, isSameValue: Bool = true)
    /// A technology is on the blank accessible.
    case signalledBlank(TechnologyID)
    /// The keyboard focus is confirmed to have moved. `isSameValue` as for `signalled`.
    case keyboardMoved(Placement, isSameValue: Bool = true)
    /// Nil where it could not be read.
    case keyboardRead(Bool?)
    case technologyLeft(TechnologyID)
    /// The target's application left the bus.
    case applicationLeft
    /// A newer request took over, and these technologies with it, wherever they are.
    case supersededByNewer(taking: Set<TechnologyID>)
    case busLeft
    /// The set is no longer wanted: its state was unbound, or is to have none again.
    case withdrawn(MoveReason)
    /// Nobody waits for the outcome any more.
    case cancelled
    /// A deadline may have passed.
    case timePassed
}

package enum GrabAnswer: Hashable, Sendable {
    case accepted, refused, notSupported, notResponding, gone
}

/// The answer to a move.
package struct MoveOutcome: Hashable, Sendable {
    package struct Attempt: Hashable, Sendable {
        package var route: Route
        package var reason: MoveReason

        package init(route: Route, reason: MoveReason) {
            self.route = route
            self.reason = reason
        }
    }

    package var result: MoveResult
    package var reason: MoveReason?
    /// The route that was confirmed; nil with `confirmed` means that it was there already.
    package var route: Route?
    package var attempts: [Attempt]
    package var confirmed: Set<TechnologyID>
    package var keyboardFocus: KeyboardFocusOutcome
    package var finishedAt: Microseconds

    package init(
        result: MoveResult, reason: MoveReason?, route: Route?, attempts: [Attempt], confirmed: Set<TechnologyID>,
        keyboardFocus: KeyboardFocusOutcome, finishedAt: Microseconds
    ) {
        self.result = result
        self.reason = reason
        self.route = route
        self.attempts = attempts
        self.confirmed = confirmed
        self.keyboardFocus = keyboardFocus
        self.finishedAt = finishedAt
    }
}
