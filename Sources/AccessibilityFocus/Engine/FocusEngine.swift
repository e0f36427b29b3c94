import Glibc
import Synchronization

/// The library's one thread, as everybody else sees it: something to leave commands with.
///
/// The thread starts with the first command and ends with the engine. It owns all sockets.
package final class FocusEngine: Sendable {
    /// The engine of this process.
    package static let shared = FocusEngine()

    let configuration: FocusConfiguration
    let problems: ProblemDesk
    private let inbox = Mutex<Inbox?>(nil)

    package init(_ configuration: FocusConfiguration = FocusConfiguration()) {
        self.configuration = configuration
        problems = ProblemDesk(log: configuration.log)
    }

    deinit { inbox.withLock { $0?.post(.stop) } }

    /// Leaves a command for the thread; never waits for it.
    func post(_ command: Command) {
        let inbox = inbox.withLock { inbox in
            if inbox == nil { inbox = startThread() }
            return inbox
        }
        guard let inbox else { return command.fail(.noService(path: nil)) }
        inbox.post(command)
    }

    private func startThread() -> Inbox? {
        guard let inbox = Inbox() else { return nil }
        let loop = ThreadStart(inbox: inbox, configuration: configuration, problems: problems)
        return loop.start() ? inbox : nil
    }
}

/// How the library finds the service and how patient it is.
package struct FocusConfiguration: Sendable {
    /// The session's runtime folder; nil for the one that the environment names.
    package var runtimeFolder: String?
    /// How long the library waits before it tries again for the first time, when the service went away.
    package var firstPause: Duration = .milliseconds(100)
    /// How long that pause may grow.
    package var longestPause: Duration = .seconds(5)
    /// How long a connection must have held for the pause to be short again.
    package var steadyAfter: Duration = .seconds(5)
    /// How long the service may take to answer what it can answer at once.
    package var answerTime: Duration = .seconds(10)
    /// Takes one line of text for the app's log.
    package var log: @Sendable (String) -> Void = { line in
        let bytes = Array((line + "\n").utf8)
        // Nobody can be told that this failed.
        _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    package init(runtimeFolder: String? = nil) {
        self.runtimeFolder = runtimeFolder
    }

    /// Where the socket is. Throws where no place for it is known.
    func location() throws(FocusSocketError) -> SocketLocation {
        guard let runtimeFolder else { return try SocketLocation() }
        return try SocketLocation(runtimeFolder: runtimeFolder)
    }
}

extension Command {
    /// Answers whoever waits for this command that it was not done.
    func fail(_ error: FocusClientError) {
        switch self {
        case .set(_, let request): request.completion?.finish(.failure(error))
        case .call(let request): request.receive(.failure(error))
        case .perform(let action): action()
        default: return
        }
    }
}

/// What the new thread is given.
private final class ThreadStart: Sendable {
    private let inbox: Inbox
    private let configuration: FocusConfiguration
    private let problems: ProblemDesk

    init(inbox: Inbox, configuration: FocusConfiguration, problems: ProblemDesk) {
        self.inbox = inbox
        self.configuration = configuration
        self.problems = problems
    }

    /// Starts the thread; false where the system refuses.
    func start() -> Bool {
        // The app's signal handlers shall not run on this thread: a thread begins with its maker's mask.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        // SAFETY: the retained object is released by the thread, or below where there is none.
        let context = Unmanaged.passRetained(self)
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        guard result == 0 else {
            context.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    private func run() {
        EngineLoop(inbox: inbox, configuration: configuration, problems: problems).run()
    }
}
