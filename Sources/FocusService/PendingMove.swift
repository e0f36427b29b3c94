import AccessibilityTree
import EventLoop
import FocusProtocol
import FocusRegistry
import Selectors

/// A move to an element that a selector means: it waits until there is exactly one, or the time is over (S3).
@Loop
final class PendingMove {
    private let order: MoveOrder
    private let call: ServedCall
    private let watch: SelectorWatch
    private var timer: LoopTimer?
    private var found: (@Loop (MoveRequest) -> Void)?
    /// The application in which the user was when this began.
    private let userApplication: String?
    private var hasWaited = false

    /// `found` is called once there is the element; else the call is answered here.
    init(
        _ selector: Selector, _ order: MoveOrder, _ call: ServedCall, _ found: @escaping @Loop (MoveRequest) -> Void
    ) {
        self.order = order
        self.call = call
        self.found = found
        watch = SelectorWatch(selector, desk: call.desk, ownPID: Int(call.client.pid))
        userApplication = PendingMove.userApplication(call.desk)
    }

    func begin() {
        guard !order.technologies.isEmpty else { return answer(.refused, MoveReason.technologyNotActive.rawValue) }
        watch.onChange = { [weak self] in self?.look() }
        let milliseconds = max(0, (order.deadline - call.desk.now) / 1_000)
        timer = LoopTimer(milliseconds: milliseconds) { [weak self] in self?.timeIsOver() }
        watch.begin()
    }

    /// The caller has gone.
    func end() {
        found = nil
        timer = nil
        watch.end()
    }

    private func look() {
        guard found != nil, watch.isDecided else { return }
        let matches = watch.matches
        guard let match = PendingMove.theOne(matches) else {
            guard matches.isEmpty else { return answer(.ambiguous, nil, matches: matches.count) }
            hasWaited = true
            return
        }
        guard let tree = match.application.mirror?.tree else { return }
        if hasWaited, hasUserMovedAway, !PendingMove.isInActiveWindow(match) {
            return answer(.refused, MoveReason.userMovedAway.rawValue)
        }
        let found = found
        let request = order.request(to: tree.reference(of: match.slot))
        end()
        found?(request)
    }

    /// The only match, or the only one in the active window.
    private static func theOne(_ matches: [SelectorSearch.Found]) -> SelectorSearch.Found? {
        if matches.count == 1 { return matches[0] }
        let active = matches.filter(isInActiveWindow)
        return active.count == 1 ? active[0] : nil
    }

    private static func isInActiveWindow(_ match: SelectorSearch.Found) -> Bool {
        guard let tree = match.application.mirror?.tree else { return false }
        var next: ApplicationTree.Slot? = match.slot
        while let slot = next {
            if tree.role(of: slot).isWindow, tree.states(of: slot).contains(.active) { return true }
            next = tree.parent(of: slot)
        }
        return false
    }

    private var hasUserMovedAway: Bool {
        guard let userApplication, let now = PendingMove.userApplication(call.desk) else { return false }
        return now != userApplication
    }

    private static func userApplication(_ desk: FocusDesk) -> String? {
        let keyboard = desk.registry.position(of: .keyboard)?.element
        return (keyboard ?? desk.registry.aggregate?.position?.element)?.busName
    }

    private func timeIsOver() {
        let matches = watch.matches
        guard matches.count <= 1 else { return answer(.ambiguous, nil, matches: matches.count) }
        answer(.notFound, watch.reasonOfNothing)
    }

    private func answer(_ result: MoveResult, _ reason: String?, matches: Int? = nil) {
        guard found != nil else { return }
        end()
        call.server.moveEnded(call.client.pid)
        call.reply(
            MoveFocus.Reply(
                outcome: Outcome(
                    result: result.rawValue, reason: reason, matches: matches,
                    technologies: order.technologies.map {
                        TechnologyResult(id: $0.rawValue, result: result.rawValue)
                    },
                    keyboardFocus: KeyboardFocusOutcome.unknown.rawValue,
                    elapsedMilliseconds: Int((call.desk.now - order.startedAt) / 1_000))))
    }
}
