import AccessibilityTree

/// The focus states that clients bound: what each follows, the value it has, and whom a move concerns.
///
/// It is told where each view's focus is, and finds the states that this can change by the selectors that match there.
struct FocusStates: Sendable {
    fileprivate struct Record: Sendable {
        let id: FocusStateID
        let prototypes: [StatePrototype]
        /// Its place in ``views``; nil where the record is free for another state.
        let view: Int?
        /// Grows from state to state.
        let order: Int
        var value = StateValue()
        /// Where the focus was before it entered, until it is outside again.
        var outside: FocusTrail.Mark?
        /// The round that asked for its value last.
        var lastRound = 0

        static let free = Record(id: FocusStateID(""), prototypes: [], view: nil, order: 0)
    }

    /// A view that at least one state has; without states its place is free for another.
    struct FollowedView: Sendable {
        fileprivate(set) var view: FocusView
        fileprivate(set) var stateCount = 0
        fileprivate(set) var position: Position?
        fileprivate var trail = FocusTrail()
        /// In the order in which they were bound.
        fileprivate var statesByKey: [SelectorKey: [Int]] = [:]
        /// The states that hold a place of the trail.
        fileprivate var holders: Set<Int> = []

        fileprivate init(_ view: FocusView) { self.view = view }
    }

    private var records: [Record] = []
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

    /// Counts one more state with a filter; whether it is the first.
    mutating func beginUse(of filter: ModeFilter) -> Bool {
        guard filter != .usual else { return false }
        filters[filter, default: 0] += 1
        return filters[filter] == 1
    }

    /// Adds a state, whose filter is counted, with the value that it has where its view's focus is now.
    mutating func add(
        _ id: FocusStateID, _ prototypes: [StatePrototype], _ view: FocusView, at position: Position?
    ) -> StateValue {
        let viewIndex = index(of: view, at: position)
        lastOrder += 1
        var record = Record(id: id, prototypes: prototypes, view: viewIndex, order: lastOrder)
        if let position, let found = FocusStates.innermost(of: prototypes, at: position.placement) {
            record.take(found, at: position)
        }
        let place = freeRecords.popLast() ?? records.count
        if place == records.count { records.append(record) } else { records[place] = record }
        places[id] = place
        views[viewIndex].stateCount += 1
        for key in Set(prototypes.map(\.selector)) { views[viewIndex].statesByKey[key, default: []].append(place) }
        if record.value.prototype != nil { holdOutside(for: place) }
        return record.value
    }

    /// Removes a state; the filter that nobody has any more because of that.
    mutating func remove(_ id: FocusStateID) -> ModeFilter? {
        guard let place = places.removeValue(forKey: id), let view = records[place].view else { return nil }
        let filter = views[view].view.filter
        views[view].stateCount -= 1
        if views[view].stateCount == 0 {
            views[view] = FollowedView(.aggregate)
        } else {
            hold(nil, for: place)
            for key in Set(records[place].prototypes.map(\.selector)) {
                views[view].statesByKey[key]?.removeAll { $0 == place }
                if views[view].statesByKey[key]?.isEmpty == true { views[view].statesByKey[key] = nil }
            }
        }
        if places.isEmpty {
            // What thousands of states were kept in goes with the last of them.
            (places, records, freeRecords, views) = ([:], [], [], [])
        } else {
            records[place] = .free
            freeRecords.append(place)
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

    func value(of id: FocusStateID) -> StateValue? { places[id].map { records[$0].value } }

    func lastOutside(of id: FocusStateID) -> Position? { places[id].flatMap { outside(of: $0)?.position } }

    // MARK: - Following

    /// What became of the states in one transaction.
    struct Round {
        fileprivate var changed: [(place: Int, previous: StateValue)] = []
    }

    mutating func beginRound() -> Round {
        round += 1
        return Round()
    }

    /// A view's focus is there now: asks the states whose selectors match there or where it was before.
    mutating func follow(_ view: Int, to position: Position?, _ round: inout Round) {
        let before = views[view].position
        guard before != position else { return }
        views[view].position = position
        if before?.placement != position?.placement || before?.isAssumed != position?.isAssumed {
            if let before { ask(view, before.placement.matches, at: position, &round) }
            if let position { ask(view, position.placement.matches, at: position, &round) }
        }
        guard let position else { return }
        for place in views[view].holders where records[place].value.prototype == nil { hold(nil, for: place) }
        views[view].trail.append(position)
    }

    private mutating func ask(_ view: Int, _ matches: SelectorMatches, at position: Position?, _ round: inout Round) {
        for (key, _) in matches.depths {
            guard let concerned = views[view].statesByKey[key] else { continue }
            for place in concerned where records[place].lastRound != self.round {
                records[place].lastRound = self.round
                ask(place, at: position, &round)
            }
        }
    }

    private mutating func ask(_ place: Int, at position: Position?, _ round: inout Round) {
        guard let position,
            let found = FocusStates.innermost(of: records[place].prototypes, at: position.placement)
        else {
            guard records[place].value.prototype != nil else { return }
            round.changed.append((place, records[place].value))
            records[place].value = StateValue()
            return
        }
        if records[place].isAlready(found, at: position) { return }
        let previous = records[place].value
        records[place].take(found, at: position)
        // Which of its prototypes it was is not shown.
        if !records[place].value.shows(previous) { round.changed.append((place, previous)) }
        if previous.prototype == nil { holdOutside(for: place) }
    }

    /// The changes as they are published.
    func changes(_ round: Round, cause: Cause) -> [StateChange] {
        guard !round.changed.isEmpty else { return [] }
        // ORDER: leaves before enters (F7), then as the states were bound.
        let ordered = round.changed.sorted { one, other in
            let isLeave = (records[one.place].value.value == nil, records[other.place].value.value == nil)
            return isLeave.0 == isLeave.1 ? records[one.place].order < records[other.place].order : isLeave.0
        }
        return ordered.map { place, previous in
            let current = records[place].value
            let isSamePlace = current.value == previous.value && current.element == previous.element
            return StateChange(
                state: records[place].id, current: current, previous: previous, cause: isSamePlace ? .updated : cause)
        }
    }

    /// The innermost element wins; a tie goes to the prototype listed first (F5).
    private static func innermost(of prototypes: [StatePrototype], at placement: Placement) -> Found? {
        guard !placement.matches.isEmpty else { return nil }
        var found: Found?
        for index in prototypes.indices {
            guard let depth = placement.matches.depth(of: prototypes[index].selector),
                depth < found?.depth ?? placement.lineage.count
            else { continue }
            found = Found(prototype: index, depth: depth)
        }
        return found
    }

    // MARK: - Where the focus was

    /// Places are gone for good.
    mutating func forget(where isGone: (Placement) -> Bool) {
        for view in views.indices where views[view].stateCount > 0 {
            holdOthers(view, instead: views[view].trail.forget(where: isGone))
        }
    }

    /// Takes what matches now in the places that are remembered; where the focus is now comes with ``follow(_:to:_:)``.
    mutating func rematch(_ matches: (Placement) -> SelectorMatches?) {
        for view in views.indices where views[view].stateCount > 0 {
            holdOthers(view, instead: views[view].trail.rematch(matches))
        }
    }

    private mutating func holdOthers(_ view: Int, instead marks: Set<FocusTrail.Mark>) {
        guard !marks.isEmpty else { return }
        for place in views[view].holders {
            if let outside = records[place].outside, marks.contains(outside) { holdOutside(for: place) }
        }
    }

    private func outside(of place: Int) -> (mark: FocusTrail.Mark, position: Position)? {
        guard let view = records[place].view else { return nil }
        let prototypes = records[place].prototypes
        if let found = views[view].trail.last(where: { FocusStates.isOutside($0, of: prototypes) }) { return found }
        guard let mark = records[place].outside, let position = views[view].trail.position(at: mark),
            FocusStates.isOutside(position.placement, of: prototypes)
        else { return nil }
        return (mark, position)
    }

    private static func isOutside(_ placement: Placement, of prototypes: [StatePrototype]) -> Bool {
        placement.matches.isEmpty || !prototypes.contains { placement.matches.depth(of: $0.selector) != nil }
    }

    /// Keeps the last place outside from being forgotten while the focus is inside.
    private mutating func holdOutside(for place: Int) { hold(outside(of: place)?.mark, for: place) }

    private mutating func hold(_ mark: FocusTrail.Mark?, for place: Int) {
        guard let view = records[place].view, mark != records[place].outside else { return }
        if let mark { views[view].trail.hold(mark) }
        if let former = records[place].outside { views[view].trail.release(former) }
        records[place].outside = mark
        if mark == nil { views[view].holders.remove(place) } else { views[view].holders.insert(place) }
    }

    /// Which prototype has the innermost element, and how far above the focus that is.
    fileprivate struct Found {
        let prototype: Int
        let depth: Int
    }
}

extension FocusStates.Record {
    fileprivate func isAlready(_ found: FocusStates.Found, at position: Position) -> Bool {
        value.prototype == found.prototype && value.isAssumed == position.isAssumed
            && value.element == position.placement.lineage[found.depth]
    }

    fileprivate mutating func take(_ found: FocusStates.Found, at position: Position) {
        value.prototype = found.prototype
        value.value = prototypes[found.prototype].value
        value.element = position.placement.lineage[found.depth]
        value.isAssumed = position.isAssumed
    }
}
