import AccessibilityTree

/// Where every technology is, and what follows from each observation: one transaction a move.
///
/// A value that knows no clock and no bus: the caller hands in observations with their times, asks for
/// ``nextDeadline`` and calls ``advance(to:)`` when it passes. The rules F1 to F12 are decided here.
package struct FocusRegistry: Sendable {
    package struct Limits: Sendable {
        /// How long nothing may follow a window's deactivation before focus counts as gone (F6).
        package var deactivationGrace: Microseconds = 150_000
        /// How long a technology stays silent after its window came back before its old place counts again (F11).
        package var silenceBeforeRestoring: Microseconds = 250_000
        /// In flat review each step comes as a pair: the last within this time counts.
        package var reviewPairing: Microseconds = 5_000
        package init() {}
    }

    package let limits: Limits
    /// The last revision given out. Revisions only grow.
    package private(set) var revision: Int64
    var technologies: [TechnologyID: TechnologyRecord] = [:]
    /// The window that was activated last and not deactivated since; nil where unknown.
    package internal(set) var activeWindow: ObjectReference?
    var pendingDeactivation: PendingDeactivation?
    var states = FocusStates()

    struct PendingDeactivation: Sendable {
        var window: ObjectReference
        var deadline: Microseconds
        var signalledSince: Set<TechnologyID> = []
    }

    /// `firstRevision` should be the boot clock's microseconds, so that revisions grow across restarts too.
    package init(firstRevision: Int64, limits: Limits = Limits()) {
        revision = firstRevision
        self.limits = limits
        technologies[.keyboard] = TechnologyRecord()
    }

    // MARK: - What is known

    package func position(of technology: TechnologyID) -> Position? { technologies[technology]?.position }

    package func connection(of technology: TechnologyID) -> TechnologyConnection? {
        technologies[technology]?.connection
    }

    package func technology(at busName: String) -> TechnologyID? {
        technologies.first { $0.value.connection?.busName == busName }?.key
    }

    /// The assistive technologies on the bus, the one that moved last first.
    package var activeTechnologies: [TechnologyID] {
        technologies.filter { $0.value.connection != nil }
            .sorted { ($1.value.lastMove, $0.key) < ($0.value.lastMove, $1.key) }
            .map(\.key)
    }

    /// Technologies that were seen in this run, also those that have left; without the keyboard.
    package var knownTechnologies: [TechnologyID] {
        technologies.keys.filter { $0 != .keyboard }.sorted()
    }

    /// The aggregate of all active assistive technologies: who moved last, and where that one is.
    package var aggregate: (technology: TechnologyID, position: Position?)? {
        current(.aggregate)
    }

    // MARK: - Technologies

    /// A technology's connection was recognised. A second one of the same id is refused: false.
    package mutating func technologyAppeared(
        _ id: TechnologyID, _ connection: TechnologyConnection, at time: Microseconds
    ) -> (isAccepted: Bool, transaction: Transaction?) {
        guard id != .keyboard else { return (false, nil) }
        if let existing = technologies[id]?.connection { return (existing.busName == connection.busName, nil) }
        return (
            true,
            transact(at: time, cause: .moved, changesTechnologies: true) {
                $0.technologies[id, default: TechnologyRecord()].connection = connection
            }
        )
    }

    /// A connection left the bus; nil where it was no technology's.
    package mutating func technologyLeft(busName: String, at time: Microseconds) -> Transaction? {
        guard let id = technology(at: busName) else { return nil }
        return transact(at: time, cause: .technologyGone, changesTechnologies: true) {
            $0.technologies[id] = TechnologyRecord()
        }
    }

    /// The accessibility bus is gone, and everything with it.
    package mutating func busLeft(at time: Microseconds) -> Transaction? {
        let hadTechnologies = !activeTechnologies.isEmpty
        return transact(at: time, cause: .busGone, changesTechnologies: hadTechnologies) { registry in
            for id in registry.technologies.keys { registry.technologies[id] = TechnologyRecord() }
            registry.activeWindow = nil
            registry.pendingDeactivation = nil
            registry.states.forget { _ in true }
        }
    }

    // MARK: - Moves

    /// A technology said where it is. In flat review the answer comes later, from ``advance(to:)``.
    ///
    /// The cause is `set` where focusd sent it there.
    package mutating func technologySignalled(
        _ id: TechnologyID, _ position: Position, cause: Cause = .moved
    ) -> Transaction? {
        guard technologies[id]?.connection != nil || id == .keyboard else { return nil }
        pendingDeactivation?.signalledSince.insert(id)
        if position.mode == .flatReview { return hold(id, position) }
        return transact(at: position.time, cause: cause) { $0.settle(id, position) }
    }

    /// Takes a place from live state where the technology has not spoken yet (at start), marked as assumed.
    ///
    /// `precedence` says who moved later, among those that are only assumed: the greater speaks for the aggregate.
    package mutating func assume(
        _ id: TechnologyID, _ placement: Placement, cause: Cause = .initial, precedence: Int = 0, at time: Microseconds
    ) -> Transaction? {
        guard let record = technologies[id], record.connection != nil || id == .keyboard, record.position == nil
        else { return nil }
        return transact(at: time, cause: cause) {
            $0.settle(id, Position(placement: placement, isAssumed: true, time: time), isSignal: false)
            if record.lastMove == .min { $0.technologies[id]?.lastMove += Microseconds(precedence) }
        }
    }

    /// An element that did not say what it is, when a technology came there, was read: where it stands is known now.
    package mutating func located(_ placement: Placement, at time: Microseconds) -> Transaction? {
        transact(at: time, cause: .matchChanged) { registry in
            for id in registry.technologies.keys { registry.technologies[id]?.locate(placement) }
        }
    }

    /// The keyboard focus was seen to be nowhere any more.
    package mutating func keyboardLeft(cause: Cause, at time: Microseconds) -> Transaction? {
        transact(at: time, cause: cause) { $0.leave(.keyboard, keepsPlace: false) }
    }

    // MARK: - Elements

    /// The elements that technologies are on, in whatever mode that somebody follows.
    package var focusedElements: Set<ObjectReference> {
        Set(technologies.values.lazy.flatMap(\.places).map(\.element))
    }

    /// Those of them that are in an application.
    package func focusedElements(in busName: String) -> Set<ObjectReference> {
        Set(technologies.values.lazy.flatMap(\.places).map(\.element).filter { $0.busName == busName })
    }

    /// Those of them that are this element or inside it.
    package func focusedElements(inside reference: ObjectReference) -> Set<ObjectReference> {
        Set(technologies.values.lazy.flatMap(\.places).filter { $0.lineage.contains(reference) }.map(\.element))
    }

    /// An accessible is defunct, removed or hidden: whoever is on it or inside it has no focus any more.
    package mutating func elementGone(
        _ reference: ObjectReference, cause: Cause = .elementGone, at time: Microseconds
    ) -> Transaction? {
        if activeWindow == reference { activeWindow = nil }
        // The place is kept: should its window come back with it, the technology may be there again in silence (F11).
        return leaveAll(cause: cause, keepsPlace: true, at: time) { $0.lineage.contains(reference) }
    }

    /// A technology named an element that does not exist: it is nowhere that can be said. Whoever else is where it was,
    /// stays there.
    package mutating func technologyLost(_ id: TechnologyID, mode: Mode?, at time: Microseconds) -> Transaction? {
        transact(at: time, cause: .elementGone) { registry in
            guard var record = registry.technologies[id] else { return }
            if mode == .mouseReview {
                // Only what the mouse is over cannot be said; the focus is where it was.
                record.position = record.followed
            } else {
                if let position = record.followed ?? record.position { record.left = LeftPlace(position: position) }
                (record.position, record.followed) = (nil, nil)
            }
            for filter in record.filtered.keys where filter.accepts(mode) { record.filtered[filter]?.position = nil }
            registry.technologies[id] = record
        }
    }

    package mutating func applicationGone(_ busName: String, at time: Microseconds) -> Transaction? {
        if activeWindow?.busName == busName { activeWindow = nil }
        if pendingDeactivation?.window.busName == busName { pendingDeactivation = nil }
        return leaveAll(cause: .applicationGone, keepsPlace: false, at: time) { $0.element.busName == busName }
    }

    private mutating func leaveAll(
        cause: Cause, keepsPlace: Bool, at time: Microseconds, where isConcerned: (Placement) -> Bool
    ) -> Transaction? {
        transact(at: time, cause: cause) { registry in
            for (id, record) in registry.technologies {
                if let left = record.left, !keepsPlace, isConcerned(left.position.placement) {
                    registry.technologies[id]?.left = nil
                }
                if let held = record.heldReview, isConcerned(held.position.placement) {
                    registry.technologies[id]?.heldReview = nil
                }
                if let position = record.position, isConcerned(position.placement) {
                    if let followed = record.followed, !isConcerned(followed.placement) {
                        // Only what the mouse was over is gone; the focus is still where it was.
                        registry.technologies[id]?.position = followed
                    } else {
                        registry.leave(id, keepsPlace: keepsPlace, where: isConcerned)
                    }
                } else if let followed = record.followed, isConcerned(followed.placement) {
                    registry.technologies[id]?.followed = nil
                }
                if !record.filtered.isEmpty { registry.technologies[id]?.leaveFiltered(where: isConcerned) }
            }
            registry.states.forget(where: isConcerned)
        }
    }

    // MARK: - One transaction

    /// Runs a change and works out what subscribers are told: leaves and moves, one revision for all.
    mutating func transact(
        at time: Microseconds, cause: Cause, changesTechnologies: Bool = false,
        _ change: (inout FocusRegistry) -> Void
    ) -> Transaction? {
        let before = technologies
        let aggregateBefore = aggregate
        change(&self)
        var changes: [FocusChange] = []
        for (id, record) in technologies {
            if let change = FocusRegistry.change(
                .technology(id), from: (id, before[id]?.position), to: (id, record.position), cause: cause)
            {
                changes.append(change)
            }
        }
        if let change = FocusRegistry.change(.aggregate, from: aggregateBefore, to: aggregate, cause: cause) {
            changes.append(change)
        }
        let stateChanges = followStates(cause: cause)
        guard !changes.isEmpty || !stateChanges.isEmpty || changesTechnologies else { return nil }
        revision += 1
        // ORDER: leaves before enters (F7).
        changes.sort { ($0.current == nil ? 0 : 1) < ($1.current == nil ? 0 : 1) }
        return Transaction(
            revision: revision, time: time, changes: changes, stateChanges: stateChanges,
            changesTechnologies: changesTechnologies)
    }

    private static func change(
        _ audience: FocusChange.Audience, from: (technology: TechnologyID, position: Position?)?,
        to: (technology: TechnologyID, position: Position?)?, cause: Cause
    ) -> FocusChange? {
        let isSameElement = from?.position?.element == to?.position?.element
        let isSameTechnology = from?.technology == to?.technology
        let isSameTruth = from?.position?.isAssumed == to?.position?.isAssumed
        let isSamePlaceInIt =
            from?.position?.mode == to?.position?.mode && from?.position?.region == to?.position?.region
        if isSameElement && isSameTechnology && isSameTruth && isSamePlaceInIt { return nil }
        if !isSameElement || !isSameTechnology {
            return FocusChange(
                audience: audience, technology: to?.technology, previous: from?.position?.element,
                current: to?.position, cause: cause, isUpdateOnly: false)
        }
        return FocusChange(
            audience: audience, technology: to?.technology, previous: nil, current: to?.position, cause: .updated,
            isUpdateOnly: isSameTruth)
    }
}
