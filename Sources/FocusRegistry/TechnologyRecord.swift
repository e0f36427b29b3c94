import AccessibilityTree

/// What the registry keeps of one technology.
struct TechnologyRecord: Sendable {
    /// Nil while it is not on the bus; always nil for the keyboard.
    var connection: TechnologyConnection?
    /// Where it is, in whatever mode.
    var position: Position?
    /// Where it is for those who follow the default modes: all but mouse review.
    var followed: Position?
    /// When ``followed`` last moved: decides who speaks for the aggregate.
    var lastMove: Microseconds = .min
    /// Where it is for states that follow other modes: for each filter in use that it was somewhere in.
    var filtered: [ModeFilter: FilteredPlace] = [:]
    /// What its window took with it, until the technology speaks again (F11).
    var left: LeftPlace?
    var heldReview: HeldReview?
}

/// Where a technology is for those who follow some of its modes.
struct FilteredPlace: Sendable {
    var position: Position?
    var lastMove: Microseconds = .min
}

extension TechnologyRecord {
    /// Where it is in the modes of a filter that states follow, or would be if one did; nil is the usual filter.
    func place(in filter: ModeFilter?, isInUse: Bool) -> FilteredPlace {
        guard let filter else { return FilteredPlace(position: followed, lastMove: lastMove) }
        return isInUse ? filtered[filter] ?? FilteredPlace() : presentPlace(in: filter)
    }

    mutating func beginFollowing(_ filter: ModeFilter) { filtered[filter] = presentPlace(in: filter) }

    /// What is known of the present without having followed the filter so far.
    func presentPlace(in filter: ModeFilter) -> FilteredPlace {
        if let position, filter.accepts(position.mode) {
            let isUsual = ModeFilter.usual.accepts(position.mode)
            return FilteredPlace(position: position, lastMove: isUsual ? lastMove : position.time)
        }
        if let followed, filter.accepts(followed.mode) {
            return FilteredPlace(position: followed, lastMove: lastMove)
        }
        return FilteredPlace()
    }

    /// What somebody follows in other modes than the usual is gone where that is; the present place may stand for it.
    mutating func leaveFiltered(where isGone: (Placement) -> Bool) {
        for (filter, place) in filtered {
            guard let position = place.position, isGone(position.placement) else { continue }
            let present = presentPlace(in: filter).position
            filtered[filter]?.position = present
        }
    }

    /// All places that somebody may be told of as where it is.
    var places: [Placement] {
        ([position, followed] + filtered.values.map(\.position)).compactMap { $0?.placement }
    }

    mutating func rematch(_ matches: (Placement) -> SelectorMatches?) {
        _ = position?.placement.rematch(matches)
        _ = followed?.placement.rematch(matches)
        _ = left?.position.placement.rematch(matches)
        _ = heldReview?.position.placement.rematch(matches)
        for filter in filtered.keys { _ = filtered[filter]?.position?.placement.rematch(matches) }
    }
}

extension TechnologyRecord {
    /// Where an element stands that could not be read is known now.
    mutating func locate(_ placement: Placement) {
        func isIt(_ position: Position?) -> Bool { position?.element == placement.element }
        if isIt(position) { position?.placement = placement }
        if isIt(followed) { followed?.placement = placement }
        for (filter, place) in filtered where isIt(place.position) { filtered[filter]?.position?.placement = placement }
    }
}

/// The place a technology had when its window was deactivated.
struct LeftPlace: Sendable {
    var position: Position
    /// When the place counts again, once its window is active again.
    var restoreAt: Microseconds?
    var returnedWindow: ObjectReference?
}

/// A flat review step that may be the first of its pair.
struct HeldReview: Sendable {
    var position: Position
    var deadline: Microseconds
}

extension FocusRegistry {
    /// Takes a position as where a technology is now.
    mutating func settle(_ id: TechnologyID, _ position: Position, isSignal: Bool = true) {
        guard var record = technologies[id] else { return }
        var position = position
        if isSignal {
            record.left = nil
            record.heldReview = nil
            if position.placement.isInWebDocument && movesSilentlyInWebDocuments(id, record) {
                position.isAssumed = true
            }
        }
        record.position = position
        if position.mode != .mouseReview {
            record.followed = position
            // What is only assumed is no move: it makes nobody speak for the aggregate.
            if isSignal { record.lastMove = position.time }
        }
        if !states.filters.isEmpty {
            for filter in states.filters.keys where filter.accepts(position.mode) {
                record.filtered[filter, default: FilteredPlace()].position = position
                if isSignal { record.filtered[filter]?.lastMove = position.time }
            }
        }
        technologies[id] = record
    }

    /// Holds a flat review step for the second of its pair; settles one before it whose pair never came.
    mutating func hold(_ id: TechnologyID, _ position: Position) -> Transaction? {
        let earlier = technologies[id]?.heldReview
        var deadline = position.time + limits.reviewPairing
        var transaction: Transaction?
        if let earlier {
            if earlier.deadline > position.time {
                // However many follow, the first is not held longer.
                deadline = earlier.deadline
            } else {
                transaction = transact(at: earlier.position.time, cause: .moved) { $0.settle(id, earlier.position) }
            }
        }
        technologies[id]?.heldReview = HeldReview(position: position, deadline: deadline)
        technologies[id]?.left = nil
        return transaction
    }

    /// Takes a technology's focus away, keeping its place where it may come back to it in silence.
    ///
    /// What others follow in some of its modes goes only where that is gone too.
    mutating func leave(_ id: TechnologyID, keepsPlace: Bool, where isGone: (Placement) -> Bool = { _ in true }) {
        guard var record = technologies[id] else { return }
        // What the mouse was over is no place to come back to.
        if keepsPlace, let position = record.followed ?? record.position { record.left = LeftPlace(position: position) }
        record.position = nil
        record.followed = nil
        record.leaveFiltered(where: isGone)
        technologies[id] = record
    }

    /// Orca before 48 walks web pages without a signal (F12). An unknown version is not trusted either.
    private func movesSilentlyInWebDocuments(_ id: TechnologyID, _ record: TechnologyRecord) -> Bool {
        guard id.rawValue == "orca" else { return false }
        guard let version = record.connection?.version, let major = Int(version.prefix { $0 != "." }) else {
            return true
        }
        return major < 48
    }
}
