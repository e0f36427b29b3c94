/// One connection's calling side: calls out, bytes in, replies matched to their calls. It knows no socket and no time.
package struct ClientConversation: Sendable {
    /// What came from the service.
    package enum Event: Hashable, Sendable {
        /// A reply or an error to this call; unless it continues, the call is over.
        case reply(CallID, IncomingReply)
        /// The conversation is over, and these calls get no answer any more. Nothing comes after it.
        case end(EndReason, unanswered: [CallID])
    }

    /// A call on this connection.
    package struct CallID: Hashable, Sendable {
        let number: UInt64
    }

    /// Why a conversation is over.
    package enum EndReason: Hashable, Sendable {
        /// The service has closed the connection.
        case endOfInput
        /// A message was longer than this limit.
        case messageTooLong(limitBytes: Int)
        /// A message was not a reply.
        case notAReply(MessageFault)
        /// A reply came that nobody asked for.
        case unexpectedReply
        /// A reply said that more follow, to a call that asked for one.
        case unexpectedContinues
    }

    private struct Call {
        var id: CallID
        var wantsMore: Bool
    }

    private let limits: VarlinkLimits
    private var splitter: MessageSplitter
    /// The calls that wait for answers, in the order in which answers come.
    private var outstanding: [Call] = []
    /// Where in `outstanding` the oldest one is: those before it are answered.
    private var oldest = 0
    private var lastNumber: UInt64 = 0
    private var hasEnded = false

    package init(limits: VarlinkLimits) {
        self.limits = limits
        splitter = MessageSplitter(maximumMessageBytes: limits.maximumMessageBytes)
    }

    /// Whether some call still waits for an answer.
    package var isWaiting: Bool { oldest < outstanding.count }

    /// Makes a call: its bytes are to be written. A oneway call has an id but no event ever names it.
    package mutating func call(_ call: IncomingCall) -> (id: CallID, bytes: [UInt8]) {
        lastNumber += 1
        let id = CallID(number: lastNumber)
        if !call.isOneway, !hasEnded { outstanding.append(Call(id: id, wantsMore: call.wantsMore)) }
        return (id, OutgoingMessage.call(call))
    }

    /// Takes bytes as they were read.
    package mutating func receive(_ bytes: UnsafeRawBufferPointer, into events: inout [Event]) {
        guard !hasEnded else { return }
        splitter.append(bytes)
        while !hasEnded, let result = takeReply() {
            switch result {
            case .failure(let fault): end(.notAReply(fault), into: &events)
            case .success(let reply): match(reply, into: &events)
            }
        }
        if splitter.isOverlong { end(.messageTooLong(limitBytes: limits.maximumMessageBytes), into: &events) }
    }

    /// The service has closed the connection.
    package mutating func receiveEndOfInput(into events: inout [Event]) {
        end(.endOfInput, into: &events)
    }

    // MARK: -

    private mutating func takeReply() -> Result<IncomingReply, MessageFault>? {
        let limits = limits
        return splitter.takeMessage { bytes in
            do throws(MessageFault) {
                return .success(try IncomingReply(reading: bytes, limits: limits))
            } catch {
                return .failure(error)
            }
        }
    }

    private mutating func match(_ reply: IncomingReply, into events: inout [Event]) {
        guard isWaiting else { return end(.unexpectedReply, into: &events) }
        let call = outstanding[oldest]
        let goesOn = reply.continues && reply.error == nil
        if goesOn, !call.wantsMore { return end(.unexpectedContinues, into: &events) }
        if !goesOn { takeOldest() }
        events.append(.reply(call.id, reply))
    }

    /// Forgets the oldest call; the room of answered calls is given back once they are the larger part.
    private mutating func takeOldest() {
        oldest += 1
        guard oldest * 2 >= outstanding.count else { return }
        outstanding.removeSubrange(..<oldest)
        oldest = 0
    }

    private mutating func end(_ reason: EndReason, into events: inout [Event]) {
        guard !hasEnded else { return }
        hasEnded = true
        let unanswered = outstanding[oldest...].map(\.id)
        outstanding = []
        oldest = 0
        splitter.dropEverything()
        events.append(.end(reason, unanswered: unanswered))
    }
}
