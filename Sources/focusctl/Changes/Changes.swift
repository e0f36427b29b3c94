import AccessibilityFocus
import FocusProtocol
import Glibc

/// The replies of a stream as they come, while a command runs for them where one is wanted.
///
/// Before it says that the stream is over, or throws, it lets the command come to its end.
struct Changes<M: MethodCall> {
    /// What is run for each change; nil where they are to be shown.
    let command: ChangeCommand?
    private var stream: ReplyStream<M>
    private let connection: Connection
    /// Of the first reply; a change may take as long as it takes.
    private var deadline: Deadline

    /// Asks for the stream; the command is nil or what a shell is to run.
    init(
        _ method: M.Type, _ parameters: M.Parameters, _ connection: Connection, command: String?
    ) throws(CommandFailure) {
        self.connection = connection
        deadline = connection.deadline
        stream = try connection.stream(method, parameters)
        // ORDER: from here on Ctrl-C is obeyed only where the command is waited for.
        self.command = try command.map { line throws(CommandFailure) in try ChangeCommand(line) }
    }

    /// Waits for the next reply; nil after the last one.
    mutating func next() throws(CommandFailure) -> M.Reply? {
        do {
            let reply: M.Reply?
            if let command { reply = try next(while: command) } else { reply = try nextAlone() }
            deadline = .never
            if reply == nil { command?.finish() }
            return reply
        } catch {
            if case .outputClosed = error { command?.end() } else { command?.finish() }
            throw error
        }
    }

    private mutating func nextAlone() throws(CommandFailure) -> M.Reply? {
        do {
            // Without this, `focusctl watch | head -1` would stay until the next move.
            return try stream.next(deadline: deadline, interruptedBy: STDOUT_FILENO)
        } catch {
            throw connection.failure(error)
        }
    }

    private mutating func next(while command: ChangeCommand) throws(CommandFailure) -> M.Reply? {
        // However fast changes come, the command is looked after.
        try command.wait(for: -1, until: .after(.zero))
        while true {
            do {
                switch try stream.nextWithoutWaiting() {
                case .reply(let reply): return reply
                case .end: return nil
                case .nothingYet: break
                }
            } catch {
                throw connection.failure(error)
            }
            guard !deadline.hasPassed else { throw connection.failure(.timedOut) }
            try command.wait(for: connection.socket.pollable, until: deadline)
        }
    }
}
