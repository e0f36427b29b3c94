import FocusProtocol
import Varlink

/// Everything that focusd's socket can do, as typed asynchronous calls. Bound values need none of it.
///
/// Each call and each stream has a connection of its own, so that none waits for another, and cancelling its task ends it
/// in focusd too. Sets share one, so that the later one replaces the earlier one. Nothing here tries again by itself:
/// without focusd every call throws `noService`.
public struct FocusClient: Sendable {
    private let engine: FocusEngine
    /// The connection that this client's sets share.
    private let lane = uniqueNumber()

    public init() { engine = .shared }

    /// A client with an engine of its own, for tests.
    package init(engine: FocusEngine) { self.engine = engine }

    /// What keeps the bindings of this process from doing what was asked: what was told already, and what comes.
    public var problems: AsyncStream<FocusProblem> { engine.problems.problems }

    /// Makes a call and waits for its one reply.
    func call<M: MethodCall>(
        _ method: M.Type, _ parameters: M.Parameters, timeout: Duration? = nil, lane: UInt64? = nil
    ) async throws(FocusClientError) -> M.Reply {
        let completion = Completion<IncomingReply>()
        let request = CallRequest(
            method: M.name, parameters: Wire.encode(parameters), lane: lane,
            deadline: (timeout ?? .zero) + engine.configuration.answerTime
        ) { completion.finish($0) }
        let reply = try await completion.wait { _ in
            engine.post(.call(request))
        } onCancel: { [engine] in
            // ORDER: the cancellation may be told before the call is.
            request.isOver.set()
            engine.post(.cancel(request.id))
        }
        return try M.reply(reply)
    }

    /// Makes a call that is answered with a stream.
    func stream<M: MethodCall, Content: Sendable>(
        _ method: M.Type, _ parameters: M.Parameters, read: @escaping @Sendable (M.Reply) -> Content
    ) -> FocusStream<Content> {
        FocusStream(method, parameters, engine: engine, read: read)
    }

    // MARK: - States

    /// Makes a focus state, or joins a named one, and follows it: first its value, then each change of it.
    ///
    /// The state lives as long as somebody reads the stream.
    public func bind(
        _ prototypes: [Prototype], technologies: AccessibilityTechnologies = [], modes: [String]? = nil,
        name: String? = nil
    ) -> FocusStream<BindReply> {
        let parameters = Bind.Parameters(
            prototypes: prototypes, technologies: technologies.wire, modes: modes, name: name)
        return stream(Bind.self, parameters) { $0 }
    }

    /// Makes a focus state that lives as long as a session, in whose stream its changes are.
    public func bind(
        _ prototypes: [Prototype], technologies: AccessibilityTechnologies = [], modes: [String]? = nil,
        name: String? = nil, session: String
    ) async throws(FocusClientError) -> BindReply {
        let parameters = Bind.Parameters(
            prototypes: prototypes, technologies: technologies.wire, modes: modes, name: name, session: session)
        return try await call(Bind.self, parameters)
    }

    /// Opens a session: a stream in which the changes of all states are that are bound with it.
    public func openSession() -> FocusStream<SessionReply> { stream(OpenSession.self, NoParameters()) { $0 } }

    /// Moves the technologies of a state to the element of a value, or with nil away from its elements.
    ///
    /// - Parameter timeout: 1 ms to 60 s, and 2 s where nil; any other counts as the nearest of these.
    public func setValue(
        of state: String, to value: String?, again: Bool = false, routes: [FocusRoute]? = nil,
        timeout: Duration? = nil
    ) async throws(FocusClientError) -> Outcome {
        let patience = Patience.ofMove(timeout)
        let parameters = SetValue.Parameters(
            state: state, value: value, again: again ? true : nil, routes: routes?.map(\.rawValue),
            timeoutMilliseconds: patience.milliseconds)
        return try await call(SetValue.self, parameters, timeout: patience.duration, lane: lane).outcome
    }

    /// Says that a move that a stream asked this process for cannot be made.
    public func declineMove(_ token: String, reason: String) async throws(FocusClientError) {
        _ = try await call(DeclineMove.self, DeclineMove.Parameters(token: token, reason: reason))
    }

    /// The focus states of all clients.
    public func states() async throws(FocusClientError) -> [FocusState] {
        var states: [FocusState] = []
        // In parts, as many as it takes.
        for try await part in stream(ListStates.self, NoParameters(), read: { $0.states }) { states += part }
        guard !Task.isCancelled else { throw .cancelled }
        return states
    }

    /// Ends a state and all streams of it.
    public func unbind(_ state: String) async throws(FocusClientError) {
        _ = try await call(Unbind.self, Unbind.Parameters(state: state))
    }
}

extension AccessibilityTechnologies {
    /// As focusd takes them: absent means any.
    var wire: [String]? { isEmpty ? nil : names }
}
