import AccessibilityTree

/// Where an element stands: what the rules must know of its path, as references.
package struct Placement: Hashable, Sendable {
    /// The element first, then its ancestors up to the application.
    package var lineage: [ObjectReference]
    package var window: ObjectReference?
    package var isInMenu: Bool
    package var isInWebDocument: Bool
    /// Which of the selectors that states have match a node of the lineage.
    package var matches: SelectorMatches

    package init(
        lineage: [ObjectReference], window: ObjectReference? = nil, isInMenu: Bool = false,
        isInWebDocument: Bool = false, matches: SelectorMatches = SelectorMatches()
    ) {
        precondition(!lineage.isEmpty, "a placement holds at least its element")
        self.lineage = lineage
        self.window = window
        self.isInMenu = isInMenu
        self.isInWebDocument = isInWebDocument
        self.matches = matches
    }

    package init(_ path: FocusPath, matches: SelectorMatches = SelectorMatches()) {
        self.init(
            lineage: path.nodes.map(\.reference), window: path.window?.reference, isInMenu: path.isInMenu,
            isInWebDocument: path.isInWebDocument, matches: matches)
    }

    package var element: ObjectReference { lineage[0] }

    /// Takes what matches now; whether that is another.
    mutating func rematch(_ matches: (Placement) -> SelectorMatches?) -> Bool {
        guard let found = matches(self), found != self.matches else { return false }
        self.matches = found
        return true
    }

    /// Whether the other is this element, or above or below it.
    package func isRelated(to other: Placement) -> Bool {
        lineage.contains(other.element) || other.lineage.contains(element)
    }
}

/// The part of an element's text that a technology is on, in characters.
package struct TextRegion: Hashable, Sendable {
    package var start: Int
    package var end: Int

    package init(start: Int, end: Int) {
        self.start = start
        self.end = end
    }
}

/// Where a technology is.
package struct Position: Hashable, Sendable {
    package var placement: Placement
    package var mode: Mode?
    package var region: TextRegion?
    /// Concluded, not said by the technology.
    package var isAssumed: Bool
    package var time: Microseconds
    /// What clients are told the time is: not that of each key that is typed into a password field.
    package var toldTime: Microseconds

    package init(
        placement: Placement, mode: Mode? = nil, region: TextRegion? = nil, isAssumed: Bool = false,
        time: Microseconds, toldTime: Microseconds? = nil
    ) {
        self.placement = placement
        self.mode = mode
        self.region = region
        self.isAssumed = isAssumed
        self.time = time
        self.toldTime = toldTime ?? time
    }

    package var element: ObjectReference { placement.element }
}

/// Why something changed, in the protocol's words.
package enum Cause: String, Sendable {
    case initial, moved, updated, set, restored, matchChanged, elementGone, elementHidden, applicationGone
    case windowDeactivated, technologyGone, busGone
}

/// One change that subscribers of one kind of focus are told.
package struct FocusChange: Hashable, Sendable {
    /// Whose subscribers this is for.
    package enum Audience: Hashable, Sendable {
        case technology(TechnologyID)
        /// Those who named none: the technology that moved last.
        case aggregate
    }

    package var audience: Audience
    /// The technology whose focus it is; nil where none is active.
    package var technology: TechnologyID?
    package var previous: ObjectReference?
    package var current: Position?
    package var cause: Cause
    /// The element is the same and only its mode or region changed: for those who asked for updates.
    package var isUpdateOnly: Bool

    package init(
        audience: Audience, technology: TechnologyID?, previous: ObjectReference?, current: Position?, cause: Cause,
        isUpdateOnly: Bool
    ) {
        self.audience = audience
        self.technology = technology
        self.previous = previous
        self.current = current
        self.cause = cause
        self.isUpdateOnly = isUpdateOnly
    }
}

/// All that one observation changed, published together under one revision.
package struct Transaction: Hashable, Sendable {
    package var revision: Int64
    package var time: Microseconds
    package var changes: [FocusChange]
    /// What that made of the focus states: leaves first, then in the order in which the states were bound.
    package var stateChanges: [StateChange]
    /// Technologies came or went.
    package var changesTechnologies: Bool

    package init(
        revision: Int64, time: Microseconds, changes: [FocusChange], stateChanges: [StateChange] = [],
        changesTechnologies: Bool = false
    ) {
        self.revision = revision
        self.time = time
        self.changes = changes
        self.stateChanges = stateChanges
        self.changesTechnologies = changesTechnologies
    }
}
