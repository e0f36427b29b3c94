import AccessibilityTree

/// Values bound to elements: F1 to F5 and F10 of `docs/binding.md`.
///
/// The caller knows the selectors; which of them match is in each placement that it hands in.
extension FocusRegistry {
    package var stateCount: Int { states.count }

    /// Adds a focus state and says the value it has now. An id that is in use is bound anew.
    ///
    /// What matches must be known of the places that are stored: ``rematch(cause:at:_:)`` first for a new selector.
    package mutating func bind(
        _ id: FocusStateID, _ prototypes: [StatePrototype], _ view: FocusView
    ) -> StateValue {
        // ORDER: before the former state of that id ends, lest modes are forgotten that are still followed.
        if states.beginUse(of: view.filter) {
            for technology in technologies.keys { technologies[technology]?.beginFollowing(view.filter) }
        }
        unbind(id)
        return states.add(id, prototypes, view, at: current(view)?.position)
    }

    /// Ends a focus state. Nothing is published: who bound it ended it.
    package mutating func unbind(_ id: FocusStateID) {
        guard let filter = states.remove(id) else { return }
        for technology in technologies.keys { technologies[technology]?.filtered[filter] = nil }
    }

    /// Nil where no such state is bound.
    package func value(of id: FocusStateID) -> StateValue? { states.value(of: id) }

    /// Where the focus that a state follows was last outside all elements of the state, of what still lives.
    package func lastOutside(of id: FocusStateID) -> Position? { states.lastOutside(of: id) }

    /// Who of a view's technologies moved last, and where that one is in the modes that count; nil while none is active.
    package func current(_ view: FocusView) -> (technology: TechnologyID, position: Position?)? {
        // Asked twice a move and once a query: no sorting of those that are active, and no place is copied in vain.
        let filter: ModeFilter? = view.filter == .usual ? nil : view.filter
        let isInUse = filter.map { states.filters[$0] != nil } ?? true
        var first: (technology: TechnologyID, lastMove: Microseconds)?
        for (id, record) in technologies {
            if record.connection == nil {
                // The keyboard has no connection: it counts while it is somewhere.
                guard let named = view.technologies, id == .keyboard, named.contains(id),
                    record.place(in: filter, isInUse: isInUse).position != nil
                else { continue }
            } else if let named = view.technologies, !named.contains(id) {
                continue
            }
            let lastMove = filter == nil ? record.lastMove : record.place(in: filter, isInUse: isInUse).lastMove
            if let first, (lastMove, first.technology) < (first.lastMove, id) { continue }
            first = (id, lastMove)
        }
        return first.map { ($0.technology, technologies[$0.technology]?.place(in: filter, isInUse: isInUse).position) }
    }

    /// Whether a technology, in whatever mode somebody follows, is on a node or inside of it.
    package func isFollowed(below reference: ObjectReference) -> Bool {
        technologies.values.contains { record in
            ([record.position, record.followed] + record.filtered.values.map(\.position)).contains {
                $0?.placement.lineage.contains(reference) ?? false
            }
        }
    }

    /// What matches was found out anew: every stored placement is asked for. Nil means that it is as it was.
    package mutating func rematch(
        cause: Cause = .matchChanged, at time: Microseconds, _ matches: (Placement) -> SelectorMatches?
    ) -> Transaction? {
        // One place is stored several times, by one who knows it and others who follow that one.
        var answers: [Placement: SelectorMatches?] = [:]
        func ask(_ placement: Placement) -> SelectorMatches? {
            if let answer = answers[placement] { return answer }
            let answer = matches(placement)
            answers[placement] = .some(answer)
            return answer
        }
        return transact(at: time, cause: cause) { registry in
            for id in registry.technologies.keys { registry.technologies[id]?.rematch(ask) }
            registry.states.rematch(ask)
        }
    }

    /// Asks every state that the present positions can concern.
    mutating func followStates(cause: Cause) -> [StateChange] {
        guard !states.isEmpty else { return [] }
        var round = states.beginRound()
        for index in states.views.indices where states.views[index].stateCount > 0 {
            let position = current(states.views[index].view)?.position
            states.follow(index, to: position, &round)
        }
        return states.changes(round, cause: cause)
    }
}
