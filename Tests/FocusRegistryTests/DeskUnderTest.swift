import AccessibilityTree
import FocusRegistry

/// A small desktop that plays applications, a screen reader and a user against orders, moves and silent arrivals, as the
/// service joins them. Everything takes a random time; the same seed gives the same story. Times in microseconds.
///
/// Elements are numbers; even ones can have the keyboard focus. The screen reader works through its events one by one,
/// says nothing where it is already, and drops an event of focusd's that another has followed.
final class DeskUnderTest {
    enum Spot: Hashable {
        case element(Int)
        case blank
    }

    private struct Event {
        var spot: Spot
        var isFocusds: Bool
    }

    private struct Job {
        var time: Microseconds
        var number: Int
        var work: () -> Void
    }

    var random: SeededGenerator
    private(set) var now: Microseconds = 1_000_000
    private var jobs: [Job] = []
    private var lastJob = 0
    private var isBusy = false
    private var inbox: [Event] = []
    /// Where the screen reader is, and where it said last that it is.
    private(set) var locus = Spot.element(2)
    private(set) var lastSaid: Position?
    private(set) var spoken: [(element: Int, at: Microseconds)] = []
    private(set) var keyboard = 2
    private var knownKeyboard = 2
    private var queue = MoveQueue<Int>()
    private var arrival = SilentArrival()
    private var calledBack = false
    private var orders: [Int: Order] = [:]
    private var lastOrder = 0
    private(set) var outcomes: [Int: [OrderOutcome]] = [:]
    private(set) var started: [Int: Microseconds] = [:]
    var ownerAnswers = true
    var history: [String] = []

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        lastSaid = Position(placement: Places.at(2), mode: .focusTracking, time: 0)
        tellArrival(.keyboardArrived(Places.reference(2), at: 0))
    }

    var isQuiet: Bool { jobs.isEmpty && deadline == nil }
    var hasMoves: Bool { !queue.isEmpty }
    var isOnBlank: Bool { locus == .blank }

    /// The value of the state: the number of the element.
    private var value: String? { lastSaid.map { number(of: $0.element) }.map(String.init) }

    private static let numbers = Dictionary(uniqueKeysWithValues: (0...10).map { (Places.reference($0), $0) })

    private func number(of element: ObjectReference) -> Int { DeskUnderTest.numbers[element] ?? -1 }

    // MARK: - Time

    func after(_ range: ClosedRange<Microseconds>, _ work: @escaping () -> Void) {
        lastJob += 1
        jobs.append(
            Job(
                time: now + range.lowerBound + Microseconds(random.next() % UInt64(range.count)), number: lastJob,
                work: work))
    }

    private var deadline: Microseconds? {
        ([queue.nextDeadline, arrival.nextDeadline] + orders.values.map(\.nextDeadline)).compactMap(\.self).min()
    }

    /// Runs until nothing is left to happen, or until a time.
    func run(until end: Microseconds = .max) {
        for _ in 0..<20_000 {
            let job = jobs.min { ($0.time, $0.number) < ($1.time, $1.number) }
            guard let next = [job?.time, deadline].compactMap(\.self).min(), next <= end else { break }
            now = max(now, next)
            if let job, job.time <= now {
                jobs.removeAll { $0.number == job.number }
                job.work()
            } else {
                perform(queue.tellAll(.timePassed, at: now))
                tellArrival(.timePassed)
                for id in orders.keys.sorted() { tell(id, .timePassed) }
            }
        }
        if end != .max { now = max(now, end) }
    }

    func run(milliseconds: Int64) { run(until: now + milliseconds * 1_000) }

    // MARK: - The user

    func userMoves(to number: Int) {
        history.append("\(now) user \(number)")
        focus(number)
    }

    /// The keyboard focus is on an element from now on: the screen reader is told at once, focusd knows a little later.
    private func focus(_ number: Int) {
        guard keyboard != number else { return }
        keyboard = number
        receive(Event(spot: .element(number), isFocusds: false))
        let time = now
        after(500...5_000) { self.learn(number, time) }
    }

    private func learn(_ number: Int, _ time: Microseconds) {
        // Live state confirms it, or it is not believed.
        guard keyboard == number else { return }
        knownKeyboard = number
        perform(queue.keyboardMoved(Position(placement: Places.at(number), time: time), at: now))
        tellArrival(.keyboardArrived(Places.reference(number), at: time, moving: queue.technologiesMoving))
    }

    // MARK: - The screen reader

    private func receive(_ event: Event) {
        inbox.append(event)
        if !isBusy { work() }
    }

    private func work() {
        guard !inbox.isEmpty else { return }
        isBusy = true
        after(4_000...60_000) {
            self.isBusy = false
            let event = self.inbox.removeFirst()
            let isDropped = event.isFocusds && self.inbox.contains(where: \.isFocusds)
            if !isDropped && event.spot != self.locus { self.go(to: event.spot) }
            self.work()
        }
    }

    private func go(to spot: Spot) {
        locus = spot
        history.append("\(now) reader \(spot)")
        switch spot {
        case .blank:
            let isAwaited = queue.isMoving(.orca)
            perform(queue.tellAll(.signalledBlank(.orca), at: now))
            let isHeld = arrival.holds(.orca)
            tellArrival(.reachedBlank(.orca))
            guard !isAwaited, !isHeld, !calledBack else { return }
            calledBack = true
            callBack()
        case .element(let number):
            calledBack = false
            spoken.append((number, now))
            lastSaid = Position(placement: Places.at(number), mode: .focusTracking, time: now)
            let value = value
            perform(
                queue.signalled(.orca, Places.at(number), .focusTracking, at: now) {
                    $0.value == nil || $0.value == value
                })
            tellArrival(.signalled(.orca, Places.reference(number), .focusTracking))
        }
    }

    private func callBack() {
        after(300...2_000) {
            // A move that began meanwhile takes it from there.
            guard !self.queue.isMoving(.orca) else { return }
            self.receive(Event(spot: .element(self.knownKeyboard), isFocusds: true))
        }
    }

    // MARK: - Orders

    @discardableResult
    func set(
        _ number: Int, again: Bool = false, routes: [Route]? = nil, waits milliseconds: Int64? = nil,
        owner: Bool = false
    ) -> Int {
        lastOrder += 1
        let id = lastOrder
        started[id] = now
        history.append("\(now) order \(id) to \(number) again \(again)")
        let terms = OrderTerms(
            technologies: [.orca], isAnyEnough: true, presentsAgain: again, routes: routes, state: FocusStateID("s"),
            value: String(number), startedAt: now, deadline: now + 2_000_000)
        let target = Places.reference(number)
        var order = Order(
            milliseconds == nil ? .element(target) : .search(owners: [owner]), terms, userApplication: Places.editor)
        let actions = order.start(at: now)
        orders[id] = order
        perform(id, actions)
        if let milliseconds {
            tell(id, .sighted(0, Sighting(.none, isDecided: true)))
            after((milliseconds * 1_000)...(milliseconds * 1_000 + 1_000)) {
                self.tell(id, .sighted(0, Sighting(.one(target, isInActiveWindow: true), isDecided: true)))
            }
        }
        return id
    }

    /// Gives focus back to these, the first that can be gone to.
    func giveBack(to numbers: [Int]) -> Int {
        lastOrder += 1
        let id = lastOrder
        started[id] = now
        history.append("\(now) order \(id) back to \(numbers)")
        let terms = OrderTerms(
            technologies: [.orca], isAnyEnough: true, state: FocusStateID("s"), startedAt: now,
            deadline: now + 2_000_000)
        let places = numbers.map {
            GiveBackPlace(target: Places.reference($0), needsActiveWindow: true, mayMoveKeyboard: false)
        }
        var order = Order(.giveBack(places), terms, userApplication: Places.editor)
        let actions = order.start(at: now)
        orders[id] = order
        perform(id, actions)
        return id
    }

    func cancel(_ id: Int) {
        history.append("\(now) cancel \(id)")
        tell(id, .cancelled(.newerRequest))
    }

    private func tell(_ id: Int, _ input: OrderInput) {
        guard let actions = orders[id]?.handle(input, at: now) else { return }
        perform(id, actions)
    }

    private func perform(_ id: Int, _ actions: [OrderAction]) {
        for action in actions {
            switch action {
            case .beginWatching, .endWatching: break
            case .beginMove(let request):
                let origins = [
                    TechnologyID.orca: lastSaid,
                    .keyboard: Position(placement: Places.at(knownKeyboard), time: 0),
                ].compactMapValues(\.self)
                let handover = arrival.moveBegan(.orca)
                perform(queue.begin(request, caller: id, origins: origins, handovers: [.orca: handover], at: now))
            case .leaveMove: perform(queue.callerLeft(id, at: now))
            case .finish(let outcome):
                history.append("\(now) order \(id) \(outcome.result) \(outcome.reason.map { "\($0)" } ?? "")")
                outcomes[id, default: []].append(outcome)
                orders[id] = nil
            }
        }
    }

    // MARK: - Moves

    private func perform(_ steps: [MoveQueue<Int>.Step]) {
        for step in steps { perform(step) }
    }

    private func perform(_ step: MoveQueue<Int>.Step) {
        let number = number(of: step.request.target)
        func answer(_ range: ClosedRange<Microseconds>, _ input: @escaping () -> MoveInput) {
            after(range) { self.perform(self.queue.tell(step.id, input(), at: self.now)) }
        }
        switch step.action {
        case .check: answer(500...4_000) { .checked(.present(self.report(number))) }
        case .recheck: answer(200...1_500) { .rechecked(.present(self.report(number))) }
        case .scrollIntoView: break
        case .askOwner:
            guard ownerAnswers else { break }
            after(500...20_000) { self.focus(number) }
        case .grabFocus:
            answer(200...3_000) {
                guard number % 2 == 0 else { return .grabAnswered(.notSupported) }
                self.focus(number)
                return .grabAnswered(.accepted)
            }
        case .presentTarget: receive(Event(spot: .element(number), isFocusds: true))
        case .presentBlank: receive(Event(spot: .blank, isFocusds: true))
        case .leaveBlank: callBack()
        case .readKeyboard: perform(queue.tell(step.id, .keyboardRead(keyboard == number), at: now))
        case .finish(let outcome):
            if outcome.result == .confirmed, outcome.route == .activeDescendant {
                tellArrival(.moved(.orca, to: step.request.target))
            }
            for caller in step.callers { tell(caller, .moveEnded(outcome)) }
        }
    }

    private func report(_ number: Int) -> TargetReport.Target {
        .init(
            placement: Places.at(number), isFocusable: number % 2 == 0, hasKeyboardFocus: keyboard == number,
            isWindowActive: true)
    }

    private func tellArrival(_ input: SilentArrival.Input) {
        for action in arrival.handle(input, at: now) {
            history.append("\(now) \(action)")
            switch action {
            case .presentBlank: receive(Event(spot: .blank, isFocusds: true))
            case .presentIfFocused(let element, _):
                let number = number(of: element)
                after(200...1_500) {
                    guard self.arrival.wants(.orca, at: element) else { return }
                    if self.keyboard == number {
                        self.receive(Event(spot: .element(number), isFocusds: true))
                    } else {
                        self.tellArrival(.notPresented(.orca))
                    }
                }
            case .present(let element, _):
                let number = number(of: element)
                after(200...1_500) {
                    guard self.arrival.wants(.orca, at: element) else { return }
                    self.receive(Event(spot: .element(number), isFocusds: true))
                }
            }
        }
    }
}
