import AccessibilityTree
import EventLoop
import FocusProtocol
import FocusRegistry
import Selectors

/// The sets of focus states that are under way, and what each came to at once.
@Loop
final class ValueSets {
    private struct Running {
        let run: OrderRun
        let terms: OrderTerms
        let state: BoundState
        let client: ClientConnection
        let charge: ClientCharge
    }

    private unowned let server: FocusServer
    private var running: [UInt64: Running] = [:]
    private var lastNumber: UInt64 = 0
    /// The processes that were asked to move to their elements, by the moves' numbers.
    private var asked: [Int: Int32] = [:]

    init(server: FocusServer) {
        self.server = server
        server.desk.moves.askOwner = { [weak self] in self?.askOwner($0, token: $1) ?? false }
    }

    private var desk: FocusDesk { server.desk }

    /// How many sets of a state are under way.
    func count(of state: BoundState) -> Int { running.values.count { $0.state === state } }

    // MARK: - Beginning

    /// Sets a state to the value in the terms; the call is answered when what became of it is known.
    func begin(_ state: BoundState, _ terms: OrderTerms, _ call: ServedCall) throws {
        let current = desk.registry.value(of: state.id) ?? StateValue()
        let technologies = terms.technologies
        let answer = SetAnswer(
            setting: terms.value, having: current, again: terms.presentsAgain,
            isDisturbed: desk.moves.isDisturbed(technologies))
        // A program's last word counts, also where its earlier one still waits for its element. One that moves already to
        // the very same is shared (S4): begun anew, the screen reader would say the element twice.
        for (_, earlier) in sets(of: state) where earlier.client === call.client {
            if earlier.run.isWaiting || !earlier.terms.asksTheSame(as: terms) { earlier.run.cancel(.newerRequest) }
        }
        switch answer {
        case .confirmed:
            desk.moves.supersede(technologies)
            return confirm(current.element, terms, call)
        case .confirmedAsNone:
            for (_, pending) in sets(of: state) { pending.run.cancel(.newerRequest) }
            return confirm(nil, terms, call)
        case .move, .giveBack: break
        }
        let charge = try call.client.account.charge(.pendingSets)
        let (goal, selectors) = try goal(answer, state, terms.value)
        lastNumber += 1
        let number = lastNumber
        let run = OrderRun(goal, terms, selectors: selectors, ownPID: state.ownPID, desk: desk) { [weak self] outcome in
            self?.ended(number)
            self?.remember(outcome, state, terms)
            call.reply(SetValue.Reply(outcome: call.server.render(outcome, terms)))
        }
        running[number] = Running(run: run, terms: terms, state: state, client: call.client, charge: charge)
        call.client.whenCancelled(call.id) { [weak self] in
            self?.ended(number)
            run.abandon()
        }
        run.begin()
    }

    private func ended(_ number: UInt64) { running.removeValue(forKey: number)?.charge.end() }

    private func sets(of state: BoundState) -> [(key: UInt64, value: Running)] {
        running.filter { $0.value.state === state }.sorted { $0.key < $1.key }
    }

    /// Where to: the elements of the value's prototypes, or a place outside of all the state's elements.
    private func goal(
        _ answer: SetAnswer, _ state: BoundState, _ value: String?
    ) throws -> (OrderGoal, [Selector]) {
        if case .giveBack = answer { return (.giveBack(placesOutside(state)), []) }
        let hasOwner = state.prototypes.indices.contains {
            state.prototypes[$0].value == value && state.owner(of: $0) != nil
        }
        if case .move(let element?) = answer, !hasOwner { return (.element(element), []) }
        let prototypes = state.prototypes(of: value)
        // They were read when the state was bound, and are not kept.
        let selectors = try prototypes.map { try Selector(parsing: state.prototypes[$0].selector) }
        return (.search(owners: prototypes.map { state.owner(of: $0) != nil }), selectors)
    }

    // MARK: - At once

    /// Nothing needs to be done: the value is as wanted.
    private func confirm(_ element: ObjectReference?, _ terms: OrderTerms, _ call: ServedCall) {
        let registry = desk.registry
        let keyboard = registry.position(of: .keyboard)?.placement
        var keyboardFocus = KeyboardFocusOutcome.unknown
        if let element, let keyboard {
            keyboardFocus = keyboard.lineage.contains(element) ? .alreadyThere : .elsewhere
        }
        let outcome = Outcome(
            result: MoveResult.confirmed.rawValue, route: "none",
            technologies: terms.technologies.map { id in
                let isThere =
                    element.map { registry.position(of: id)?.placement.lineage.contains($0) ?? false } ?? true
                return TechnologyResult(
                    id: id.rawValue, result: (isThere ? MoveResult.confirmed : .timedOut).rawValue)
            },
            element: element.flatMap { desk.element($0) }, keyboardFocus: keyboardFocus.rawValue,
            elapsedMilliseconds: 0)
        call.reply(SetValue.Reply(outcome: outcome))
    }

    // MARK: - Giving back

    /// Where focus is given back to, the best first: where it was before, where the keyboard is, the window (S6).
    private func placesOutside(_ state: BoundState) -> [GiveBackPlace] {
        let registry = desk.registry
        var places: [GiveBackPlace] = []
        let last = registry.lastOutside(of: state.id)
        if let last {
            places.append(
                GiveBackPlace(
                    target: last.element, needsActiveWindow: true, mayMoveKeyboard: state.hasMovedKeyboard))
        }
        if let keyboard = registry.position(of: .keyboard)?.placement, !isInside(keyboard, state) {
            places.append(
                GiveBackPlace(target: keyboard.element, needsActiveWindow: true, mayMoveKeyboard: false))
        }
        let current = registry.current(state.view)?.position?.placement.window
        for window in [registry.activeWindow, last?.placement.window, current] {
            guard let window, !places.contains(where: { $0.target == window }),
                let path = desk.loader.known(window), !isInside(desk.placement(path, of: .keyboard), state)
            else { continue }
            places.append(GiveBackPlace(target: window, needsActiveWindow: true, mayMoveKeyboard: false))
        }
        return places
    }

    private func isInside(_ placement: Placement, _ state: BoundState) -> Bool {
        placement.matches.depths.contains { state.keys.contains($0.key) }
    }

    /// A set that moved the keyboard is one that takes it back.
    private func remember(_ outcome: OrderOutcome, _ state: BoundState, _ terms: OrderTerms) {
        guard terms.value != nil, outcome.result == .confirmed, outcome.move?.keyboardFocus == .moved else { return }
        state.hasMovedKeyboard = true
    }

    // MARK: - Owners

    private func askOwner(_ request: MoveRequest, token: Int) -> Bool {
        guard let id = request.state, let state = server.states[id.rawValue], let searched = request.prototype else {
            return false
        }
        let prototypes = state.prototypes(of: request.value)
        // The state of that name may be another one by now.
        guard prototypes.indices.contains(searched),
            let pid = server.states.askOwner(
                state, prototype: prototypes[searched], at: request.target, token: String(token))
        else { return false }
        if asked.count >= ValueSets.maximumAsked, let oldest = asked.keys.min() { asked[oldest] = nil }
        asked[token] = pid
        return true
    }

    /// Moves whose owners were asked that are remembered: more than can be under way.
    private static let maximumAsked = 1_024

    /// An owner cannot move its element. What is over, or was asked of another process, is passed over.
    func declined(_ token: String, by pid: Int32) {
        guard let number = Int(token), asked[number] == pid else { return }
        asked[number] = nil
        desk.moves.ownerDeclined(number)
    }

    // MARK: - The end

    /// A state is no more: its sets end.
    func stateEnded(_ state: BoundState) {
        for (_, pending) in sets(of: state) { pending.run.cancel(.unbound) }
    }
}
