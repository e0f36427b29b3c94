import AccessibilityFocus
import FocusProtocol

/// A focus state that a test has bound in a stream of its own; the first reply is taken when it is made.
package final class StateWatch {
    private var stream: ReplyStream<Bind>
    package let state: String
    package let first: StateChange
    package let instance: String?

    package init(_ runtimeFolder: String, _ parameters: Bind.Parameters) throws {
        let socket = try FocusSocket(
            at: SocketLocation(runtimeFolder: runtimeFolder), deadline: .after(.seconds(10)))
        stream = try socket.stream(Bind.self, parameters: parameters, deadline: .after(.seconds(10)))
        guard let reply = try stream.next(deadline: .after(.seconds(20))), let name = reply.state,
            let change = reply.change
        else { throw Missing(what: "no state in the first reply of a Bind") }
        state = name
        first = change
        instance = reply.instance
    }

    /// Values with their selectors, in this order.
    package convenience init(
        _ runtimeFolder: String, _ prototypes: KeyValuePairs<String, String>, technologies: [String]? = nil,
        modes: [String]? = nil, name: String? = nil, moves: Bool? = nil
    ) throws {
        try self.init(
            runtimeFolder,
            Bind.Parameters(
                prototypes: prototypes.map { Prototype(value: $0.key, selector: $0.value, moves: moves) },
                technologies: technologies, modes: modes, name: name))
    }

    /// The next reply, whatever is in it; nil at the stream's end.
    package func nextReply(within seconds: Int = 20) throws -> Bind.Reply? {
        try stream.next(deadline: .after(.seconds(seconds)))
    }

    /// The next change; a move that is asked for is none.
    package func next(within seconds: Int = 20) throws -> StateChange {
        guard let reply = try nextReply(within: seconds) else { throw Missing(what: "the stream ended") }
        guard let change = reply.change else { throw Missing(what: "no change, but \(reply)") }
        return change
    }

    /// The next move that the client is asked for.
    package func nextMove(within seconds: Int = 20) throws -> OwnerMove {
        guard let reply = try nextReply(within: seconds) else { throw Missing(what: "the stream ended") }
        guard let move = reply.move else { throw Missing(what: "no move, but \(reply)") }
        return move
    }
}

/// A session that a test has opened.
package final class SessionWatch {
    private var stream: ReplyStream<OpenSession>
    package let session: String
    package let instance: String?

    package init(_ runtimeFolder: String) throws {
        let socket = try FocusSocket(
            at: SocketLocation(runtimeFolder: runtimeFolder), deadline: .after(.seconds(10)))
        stream = try socket.stream(OpenSession.self, parameters: .init(), deadline: .after(.seconds(10)))
        guard let reply = try stream.next(deadline: .after(.seconds(20))), let name = reply.session else {
            throw Missing(what: "no session in the first reply of an OpenSession")
        }
        session = name
        instance = reply.instance
    }

    /// The next reply; nil at the stream's end.
    package func next(within seconds: Int = 20) throws -> OpenSession.Reply? {
        try stream.next(deadline: .after(.seconds(seconds)))
    }

    package func nextChange(within seconds: Int = 20) throws -> StateChange {
        guard let change = try next(within: seconds)?.change else { throw Missing(what: "no change in the session") }
        return change
    }
}

extension Client {
    package func set(
        _ state: String, to value: String?, again: Bool? = nil, routes: [String]? = nil, milliseconds: Int? = 20_000
    ) throws -> Outcome {
        try call(
            SetValue.self,
            .init(state: state, value: value, again: again, routes: routes, timeoutMilliseconds: milliseconds)
        ).outcome
    }

    package func states() throws -> [FocusState] { try call(ListStates.self, .init()).states }

    package func state(_ name: String) throws -> FocusState? { try states().first { $0.state == name } }

    package func unbind(_ state: String) throws { _ = try call(Unbind.self, .init(state: state)) }

    /// Binds a state in a session.
    package func bind(
        _ prototypes: KeyValuePairs<String, String>, in session: String, name: String? = nil
    ) throws -> Bind.Reply {
        try call(
            Bind.self,
            .init(
                prototypes: prototypes.map { Prototype(value: $0.key, selector: $0.value) }, name: name,
                session: session))
    }
}
