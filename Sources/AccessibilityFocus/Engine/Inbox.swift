import Glibc
import Synchronization

/// Where others leave what they ask of the engine's thread. It never makes them wait.
final class Inbox: Sendable {
    private let commands = Mutex<[Command]>([])
    /// Polled by the engine's thread: readable when something was left.
    let descriptor: Int32
    private let bell: Int32

    /// Nil where the process has no descriptors left.
    init?() {
        var pair: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &pair) == 0 else { return nil }
        descriptor = pair[0]
        bell = pair[1]
    }

    deinit {
        close(descriptor)
        close(bell)
    }

    /// Leaves a command; any thread may.
    func post(_ command: Command) {
        let wasEmpty = commands.withLock { commands in
            commands.append(command)
            return commands.count == 1
        }
        guard wasEmpty else { return }
        var byte: UInt8 = 1
        // A full socket is readable already, which is all that matters.
        _ = retrying { send(bell, &byte, 1, Int32(MSG_NOSIGNAL)) }
    }

    /// Takes all commands, oldest first. Only the engine's thread does.
    func take() -> [Command] {
        // ORDER: the bell is silenced before the commands are taken; what is left after that rings it again.
        var bytes: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0]
        while retrying({ recv(descriptor, &bytes, bytes.count, 0) }) == bytes.count {}
        return commands.withLock { commands in
            defer { commands = [] }
            return commands
        }
    }
}

/// Makes a system call again as long as only a signal kept it from being done.
func retrying<Result: SignedInteger>(_ body: () -> Result) -> Result {
    while true {
        let result = body()
        if result < 0, errno == EINTR { continue }
        return result
    }
}
