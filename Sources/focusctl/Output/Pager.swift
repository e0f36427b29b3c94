import Glibc

/// A program that shows long text on the terminal, page by page.
final class Pager {
    /// Where its text goes in; it is the pager's until `end`.
    private(set) var input: Int32
    private let process: pid_t
    private var interruption: sighandler_t?

    private init(input: Int32, process: pid_t) {
        self.input = input
        self.process = process
        // Ctrl-C is the pager's business as long as it has the terminal.
        interruption = signal(SIGINT, SIG_IGN)
    }

    deinit { end() }

    /// Starts the pager that the user wants: `$PAGER`, which may have arguments, else less. Nil where there is none.
    static func start() -> Pager? {
        guard let wanted = getenv("PAGER") else {
            // On a terminal without a cursor less would ask for a key before it shows anything.
            return (environment("TERM") ?? "dumb") == "dumb" ? nil : start(["less"])
        }
        let line = String(cString: wanted)
        return line.isEmpty || line == "cat" ? nil : start(["sh", "-c", line])
    }

    /// Ends its text and waits until the reader is done with it.
    func end() {
        guard input >= 0 else { return }
        close(input)
        input = -1
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        if let interruption { signal(SIGINT, interruption) }
        // What a shell says of a program that it cannot run.
        if status >> 8 & 0xFF == 127 { Output.complain("focusctl: the pager that PAGER names cannot be run") }
    }

    private static func start(_ words: [String]) -> Pager? {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        defer { close(ends[0]) }
        _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
        // Colours pass through, and a text that fits after all needs no key; as others do it, where LESS says nothing.
        if getenv("LESS") == nil { setenv("LESS", "FRX", 1) }
        guard case .success(let process) = ChildProcess.start(words, input: ends[0]) else {
            close(ends[1])
            return nil
        }
        return Pager(input: ends[1], process: process)
    }
}
