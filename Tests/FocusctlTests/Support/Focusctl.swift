import Foundation
import Glibc
import Synchronization
import Testing

/// How a run of focusctl ended, and what it wrote.
struct RunResult {
    let output: String
    let errors: String
    /// The exit code; 128 and the signal's number where a signal ended it.
    let exitCode: Int32
}

/// One run of the focusctl that was built beside the tests.
final class Focusctl {
    /// Far beyond what any run takes; a run that is not over by then is ended and fails its test.
    static let patience: Int32 = 60_000

    private let process: pid_t
    private var output: Int32
    private var errors: Int32
    private var received: [UInt8] = []
    private var complaints: [UInt8] = []

    /// Makes sure that no descriptor made for one run is inherited by another that starts at the same time.
    private static let starting = Mutex(())

    /// Starts it; a terminal of this many columns takes its standard output where a width is given.
    init(
        _ arguments: [String], runtimeFolder: String?, environment: [String: String] = [:], terminalWidth: UInt16? = nil
    ) throws {
        (process, output, errors) = try Self.starting.withLock { _ in
            let (outputRead, outputWrite) = try terminalWidth.map(Self.pseudoTerminal) ?? Self.pipePair()
            let (errorsRead, errorsWrite) = try Self.pipePair()
            defer {
                close(outputWrite)
                close(errorsWrite)
            }
            var values = environment
            values["XDG_RUNTIME_DIR"] = runtimeFolder
            values["PATH"] = environment["PATH"] ?? "/usr/bin:/bin"
            values["LD_LIBRARY_PATH"] = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"]
            let process = try Self.spawn(arguments, values, output: outputWrite, errors: errorsWrite)
            return (process, outputRead, errorsRead)
        }
    }

    deinit {
        if output >= 0 { close(output) }
        close(errors)
    }

    /// Runs it to its end.
    static func run(
        _ arguments: String..., in runtimeFolder: RuntimeFolder, environment: [String: String] = [:],
        terminalWidth: UInt16? = nil
    ) throws -> RunResult {
        try Focusctl(
            arguments, runtimeFolder: runtimeFolder.path, environment: environment, terminalWidth: terminalWidth
        ).finish()
    }

    /// Waits for the next line it writes.
    func readLine() throws -> String { try Self.readLine(from: output, into: &received) }

    /// Waits for the next line it writes to standard error.
    func readComplaint() throws -> String { try Self.readLine(from: errors, into: &complaints) }

    /// Reads no more of what it writes.
    func closeOutput() {
        close(output)
        output = -1
    }

    func send(signal: Int32) { kill(process, signal) }

    /// Reads what it still writes, waits for its end and tells how it ended.
    func finish() throws -> RunResult {
        do {
            if output >= 0 { while try Self.read(from: output, into: &received) {} }
            while try Self.read(from: errors, into: &complaints) {}
        } catch {
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
            throw error
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return RunResult(
            output: String(decoding: received, as: UTF8.self).replacingOccurrences(of: "\r\n", with: "\n"),
            errors: String(decoding: complaints, as: UTF8.self),
            exitCode: signal == 0 ? (status >> 8) & 0xFF : 128 + signal)
    }

    // MARK: - System calls

    private static func readLine(from descriptor: Int32, into buffer: inout [UInt8]) throws -> String {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer.removeFirst(end + 1) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            guard try read(from: descriptor, into: &buffer) else { throw SystemFailure("no further line") }
        }
    }

    /// Whether there is more to come. Throws where nothing came in all the time there is.
    private static func read(from descriptor: Int32, into buffer: inout [UInt8]) throws -> Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        var ready = poll(&waiting, 1, patience)
        while ready < 0, errno == EINTR { ready = poll(&waiting, 1, patience) }
        guard ready > 0 else { throw SystemFailure("focusctl is still running and silent") }
        var chunk = [UInt8](repeating: 0, count: 65536)
        let count = Glibc.read(descriptor, &chunk, chunk.count)
        // A terminal whose last user has gone fails with EIO, which is its end of file.
        guard count > 0 else { return false }
        buffer += chunk[..<count]
        return true
    }

    private static func pipePair() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw SystemFailure("pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private static func pseudoTerminal(width: UInt16) throws -> (read: Int32, write: Int32) {
        // Glibc's module leaves `posix_openpt` and its kin out; these are the two requests that they consist of.
        let (unlock, number) = (UInt(0x4004_5431), UInt(0x8004_5430))
        let ours = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (isLocked, index) = (Int32(0), UInt32(0))
        guard ours >= 0, ioctl(ours, unlock, &isLocked) == 0, ioctl(ours, number, &index) == 0 else {
            throw SystemFailure("/dev/ptmx")
        }
        let name = "/dev/pts/\(index)"
        let theirs = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard theirs >= 0 else { throw SystemFailure("open the terminal") }
        var size = winsize(ws_row: 24, ws_col: width, ws_xpixel: 0, ws_ypixel: 0)
        guard ioctl(theirs, UInt(TIOCSWINSZ), &size) == 0 else { throw SystemFailure("TIOCSWINSZ") }
        return (ours, theirs)
    }

    private static func spawn(
        _ arguments: [String], _ environment: [String: String], output: Int32, errors: Int32
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
        // Signals that the tests ignore, or that the thread that starts focusctl blocks, must still reach focusctl.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var usual = sigset_t()
        sigfillset(&usual)
        posix_spawnattr_setsigdefault(&attributes, &usual)
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        var words = ([binary] + arguments).map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in words + variables { free(pointer) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, binary, &actions, &attributes, &words, &variables)
        guard code == 0 else {
            errno = code
            throw SystemFailure("cannot run \(binary)")
        }
        return process
    }

    /// The binary is built into the folder of the test bundle.
    private static var binary: String {
        var folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        if let bundle = CommandLine.arguments.first(where: { $0.hasSuffix(".xctest") }) {
            folder = URL(fileURLWithPath: bundle).resolvingSymlinksInPath().deletingLastPathComponent()
        }
        return folder.appendingPathComponent("focusctl").path
    }
}
