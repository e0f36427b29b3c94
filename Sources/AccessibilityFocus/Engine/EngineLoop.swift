import Glibc

/// What the engine's thread does: it takes commands, polls, and lets the session and the calls work.
final class EngineLoop {
    private let inbox: Inbox
    private let keeper: SessionKeeper
    private let desk: CallDesk

    init(inbox: Inbox, configuration: FocusConfiguration, problems: ProblemDesk) {
        self.inbox = inbox
        keeper = SessionKeeper(inbox: inbox, configuration: configuration, problems: problems)
        desk = CallDesk(configuration: configuration)
    }

    /// Runs until it is told to stop.
    func run() {
        while true {
            let commands = inbox.take()
            for (index, command) in commands.enumerated() {
                if case .stop = command {
                    for unheard in commands[index...] + inbox.take() { unheard.fail(.connectionLost) }
                    keeper.stop()
                    desk.stop()
                    return
                }
                perform(command)
            }
            let now = Moment.now
            keeper.turn(now)
            desk.turn(now)
            wait(now)
        }
    }

    private func perform(_ command: Command) {
        switch command {
        case .call(let request): desk.start(request)
        case .cancel(let id): desk.cancel(id)
        case .perform(let action): action()
        case .register, .attach, .detach, .set, .release, .moveAnswered: keeper.perform(command)
        case .stop: return
        }
    }

    private func wait(_ now: Moment) {
        var watched = [pollfd(fd: inbox.descriptor, events: Int16(POLLIN), revents: 0)]
        watched += keeper.watched.map { pollfd(fd: $0.descriptor, events: Int16($0.events), revents: 0) }
        watched += desk.watched.map { pollfd(fd: $0.descriptor, events: Int16($0.events), revents: 0) }
        let deadline = [keeper.nextDeadline, desk.nextDeadline].compactMap(\.self).min()
        let milliseconds = deadline.map { now.duration(to: $0) }.map { left in
            left > .zero ? Int32(left.wholeMilliseconds(atMost: 1_000_000)) : 0
        }
        guard poll(&watched, nfds_t(watched.count), milliseconds ?? -1) > 0 else { return }
        let ready = Set(watched.lazy.filter { $0.revents != 0 }.map(\.fd))
        let then = Moment.now
        keeper.work(ready, then)
        desk.work(ready, then)
    }
}
