/// One connection's serving side: bytes and answers in, actions out. It knows no socket and no time.
///
/// Calls are dispatched one at a time and answered in their order; later ones wait, unread, in the bytes received. A
/// call with `more` occupies its connection until its stream ends. Every dispatched call, also a oneway one, must be
/// replied to or failed: only then comes the next. The owner performs the actions in their order:
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
        /// The parameters of its last reply, where that continues.
        var lastParameters: [UInt8]?
    }

    private let limits: VarlinkLimits
    private var splitter: MessageSplitter
    private var current: Call?
    private var hasEnded = false
    private var isPeerGone = false
    private var isPaused = false
    /// True once the close action was given; everything is ignored from then on.
    package private(set) var isClosed = false
    /// Calls dispatched since the connection was made.
    package private(set) var callCount: UInt64 = 0

    package init(limits: VarlinkLimits) {
        self.limits = limits
        splitter = MessageSplitter(maximumMessageBytes: limits.maximumMessageBytes)
    }

    /// False while enough waits: the owner stops reading then, so that the client waits in its own `write`.
    package var wantsInput: Bool {
        !isClosed && !hasEnded && !isPaused && splitter.waitingMessages < limits.maximumQueuedCalls
            && splitter.waitingBytes < limits.maximumQueuedBytes
    }

    /// Whether a call with `more` is being served.
    package var isStreaming: Bool { current?.wantsMore ?? false }

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
        if let last = current?.lastParameters {
            actions.append(.write(OutgoingMessage.reply(parameters: last, continues: false)))
            cancelCurrent(into: &actions)
        }
        dispatchNext(into: &actions)
    }

    /// The client has gone and reads nothing any more: only its oneway calls are still served.
    package mutating func connectionLost(into actions: inout [Action]) {
        guard !isClosed, !isPeerGone else { return }
        hasEnded = true
        isPeerGone = true
        isPaused = false
        if current?.isOneway == false { cancelCurrent(into: &actions) }
        dispatchNext(into: &actions)
    }

    // MARK: - From the service

    /// Answers a call. Ignored where the call is over.
    ///
    /// With `continues` the call goes on, if its caller asked for more; else this ends it, and it is told to stop.
    package mutating func reply(
        to id: CallID, parameters: [UInt8], continues: Bool = false, into actions: inout [Action]
    ) {
        guard !isClosed, let call = current, call.id == id else { return }
        let goesOn = continues && call.wantsMore && !hasEnded
        if !call.isOneway {
            actions.append(.write(OutgoingMessage.reply(parameters: parameters, continues: goesOn)))
        }
        if goesOn {
            current?.lastParameters = parameters
        } else {
            current = nil
            if continues { actions.append(.cancel(id)) }
            dispatchNext(into: &actions)
        }
    }

    /// Answers a call with an error and ends it. Ignored where the call is over.
    package mutating func fail(_ id: CallID, error: String, parameters: [UInt8], into actions: inout [Action]) {
        guard !isClosed, let call = current, call.id == id else { return }
        if !call.isOneway {
            actions.append(.write(OutgoingMessage.error(error, parameters: parameters)))
        }
        current = nil
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

    /// Ends the conversation: the call in progress is cancelled, those that wait are dropped.
    package mutating func stop(into actions: inout [Action]) {
        close(.stopped, into: &actions)
    }

    // MARK: -

    /// Dispatches the oldest call that waits if none is in progress, and closes where nothing can come any more.
    private mutating func dispatchNext(into actions: inout [Action]) {
        while !isClosed, !isPaused, current == nil {
            guard let result = takeCall() else {
                if hasEnded { close(endReason, into: &actions) }
                return
            }
            switch result {
            case .failure(let fault): close(.notACall(fault), into: &actions)
            case .success(let call): begin(call, into: &actions)
            }
        }
    }

    private mutating func takeCall() -> Result<IncomingCall, MessageFault>? {
        let limits = limits
        return splitter.takeMessage { bytes in
            do throws(MessageFault) {
                return .success(try IncomingCall(reading: bytes, limits: limits))
            } catch {
                return .failure(error)
            }
        }
    }

    private mutating func begin(_ call: IncomingCall, into actions: inout [Action]) {
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
        current = Call(id: id, wantsMore: call.wantsMore, isOneway: call.isOneway)
        actions.append(.dispatch(id, call))
    }

    private var endReason: CloseReason {
        if isPeerGone { return .connectionLost }
        return splitter.unfinishedBytes > 0 ? .endOfInputInsideMessage : .endOfInput
    }

    private mutating func cancelCurrent(into actions: inout [Action]) {
        if let current { actions.append(.cancel(current.id)) }
        current = nil
    }

    private mutating func close(_ reason: CloseReason, into actions: inout [Action]) {
        guard !isClosed else { return }
        if current?.isOneway == false { cancelCurrent(into: &actions) }
        current = nil
        isClosed = true
        splitter.dropEverything()
        actions.append(.close(reason))
    }
}
