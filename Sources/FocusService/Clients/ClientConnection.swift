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
    let limits: ServiceLimits
    private let ledger: ClientLedger
    private let turns: ClientTurns
    private let flushLine: FlushLine
    private let group: DescriptorGroup?
    private var charged = ConnectionCharge()
    private(set) var bytesReceived: Int64 = 0
    /// Bytes that were dropped unread: told when it has gone, for the memory that they had.
    private(set) var bytesLeft = 0
    private(set) var descriptor: Int32
    private(set) var conversation = ServerConversation(limits: .server, overlapping: [SetValue.name, DeclineMove.name])
    private(set) var outbox = Outbox()
    private var reading, writing: DescriptorWatch?
    /// Watches whether a client that is not read goes altogether.
    private var leaving: DescriptorWatch?
    private var (hasInputEnded, hasHungUp, isPaused) = (false, false, false)
    private var closing: LoopTimer?
    private var closeReason: ServerConversation.CloseReason?
    /// Whether it waits in line for its turn.
    private var isResting = false
    /// Whether it is not read for want of room.
    private var isStalled = false
    /// The move of the focus that is being told, and what was unread when that began: all that it changed comes at once.
    private var telling: (revision: Int64, unreadBefore: Int)?
    private static let keptActions = 16
    /// What the conversation asked for and is not done yet.
    private var actions: [ServerConversation.Action] = []
    private var isPerforming = false
    /// What to undo when a call is cancelled, by call.
    private var cancellations: [ServerConversation.CallID: @Loop () -> Void] = [:]
    /// Who waits to write more.
    private lazy var room = RoomWaiters(milliseconds: limits.unreadMilliseconds) { [weak self] in self?.cutOff() }
    /// What was unread before it was told more than it should be, where it is to be judged by that.
    private var unreadWhenJudged: Int?

    var onCall: (@Loop (ClientConnection, ServerConversation.CallID, IncomingCall) -> Void)?
    var onClose: (@Loop (ClientConnection, ServerConversation.CloseReason?) -> Void)?
    var onTooSlow: (@Loop () -> Void)?

    /// Its account has been charged the connection itself.
    init(
        _ peer: SocketListener.Peer, ledger: ClientLedger, turns: ClientTurns, flushLine: FlushLine = FlushLine(),
        group: DescriptorGroup? = nil
    ) {
        pid = peer.pid
        account = ledger.account(of: peer.pid)
        descriptor = peer.descriptor
        self.ledger = ledger
        self.turns = turns
        self.flushLine = flushLine
        self.group = group
        limits = ledger.limits
        watchInput()
    }

    /// Whether it is written to, and not about to be closed.
    var isOpen: Bool { descriptor >= 0 && closing == nil }

    // MARK: - In

    private func watchInput() {
        guard descriptor >= 0 else { return }
        let isWanted = conversation.wantsInput && closing == nil && hasRoomToReceive
        if !isWanted { reading?.cancel() }
        reading =
            !isWanted
            ? nil : reading ?? DescriptorWatch(descriptor, for: .readable, in: group) { [weak self] _ in self?.read() }
        // Who is not read must be seen to go all the same. Who waits in line is read again in a moment.
        let isWatched = reading == nil && closing == nil && !isResting && !hasHungUp
        if !isWatched { leaving?.cancel() }
        leaving =
            !isWatched
            ? nil : leaving ?? DescriptorWatch(descriptor, for: .hangUp, in: group) { [weak self] _ in self?.left() }
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
        while isOpen, !hasInputEnded {
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
        let held = conversation.receivedBytes + conversation.heldBytes
        change(&conversation, &actions)
        // It drops all that it holds then.
        if conversation.isClosed { bytesLeft += held }
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
        let now = ConnectionCharge(
            calls: conversation.callsInFlight, queued: bytesQueued, received: bytesWaiting, freeBytes: limits.freeBytes)
        let before = charged
        // ORDER: who gets room by this looks at what is charged then.
        charged = now
        if now.received == 0, before.received > 0 { account.hasSent(self) }
        now.replace(before, of: account)
    }

    // MARK: - Answers

    /// Tells a stream what others are told, too. `revision` is that of the move of the focus, where it may be one of many
    /// changes by that.
    func tell(_ id: ServerConversation.CallID, _ reply: StreamReply, revision: Int64? = nil) {
        guard reply.parameters.count <= limits.freeBytes || revision != nil else {
            return self.reply(id, reply.parameters, continues: true)
        }
        if revision != telling?.revision { telling = revision.map { ($0, outbox.count) } }
        perform { $0.reply(to: id, reply, into: &$1) }
    }

    func reply(_ id: ServerConversation.CallID, _ parameters: [UInt8], continues: Bool = false) {
        telling = nil
        if parameters.count > limits.freeBytes, let limit = account.exceeded(.queuedBytes) {
            // It is long, and the process does not read what it has. A change of the focus ends such a stream instead.
            ledger.count(limit, by: pid)
            cancellations.removeValue(forKey: id)?()
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
    func isInProgress(_ id: ServerConversation.CallID) -> Bool { isOpen && conversation.isInProgress(id) }

    /// What to undo if the client goes away or ends the call; at once where it already has.
    func whenCancelled(_ id: ServerConversation.CallID, _ undo: @escaping @Loop () -> Void) {
        guard isInProgress(id) else { return undo() }
        cancellations[id] = undo
    }

    /// Ends a client that reads too slowly: it gets its half-written message whole, then the reason, then the end.
    private func cutOff() {
        guard closing == nil else { return }
        onTooSlow?()
        bytesLeft += outbox.count
        outbox.dropAllButFirst()
        undoAll()
        outbox.append(OutgoingMessage.error(FocusError.SubscriberTooSlow.name, parameters: []))
        closeWhenWritten(nil)
    }

    // MARK: - Out

    private func write(_ bytes: [UInt8]) {
        guard isOpen else { return }
        // Who has left so much unread does not read. One long answer, or all that one move changed, is no sign of that.
        let (unread, isFirst) = (telling?.unreadBefore ?? outbox.count, outbox.isEmpty)
        outbox.append(bytes)
        if writing == nil, flushLine.isHeld {
            // Nothing was unread before; what it reads of this is seen when all were told.
            if isFirst { flushLine.join(self) }
            return
        }
        if writing == nil { flush() }
        pauseIfUnread()
        guard unreadWhenJudged == nil, limitPassed(unread) != nil else { return }
        unreadWhenJudged = unread
        if flushLine.isHeld { flushLine.judgeLater(self) } else { takeJudgement() }
    }

    /// Everybody was told: called by who keeps the line.
    func takeFlush() {
        if descriptor >= 0, writing == nil, !outbox.isEmpty { flush() }
        pauseIfUnread()
    }

    /// Cuts it off, if nothing has become better since.
    func takeJudgement() {
        defer { unreadWhenJudged = nil }
        guard let limit = unreadWhenJudged.flatMap(limitPassed) else { return }
        ledger.count(limit, by: pid)
        cutOff()
    }

    /// A client that does not read its answers gets no more of them made.
    private func pauseIfUnread() {
        guard descriptor >= 0, !outbox.isEmpty else { return }
        settle()
        guard !mayBegin, !isPaused else { return }
        isPaused = true
        conversation.pause()
    }

    private func flush() {
        defer { tellOfRoom() }
        let before = outbox.count
        let isDone = outbox.write { bytes in focusd_send(descriptor, bytes.baseAddress, bytes.count) }
        if outbox.count < before { room.hasProgressed() }
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
            writing = DescriptorWatch(descriptor, for: .writable, in: group) { [weak self] _ in self?.flush() }
        case .failed:
            bytesLeft += outbox.count
            outbox.dropAll()
            perform { $0.connectionLost(into: &$1) }
            close()
        }
    }

    /// Returns when little of what was written waits for the client, and not before the loop has turned.
    func waitForRoom() async {
        guard isOpen, !mayBegin else { return await Loop.pause(milliseconds: 0) }
        await room.wait()
    }

    private func tellOfRoom() {
        if mayBegin || !isOpen { room.tell() }
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
        if writing == nil { flush() } else { tellOfRoom() }
    }

    /// focusd ends: streams end with it.
    func stop() {
        perform { $0.stop(into: &$1) }
        close()
    }

    private func close() {
        guard descriptor >= 0 else { return }
        for watch in [reading, writing, leaving] { watch?.cancel() }
        (reading, writing, leaving, closing) = (nil, nil, nil, nil)
        Glibc.close(descriptor)
        descriptor = -1
        undoAll()
        tellOfRoom()
        giveEverythingBack()
        onClose?(self, closeReason)
        (onClose, onCall) = (nil, nil)
    }

    private func undoAll() {
        let undo = cancellations
        cancellations = [:]
        for action in undo.values { action() }
    }

    private func giveEverythingBack() {
        ledger.stopWaiting(self)
        turns.leave(self)
        bytesLeft += bytesQueued + bytesWaiting
        outbox.dropAll()
        ConnectionCharge().replace(charged, of: account)
        charged = ConnectionCharge()
        account.hasSent(self)
        account.give(.clients)
        ledger.close(account)
    }
}
