import FocusProtocol
import Varlink

extension Outcome {
    /// Of a set that is not made any more, because a newer one was.
    fileprivate static var supersededUnsent: Outcome {
        Outcome(result: "superseded", reason: "newerRequest", keyboardFocus: "unknown", elapsedMilliseconds: 0)
    }
}

extension SessionKeeper {
    /// Sends what one state has to send: first its elements, and once those are bound, its sets.
    func advance(_ state: BoundState, _ line: SessionLine, _ session: String, _ now: Moment) {
        guard !state.isBinding else { return }
        if state.isChanged {
            state.isChanged = false
            state.refusal = nil
            let elements = state.usable
            if elements.isEmpty {
                release(state.bound, of: state)
                state.bound = nil
                state.lost("unbound")
            } else if !state.has(elements) {
                state.isBinding = true
                let parameters = Bind.Parameters(
                    prototypes: BoundState.prototypes(of: elements), technologies: state.technologies, session: session)
                return line.call(Bind.self, parameters, for: .bind(state.id, elements), now)
            }
        }
        sendSets(state, line, now)
    }

    private func sendSets(_ state: BoundState, _ line: SessionLine, _ now: Moment) {
        while let request = state.waiting.first, state.setsUnderWay < BoundState.maximumSetsUnderWay {
            state.waiting.removeFirst()
            if let error = state.objection(to: request) {
                finish(request, error)
                continue
            }
            guard let name = state.bound?.name else { continue }
            // Sets on what was bound before would else go on beside this one.
            for older in state.takeRetiring() { unbind(older) }
            state.sent(request, to: name)
            line.set(
                SetValue.Parameters(
                    state: name, value: request.value, again: request.again ? true : nil, routes: request.routes,
                    timeoutMilliseconds: request.patience.milliseconds),
                for: .set(state.id, name: name, request), patience: request.patience, now)
        }
    }

    // MARK: - Answers to Bind

    func bindAnswered(_ id: FocusStateID, _ elements: [AttachedElement], _ reply: IncomingReply, _ now: Moment) {
        let state = states[id]
        if let refusal = FocusRefusal(reply) {
            guard let state else { return }
            return bindRefused(state, elements, refusal, now)
        }
        guard let content = Wire.decode(Bind.Reply.self, reply), let name = content.state else {
            return lose(.broken, now)
        }
        guard let state else { return unbind(name) }
        let older = state.bound
        state.bound = BoundState.Bound(name: name, elements: elements)
        names[name] = id
        state.isBinding = false
        toDo.append(id)
        release(older, of: state)
        if let change = content.change { state.changed(change) }
        becameKnown(name)
    }

    private func bindRefused(
        _ state: BoundState, _ elements: [AttachedElement], _ refusal: FocusRefusal, _ now: Moment
    ) {
        toDo.append(state.id)
        switch refusal {
        case .invalidSelector(let position, let expected, let place?):
            let prototypes = BoundState.prototypes(of: elements)
            guard prototypes.indices.contains(place) else { return lose(.broken, now) }
            state.isBinding = false
            wrong(state, prototypes[place].selector, position, expected)
        case .invalidParameter("session"):
            // The two connections are to two runs of focusd.
            lose(.closed, now)
        default:
            state.isBinding = false
            state.refusal = refusal
            problems.report(.refused(method: "Bind", refusal))
        }
    }

    /// Leaves a selector out from now on, and tells so.
    private func wrong(_ state: BoundState, _ selector: String, _ position: Int, _ expected: String) {
        state.foundFault(BoundState.Fault(position: position, expected: expected), in: selector)
        state.isChanged = true
        problems.report(.invalidSelector(selector: selector, position: position, expected: expected))
    }

    // MARK: - Answers to SetValue

    func setAnswered(
        _ id: FocusStateID, _ name: String, _ request: SetRequest, _ reply: IncomingReply, _ now: Moment
    ) {
        line?.setAnswered()
        let state = states[id]
        let isCurrent = state?.bound?.name == name
        if state?.answered(by: name) == true { unbind(name) }
        toDo.append(id)
        if let refusal = FocusRefusal(reply) {
            guard case .unknownState = refusal, let state, !request.isSecondAttempt else {
                return finish(request, .refused(refusal))
            }
            if isCurrent {
                // Somebody ended the state: it is bound again, and its sets come after that.
                release(state.bound, of: state)
                state.bound = nil
                state.isChanged = true
            }
            if !state.waitAgain(request, sentTo: name) { request.completion?.finish(.success(.supersededUnsent)) }
            return
        }
        guard var outcome = Wire.decode(SetValue.Reply.self, reply)?.outcome else {
            finish(request, .unreadableReply)
            return lose(.broken, now)
        }
        if outcome.reason == "unbound", !isCurrent {
            // This library ended the state, because a newer set went to the one in its place.
            outcome.result = "superseded"
            outcome.reason = "newerRequest"
        }
        request.completion?.finish(.success(outcome))
    }

    // MARK: - Ending

    /// Ends what focusd had of a state, or leaves it until its sets are answered; its changes do not count any more.
    private func release(_ bound: BoundState.Bound?, of state: BoundState) {
        guard let bound else { return }
        names[bound.name] = nil
        if state.retire(bound.name) { unbind(bound.name) }
    }

    func unbind(_ name: String) {
        names[name] = nil
        guard case .open(let line, _) = phase else { return }
        line.call(Unbind.self, Unbind.Parameters(state: name), for: .unbind, .now)
    }

    // MARK: - The app's own moves

    /// Moves of the app's own that may be under way; focusd is told at once that a further one is not made.
    private static var maximumMoves: Int { 64 }

    func move(_ state: BoundState, _ move: OwnerMove) {
        let ways = state.elements.filter { $0.value == move.value }.compactMap(\.element.move)
        guard !ways.isEmpty, movesUnderWay < Self.maximumMoves else {
            return decline(move.token, ways.isEmpty ? "no element moves itself" : "too many moves at once")
        }
        movesUnderWay += 1
        Task { [inbox] in
            var reasons: [String] = []
            for way in ways {
                guard case .declined(let reason) = await way() else {
                    return inbox.post(.moveAnswered(token: move.token, declined: nil))
                }
                reasons.append(reason)
            }
            inbox.post(.moveAnswered(token: move.token, declined: reasons.joined(separator: "; ")))
        }
    }

    func decline(_ token: String, _ reason: String) {
        guard case .open(let line, _) = phase else { return }
        line.call(DeclineMove.self, DeclineMove.Parameters(token: token, reason: reason), for: .decline, .now)
    }
}
