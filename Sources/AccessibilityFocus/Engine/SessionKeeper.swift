import FocusProtocol
import Glibc
import Varlink

/// Keeps all states of this process bound: over a session of focusd's, and a new one whenever that is lost.
///
/// It belongs to the engine's thread.
final class SessionKeeper {
    enum Phase {
        /// Nothing is bound, so nothing is asked of the service.
        case asleep
        /// The service is not there. It is looked for at this time, or, where that is nil, when the watch tells.
        case pausing(until: Moment?)
        /// Connected, and the session is not open yet.
        case opening(SessionLine)
        case open(SessionLine, session: String)
    }

    let inbox: Inbox
    let configuration: FocusConfiguration
    let problems: ProblemDesk
    private(set) var phase = Phase.asleep
    var states: [FocusStateID: BoundState] = [:]
    /// The states by focusd's names of them.
    var names: [String: FocusStateID] = [:]
    /// States that may have something to send, in the order in which they came to.
    var toDo: [FocusStateID] = []
    /// What the session said of states whose names are not known yet: the answer to their Bind is still to come.
    private var early: [OpenSession.Reply] = []
    /// The app's own moves that are not answered yet.
    var movesUnderWay = 0

    private var watch: ServiceWatch?
    private var pause: Duration
    private var openedAt = Moment.now
    /// Why the service is not there.
    private var absence = FocusClientError.noService(path: nil)

    /// What is kept of what the session says too early.
    private static let maximumEarly = 1024

    init(inbox: Inbox, configuration: FocusConfiguration, problems: ProblemDesk) {
        self.inbox = inbox
        self.configuration = configuration
        self.problems = problems
        pause = configuration.firstPause
    }

    var line: SessionLine? {
        switch phase {
        case .asleep, .pausing: nil
        case .opening(let line), .open(let line, _): line
        }
    }

    var watched: [(descriptor: Int32, events: Int32)] {
        (line?.channels.map { ($0.descriptor, $0.wantedEvents) } ?? [])
            + (watch.map { [($0.descriptor, POLLIN)] } ?? [])
    }

    var nextDeadline: Moment? {
        if case .pausing(let until) = phase { return until }
        return line?.channels.compactMap(\.nextDeadline).min()
    }

    // MARK: - Commands

    func perform(_ command: Command) {
        switch command {
        case .register(let id, let technologies, let deliver):
            states[id] = BoundState(id: id, technologies: technologies, deliver: deliver)
        case .attach(let id, let element):
            states[id]?.attach(element)
            toDo.append(id)
        case .detach(let id, let attachment):
            if states[id]?.detach(attachment) == true { toDo.append(id) }
        case .set(let id, let request): set(id, request)
        case .release(let id): release(id)
        case .moveAnswered(let token, let reason):
            movesUnderWay -= 1
            if let reason { decline(token, reason) }
        case .call, .cancel, .perform, .stop: return
        }
    }

    private func set(_ id: FocusStateID, _ request: SetRequest) {
        guard let state = states[id] else { return finish(request, .nothingBound) }
        if state.elements.isEmpty, state.bound == nil, !state.isBinding { return finish(request, .nothingBound) }
        if case .pausing = phase { return finish(request, absence) }
        if let givenUp = state.wait(request) { finish(givenUp, .refused(.limitExceeded("waitingSets"))) }
        toDo.append(id)
    }

    private func release(_ id: FocusStateID) {
        guard let state = states.removeValue(forKey: id) else { return }
        // The sets of a state that is gone have nobody to change a value for; an outcome that is waited for keeps it alive.
        state.waiting = []
        let olders = state.takeRetiring()
        for name in olders + (state.bound.map { [$0.name] } ?? []) { unbind(name) }
        if let name = state.bound?.name { names[name] = nil }
    }

    /// Answers whoever waits, and reports what an assignment cannot tell anybody.
    func finish(_ request: SetRequest, _ error: FocusClientError) {
        // ORDER: whoever was answered finds the problem told already.
        defer { request.completion?.finish(.failure(error)) }
        switch error {
        case .noService(let path): problems.report(.noService(path: path))
        case .untrusted(let path): problems.report(.untrusted(path: path))
        case .nothingBound:
            if request.completion == nil, let value = request.value { problems.report(.nothingBound(value: value)) }
        case .refused(.limitExceeded("waitingSets")): return
        case .refused(let refusal):
            // What is wrong with a selector was reported when it was bound.
            if case .invalidSelector = refusal { return }
            if request.completion == nil { problems.report(.refused(method: "SetValue", refusal)) }
        case .connectionLost, .timedOut, .cancelled, .unreadableReply: return
        }
    }

    // MARK: - Turns

    /// Connects where that is wanted and due, and sends what has gathered since the last turn.
    func turn(_ now: Moment) {
        if let line, line.channels.contains(where: { $0.nextDeadline.map { $0 <= now } == true }) { work(line, now) }
        switch phase {
        case .asleep: if states.values.contains(where: { !$0.elements.isEmpty }) { connect(now) }
        case .pausing(let until): if let until, until <= now { connect(now) }
        case .opening, .open: break
        }
        let due = toDo
        toDo = []
        if case .asleep = phase {
            // What a set was for was detached before anything was bound.
            for id in due { states[id].map { giveUp(of: $0, .nothingBound) } }
        }
        guard case .open(let line, let session) = phase else { return }
        for id in due {
            if let state = states[id] { advance(state, line, session, now) }
        }
    }

    func work(_ ready: Set<Int32>, _ now: Moment) {
        if let watch, ready.contains(watch.descriptor), watch.take(), case .pausing = phase {
            pause = configuration.firstPause
            phase = .pausing(until: now)
        }
        if let line, line.channels.contains(where: { ready.contains($0.descriptor) }) { work(line, now) }
    }

    func stop() {
        let abandoned = line?.channels.flatMap { $0.abandon() } ?? []
        phase = .asleep
        for state in states.values { giveUp(of: state, .connectionLost) }
        abandon(abandoned)
        states = [:]
    }

    // MARK: - The connection

    private func connect(_ now: Moment) {
        guard states.values.contains(where: { !$0.elements.isEmpty }) else { return sleep() }
        var canWatch = false
        do {
            let location = try configuration.location()
            // ORDER: the watch comes before the look, so that nothing can appear between the two.
            if watch == nil { watch = ServiceWatch(location) }
            canWatch = watch?.renew() ?? false
            phase = .opening(try SessionLine(at: location, answerTime: configuration.answerTime, now))
            watch = nil
            openedAt = now
        } catch {
            absence = FocusClientError(error)
            if case .noService(_, ENOENT) = error, canWatch {
                wait(until: nil)
            } else if case .noRuntimeDirectory(nil) = error {
                wait(until: nil)
            } else {
                wait(until: now.advanced(by: takePause()))
            }
        }
    }

    private func sleep() {
        phase = .asleep
        watch = nil
    }

    /// Sets that waited for the connection are not made later: by then they are not what is wanted.
    private func wait(until: Moment?) {
        phase = .pausing(until: until)
        for state in states.values { giveUp(of: state, absence) }
    }

    private func takePause() -> Duration {
        defer { pause = min(pause * 2, configuration.longestPause) }
        return pause
    }

    /// The session is over: all values are none, and everything is bound again as soon as the service is there.
    func lose(_ cause: Channel<SessionPurpose>.Cause, _ now: Moment) {
        guard let line else { return }
        let abandoned = line.channels.flatMap { $0.abandon() }
        if case .closed = cause {} else { problems.report(.brokenService) }
        if openedAt.advanced(by: configuration.steadyAfter) <= now { pause = configuration.firstPause }
        absence = .noService(path: line.location.path)
        names = [:]
        early = []
        for state in states.values {
            giveUp(of: state, .connectionLost)
            state.connectionLost()
            state.lost("serviceGone")
        }
        abandon(abandoned)
        watch = ServiceWatch(line.location)
        _ = watch?.renew()
        phase = .pausing(until: now.advanced(by: takePause()))
    }

    private func abandon(_ calls: [SessionPurpose]) {
        for call in calls {
            if case .set(_, _, let request) = call { finish(request, .connectionLost) }
        }
    }

    private func giveUp(of state: BoundState, _ error: FocusClientError) {
        let requests = state.waiting
        state.waiting = []
        for request in requests { finish(request, error) }
    }

    private func work(_ line: SessionLine, _ now: Moment) {
        // ORDER: focusd says in the session what changed, and then answers the set. So the session is read last and told
        // first: whoever is told that a set is confirmed finds the value there. What came before the end of a
        // connection is told before that end.
        let told = line.channels.reversed().map { $0.work(now) }.reversed()
        var ends: [(cause: Channel<SessionPurpose>.Cause, unanswered: [SessionPurpose])] = []
        for event in told.joined() {
            switch event {
            case .reply(let purpose, let reply):
                if self.line === line { answered(purpose, reply, now) } else { abandon([purpose]) }
            case .end(let cause, let unanswered): ends.append((cause, unanswered))
            }
        }
        for end in ends {
            abandon(end.unanswered)
            if self.line === line { lose(end.cause, now) }
        }
        line.tidy()
    }

    private func answered(_ purpose: SessionPurpose, _ reply: IncomingReply, _ now: Moment) {
        switch purpose {
        case .openSession: sessionSaid(reply, now)
        case .bind(let id, let elements): bindAnswered(id, elements, reply, now)
        case .set(let id, let name, let request): setAnswered(id, name, request, reply, now)
        // A state that is no more needs no ending, and a move that is over no declining.
        case .unbind, .decline: return
        }
    }

    // MARK: - What the session says

    private func sessionSaid(_ reply: IncomingReply, _ now: Moment) {
        if let refusal = FocusRefusal(reply) {
            if refusal != .tooSlow { problems.report(.refused(method: "OpenSession", refusal)) }
            return lose(.closed, now)
        }
        guard let content = Wire.decode(OpenSession.Reply.self, reply) else { return lose(.broken, now) }
        if case .opening(let line) = phase {
            guard let session = content.session else { return lose(.broken, now) }
            phase = .open(line, session: session)
            problems.serviceCame()
            for state in states.values where !state.elements.isEmpty || !state.waiting.isEmpty {
                state.isChanged = true
                toDo.append(state.id)
            }
        }
        heard(content)
        if !reply.continues { lose(.closed, now) }
    }

    private func heard(_ content: OpenSession.Reply) {
        guard let name = content.change?.state ?? content.move?.state else { return }
        guard let id = names[name], let state = states[id] else {
            guard states.values.contains(where: \.isBinding) else { return }
            if early.count == Self.maximumEarly { early.removeFirst() }
            return early.append(content)
        }
        if let change = content.change { state.changed(change) }
        if let move = content.move { self.move(state, move) }
    }

    /// A name is known now: what the session said of it before is told in its order.
    func becameKnown(_ name: String) {
        let known = early.filter { ($0.change?.state ?? $0.move?.state) == name }
        early.removeAll { ($0.change?.state ?? $0.move?.state) == name }
        for content in known { heard(content) }
    }
}
