import AccessibilityFocus
import FocusProtocol

/// What every command works with: where it writes, and focusd within the time the user gave.
final class Session {
    let output: Output
    let isJSON: Bool
    /// How long the whole command may wait for focusd; in `watch`, for its first answer.
    let timeout: Duration
    let deadline: Deadline

    /// How long a command waits where `--timeout` says nothing.
    static let defaultTimeout = Duration.seconds(5)

    init(_ invocation: Invocation, output: Output) throws(CommandFailure) {
        self.output = output
        isJSON = invocation.has("json")
        timeout = try invocation.timeout() ?? Self.defaultTimeout
        deadline = .after(timeout)
    }

    /// Connects to focusd; what is done there is to be done in this time, which is `--timeout`'s where none is given.
    func connect(within allowed: Duration? = nil) throws(CommandFailure) -> Connection {
        let timeout = allowed ?? self.timeout
        let deadline = allowed.map { .after($0) } ?? self.deadline
        let location: SocketLocation
        do { location = try SocketLocation() } catch { throw .service(error, path: nil, waited: nil) }
        do {
            let socket = try FocusSocket(at: location, deadline: deadline)
            return Connection(socket: socket, path: location.path, deadline: deadline, timeout: timeout)
        } catch {
            throw .service(error, path: location.path, waited: timeout)
        }
    }

    /// Prints one value as one line of JSON.
    func json(_ value: some Encodable) throws(CommandFailure) { try output.line(Self.jsonLine(value)) }

    /// One value as one line of JSON, without the line's end.
    static func jsonLine(_ value: some Encodable) -> String { SafeText.escapedJSON(WireJSON.encode(value)) }

    /// Prints what became of a move, as JSON or in this sentence, and tells the exit code for it.
    func tell(_ outcome: Outcome, _ sentence: String) throws(CommandFailure) -> ExitCode {
        if isJSON {
            try json(outcome)
        } else {
            try output.line(output.paint(sentence, outcome.result == "confirmed" ? .good : .warning))
        }
        return OutcomeWords.exitCode(outcome)
    }
}

/// A connection whose failures are a command's.
struct Connection {
    let socket: FocusSocket
    let path: String
    let deadline: Deadline
    let timeout: Duration

    /// Makes a call and waits for its reply until the command's deadline.
    func call<M: MethodCall>(_ method: M.Type, _ parameters: M.Parameters) throws(CommandFailure) -> M.Reply {
        do {
            return try socket.call(method, parameters: parameters, deadline: deadline)
        } catch {
            throw failure(error)
        }
    }

    /// Makes a call that is answered with a stream.
    func stream<M: MethodCall>(_ method: M.Type, _ parameters: M.Parameters) throws(CommandFailure) -> ReplyStream<M> {
        do {
            return try socket.stream(method, parameters: parameters, deadline: deadline)
        } catch {
            throw failure(error)
        }
    }

    /// Makes a call that a selector goes with.
    func call<M: MethodCall>(
        _ method: M.Type, _ parameters: M.Parameters, about selector: String
    ) throws(CommandFailure) -> M.Reply {
        do {
            return try call(method, parameters)
        } catch {
            throw error.about(selector)
        }
    }

    /// What a failure of this connection is for the command.
    func failure(_ error: FocusSocketError) -> CommandFailure {
        error == .interrupted ? .outputClosed : .service(error, path: path, waited: timeout)
    }
}
