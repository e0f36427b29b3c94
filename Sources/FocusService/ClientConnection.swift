import CLinux
import EventLoop
import FocusProtocol
import Glibc
import Varlink

/// One client at the socket: bytes in and out, its conversation, and what it costs.
@Loop
final class ClientConnection {
    let pid: Int32
    private let limits: ServiceLimits
    private var descriptor: Int32
    private var conversation = ServerConversation(limits: .server, overlapping: [SetValue.name, DeclineMove.name])
    private var outbox = Outbox()
    private var reading: DescriptorWatch?
    private var writing: DescriptorWatch?
    /// Watches whether a client that has ended its writing goes altogether.
    private var leaving: DescriptorWatch?
    private var hasInputEnded = false
    private var closing: LoopTimer?
    private var isPaused = false
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

    init(_ peer: SocketListener.Peer, limits: ServiceLimits) {
        pid = peer.pid
        descriptor = peer.descriptor
        self.limits = limits
        watchInput()
    }

    var bytesQueued: Int { outbox.count }
    var callCount: UInt64 { conversation.callCount }
    var isStreaming: Bool { conversation.isStreaming }

    // MARK: - In

    private func watchInput() {
        guard descriptor >= 0 else { return }
        let isWanted = conversation.wantsInput && closing == nil
        if isWanted, reading == nil {
            reading = DescriptorWatch(descriptor, for: .readable) { [weak self] _ in self?.read() }
        } else if !isWanted {
            reading?.cancel()
            reading = nil
        }
        if hasInputEnded, closing == nil, leaving == nil {
            leaving = DescriptorWatch(descriptor, for: .hangUp) { [weak self] _ in self?.left() }
        }
    }

    /// The client reads nothing any more: what it waits for is given up.
    private func left() {
        leaving?.cancel()
        perform { $0.connectionLost(into: &$1) }
    }

    private func read() {
        let count = limits.readBytes
        let received = withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { buffer -> Int in
            let received = recv(descriptor, buffer.baseAddress, count, 0)
            if received > 0 {
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
            case .dispatch(let id, let call): onCall?(self, id, call)
            case .write(let bytes): write(bytes)
            case .cancel(let id): cancellations.removeValue(forKey: id)?()
            case .close(let reason): closeWhenWritten(reason)
            }
        }
        actions.removeAll(keepingCapacity: next <= ClientConnection.keptActions)
        isPerforming = false
        watchInput()
    }

    /// Room for this many actions is kept for the next time.
    private static let keptActions = 16

    // MARK: - Answers

    /// `revision` is that of the move of the focus that the reply tells of, where it is one of many.
    func reply(
        _ id: ServerConversation.CallID, _ parameters: [UInt8], continues: Bool = false, revision: Int64? = nil
    ) {
        if revision != telling?.revision { telling = revision.map { ($0, outbox.count) } }
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

    /// What to undo if the client goes away or ends the call; at once where it already has.
    func whenCancelled(_ id: ServerConversation.CallID, _ undo: @escaping @Loop () -> Void) {
        guard descriptor >= 0, closing == nil, conversation.isInProgress(id) else { return undo() }
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
        let isTooSlow = (telling?.unreadBefore ?? outbox.count) > limits.maximumQueuedBytes
        outbox.append(bytes)
        if writing == nil { flush() }
        // A client that does not read its answers gets no more of them made.
        if outbox.count > limits.pauseAtQueuedBytes, !isPaused {
            isPaused = true
            conversation.pause()
        }
        if isTooSlow, outbox.count > limits.maximumQueuedBytes { cutOff() }
    }

    private func flush() {
        defer { tellOfRoom() }
        let isDone = outbox.write { bytes in focusd_send(descriptor, bytes.baseAddress, bytes.count) }
        switch isDone {
        case .empty:
            writing?.cancel()
            writing = nil
            if isPaused, closing == nil { resume() }
            if closing != nil { close() }
        case .wouldBlock:
            if isPaused, closing == nil, outbox.count <= limits.pauseAtQueuedBytes { resume() }
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
        guard descriptor >= 0, closing == nil, outbox.count > limits.pauseAtQueuedBytes else {
            return await Loop.pause(milliseconds: 0)
        }
        await withCheckedContinuation { roomWaiters.append($0) }
    }

    private func tellOfRoom() {
        guard !roomWaiters.isEmpty, outbox.count <= limits.pauseAtQueuedBytes || descriptor < 0 || closing != nil
        else { return }
        let waiters = roomWaiters
        roomWaiters = []
        for waiter in waiters { waiter.resume() }
    }

    private func resume() {
        isPaused = false
        perform { $0.resume(into: &$1) }
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
        onClose?(self, closeReason)
        onClose = nil
        onCall = nil
    }
}
