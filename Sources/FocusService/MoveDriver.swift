import ATSPI
import AccessibilityTree
import EventLoop
import FocusRegistry

/// Does what moves decide: asks targets, grabs focus, sends technologies, and tells the moves what came of it.
@Loop
final class MoveDriver {
    /// Children of one parent that are listed to see whether a node is among them.
    static let maximumListedChildren = 2_000
    /// Two answers of one target are asked within this; it also ends in time for a move with a short deadline.
    static let questionMilliseconds: Int32 = 1_000

    /// How long after the user moved on a technology may still arrive where it was sent before.
    static let recallMicroseconds: Microseconds = 1_000_000

    typealias Completion = @Loop (MoveOutcome) -> Void

    /// Looks at targets under way, and those that wait for them, by application.
    var looks: [String: Looks] = [:]

    unowned let desk: FocusDesk
    private var queue = MoveQueue<UInt64>()
    private var completions: [UInt64: Completion] = [:]
    private var lastCaller: UInt64 = 0
    private var timer: LoopTimer?
    /// Runs while it must be seen whether those who were sent away from the blank have gone.
    private var blankTimer: LoopTimer?
    private static let blankMilliseconds: Int64 = 1_000
    /// Targets that technologies were sent to and should not arrive at: what is under way cannot be called back.
    private var recalls: [TechnologyID: Recall] = [:]
    /// Who was called back from the blank and has said nothing since: once is enough.
    private var calledBack: Set<TechnologyID> = []

    /// The target's second answer of a look that has just ended: only while that is told.
    private var justAsked: (move: Int, answer: TargetReport)?

    private struct Recall {
        let target: ObjectReference
        let until: Microseconds
        /// Where it is sent back to; nil for where the user is.
        let home: ObjectReference?
    }

    /// Asks the client that moves to its own element; false where there is none any more. The text is the move's token.
    var askOwner: (@Loop (MoveRequest, _ token: Int) -> Bool)?

    init(desk: FocusDesk) {
        self.desk = desk
    }

    /// Begins a move. The completion is called exactly once, unless ``cancel(_:)`` is called with the number returned.
    func begin(_ request: MoveRequest, _ completion: @escaping Completion) -> UInt64 {
        lastCaller += 1
        let caller = lastCaller
        completions[caller] = completion
        var origins: [TechnologyID: Position] = [.keyboard: desk.registry.position(of: .keyboard)].compactMapValues {
            $0
        }
        var handovers: [TechnologyID: Handover] = [:]
        for id in request.technologies {
            let view = FocusView(technologies: [id], filter: request.filter)
            origins[id] = desk.registry.current(view)?.position
            if !queue.isMoving(id) { handovers[id] = desk.arrivals.moveBegan(id) }
        }
        perform(queue.begin(request, caller: caller, origins: origins, handovers: handovers, at: desk.now))
        return caller
    }

    /// The caller has gone.
    func cancel(_ caller: UInt64) {
        completions[caller] = nil
        perform(queue.callerLeft(caller, at: desk.now))
    }

    func tellAll(_ input: MoveInput) {
        perform(queue.tellAll(input, at: desk.now))
    }

    /// Whether a technology was sent to this place by a move in flight.
    func isSent(_ id: TechnologyID, to placement: Placement) -> Bool {
        !queue.isEmpty && queue.isSent(id, to: placement)
    }

    /// Something was done to one of these technologies that may still take it elsewhere.
    func isDisturbed(_ technologies: [TechnologyID]) -> Bool { queue.isDisturbed(technologies, at: desk.now) }

    /// A newer request for these technologies is confirmed without a move.
    func supersede(_ technologies: [TechnologyID]) {
        perform(queue.supersede(Set(technologies), at: desk.now))
    }

    /// The client that was asked to move says that it cannot.
    func ownerDeclined(_ token: Int) { tell(token, .ownerDeclined) }

    /// A technology is on focusd's own accessible. Where no move awaits it, it came too late, and is called back.
    func technologyReachedBlank(_ id: TechnologyID) {
        let isMoving = queue.isMoving(id)
        tellAll(.signalledBlank(id))
        guard !isMoving else { return }
        if desk.arrivals.holds(id) {
            desk.arrivals.tell(.reachedBlank(id))
        } else if calledBack.insert(id).inserted {
            leaveBlank([id])
        }
    }

    /// The keyboard focus is about to be told of. Where nothing is being moved, what follows from it is done at once.
    func keyboardArrives(_ element: ObjectReference, at time: Microseconds) {
        guard queue.isEmpty else { return }
        desk.arrivals.tell(.keyboardArrived(element, at: time))
    }

    /// The keyboard focus is confirmed to have moved; the time is that of the user's move, not of its confirmation.
    func keyboardMoved(_ placement: Placement, at time: Microseconds) {
        if !queue.isEmpty {
            let position = Position(placement: placement, time: time)
            perform(queue.keyboardMoved(position, at: desk.now) { [desk] in MoveDriver.hasValue($0, desk) })
        }
        desk.arrivals.tell(.keyboardArrived(placement.element, at: time, moving: queue.technologiesMoving))
    }

    func applicationLeft(_ busName: String) {
        guard !queue.isEmpty else { return }
        perform(queue.applicationLeft(busName, at: desk.now))
    }

    func technologySignalled(_ id: TechnologyID, _ placement: Placement, _ mode: Mode?) {
        calledBack.remove(id)
        perform(queue.signalled(id, placement, mode, at: desk.now) { [desk] in MoveDriver.hasValue($0, desk) })
        desk.arrivals.tell(.signalled(id, placement.element, mode))
        if !recalls.isEmpty { recall(id, placement) }
    }

    /// Whether the state that a set is of has the value that is wanted; true of a plain move.
    private static func hasValue(_ request: MoveRequest, _ desk: FocusDesk) -> Bool {
        guard let state = request.state else { return true }
        return desk.registry.value(of: state)?.value == request.value
    }

    /// A technology arrives where it was sent and is not wanted any more: it is sent after the user (S10), or back.
    private func recall(_ id: TechnologyID, _ placement: Placement) {
        guard let recall = recalls[id] else { return }
        guard desk.now < recall.until else {
            recalls[id] = nil
            return
        }
        guard placement.element == recall.target else { return }
        recalls[id] = nil
        if let home = recall.home { return present(home, to: id) }
        guard let user = desk.registry.position(of: .keyboard)?.placement, !user.isRelated(to: placement) else {
            return
        }
        present(user.element, to: id)
    }

    private func tell(_ id: Int, _ input: MoveInput) {
        perform(queue.tell(id, input, at: desk.now))
    }

    private func perform(_ steps: [MoveQueue<UInt64>.Step]) {
        for step in steps { perform(step) }
        armTimer()
    }

    private func perform(_ step: MoveQueue<UInt64>.Step) {
        let target = step.request.target
        switch step.action {
        case .leaveBlank, .finish: break
        // Whoever was told the outcome of a move before it in the list may have begun one that supersedes this.
        default: guard queue.isInFlight(step.id) else { return }
        }
        switch step.action {
        case .check:
            check(target, forMove: step.id) { [weak self] look in
                guard let self else { return }
                self.justAsked = look.again.map { (step.id, $0) }
                self.tell(step.id, .checked(look.report))
                self.justAsked = nil
            }
        case .recheck:
            // What the target was asked again at the end of the look, and answered in this very turn, need not be asked.
            if let justAsked, justAsked.move == step.id {
                self.justAsked = nil
                return tell(step.id, .rechecked(justAsked.answer))
            }
            recheck(target) { [weak self] in self?.tell(step.id, .rechecked($0)) }
        case .scrollIntoView: desk.bus.live?.scrollIntoView(target)
        case .askOwner:
            if askOwner?(step.request, step.id) != true { tell(step.id, .ownerDeclined) }
        case .grabFocus:
            desk.bus.live?.grabFocus(target) { [weak self] in self?.tell(step.id, .grabAnswered(MoveDriver.answer($0)))
            }
        case .presentTarget(let technologies):
            for busName in busNames(technologies) { desk.bus.presentActiveDescendant(target, to: busName) }
            for id in technologies { recalls[id] = nil }
        case .presentBlank(let technologies):
            presentBlank(insteadOf: target, to: technologies)
        case .leaveBlank(let technologies): leaveBlank(technologies)
        case .readKeyboard:
            readStates(target) { [weak self] in
                let isThere: Bool? =
                    switch $0 {
                    case .success(let states): states.contains(.focused)
                    case .failure: nil
                    }
                self?.tell(step.id, .keyboardRead(isThere))
            }
        case .finish(let outcome):
            dropLook(at: target, ofMove: step.id)
            remember(outcome, step)
            for caller in step.callers { completions.removeValue(forKey: caller)?(outcome) }
            // What was read for it grows old where nobody went there: nothing is heard of it.
            if !desk.isHeard(target.busName), !queue.concerns(target.busName) {
                desk.loader.removeApplication(target.busName)
            }
        }
    }

    /// What a move leaves behind: where technologies are without the keyboard, and where some should not arrive.
    private func remember(_ outcome: MoveOutcome, _ step: MoveQueue<UInt64>.Step) {
        let target = step.request.target
        if outcome.result == .confirmed, outcome.route == .activeDescendant {
            for id in outcome.confirmed where id != .keyboard { desk.arrivals.tell(.moved(id, to: target)) }
        }
        guard outcome.result == .superseded else { return }
        let hasUserMoved = outcome.reason == .movedElsewhere
        for id in hasUserMoved ? Set(step.request.technologies) : step.arriving where id != .keyboard {
            // A newer move sees to it.
            guard !queue.isMoving(id) else { continue }
            recalls[id] = Recall(
                target: target, until: desk.now + MoveDriver.recallMicroseconds,
                home: hasUserMoved ? nil : desk.registry.position(of: id)?.element)
        }
    }

    /// Sends technologies to the blank accessible, so that they leave an element and can come to it again.
    func presentBlank(insteadOf target: ObjectReference, to technologies: [TechnologyID]) {
        let parent = desk.loader.paths[target]?.parent
        for busName in busNames(technologies) {
            desk.bus.presentBlank(insteadOf: target, parent: parent, to: busName)
        }
    }

    private func armTimer() {
        timer = nil
        guard let deadline = queue.nextDeadline else { return }
        timer = LoopTimer(milliseconds: (deadline - desk.now + 999) / 1_000) { [weak self] in
            self?.tellAll(.timePassed)
        }
    }

    private func busNames(_ technologies: [TechnologyID]) -> [String] {
        technologies.compactMap { desk.registry.connection(of: $0)?.busName }
    }

    private static func answer(_ result: Result<Bool, CallFailure>) -> GrabAnswer {
        switch result {
        case .success(let isAccepted): isAccepted ? .accepted : .refused
        case .failure(.notResponding): .notResponding
        case .failure(.noSuchName), .failure(.unknownObject): .gone
        case .failure: .notSupported
        }
    }

    /// A technology must not stay on focusd's own accessible: it is sent to where the user types, else back. Where nobody
    /// answers there it is tried again, less and less often, until it says that it is elsewhere.
    private func leaveBlank(_ technologies: [TechnologyID], attempt: Int64 = 0) {
        for id in technologies {
            let place = desk.registry.position(of: .keyboard) ?? desk.registry.position(of: id)
            if let target = place?.element ?? desk.registry.activeWindow { present(target, to: id) }
        }
        blankTimer = LoopTimer(milliseconds: MoveDriver.blankMilliseconds << min(attempt, 6)) { [weak self] in
            guard let self else { return }
            self.blankTimer = nil
            let stranded = self.desk.registry.activeTechnologies.filter {
                self.queue.isOnBlank($0) && !self.desk.arrivals.holds($0)
            }
            if !stranded.isEmpty { self.leaveBlank(stranded, attempt: attempt + 1) }
        }
    }

    /// Sends a technology to an element, if that answers.
    private func present(_ element: ObjectReference, to id: TechnologyID) {
        guard let busName = desk.registry.connection(of: id)?.busName else { return }
        readStates(element) { [weak self] result in
            // A move that began meanwhile sees to it.
            guard case .success = result, let self, !self.queue.isMoving(id) else { return }
            self.desk.bus.presentActiveDescendant(element, to: busName)
        }
    }

    // MARK: - Asking the target

    func readStates(
        _ target: ObjectReference, _ completion: @escaping @Loop (Result<StateSet, CallFailure>) -> Void
    ) {
        guard let connection = desk.bus.live else { return completion(.failure(.disconnected)) }
        connection.readStates(target, milliseconds: MoveDriver.questionMilliseconds, completion)
    }

    /// Only whether it still answers, and where the keyboard is.
    func recheck(_ target: ObjectReference, _ completion: @escaping @Loop (TargetReport) -> Void) {
        readStates(target) { [weak self] result in
            switch result {
            case .failure(let failure): completion(MoveDriver.report(failure))
            case .success(let states):
                guard !states.contains(.defunct) else { return completion(.defunct) }
                guard let path = self?.desk.loader.known(target) else { return completion(.defunct) }
                completion(.present(MoveDriver.target(path, states: states, visibility: .visible)))
            }
        }
    }

    static func target(
        _ path: FocusPath, states: StateSet, visibility: Visibility
    ) -> TargetReport.Target {
        let isWindowActive = path.window?.states.contains(.active) ?? false
        let isTextField = path.element.role == .entry && !states.contains(.readOnly)
        return TargetReport.Target(
            placement: Placement(path), isFocusable: states.contains(.focusable),
            hasKeyboardFocus: states.contains(.focused) && isWindowActive, isWindowActive: isWindowActive,
            takesTyping: path.isSecret || states.contains(.editable) || isTextField,
            isDisabled: path.application.setsShowing && !states.contains(.sensitive),
            isScrolledOut: visibility == .scrolledOut)
    }

    static func report(_ failure: CallFailure) -> TargetReport {
        switch failure {
        case .noSuchName: .noSuchApplication
        case .notResponding, .disconnected: .applicationNotResponding
        case .unknownObject, .notSupported, .malformed, .refused: .defunct
        }
    }
}
