import CLinux
import EventLoop
import FocusProtocol
import Glibc
import Varlink

/// One client at the socket: bytes in and out, its conversation, and what it costs.
@Loop
final class ClientConnection {
    let pid: Int32
    let account: ClientAccount
    let connectedAt = SystemClock.monotonicMicroseconds
    private let limits: ServiceLimits
    private let ledger: ClientLedger
    private let turns: ClientTurns
    /// What the account was charged for it so far; of bytes, those beyond what is free.
    private var charged = (calls: 0, queued: 0, received: 0)
    private(set) var bytesReceived: Int64 = 0
    private(set) var bytesLeft = 0
    private var descriptor: Int32
    private var conversation = ServerConversation(limits: .server, overlapping: [SetValue.name, DeclineMove.name])
    private var outbox = Outbox()
    private var reading, writing: DescriptorWatch?
    /// Watches whether a client that is not read goes altogether.
    private var leaving: DescriptorWatch?
    private var (hasInputEnded, hasHungUp) = (false, false)
    private var closing: LoopTimer?
    private var isPaused = false
    /// Whether it waits in line for its turn.
    private var isResting = false
    /// Whether it is not read for want of room.
    private var isStalled = false
    /// The move of the focus that is being told, and what was unread when that began: all that it changed comes at once.
    private var telling: (revision: Int64, unreadBefore: Int)?
    /// What the conversation asked for and is not done yet.
    private var actions: [ServerConversation.Action] = []
    private var isPerforming = false
    /// What to undo when a call is cancelled, by call.
    private var cancellations: [ServerConversation.CallID: @Loop () -> Void] = [:]
    /// Who has more to write than should wait at once.
    private var roomWaiters: [CheckedContinuation<Void, Never>] = []

    var onCall: (@Loop (ClientConnection, ServerConversation.CallID, IncomingCall) -> Void)?
    var onClose: (@Loop (ClientConnection, ServerConversation.CloseReason?) -> Void)?
    var onTooSlow: (@Loop () -> Void)?

    /// Its account has been charged the connection itself.
    init(_ peer: SocketListener.Peer, ledger: ClientLedger, turns: ClientTurns) {
        pid = peer.pid
        account = ledger.account(of: peer.pid)
        descriptor = peer.descriptor
        self.ledger = ledger
        self.turns = turns
        limits = ledger.limits
        watchInput()
    }

    /// Bytes written for it that it has not read, and answers that are held for their turn.
    var bytesQueued: Int { outbox.count + conversation.heldBytes }
    /// Bytes received of which no call was made yet.
    var bytesWaiting: Int { conversation.receivedBytes }
    var callsInFlight: Int { conversation.callsInFlight }
    var callCount: UInt64 { conversation.callCount }
    var isStreaming: Bool { conversation.isStreaming }

    // MARK: - In

    private func watchInput() {
        guard descriptor >= 0 else { return }
        let isWanted = conversation.wantsInput && closing == nil && hasRoomToReceive
        if !isWanted { reading?.cancel() }
        reading =
            !isWanted ? nil : reading ?? DescriptorWatch(descriptor, for: .readable) { [weak self] _ in self?.read() }
        // Who is not read must be seen to go all the same. Who waits in line is read again in a moment.
        let isWatched = reading == nil && closing == nil && !isResting && !hasHungUp
        if !isWatched { leaving?.cancel() }
        leaving =
            !isWatched ? nil : leaving ?? DescriptorWatch(descriptor, for: .hangUp) { [weak self] _ in self?.left() }
    }

    /// How many bytes may be read now. Ordinary calls are always read; long ones while their process has room, and one of
    /// them in any case: who sends many at once is not left with the beginnings of all of them.
    private var receivableBytes: Int {
        guard let limit = account.exceeded(.receivedBytes, by: limits.readBytes) else { return limits.readBytes }
        let free = limits.freeBytes - bytesWaiting
        if free > 0 { return min(free, limits.readBytes) }
        return limit == SharedResource.receivedBytes.names.ofProcess && account.maySend(self) ? limits.readBytes : 0
    }

    private var hasRoomToReceive: Bool {
        guard receivableBytes == 0, let limit = account.exceeded(.receivedBytes, by: limits.readBytes) else {
            if isStalled { ledger.stopWaiting(self) }
            isStalled = false
            return true
        }
        if !isStalled { ledger.count(limit, by: pid) }
        isStalled = true
        ledger.waitForRoom(self) { [weak self] in self?.watchInput() }
        return false
    }

    /// The client has gone: what it waits for is given up. What it sent before is read still, and ends.
    private func left() {
        leaving?.cancel()
        leaving = nil
        hasHungUp = true
        while descriptor >= 0, closing == nil, !hasInputEnded {
            guard receive(limits.readBytes) else { break }
        }
        perform { $0.connectionLost(into: &$1) }
    }

    private func read() {
        // Others of its process wait in line already.
        guard !account.isResting else { return rest() }
        let count = receivableBytes
        guard count > 0 else { return watchInput() }
        turns.begin(account)
        let (usedBefore, begin) = (account.usedNanoseconds, SystemClock.monotonicNanoseconds)
        receive(count)
        // What its calls took is counted by each; what reading them took comes to it.
        account.usedNanoseconds = usedBefore + SystemClock.monotonicNanoseconds - begin
    }

    /// Reads once; false where nothing is there or ever will be.
    @discardableResult
    private func receive(_ count: Int) -> Bool {
        let received = withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { buffer -> Int in
            let received = recv(descriptor, buffer.baseAddress, count, 0)
            if received > 0 {
                bytesReceived += Int64(received)
                perform { conversation, actions in
                    conversation.receive(UnsafeRawBufferPointer(rebasing: buffer[..<received]), into: &actions)
                }
            }
            return received
        }
        if received == 0 {
            hasInputEnded = true
            perform { $0.receiveEndOfInput(into: &$1) }
        } else if received < 0 && errno != EAGAIN && errno != EINTR {
            perform { $0.connectionLost(into: &$1) }
        }
        return received > 0
    }

    /// Changes the conversation and does what it asks for then.
    ///
    /// Inside of itself it only adds to what is to be done: many calls that came at once must neither stand on each
    /// other's stack nor be all answered before it is seen that nobody reads the answers.
    private func perform(_ change: (inout ServerConversation, inout [ServerConversation.Action]) -> Void) {
        change(&conversation, &actions)
        guard !isPerforming else { return }
        isPerforming = true
        var next = 0
        while next < actions.count {
            let action = actions[next]
            next += 1
            switch action {
            case .dispatch(let id, let call):
                settle()
                serve(id, call)
            case .write(let bytes): write(bytes)
            case .cancel(let id): cancellations.removeValue(forKey: id)?()
            case .close(let reason): closeWhenWritten(reason)
            }
        }
        // Room for a few is kept for the next time.
        actions.removeAll(keepingCapacity: next <= ClientConnection.keptActions)
        isPerforming = false
        settle()
        watchInput()
    }

    private func serve(_ id: ServerConversation.CallID, _ call: IncomingCall) {
        turns.begin(account)
        // ORDER: its answer would begin the next call, before it is known whether that may be begun.
        conversation.pause()
        let begin = SystemClock.monotonicNanoseconds
        onCall?(self, id, call)
        account.usedNanoseconds += SystemClock.monotonicNanoseconds - begin
        if turns.isOver(account) { rest() } else if !isPaused, !isResting { conversation.resume(into: &actions) }
    }

    /// Waits until it is its turn: nothing is read, and no call begun.
    private func rest() {
        guard !isResting, descriptor >= 0 else { return }
        isResting = true
        conversation.pause()
        turns.join(self)
        watchInput()
    }

    /// It is its turn: called by who keeps the line.
    func takeTurn() {
        isResting = false
        if isPaused { watchInput() } else { perform { $0.resume(into: &$1) } }
    }

    /// Charges the account what this connection holds now, after whatever changed that.
    private func settle() {
        guard descriptor >= 0 else { return }
        let now = (
            calls: conversation.callsInFlight, queued: max(0, bytesQueued - limits.freeBytes),
            received: max(0, bytesWaiting - limits.freeBytes)
        )
        let before = charged
        // ORDER: who gets room by this looks at what is charged then.
        charged = now
        if now.received == 0, before.received > 0 { account.hasSent(self) }
        account.change(.calls, from: before.calls, to: now.calls)
        account.change(.queuedBytes, from: before.queued, to: now.queued)
        account.change(.receivedBytes, from: before.received, to: now.received)
    }

    private static let keptActions = 16

    // MARK: - Answers

    /// `revision` is that of the move of the focus that the reply tells of, where it is one of many.
    func reply(
        _ id: ServerConversation.CallID, _ parameters: [UInt8], continues: Bool = false, revision: Int64? = nil
    ) {
        if revision != telling?.revision { telling = revision.map { ($0, outbox.count) } }
        if parameters.count > limits.freeBytes, let limit = account.exceeded(.queuedBytes), revision == nil {
            // It is long, and the process does not read what it has. A change of the focus ends such a stream instead.
            ledger.count(limit, by: pid)
            let undo = cancellations.removeValue(forKey: id)
            undo?()
            return fail(id, FocusError.LimitExceeded(limit: limit))
        }
        if !continues { cancellations[id] = nil }
        perform { $0.reply(to: id, parameters: parameters, continues: continues, into: &$1) }
    }

    func fail(_ id: ServerConversation.CallID, _ error: VarlinkError) {
        cancellations[id] = nil
        perform { $0.fail(id, error, into: &$1) }
    }

    func fail(_ id: ServerConversation.CallID, _ error: some InterfaceError) {
        cancellations[id] = nil
        do {
            let parameters = try JSONBytes.encode(error)
            perform { $0.fail(id, error: type(of: error).name, parameters: parameters, into: &$1) }
        } catch {
            perform { $0.fail(id, .invalidParameter(parameter: "parameters"), into: &$1) }
        }
    }

    /// Whether somebody still waits for an answer to it.
    func isInProgress(_ id: ServerConversation.CallID) -> Bool {
        descriptor >= 0 && closing == nil && conversation.isInProgress(id)
    }

    /// What to undo if the client goes away or ends the call; at once where it already has.
    func whenCancelled(_ id: ServerConversation.CallID, _ undo: @escaping @Loop () -> Void) {
        guard isInProgress(id) else { return undo() }
        cancellations[id] = undo
    }

    /// Ends a client that reads too slowly: it gets its half-written message whole, then the reason, then the end.
    private func cutOff() {
        guard closing == nil else { return }
        onTooSlow?()
        outbox.dropAllButFirst()
        let undo = cancellations
        cancellations = [:]
        for action in undo.values { action() }
        do {
            let error = FocusError.SubscriberTooSlow()
            outbox.append(
                OutgoingMessage.error(FocusError.SubscriberTooSlow.name, parameters: try JSONBytes.encode(error)))
        } catch {
            // An empty object cannot fail to be encoded; without the reason the end alone must do.
        }
        closeWhenWritten(nil)
    }

    // MARK: - Out

    private func write(_ bytes: [UInt8]) {
        guard descriptor >= 0, closing == nil else { return }
        // Who has left so much unread does not read. One long answer, or all that one move changed, is no sign of that.
        let unread = telling?.unreadBefore ?? outbox.count
        outbox.append(bytes)
        if writing == nil { flush() }
        guard !outbox.isEmpty else { return }
        settle()
        // A client that does not read its answers gets no more of them made.
        if !mayBegin, !isPaused {
            isPaused = true
            conversation.pause()
        }
        guard unread > limits.freeBytes, conversation.isStreaming, closing == nil else { return }
        if unread > limits.maximumQueuedBytesPerClient, outbox.count > limits.maximumQueuedBytesPerClient {
            ledger.count(.maximumQueuedBytesPerClient, by: pid)
            cutOff()
        } else if let limit = account.exceeded(.queuedBytes) {
            ledger.count(limit, by: pid)
            cutOff()
        }
    }

    /// Whether a further call may be begun: little waits to be read by this connection.
    private var mayBegin: Bool { outbox.count <= limits.freeBytes }

    private func flush() {
        defer { tellOfRoom() }
        let isDone = outbox.write { bytes in focusd_send(descriptor, bytes.baseAddress, bytes.count) }
        if !isPerforming { settle() }
        switch isDone {
        case .empty:
            writing?.cancel()
            writing = nil
            if isPaused, closing == nil { resume() }
            if closing != nil { close() }
        case .wouldBlock:
            if isPaused, closing == nil, mayBegin { resume() }
            guard writing == nil else { return }
            writing = DescriptorWatch(descriptor, for: .writable) { [weak self] _ in self?.flush() }
        case .failed:
            outbox.dropAll()
            perform { $0.connectionLost(into: &$1) }
            close()
        }
    }

    /// Returns when little of what was written waits for the client, and not before the loop has turned.
    func waitForRoom() async {
        guard descriptor >= 0, closing == nil, outbox.count > limits.freeBytes else {
            return await Loop.pause(milliseconds: 0)
        }
        await withCheckedContinuation { roomWaiters.append($0) }
    }

    private func tellOfRoom() {
        guard !roomWaiters.isEmpty, outbox.count <= limits.freeBytes || descriptor < 0 || closing != nil
        else { return }
        let waiters = roomWaiters
        roomWaiters = []
        for waiter in waiters { waiter.resume() }
    }

    private func resume() {
        isPaused = false
        if !isResting { takeTurn() }
    }

    // MARK: - The end

    private func closeWhenWritten(_ reason: ServerConversation.CloseReason?) {
        guard descriptor >= 0 else { return }
        closeReason = reason
        guard !outbox.isEmpty else { return close() }
        closing = LoopTimer(milliseconds: limits.closingMilliseconds) { [weak self] in self?.close() }
        watchInput()
        if writing == nil { flush() }
    }

    private var closeReason: ServerConversation.CloseReason?

    /// focusd ends: streams end with it.
    func stop() {
        perform { $0.stop(into: &$1) }
        close()
    }

    private func close() {
        guard descriptor >= 0 else { return }
        reading?.cancel()
        writing?.cancel()
        leaving?.cancel()
        reading = nil
        writing = nil
        leaving = nil
        closing = nil
        Glibc.close(descriptor)
        descriptor = -1
        let undo = cancellations
        cancellations = [:]
        for action in undo.values { action() }
        tellOfRoom()
        giveEverythingBack()
        onClose?(self, closeReason)
        onClose = nil
        onCall = nil
    }

    private func giveEverythingBack() {
        ledger.stopWaiting(self)
        turns.leave(self)
        bytesLeft = bytesQueued + bytesWaiting
        outbox.dropAll()
        account.change(.calls, from: charged.calls, to: 0)
        account.change(.queuedBytes, from: charged.queued, to: 0)
        account.change(.receivedBytes, from: charged.received, to: 0)
        charged = (0, 0, 0)
        account.hasSent(self)
        account.give(.clients)
        ledger.close(account)
    }
}
