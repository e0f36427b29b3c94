import Foundation

/// A process of a test's own: lines in, lines out. It leads a process group, which is ended with it.
public final class ChildProcess: @unchecked Sendable {
    // SAFETY: everything that changes is guarded by `condition`; the line readers lock themselves.
    public let pid: Int32
    public let output: LineReader
    public let errors: LineReader
    private let condition = NSCondition()
    private let waiter: Waiter
    private var input: Int32

    /// Starts a program with exactly this environment. `name` is what it is called by, where that is not its path.
    public init(
        _ program: String, _ arguments: [String] = [], environment: [String: String], name: String? = nil
    ) throws {
        let standard = try (0..<3).map { _ in try ChildProcess.makePipe() }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, standard[0].reading, 0)
        posix_spawn_file_actions_adddup2(&actions, standard[1].writing, 1)
        posix_spawn_file_actions_adddup2(&actions, standard[2].writing, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A pool's thread blocks signals, and a child would inherit that.
        var nothing = sigset_t()
        sigemptyset(&nothing)
        posix_spawnattr_setsigmask(&attributes, &nothing)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))
        var pid: pid_t = 0
        let result = ChildProcess.withCStrings([name ?? program] + arguments) { argv in
            ChildProcess.withCStrings(environment.map { "\($0)=\($1)" }) { environment in
                posix_spawn(&pid, program, &actions, &attributes, argv, environment)
            }
        }
        close(standard[0].reading)
        close(standard[1].writing)
        close(standard[2].writing)
        guard result == 0 else {
            throw Missing(what: "\(program) did not start: \(String(cString: strerror(result)))")
        }
        self.pid = pid
        input = standard[0].writing
        let called = URL(fileURLWithPath: program).lastPathComponent
        output = LineReader(FileHandle(fileDescriptor: standard[1].reading, closeOnDealloc: true), what: called)
        errors = LineReader(
            FileHandle(fileDescriptor: standard[2].reading, closeOnDealloc: true), what: "\(called) (errors)")
        waiter = Waiter(pid: pid, condition: condition)
        waiter.start()
    }

    /// Writes a line to its standard input.
    public func send(_ line: String) throws {
        let text = line + "\n"
        let written = condition.withLock {
            text.utf8.withContiguousStorageIfAvailable { write(input, $0.baseAddress, $0.count) }
        }
        guard written == text.utf8.count else { throw Missing(what: "process \(pid) takes no more input") }
    }

    /// Ends its standard input.
    public func endInput() {
        condition.withLock {
            if input >= 0 { close(input) }
            input = -1
        }
    }

    public func signal(_ number: Int32) {
        condition.withLock { if waiter.status == nil { kill(pid, number) } }
    }

    /// Waits for its end and returns its status; a signal's number is negative.
    @discardableResult
    public func wait(within seconds: Double = 20) throws -> Int32 {
        let deadline = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let status = waiter.status { return status }
            guard condition.wait(until: deadline) else {
                throw Missing(what: "process \(pid) did not end within \(seconds) s", seen: errors.all)
            }
        }
    }

    /// Ends it and all of its process group at once, and waits until it is gone.
    public func end() {
        condition.lock()
        while waiter.status == nil {
            kill(-pid, SIGKILL)
            _ = condition.wait(until: Date(timeIntervalSinceNow: 1))
        }
        // What it left behind in its group.
        kill(-pid, SIGKILL)
        condition.unlock()
        endInput()
    }

    deinit { end() }

    // MARK: -

    /// Waits for the process on a thread that does not keep its owner alive.
    private final class Waiter: @unchecked Sendable {
        // SAFETY: `status` is written and read under the lock.
        var status: Int32?
        private let pid: Int32
        private let condition: NSCondition

        init(pid: Int32, condition: NSCondition) {
            self.pid = pid
            self.condition = condition
        }

        func start() {
            Thread.detachNewThread { [self] in
                var info = siginfo_t()
                // ORDER: the process stays a zombie until its status is known, so its number is nobody else's.
                while waitid(P_PID, UInt32(pid), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
                condition.lock()
                var raw: Int32 = 0
                waitpid(pid, &raw, 0)
                let signal = raw & 0x7f
                status = signal == 0 ? (raw >> 8) & 0xff : -signal
                condition.broadcast()
                condition.unlock()
            }
        }
    }

    private static func makePipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [0, 0]
        // A pair of sockets can be closed on exec from its birth; a pipe could be inherited by a process started now.
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw Missing(what: "no pipe: \(errno)") }
        return (ends[0], ends[1])
    }

    private static func withCStrings<Result>(
        _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return body(&pointers)
    }
}
