import AccessibilityFocus
import CLinux
import Glibc

/// A command that is run for changes, one at a time; of what comes while it runs only the newest is kept for the next run.
///
/// It must be given time: nothing of it goes on but in `wait` and `finish`.
final class ChangeCommand {
    /// The option that names it, for the commands that have it.
    static let option = Option(
        "exec", value: Value("COMMAND"),
        summary: "Print nothing, but run this command of the shell for each change, with the change on its standard "
            + "input as one line of JSON.")

    /// What help says about it.
    static let help =
        "With --exec only one command runs at a time. What comes while it runs does not pile up: the next run gets the "
        + "newest change, and FOCUSCTL_SKIPPED in its environment tells how many before that were passed over. A command "
        + "that fails is reported, and the next change runs it again. When focusctl ends, a command that still runs has "
        + "2 seconds, and is ended then; Ctrl-C ends it at once."

    /// How long the command may go on after the last change.
    static let grace = Duration.seconds(2)

    private struct Run {
        let process: pid_t
        /// Where the change goes in; -1 when all of it is written, or nobody reads it.
        var input: Int32
        var unwritten: ArraySlice<UInt8>
    }

    private let line: String
    /// Where signals are read from.
    private let signals: Int32
    /// The signals that were blocked before.
    private let usualMask: sigset_t
    private var run: Run?
    private var waiting: String?
    private var skipped = 0

    /// Takes a line of the shell; from now on signals that end focusctl are obeyed only in `wait` and `finish`.
    init(_ line: String) throws(CommandFailure) {
        self.line = line
        var mask = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &mask)
        usualMask = mask
        // Where our parent had it ignored, nobody would tell of the command's end.
        signal(SIGCHLD, SIG_DFL)
        let wanted = [SIGCHLD] + [SIGINT, SIGTERM, SIGHUP, SIGQUIT].filter { !Self.isIgnored($0) }
        signals = focusd_signal_descriptor(wanted, wanted.count)
        guard signals >= 0 else { throw .cannotRunCommands(code: errno) }
    }

    deinit { close(signals) }

    /// Runs the command for this change, a line of JSON, now or as soon as it is its turn.
    func take(_ change: String) {
        guard run != nil else { return start(change) }
        if waiting != nil { skipped += 1 }
        waiting = change
    }

    /// Waits until the descriptor has something to read, the command did something, or the time is over.
    ///
    /// Throws `outputClosed` where nobody reads standard output any more. It does not return after a signal that ends.
    func wait(for descriptor: Int32, until deadline: Deadline) throws(CommandFailure) {
        // A negative descriptor is left out by `poll`; an end is always reported.
        var watched = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: STDOUT_FILENO, events: 0, revents: 0),
            pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
            pollfd(fd: run?.input ?? -1, events: Int16(POLLOUT), revents: 0),
        ]
        guard poll(&watched, nfds_t(watched.count), deadline.remainingMilliseconds) > 0 else { return }
        if watched[3].revents != 0 { write() }
        if watched[2].revents != 0 { takeSignals() }
        if watched[1].revents != 0 { throw .outputClosed }
    }

    /// Lets the command end by itself, with the change that waits for it, and ends it where that takes too long.
    func finish() {
        let deadline = Deadline.after(Self.grace)
        while run != nil, !deadline.hasPassed {
            do { try wait(for: -1, until: deadline) } catch { break }
        }
        guard run != nil else { return }
        Output.complain("focusctl: the command still runs, and is ended")
        end()
    }

    /// Ends the command and what it started, without waiting for that.
    func end() {
        guard let run else { return }
        self.run = nil
        waiting = nil
        if run.input >= 0 { close(run.input) }
        kill(-run.process, SIGTERM)
        // One that is stopped would not hear it.
        kill(-run.process, SIGCONT)
    }

    // MARK: - One run

    private func start(_ change: String) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return reportStart(errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // A command that never reads must not hold up focusctl.
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        defer { close(ends[0]) }
        setenv("FOCUSCTL_SKIPPED", String(skipped), 1)
        skipped = 0
        switch ChildProcess.start(["/bin/sh", "-c", line], input: ends[0], mask: usualMask, ownGroup: true) {
        case .success(let process):
            run = Run(process: process, input: ends[1], unwritten: Array((change + "\n").utf8)[...])
            write()
        case .failure(let failure):
            close(ends[1])
            reportStart(failure.code)
        }
    }

    /// Writes as much of the change as the command takes now.
    private func write() {
        guard var run, run.input >= 0 else { return }
        while !run.unwritten.isEmpty {
            // SAFETY: the pointer and count are of the same slice and do not leave the closure.
            let count = run.unwritten.withUnsafeBytes { Glibc.write(run.input, $0.baseAddress, $0.count) }
            if count >= 0 {
                run.unwritten = run.unwritten.dropFirst(count)
            } else if errno == EAGAIN {
                break
            } else if errno != EINTR {
                // It does not want to know more.
                run.unwritten = []
            }
        }
        if run.unwritten.isEmpty {
            close(run.input)
            run.input = -1
        }
        self.run = run
    }

    private func takeSignals() {
        while true {
            switch focusd_read_signal(signals) {
            case 0: return
            case SIGCHLD: reap()
            case let number: die(of: number)
            }
        }
    }

    /// Reports how the command ended, where it did, and runs it for the change that waits.
    private func reap() {
        guard let run else { return }
        var status: Int32 = 0
        guard waitpid(run.process, &status, WNOHANG) == run.process else { return }
        if run.input >= 0 { close(run.input) }
        self.run = nil
        let (signal, code) = (status & 0x7F, (status >> 8) & 0xFF)
        if signal != 0 {
            Output.complain("focusctl: the command was ended by signal \(signal)")
        } else if code != 0 {
            Output.complain("focusctl: the command ended with \(code)")
        }
        guard let next = waiting else { return }
        waiting = nil
        start(next)
    }

    private func reportStart(_ code: Int32) {
        Output.complain("focusctl: the command cannot be run: \(systemMessage(code))")
    }

    // MARK: - Signals

    /// Ends the command, and focusctl as the signal would have ended it.
    private func die(of number: Int32) -> Never {
        end()
        signal(number, SIG_DFL)
        kill(getpid(), number)
        var mask = usualMask
        sigdelset(&mask, number)
        pthread_sigmask(SIG_SETMASK, &mask, nil)
        exit(128 + number)
    }

    /// Whether our parent wants us to live on when this comes, as `nohup` does.
    private static func isIgnored(_ number: Int32) -> Bool {
        var present = sigaction()
        sigaction(number, nil, &present)
        // SAFETY: only compared, with the value that C's SIG_IGN has.
        return unsafeBitCast(present.__sigaction_handler.sa_handler, to: Int.self) == 1
    }
}
