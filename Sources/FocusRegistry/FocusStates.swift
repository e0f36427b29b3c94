import AccessibilityTree

/// The focus states that clients bound: what each follows, the value it has, and whom a move concerns.
///
/// It is told where each view's focus is, and finds the states that this can change by the selectors that match there.
struct FocusStates: Sendable {
    private struct Record: Sendable {
        let id: FocusStateID
        let prototypes: [StatePrototype]
        /// Its place in ``views``.
        let view: Int
        /// Grows from state to state.
        let order: Int
        var value = StateValue()
        /// Where the focus was before it entered.
        var outside: FocusTrail.Mark?
        /// The round that asked for its value last.
        var lastRound = 0
    }

    /// A view that at least one state has; without states its place is free for another.
    struct FollowedView: Sendable {
        fileprivate(set) var view: FocusView
        fileprivate(set) var stateCount = 0
        fileprivate(set) var position: Position?
        fileprivate var trail = FocusTrail()
        /// In the order in which they were bound.
        fileprivate var statesByKey: [SelectorKey: [Int]] = [:]

        fileprivate init(_ view: FocusView) { self.view = view }
    }

    private var records: [Record?] = []
    private var freeRecords: [Int] = []
    private var places: [FocusStateID: Int] = [:]
    private var lastOrder = 0
    private var round = 0
    private(set) var views: [FollowedView] = []
    /// How many states have each filter; without the usual one, which is always in use.
    private(set) var filters: [ModeFilter: Int] = [:]

    var count: Int { places.count }
    var isEmpty: Bool { places.isEmpty }

    // MARK: - Binding

    /// Adds a state with the value that it has where its view's focus is now.
    mutating func add(
        _ id: FocusStateID, _ prototypes: [StatePrototype], _ view: FocusView, at position: Position?
    ) -> StateValue {
        let viewIndex = index(of: view, at: position)
        lastOrder += 1
        var record = Record(id: id, prototypes: prototypes, view: viewIndex, order: lastOrder)
        record.value = FocusStates.value(of: prototypes, at: position)
        let place = freeRecords.popLast() ?? records.count
        if place == records.count { records.append(record) } else { records[place] = record }
        places[id] = place
        views[viewIndex].stateCount += 1
        if view.filter != .usual { filters[view.filter, default: 0] += 1 }
        for key in Set(prototypes.map(\.selector)) { views[viewIndex].statesByKey[key, default: []].append(place) }
        if record.value.prototype != nil { holdOutside(of: place) }
        return record.value
    }

    /// Removes a state; the filter that nobody has any more because of that.
    mutating func remove(_ id: FocusStateID) -> ModeFilter? {
        guard let place = places.removeValue(forKey: id), let record = records[place] else { return nil }
        records[place] = nil
        freeRecords.append(place)
        let filter = views[record.view].view.filter
        if views[record.view].stateCount == 1 {
            views[record.view] = FollowedView(.aggregate)
        } else {
            views[record.view].stateCount -= 1
            if let outside = record.outside { views[record.view].trail.release(outside) }
            for key in Set(record.prototypes.map(\.selector)) {
                views[record.view].statesByKey[key]?.removeAll { $0 == place }
                if views[record.view].statesByKey[key]?.isEmpty == true { views[record.view].statesByKey[key] = nil }
            }
        }
        guard let uses = filters[filter] else { return nil }
        filters[filter] = uses > 1 ? uses - 1 : nil
        return uses > 1 ? nil : filter
    }

    private mutating func index(of view: FocusView, at position: Position?) -> Int {
        if let index = views.firstIndex(where: { $0.stateCount > 0 && $0.view == view }) { return index }
        var followed = FollowedView(view)
        followed.position = position
        if let position { followed.trail.append(position) }
        if let index = views.firstIndex(where: { $0.stateCount == 0 }) {
            views[index] = followed
            return index
        }
        views.append(followed)
        return views.count - 1
    }

    // MARK: - What is known

    func value(of id: FocusStateID) -> StateValue? { places[id].flatMap { records[$0]?.value } }

    func lastOutside(of id: FocusStateID) -> Position? {
        guard let place = places[id], let record = records[place] else { return nil }
        return outside(of: record)?.position
    }

    // MARK: - Following

    /// What became of the states in one transaction: those that changed, with the value before.
    struct Round {
        fileprivate var changed: [(place: Int, previous: StateValue)] = []
    }

    mutating func beginRound() -> Round {
        round += 1
        return Round()
    }

    /// A view's focus is there now: asks the states whose selectors match there or where it was before.
    mutating func follow(_ viewIndex: Int, to position: Position?, _ round: inout Round) {
        let before = views[viewIndex].position
        guard before != position else { return }
        views[viewIndex].position = position
        if before?.placement != position?.placement || before?.isAssumed != position?.isAssumed {
            if let before { ask(viewIndex, before.placement.matches, &round) }
            if let position { ask(viewIndex, position.placement.matches, &round) }
        }
        if let position { views[viewIndex].trail.append(position) }
    }

    private mutating func ask(_ viewIndex: Int, _ matches: SelectorMatches, _ round: inout Round) {
        for (key, _) in matches.depths {
            guard let concerned = views[viewIndex].statesByKey[key] else { continue }
            for place in concerned { ask(place, at: views[viewIndex].position, &round) }
        }
    }

    private mutating func ask(_ place: Int, at position: Position?, _ round: inout Round) {
        guard let record = records[place], record.lastRound != self.round else { return }
        records[place]?.lastRound = self.round
        let value = FocusStates.value(of: record.prototypes, at: position)
        guard value != record.value else { return }
        records[place]?.value = value
        if record.value.prototype == nil { holdOutside(of: place) }
        if !value.shows(record.value) { round.changed.append((place, record.value)) }
    }

    /// The changes as they are published.
    func changes(_ round: Round, cause: Cause) -> [StateChange] {
        guard !round.changed.isEmpty else { return [] }
        var ordered: [(order: Int, change: StateChange)] = []
        ordered.reserveCapacity(round.changed.count)
        for (place, previous) in round.changed {
            guard let record = records[place] else { continue }
            let isSamePlace = record.value.value == previous.value && record.value.element == previous.element
            ordered.append(
                (
                    record.order,
                    StateChange(
                        state: record.id, current: record.value, previous: previous,
                        cause: isSamePlace ? .updated : cause)
                ))
        }
        // ORDER: leaves before enters (F7), then as the states were bound.
        ordered.sort { one, other in
            let isLeave = (one.change.current.value == nil, other.change.current.value == nil)
            return isLeave.0 == isLeave.1 ? one.order < other.order : isLeave.0
        }
        return ordered.map(\.change)
    }

    /// The innermost element wins; a tie goes to the prototype listed first (F5).
    private static func value(of prototypes: [StatePrototype], at position: Position?) -> StateValue {
        var value = StateValue()
        guard let position, !position.placement.matches.isEmpty else { return value }
        var least = position.placement.lineage.count
        for (index, prototype) in prototypes.enumerated() {
            guard let depth = position.placement.matches.depth(of: prototype.selector), depth < least else { continue }
            least = depth
            value.prototype = index
        }
        guard let index = value.prototype else { return value }
        value.value = prototypes[index].value
        value.element = position.placement.lineage[least]
        value.isAssumed = position.isAssumed
        return value
    }

    // MARK: - Where the focus was

    /// Places are gone for good.
    mutating func forget(where isGone: (Placement) -> Bool) {
        for index in views.indices where views[index].stateCount > 0 {
            holdOthers(index, instead: views[index].trail.forget(where: isGone))
        }
    }

    /// Takes what matches now in the places that are remembered; where the focus is now comes with ``follow(_:to:_:)``.
    mutating func rematch(_ matches: (Placement) -> SelectorMatches?) {
        for index in views.indices where views[index].stateCount > 0 {
            holdOthers(index, instead: views[index].trail.rematch(matches))
        }
    }

    private mutating func holdOthers(_ viewIndex: Int, instead marks: Set<FocusTrail.Mark>) {
        guard !marks.isEmpty else { return }
        for place in records.indices where records[place]?.view == viewIndex {
            guard let outside = records[place]?.outside, marks.contains(outside) else { continue }
            holdOutside(of: place)
        }
    }

    private func outside(of record: Record) -> (mark: FocusTrail.Mark, position: Position)? {
        let trail = views[record.view].trail
        if let found = trail.last(where: { FocusStates.isOutside($0, of: record.prototypes) }) { return found }
        guard let mark = record.outside, let position = trail.position(at: mark),
            FocusStates.isOutside(position.placement, of: record.prototypes)
        else { return nil }
        return (mark, position)
    }

    private static func isOutside(_ placement: Placement, of prototypes: [StatePrototype]) -> Bool {
        placement.matches.isEmpty || !prototypes.contains { placement.matches.depth(of: $0.selector) != nil }
    }

    /// Keeps the last place outside from being forgotten while the focus is inside.
    private mutating func holdOutside(of place: Int) {
        guard let record = records[place] else { return }
        let outside = outside(of: record)?.mark
        guard outside != record.outside else { return }
        if let outside { views[record.view].trail.hold(outside) }
        if let former = record.outside { views[record.view].trail.release(former) }
        records[place]?.outside = outside
    }
}
