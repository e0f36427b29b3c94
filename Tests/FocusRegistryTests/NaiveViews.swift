import AccessibilityTree
import FocusRegistry

/// Where each technology is in each filter of modes, told in a second way: from what happened, without transactions.
struct NaiveViews {
    struct Place {
        var position: Position?
        var lastMove: Microseconds = .min
    }

    private struct Deactivation {
        let window: ObjectReference
        let deadline: Microseconds
        var signalled: Set<TechnologyID> = []
    }

    /// The usual filter is always there.
    private var places: [TechnologyID: [ModeFilter: Place]] = [:]
    private var filters: Set<ModeFilter> = [.usual]
    private var deactivation: Deactivation?
    /// Where each technology is in any mode: before a step, then after it.
    private var before: [TechnologyID: Position] = [:]

    static let everybody = [TechnologyID.orca, .odilia, .keyboard]

    private func positions(_ registry: FocusRegistry) -> [TechnologyID: Position] {
        var positions: [TechnologyID: Position] = [:]
        for id in NaiveViews.everybody { positions[id] = registry.position(of: id) }
        return positions
    }

    /// To be called before each step.
    mutating func watch(_ registry: FocusRegistry) { before = positions(registry) }

    // MARK: - What happened

    mutating func follow(_ filters: Set<ModeFilter>, _ registry: FocusRegistry) {
        let added = filters.subtracting(self.filters)
        self.filters = filters.union([.usual])
        for id in NaiveViews.everybody {
            for filter in added {
                places[id, default: [:]][filter] = present(id, filter, registry.position(of: id))
            }
            for filter in places[id, default: [:]].keys where !self.filters.contains(filter) {
                places[id]?[filter] = nil
            }
        }
    }

    /// A technology or what it did became its place, unless it is held for the other half of its pair.
    mutating func signalled(_ id: TechnologyID, _ mode: Mode?, wasConnected: Bool, _ registry: FocusRegistry) {
        guard wasConnected || id == .keyboard else { return }
        deactivation?.signalled.insert(id)
        let now = registry.position(of: id)
        if mode != .flatReview || now != before[id] { settle(id, now, isSignal: true) }
    }

    mutating func concluded(_ id: TechnologyID, _ registry: FocusRegistry) {
        let now = registry.position(of: id)
        if now != before[id] { settle(id, now, isSignal: false) }
    }

    mutating func windowActivated() { deactivation = nil }

    mutating func windowDeactivated(_ window: ObjectReference, at time: Microseconds, activeBefore: ObjectReference?) {
        let isConcerned =
            activeBefore.map { $0 == window } ?? before.values.contains { $0.placement.window == window }
        if isConcerned { deactivation = Deactivation(window: window, deadline: time + 150_000) }
    }

    mutating func advanced(to time: Microseconds, _ registry: FocusRegistry) {
        if let due = deactivation, due.deadline <= time {
            deactivation = nil
            for id in NaiveViews.everybody where !due.signalled.contains(id) {
                if let position = before[id] {
                    guard !position.placement.isInMenu else { continue }
                    leave(id) { _ in true }
                    before[id] = nil
                } else {
                    leave(id) { !$0.isInMenu }
                }
            }
        }
        for id in NaiveViews.everybody {
            let now = registry.position(of: id)
            if now != nil, now != before[id] { settle(id, now, isSignal: true) }
        }
    }

    mutating func gone(_ registry: FocusRegistry, where isGone: (Placement) -> Bool) {
        for id in NaiveViews.everybody {
            // The usual one first: the others may fall back to it.
            for filter in [.usual] + filters.subtracting([.usual]) {
                guard let position = places[id]?[filter]?.position, isGone(position.placement) else { continue }
                places[id]?[filter]?.position = nil
                let present = present(id, filter, registry.position(of: id)).position
                places[id]?[filter]?.position = present
            }
        }
    }

    mutating func applicationGone(_ busName: String) {
        if deactivation?.window.busName == busName { deactivation = nil }
    }

    mutating func technologyLeft(_ id: TechnologyID) { places[id] = [:] }

    mutating func keyboardLeft() { leave(.keyboard) { _ in true } }

    mutating func busLeft() {
        places = [:]
        deactivation = nil
    }

    /// Placements as they match now.
    mutating func rematched(_ matched: (Placement) -> Placement) {
        for id in places.keys {
            for filter in filters {
                guard let placement = places[id]?[filter]?.position?.placement else { continue }
                places[id]?[filter]?.position?.placement = matched(placement)
            }
        }
    }

    private mutating func leave(_ id: TechnologyID, where isGone: (Placement) -> Bool) {
        for filter in filters {
            guard let position = places[id]?[filter]?.position, isGone(position.placement) else { continue }
            places[id]?[filter]?.position = nil
        }
    }

    private mutating func settle(_ id: TechnologyID, _ position: Position?, isSignal: Bool) {
        guard let position else { return }
        for filter in filters where filter.accepts(position.mode) {
            var place = places[id]?[filter] ?? Place()
            place.position = position
            if isSignal { place.lastMove = position.time }
            places[id, default: [:]][filter] = place
        }
    }

    // MARK: - What follows

    private func present(_ id: TechnologyID, _ filter: ModeFilter, _ position: Position?) -> Place {
        let usual = places[id]?[.usual] ?? Place()
        if let position, filter.accepts(position.mode) {
            return Place(
                position: position, lastMove: position.mode == .mouseReview ? position.time : usual.lastMove)
        }
        if let position = usual.position, filter.accepts(position.mode) {
            return Place(position: position, lastMove: usual.lastMove)
        }
        return Place()
    }

    func current(_ view: FocusView, _ registry: FocusRegistry) -> (technology: TechnologyID, position: Position?)? {
        var candidates: [(technology: TechnologyID, place: Place)] = []
        for id in view.technologies ?? [.orca, .odilia] {
            let place =
                filters.contains(view.filter)
                ? places[id]?[view.filter] ?? Place() : present(id, view.filter, registry.position(of: id))
            let isActive = id == .keyboard ? place.position != nil : registry.connection(of: id) != nil
            if isActive { candidates.append((id, place)) }
        }
        let first = candidates.min {
            ($1.place.lastMove, $0.technology.rawValue) < ($0.place.lastMove, $1.technology.rawValue)
        }
        return first.map { ($0.technology, $0.place.position) }
    }
}
