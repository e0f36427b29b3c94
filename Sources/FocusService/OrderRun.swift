import AccessibilityTree
import EventLoop
import FocusProtocol
import FocusRegistry
import Selectors

/// One set or move that a client asked for, until its outcome is known: does what its `Order` decides.
@Loop
final class OrderRun {
    private unowned let desk: FocusDesk
    private var order: Order
    private let selectors: [Selector]
    private let ownPID: Int
    /// Those that must each confirm; nil where every active one is meant.
    private let named: [TechnologyID]?
    private var completion: (@Loop (OrderOutcome) -> Void)?
    private var watches: [SelectorWatch] = []
    private var timer: LoopTimer?
    /// Its number with the driver of moves, while a move is made for it.
    private var caller: UInt64?

    /// `selectors` are those that the order searches for, in their order. The completion is called exactly once.
    init(
        _ goal: OrderGoal, _ terms: OrderTerms, selectors: [Selector] = [], ownPID: Int, desk: FocusDesk,
        _ completion: @escaping @Loop (OrderOutcome) -> Void
    ) {
        self.desk = desk
        self.selectors = selectors
        self.ownPID = ownPID
        named = terms.isAnyEnough ? nil : terms.technologies
        self.completion = completion
        order = Order(goal, terms, userApplication: OrderRun.userApplication(desk))
    }

    /// Whether it waits for its element still.
    var isWaiting: Bool { order.isWaiting }

    func begin() { perform(order.start(at: desk.now)) }

    /// It is not wanted any more: the completion is told this reason.
    func cancel(_ reason: MoveReason) { tell(.cancelled(reason)) }

    /// The client has gone: nobody is told anything.
    func abandon() {
        completion = nil
        tell(.cancelled(.newerRequest))
    }

    private func tell(_ input: OrderInput) { perform(order.handle(input, at: desk.now)) }

    private func perform(_ actions: [OrderAction]) {
        for action in actions {
            switch action {
            case .beginWatching: beginWatching()
            case .endWatching: endWatching()
            case .beginMove(let request): beginMove(request)
            case .leaveMove:
                if let caller { desk.moves.cancel(caller) }
                caller = nil
            case .finish(let outcome):
                let completion = completion
                self.completion = nil
                completion?(outcome)
            }
        }
    }

    // MARK: - Waiting

    private func beginWatching() {
        let milliseconds = max(0, ((order.nextDeadline ?? desk.now) - desk.now + 999) / 1_000)
        timer = LoopTimer(milliseconds: milliseconds) { [weak self] in self?.timeIsOver() }
        watches = selectors.map { SelectorWatch($0, desk: desk, ownPID: ownPID) }
        for (index, watch) in watches.enumerated() {
            watch.onChange = { [weak self] in self?.look(index) }
            watch.begin(looksAgain: true)
        }
    }

    private func endWatching() {
        timer = nil
        for watch in watches { watch.end() }
        watches = []
    }

    private func look(_ index: Int) {
        guard watches.indices.contains(index) else { return }
        tell(.userApplication(OrderRun.userApplication(desk)))
        let technologies = presentTechnologies
        if order.terms.technologies != technologies { tell(.technologies(technologies)) }
        tell(.sighted(index, sighting(of: watches[index])))
    }

    /// Where one that is named is not there, none: it cannot confirm.
    private var presentTechnologies: [TechnologyID] {
        guard let named else { return desk.registry.activeTechnologies }
        let arePresent = named.allSatisfy { $0 == .keyboard || desk.registry.connection(of: $0) != nil }
        return arePresent ? named : []
    }

    private func timeIsOver() {
        for index in watches.indices { look(index) }
        tell(.timePassed)
    }

    private func sighting(of watch: SelectorWatch) -> Sighting {
        let found = watch.matches.compactMap { match -> (element: ObjectReference, isInActiveWindow: Bool)? in
            guard let tree = match.application.mirror?.tree else { return nil }
            return (tree.reference(of: match.slot), tree.isInActiveWindow(match.slot))
        }
        let reason = MoveReason(rawValue: watch.reasonOfNothing) ?? .noMatch
        return Sighting(among: found, isDecided: watch.isDecided, reason: reason)
    }

    /// Where the user is: where the keyboard is, or else the technology that moved last.
    private static func userApplication(_ desk: FocusDesk) -> String? {
        let keyboard = desk.registry.position(of: .keyboard)?.element
        return (keyboard ?? desk.registry.aggregate?.position?.element)?.busName
    }

    // MARK: - Moving

    private func beginMove(_ request: MoveRequest) {
        var hasEnded = false
        let number = desk.moves.begin(request) { [weak self] outcome in
            hasEnded = true
            self?.caller = nil
            self?.tell(.moveEnded(outcome))
        }
        // It may have ended already, and another may have been begun then.
        if !hasEnded { caller = number }
    }
}

extension ApplicationTree {
    /// Whether a window around an element, or the element itself, is the active one.
    fileprivate func isInActiveWindow(_ slot: Slot) -> Bool {
        var next: Slot? = slot
        while let slot = next {
            if role(of: slot).isWindow, states(of: slot).contains(.active) { return true }
            next = parent(of: slot)
        }
        return false
    }
}
