import AccessibilityTree

/// What decides about a match and is not in the tree.
package struct MatchContext: Sendable {
    package typealias Slot = ApplicationTree.Slot

    /// Texts read for this match, empty where they cannot be read. They are never kept in the tree.
    package var texts: [Slot: String] = [:]
    /// Where assistive technologies are.
    package var focused: Set<Slot> = []
    /// The process that asks, for `:self`.
    package var ownPID: Int?
    /// Looks at one element before matching is given up, for as long as which nobody else is served.
    package var budget = 20_000_000

    /// What may be spent on a tree of this size: some looks at each of its nodes, which takes about a millisecond for a
    /// thousand of them. A plain walk takes one to four.
    package static func budget(forNodes count: Int) -> Int { min(20_000_000, max(500_000, 24 * count)) }

    package init(ownPID: Int? = nil) {
        self.ownPID = ownPID
    }
}

/// Something about an element that must be fetched before it can be said whether it matches.
package enum Need: Hashable, Sendable {
    case id(ApplicationTree.Slot)
    case attributes(ApplicationTree.Slot)
    case text(ApplicationTree.Slot)

    package var slot: ApplicationTree.Slot {
        switch self {
        case .id(let slot), .attributes(let slot), .text(let slot): slot
        }
    }
}

/// Whether an element matches.
package enum Answer: UInt8, Comparable, Sendable {
    case no = 1
    /// Something must be fetched first.
    case unknown = 2
    case yes = 3

    package static func < (one: Answer, other: Answer) -> Bool { one.rawValue < other.rawValue }

    init(_ isYes: Bool) { self = isYes ? .yes : .no }

    var inverted: Answer {
        switch self {
        case .no: .yes
        case .unknown: .unknown
        case .yes: .no
        }
    }
}

/// What a selector matches in one tree.
package struct MatchResult: Sendable {
    /// In the order of the tree, no more than were asked for.
    package var matches: [ApplicationTree.Slot] = []
    /// How many match, also beyond those.
    package var total = 0
    /// Elements of which it cannot be said yet.
    package var undecided: [ApplicationTree.Slot] = []
    /// What to fetch: then match again.
    package var needs: [Need] = []
    /// It took more work than the budget allows; what else is here is not the truth then.
    package var isBudgetExceeded = false
}
