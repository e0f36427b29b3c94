import FocusProtocol
import Synchronization
import Varlink

/// Replies of focusd's as they come, on a connection of their own that is closed when nobody waits for them any more.
///
/// It is made for one reader. Where that is too slow, the stream ends with an error, so that nothing is missed in silence.
public struct FocusStream<Element: Sendable>: AsyncSequence, Sendable {
    public typealias Failure = FocusClientError

    private let replies: AsyncStream<IncomingReply>
    private let ending: Ending
    private let read: @Sendable (IncomingReply) throws(FocusClientError) -> Element

    /// Begins the call at once.
    init<M: MethodCall>(
        _ method: M.Type, _ parameters: M.Parameters, engine: FocusEngine,
        read: @escaping @Sendable (M.Reply) -> Element
    ) {
        let (replies, continuation) = AsyncStream.makeStream(
            of: IncomingReply.self, bufferingPolicy: .bufferingOldest(AccessibilityFocusLimits.waitingReplies))
        let ending = Ending()
        let request = CallRequest(
            method: M.name, parameters: Wire.encode(parameters), wantsMore: true,
            deadline: engine.configuration.answerTime
        ) { result in
            switch result {
            case .success(let reply):
                if case .dropped = continuation.yield(reply) {
                    ending.set(.refused(.tooSlow))
                    continuation.finish()
                } else if !reply.continues || reply.error != nil {
                    continuation.finish()
                }
            case .failure(let error):
                ending.set(error)
                continuation.finish()
            }
        }
        let id = request.id
        continuation.onTermination = { [weak engine] _ in engine?.post(.cancel(id)) }
        engine.post(.call(request))
        self.replies = replies
        self.ending = ending
        self.read = { reply throws(FocusClientError) in read(try M.reply(reply)) }
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(replies: replies.makeAsyncIterator(), ending: ending, read: read)
    }

    /// Gives the replies one after the other.
    public struct Iterator: AsyncIteratorProtocol {
        public typealias Failure = FocusClientError
        fileprivate var replies: AsyncStream<IncomingReply>.Iterator
        fileprivate let ending: Ending
        fileprivate let read: @Sendable (IncomingReply) throws(FocusClientError) -> Element

        /// The next reply; nil after the last one, and where the task is cancelled.
        public mutating func next() async throws(FocusClientError) -> Element? {
            try await next(isolation: #isolation)
        }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(FocusClientError) -> Element? {
            guard let reply = await replies.next(isolation: actor) else {
                if let error = ending.take() { throw error }
                return nil
            }
            return try read(reply)
        }
    }

    /// Why it ended before its time.
    fileprivate final class Ending: Sendable {
        private let error = Mutex<FocusClientError?>(nil)

        func set(_ error: FocusClientError) { self.error.withLock { $0 = $0 ?? error } }

        func take() -> FocusClientError? {
            error.withLock { error in
                defer { error = nil }
                return error
            }
        }
    }
}

extension MethodCall {
    /// What a reply to this method carries. Throws where it is an error, or no such reply.
    static func reply(_ reply: IncomingReply) throws(FocusClientError) -> Reply {
        if let refusal = FocusRefusal(reply) { throw .refused(refusal) }
        guard let content = Wire.decode(Reply.self, reply) else { throw .unreadableReply }
        return content
    }
}
