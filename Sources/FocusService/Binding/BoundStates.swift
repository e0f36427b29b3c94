import AccessibilityTree
import EventLoop
import FocusProtocol
import FocusRegistry
import Selectors
import Varlink

/// The focus states that clients have bound: who is told of which, and what ends with whom.
@Loop
final class BoundStates {
    private struct Session {
        let client: ClientConnection
        let call: ServerConversation.CallID
        /// The numbers of its binds.
        var binds: [UInt64: FocusStateID] = [:]
    }

    private unowned let server: FocusServer
    private var states: [FocusStateID: BoundState] = [:]
    private var sessions: [String: Session] = [:]
    private var lastNumber: UInt64 = 0
    /// Says which run of focusd an id is from: an old one names nothing in a new run.
    private let tag: String

    init(server: FocusServer) {
        self.server = server
        tag = String(UInt64(truncatingIfNeeded: SystemClock.bootMicroseconds) & 0xfff_ffff, radix: 36)
    }

    private var desk: FocusDesk { server.desk }

    subscript(id: String) -> BoundState? { states[FocusStateID(id)] }

    /// In the order in which they were made.
    var all: [BoundState] { states.values.sorted { $0.number < $1.number } }

    var isEmpty: Bool { states.isEmpty }

    // MARK: - Binding

    /// Makes a state or joins the one of this name. The caller sends the first reply.
    func bind(
        _ wanted: WantedState, selectors: [Selector], name: String?, session: String?, _ call: ServedCall
    ) throws -> (state: BoundState, value: StateValue) {
        let pid = call.client.pid
        let account = call.client.account
        let existing = name.flatMap { states[FocusStateID($0)] }
        if let name, let existing, !existing.isSame(as: wanted, selectors: selectors, of: Int(pid)) {
            throw FocusError.StateExists(state: name)
        }
        // ORDER: what is taken is what is given back. The same modes can be named in more bytes than those of its maker.
        let cost = existing?.cost ?? BindCost(wanted, selectors, name: name)
        try cost.take(from: account)
        let state = existing ?? make(wanted, selectors, name: name, ownPID: Int(pid), cost)
        let stream = session.flatMap { sessions[$0] }
        guard session == nil || stream != nil else {
            // What was just published found its reader too slow.
            cost.give(to: account)
            if state.binds.isEmpty { forget(state) }
            throw VarlinkError.invalidParameter(parameter: "session")
        }
        lastNumber += 1
        let number = lastNumber
        let owned = wanted.prototypes.indices.filter { wanted.prototypes[$0].moves == true }
        state.add(
            BoundState.Bind(
                number: number, client: stream?.client ?? call.client, call: stream?.call ?? call.id,
                session: session, owned: Set(owned)))
        if let session { sessions[session]?.binds[number] = state.id }
        if session == nil {
            call.client.whenCancelled(call.id) { [weak self] in self?.unbind(number, of: state, account) }
        }
        return (state, desk.registry.value(of: state.id) ?? StateValue())
    }

    private func make(
        _ wanted: WantedState, _ selectors: [Selector], name: String?, ownPID: Int, _ cost: BindCost
    ) -> BoundState {
        lastNumber += 1
        let id = FocusStateID(name ?? "#\(tag)-\(lastNumber)")
        let keys = selectors.map { desk.selectors.retain($0, ownPID: ownPID) }
        let state = BoundState(
            id, number: lastNumber, isNamed: name != nil, wanted, keys: keys, ownPID: ownPID, cost: cost)
        states[id] = state
        if state.view.follows(.keyboard) { followKeyboard() }
        // What technologies are on is matched with the new selectors first.
        desk.rematch(cause: .matchChanged)
        _ = desk.registry.bind(
            id, zip(wanted.prototypes, keys).map { StatePrototype(value: $0.value, selector: $1) }, state.view)
        // An element may have got an id since it was asked, even to be bound by it, and nobody listened to that so far.
        if desk.selectors.dependsOnIDs { desk.refreshLater(desk.registry.focusedElements) }
        return state
    }

    /// Where nobody needed the keyboard so far it is not followed, and is looked for: the value comes as a change then.
    private func followKeyboard() {
        let isKnown = desk.isFollowingFocus
        desk.retainKeyboard()
        guard !isKnown else { return }
        Loop.task { [desk] in
            guard let element = await desk.keyboard.searchDesktop(), desk.registry.position(of: .keyboard) == nil
            else { return }
            await desk.takeKeyboard(element)
        }
    }

    /// A `Bind` ended: its stream, or the session it was bound in.
    private func unbind(_ number: UInt64, of state: BoundState, _ account: ClientAccount) {
        guard state.remove(number) != nil else { return }
        state.cost.give(to: account)
        desk.memory.letGo(state.cost.bytesInMemory)
        if state.binds.isEmpty { forget(state) }
    }

    private func forget(_ state: BoundState) {
        guard states[state.id] === state else { return }
        states[state.id] = nil
        if states.isEmpty { states = [:] }
        desk.registry.unbind(state.id)
        for key in state.keys { desk.selectors.release(key) }
        if state.view.follows(.keyboard) { desk.releaseKeyboard() }
        server.sets.stateEnded(state)
    }

    /// Ends a state for all who have bound it.
    func end(_ state: BoundState) {
        let value = desk.registry.value(of: state.id) ?? StateValue()
        let (binds, revision) = (state.binds, desk.registry.revision)
        let last = StateReply.bytes(
            state, value, previous: nil, cause: BoundStates.unboundCause, revision: revision, renderer: desk.renderer)
        for bind in binds {
            if let session = bind.session { sessions[session]?.binds[bind.number] = nil }
            unbind(bind.number, of: state, bind.client.account)
        }
        for bind in binds where bind.session == nil { bind.client.reply(bind.call, last) }
        tellSessions(binds, state, value, revision)
    }

    /// The protocol's word for a change that only says that its state is no more.
    private static let unboundCause = "unbound"

    /// A session goes on without the state: it is told that there is no value any more.
    private func tellSessions(_ binds: [BoundState.Bind], _ state: BoundState, _ value: StateValue, _ revision: Int64) {
        let gone = StateReply.bytes(
            state, StateValue(), previous: value, cause: BoundStates.unboundCause, revision: revision,
            renderer: desk.renderer)
        for name in Set(binds.compactMap(\.session)) {
            guard let session = sessions[name] else { continue }
            session.client.reply(session.call, gone, continues: true)
        }
    }

    // MARK: - Sessions

    /// Opens a session whose stream this call is. The caller sends the first reply.
    func openSession(_ call: ServedCall) -> String {
        lastNumber += 1
        let name = "\(tag)-\(lastNumber)"
        sessions[name] = Session(client: call.client, call: call.id)
        call.client.whenCancelled(call.id) { [weak self] in self?.closeSession(name, call.client.account) }
        return name
    }

    /// Whether a process may bind in a session: only the one that opened it.
    func isSession(_ name: String, of pid: Int32) -> Bool { sessions[name]?.client.pid == pid }

    private func closeSession(_ name: String, _ account: ClientAccount) {
        guard let session = sessions.removeValue(forKey: name) else { return }
        for (number, id) in session.binds {
            if let state = states[id] { unbind(number, of: state, account) }
        }
    }

    // MARK: - Telling

    func publish(_ transaction: Transaction) {
        for change in transaction.stateChanges {
            guard let state = states[change.state] else { continue }
            if change.current.prototype == nil { state.hasMovedKeyboard = false }
            let reply = StreamReply(
                StateReply.bytes(
                    state, change.current, previous: change.previous, cause: change.cause.rawValue,
                    revision: transaction.revision, renderer: desk.renderer))
            for stream in state.streams {
                stream.client.tell(stream.call, reply, revision: transaction.revision)
            }
        }
    }

    /// Asks the client that moves to a prototype's element itself, and says which process that is; nil without one.
    func askOwner(_ state: BoundState, prototype: Int, at target: ObjectReference, token: String) -> Int32? {
        let pid = desk.loader.known(target)?.application.pid
        guard let owner = state.owner(of: prototype, in: pid) else { return nil }
        let move = OwnerMove(token: token, state: state.id.rawValue, value: state.prototypes[prototype].value)
        do {
            owner.client.reply(owner.call, try JSONBytes.encode(Bind.Reply(move: move)), continues: true)
            return owner.client.pid
        } catch {
            assertionFailure("a move cannot be encoded: \(error)")
            return nil
        }
    }
}
