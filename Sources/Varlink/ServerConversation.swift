/// One connection's serving side: bytes and answers in, actions out. It knows no socket and no time.
///
/// Calls are dispatched one at a time and answered in their order; later ones wait, unread, in the bytes received. A
/// call with `more` occupies its connection until its stream ends. Every dispatched call, also a oneway one, must be
/// replied to or failed: only then comes the next.
///
/// Only calls of the methods that the owner names as overlapping, where they stand next to each other and ask for one
/// reply at most, are dispatched while those before them are still unanswered. Their replies go out in the order of the
/// calls all the same: one that comes early is held. Oneway calls have no place in that order.
///
/// The owner performs the actions in their order:
///
///     conversation.receive(bytes, into: &actions)
///     while let action = actions.popFirst() { perform(action) }   // may call reply(to:…, into: &actions)
package struct ServerConversation: Sendable {
    /// What the owner has to do now.
    package enum Action: Hashable, Sendable {
        /// Serve this call. Whatever becomes of it is told by `reply` or `fail`.
        case dispatch(CallID, IncomingCall)
        /// Write these bytes, whole messages with their NULs.
        case write([UInt8])
        /// Stop working on this call: nobody takes its answer any more.
        case cancel(CallID)
        /// Close the connection once what was to be written before is written. Nothing comes after it.
        case close(CloseReason)
    }

    /// A call on this connection.
    package struct CallID: Hashable, Sendable {
        let number: UInt64
    }

    /// Why a connection is closed.
    package enum CloseReason: Hashable, Sendable {
        /// The client has ended its writing, and all its calls are answered.
        case endOfInput
        /// The client has ended its writing in the middle of a message.
        case endOfInputInsideMessage
        /// The client has gone.
        case connectionLost
        /// A message was longer than this limit.
        case messageTooLong(limitBytes: Int)
        /// A message was not a call.
        case notACall(MessageFault)
        /// A call asked to leave Varlink, which nothing here does.
        case upgradeAsked
        /// A call asked for many replies and for none.
        case onewayWithMore
        /// The owner asked for it.
        case stopped

        /// Whether the client broke the protocol: worth a line in the log.
        package var isFaultOfClient: Bool {
            switch self {
            case .endOfInput, .connectionLost, .stopped: false
            case .endOfInputInsideMessage, .messageTooLong, .notACall, .upgradeAsked, .onewayWithMore: true
            }
        }
    }

    private struct Call {
        var id: CallID
        var wantsMore: Bool
        var isOneway: Bool
        var overlaps: Bool
        /// The parameters of its last reply, where that continues.
        var lastParameters: [UInt8]?
        /// The whole answer, as a message, while calls before it are unanswered.
        var heldAnswer: [UInt8]?

        /// Whether somebody still works for its caller.
        var isCancellable: Bool { !isOneway && heldAnswer == nil }
    }

    /// The next message, read to see whether it may overlap, and not begun.
    private struct NextMessage {
        var call: Result<IncomingCall, MessageFault>
        var bytes: Int
    }

    private let limits: VarlinkLimits
    private let overlapping: Set<String>
    private var splitter: MessageSplitter
    private var next: NextMessage?
    /// The calls in flight, in their order: one, or several that overlap.
    private var calls: [Call] = []
    private var hasEnded = false
    private var isPeerGone = false
    private var isPaused = false
    /// True once the close action was given; everything is ignored from then on.
    package private(set) var isClosed = false
    /// Calls dispatched since the connection was made.
    package private(set) var callCount: UInt64 = 0

    /// - Parameter overlapping: the whole names of the methods whose calls need not wait for each other.
    package init(limits: VarlinkLimits, overlapping: Set<String> = []) {
        self.limits = limits
        self.overlapping = overlapping
        splitter = MessageSplitter(maximumMessageBytes: limits.maximumMessageBytes)
    }

    /// False while enough waits: the owner stops reading then, so that the client waits in its own `write`.
    package var wantsInput: Bool {
        !isClosed && !hasEnded && !isPaused
            && splitter.waitingMessages + (next == nil ? 0 : 1) < limits.maximumQueuedCalls
            && splitter.waitingBytes + (next?.bytes ?? 0) < limits.maximumQueuedBytes
    }

    /// Calls that were dispatched and are not answered; those whose answers are held for their turn included.
    package var callsInFlight: Int { calls.count }

    /// Bytes received of which no call was made yet.
    package var receivedBytes: Int { splitter.heldBytes + (next?.bytes ?? 0) }

    /// Bytes of answers that are held for their turn.
    package var heldBytes: Int {
        calls.count > 1 ? calls.reduce(0) { $0 + ($1.heldAnswer?.count ?? 0) } : 0
    }

    /// Whether a call with `more` is being served.
    package var isStreaming: Bool { calls.first?.wantsMore ?? false }

    /// Whether this call still wants an answer.
    package func isInProgress(_ id: CallID) -> Bool { index(of: id) != nil }

    // MARK: - From the client

    /// Takes bytes as they were read.
    package mutating func receive(_ bytes: UnsafeRawBufferPointer, into actions: inout [Action]) {
        guard !isClosed, !hasEnded else { return }
        splitter.append(bytes)
        if splitter.isOverlong {
            return close(.messageTooLong(limitBytes: limits.maximumMessageBytes), into: &actions)
        }
        dispatchNext(into: &actions)
    }

    /// The client has ended its writing but may still read: what it asked is answered, streams end.
    ///
    /// A stream ends with a reply without `continues`: the next one where it has had none yet, else its last one again.
    package mutating func receiveEndOfInput(into actions: inout [Action]) {
        guard !isClosed, !hasEnded else { return }
        hasEnded = true
        if let last = calls.first?.lastParameters {
            actions.append(.write(OutgoingMessage.reply(parameters: last, continues: false)))
            cancelCalls(into: &actions)
        }
        dispatchNext(into: &actions)
    }

    /// The client has gone and reads nothing any more: only its oneway calls are still served.
    package mutating func connectionLost(into actions: inout [Action]) {
        guard !isClosed, !isPeerGone else { return }
        hasEnded = true
        isPeerGone = true
        isPaused = false
        cancelCalls(into: &actions)
        dispatchNext(into: &actions)
    }

    // MARK: - From the service

    /// Answers a call. Ignored where the call is over.
    ///
    /// With `continues` the call goes on, if its caller asked for more; else this ends it, and it is told to stop.
    package mutating func reply(
        to id: CallID, parameters: [UInt8], continues: Bool = false, into actions: inout [Action]
    ) {
        guard !isClosed, let index = index(of: id) else { return }
        if continues, goesOn(index) { return reply(to: id, StreamReply(parameters), into: &actions) }
        end(index, into: &actions) { OutgoingMessage.reply(parameters: parameters, continues: false) }
        if continues { actions.append(.cancel(id)) }
        dispatchNext(into: &actions)
    }

    /// Answers a call with a reply that goes to many, and with `continues` where it can go on.
    package mutating func reply(to id: CallID, _ reply: StreamReply, into actions: inout [Action]) {
        guard !isClosed, let index = index(of: id) else { return }
        guard goesOn(index) else {
            return self.reply(to: id, parameters: reply.parameters, continues: true, into: &actions)
        }
        calls[index].lastParameters = reply.parameters
        actions.append(.write(reply.message))
    }

    /// Answers a call with an error and ends it. Ignored where the call is over.
    package mutating func fail(_ id: CallID, error: String, parameters: [UInt8], into actions: inout [Action]) {
        guard !isClosed, let index = index(of: id) else { return }
        end(index, into: &actions) { OutgoingMessage.error(error, parameters: parameters) }
        dispatchNext(into: &actions)
    }

    /// Answers a call with one of Varlink's own errors, like `expectedMore`, and ends it.
    package mutating func fail(_ id: CallID, _ error: VarlinkError, into actions: inout [Action]) {
        fail(id, error: error.name, parameters: error.parameters, into: &actions)
    }

    /// Dispatches nothing more until resumed. For a client that does not read the answers it has.
    package mutating func pause() {
        if !isPeerGone { isPaused = true }
    }

    /// Dispatches again.
    package mutating func resume(into actions: inout [Action]) {
        isPaused = false
        dispatchNext(into: &actions)
    }

    /// Ends the conversation: calls in flight are cancelled, those that wait and held answers are dropped.
    package mutating func stop(into actions: inout [Action]) {
        close(.stopped, into: &actions)
    }

    // MARK: -

    /// Dispatches calls that wait as long as one may begin, and closes where nothing can come any more.
    private mutating func dispatchNext(into actions: inout [Action]) {
        while !isClosed, !isPaused, mayBegin {
            if next == nil { next = readNext() }
            guard let message = next else {
                if hasEnded, calls.isEmpty { close(endReason, into: &actions) }
                return
            }
            guard calls.isEmpty || overlaps(message.call) else { return }
            next = nil
            switch message.call {
            case .failure(let fault): close(.notACall(fault), into: &actions)
            case .success(let call): begin(call, overlaps: overlaps(message.call), into: &actions)
            }
        }
    }

    /// Whether the next call may begin, where it overlaps.
    private var mayBegin: Bool {
        calls.isEmpty || calls[0].overlaps && calls.count < limits.maximumOverlappingCalls
    }

    private func overlaps(_ message: Result<IncomingCall, MessageFault>) -> Bool {
        guard case .success(let call) = message, overlapping.contains(call.method) else { return false }
        return !call.wantsMore && !call.wantsUpgrade && call.unusableParameter == nil
    }

    private mutating func readNext() -> NextMessage? {
        let limits = limits
        return splitter.takeMessage { bytes in
            do throws(MessageFault) {
                return NextMessage(call: .success(try IncomingCall(reading: bytes, limits: limits)), bytes: bytes.count)
            } catch {
                return NextMessage(call: .failure(error), bytes: bytes.count)
            }
        }
    }

    private mutating func begin(_ call: IncomingCall, overlaps: Bool, into actions: inout [Action]) {
        if call.wantsUpgrade { return close(.upgradeAsked, into: &actions) }
        if call.isOneway, call.wantsMore { return close(.onewayWithMore, into: &actions) }
        if isPeerGone, !call.isOneway { return }
        callCount += 1
        if let parameter = call.unusableParameter {
            let error = VarlinkError.invalidParameter(parameter: parameter)
            guard !call.isOneway else { return }
            return actions.append(.write(OutgoingMessage.error(error.name, parameters: error.parameters)))
        }
        let id = CallID(number: callCount)
        calls.append(Call(id: id, wantsMore: call.wantsMore, isOneway: call.isOneway, overlaps: overlaps))
        actions.append(.dispatch(id, call))
    }

    private var endReason: CloseReason {
        if isPeerGone { return .connectionLost }
        return splitter.unfinishedBytes > 0 ? .endOfInputInsideMessage : .endOfInput
    }

    /// Whether a call takes further replies after the next.
    private func goesOn(_ index: Int) -> Bool { calls[index].wantsMore && !hasEnded }

    /// Where a call that still wants an answer stands.
    private func index(of id: CallID) -> Int? { calls.firstIndex { $0.id == id && $0.heldAnswer == nil } }

    /// Ends a call with its answer, and writes what is due then: no answer goes before that to an earlier call.
    private mutating func end(_ index: Int, into actions: inout [Action], answer: () -> [UInt8]) {
        if calls[index].isOneway {
            calls.remove(at: index)
        } else {
            calls[index].heldAnswer = answer()
        }
        while let first = calls.firstIndex(where: { !$0.isOneway }), let answer = calls[first].heldAnswer {
            actions.append(.write(answer))
            calls.remove(at: first)
        }
    }

    /// Gives up all calls whose caller would take an answer. Oneway ones go on.
    private mutating func cancelCalls(into actions: inout [Action]) {
        for call in calls where call.isCancellable { actions.append(.cancel(call.id)) }
        calls.removeAll { !$0.isOneway }
    }

    private mutating func close(_ reason: CloseReason, into actions: inout [Action]) {
        guard !isClosed else { return }
        cancelCalls(into: &actions)
        calls = []
        next = nil
        isClosed = true
        splitter.dropEverything()
        actions.append(.close(reason))
    }
}
