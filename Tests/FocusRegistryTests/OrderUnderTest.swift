import AccessibilityTree
import FocusRegistry
import Testing

/// One order, told what happens, and what must hold after every step. Times in milliseconds.
final class OrderUnderTest {
    private var order: Order
    private(set) var actions: [OrderAction] = []
    private(set) var now: Int64 = 0
    private var isWatching = false
    private var isMoving = false

    init(
        _ goal: OrderGoal = .search(owners: [false]), for technologies: [TechnologyID] = [.orca],
        isAnyEnough: Bool = true, again: Bool = false, routes: [Route]? = nil, filter: ModeFilter = .usual,
        state: String? = "s", value: String? = "a", user: String? = Places.editor, deadline: Int64 = 2_000
    ) {
        order = Order(
            goal,
            OrderTerms(
                technologies: technologies, isAnyEnough: isAnyEnough, presentsAgain: again, routes: routes,
                filter: filter, state: state.map { FocusStateID($0) }, value: value, startedAt: 0,
                deadline: deadline * 1_000),
            userApplication: user)
    }

    var isFinished: Bool { order.isFinished }
    var isWaiting: Bool { order.isWaiting }
    var nextDeadline: Int64? { order.nextDeadline.map { $0 / 1_000 } }

    var outcome: OrderOutcome? {
        for case .finish(let outcome) in actions { return outcome }
        return nil
    }

    /// The targets it went for, in order.
    var targets: [Int] {
        actions.compactMap { action in
            guard case .beginMove(let request) = action else { return nil }
            return (0..<200).first { Places.reference($0) == request.target }
        }
    }

    @discardableResult
    func start() -> [OrderAction] { note(order.start(at: now * 1_000)) }

    @discardableResult
    func tell(_ input: OrderInput, after milliseconds: Int64 = 0) -> [OrderAction] {
        now += milliseconds
        if case .moveEnded = input { isMoving = false }
        let wasFinished = order.isFinished
        let news = note(order.handle(input, at: now * 1_000))
        if wasFinished && !news.isEmpty { Issue.record("a finished order wants \(news)") }
        return news
    }

    // MARK: - Short words

    @discardableResult
    func sight(
        _ matches: Sighting.Matches, of index: Int = 0, isDecided: Bool = true, reason: MoveReason = .noMatch,
        after milliseconds: Int64 = 0
    ) -> [OrderAction] {
        tell(.sighted(index, Sighting(matches, isDecided: isDecided, reason: reason)), after: milliseconds)
    }

    @discardableResult
    func end(_ result: MoveResult, _ reason: MoveReason? = nil, after milliseconds: Int64 = 10) -> [OrderAction] {
        tell(.moveEnded(OrderUnderTest.outcome(result, reason, at: now + milliseconds)), after: milliseconds)
    }

    static func outcome(_ result: MoveResult, _ reason: MoveReason?, at milliseconds: Int64) -> MoveOutcome {
        MoveOutcome(
            result: result, reason: reason, route: result == .confirmed ? .grabFocus : nil, attempts: [],
            confirmed: result == .confirmed ? [.orca] : [], keyboardFocus: .unknown, finishedAt: milliseconds * 1_000)
    }

    static func one(_ number: Int, isInActiveWindow: Bool = true) -> Sighting.Matches {
        .one(Places.reference(number), isInActiveWindow: isInActiveWindow)
    }

    private func note(_ news: [OrderAction]) -> [OrderAction] {
        for action in news {
            if outcome != nil { Issue.record("it acts after its end: \(action)") }
            switch action {
            case .beginWatching:
                if isWatching { Issue.record("it watches twice") }
                isWatching = true
            case .endWatching:
                if !isWatching { Issue.record("it ends a watch that it did not begin") }
                isWatching = false
            case .beginMove:
                if isMoving || isWatching { Issue.record("two things at once") }
                isMoving = true
            case .leaveMove:
                if !isMoving { Issue.record("it leaves a move that it did not make") }
                isMoving = false
            case .finish:
                if isMoving || isWatching { Issue.record("it leaves something behind") }
            }
            actions.append(action)
        }
        if order.isFinished != (outcome != nil) { Issue.record("finished without an outcome, or the other way round") }
        if order.isFinished && order.nextDeadline != nil { Issue.record("a finished order waits for something") }
        return news
    }
}
