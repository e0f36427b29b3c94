import AccessibilityTree
import EventLoop
import FocusProtocol
import FocusRegistry
import Selectors
import Varlink

extension FocusServer {
    private static let defaultWaitMilliseconds = 10_000
    private static let waitMilliseconds = 1...3_600_000

    /// Waits until an element is there, has a focus, or is gone.
    static func wait(_ call: ServedCall) throws {
        let parameters = try call.parameters(of: Wait.self)
        let selector = try call.selector(parameters.selector)
        guard let condition = Wait.Condition(rawValue: parameters.condition) else {
            throw VarlinkError.invalidParameter(parameter: "condition")
        }
        let timeout = parameters.timeoutMilliseconds ?? defaultWaitMilliseconds
        guard waitMilliseconds.contains(timeout) else {
            throw VarlinkError.invalidParameter(parameter: "timeoutMilliseconds")
        }
        if let name = parameters.technology {
            guard condition == .focused else { throw VarlinkError.invalidParameter(parameter: "technology") }
            guard name == TechnologyID.keyboard.rawValue || call.desk.configuration.technologies.contains(name) else {
                throw FocusError.UnknownTechnology(id: name)
            }
        }
        let waiting = Waiting(
            selector, condition, technology: parameters.technology.map { TechnologyID($0) }, call,
            milliseconds: Int64(timeout), charge: try call.client.account.charge(.searches))
        call.client.whenCancelled(call.id) { waiting.end() }
        waiting.begin()
    }
}

/// One wait that is under way.
@Loop
private final class Waiting {
    private let condition: Wait.Condition
    private let technology: TechnologyID?
    private let call: ServedCall
    private let milliseconds: Int64
    private let watch: SelectorWatch
    private let charge: ClientCharge
    private var timer: LoopTimer?
    private var observer: UInt64?
    private var hasMatched = false
    private var hasEnded = false

    init(
        _ selector: Selector, _ condition: Wait.Condition, technology: TechnologyID?, _ call: ServedCall,
        milliseconds: Int64, charge: ClientCharge
    ) {
        self.charge = charge
        self.condition = condition
        self.technology = technology
        self.call = call
        self.milliseconds = milliseconds
        watch = SelectorWatch(selector, desk: call.desk, ownPID: Int(call.client.pid))
    }

    func begin() {
        if technology == .keyboard { call.desk.retainKeyboard() }
        watch.onChange = { [weak self] in self?.look() }
        if condition == .focused { observer = call.desk.addFocusObserver { [weak self] in self?.look() } }
        timer = LoopTimer(milliseconds: milliseconds) { [weak self] in self?.timeIsOver() }
        watch.begin(looksAgain: condition == .present)
    }

    private func look() {
        guard !hasEnded else { return }
        let matches = watch.matches
        if !matches.isEmpty { hasMatched = true }
        switch condition {
        case .present:
            if let first = matches.first { answer(first) }
        case .gone:
            // An application that is still being read may have it.
            if matches.isEmpty, watch.isSettled { answer(nil) }
        case .focused:
            guard let lineage = call.desk.lineage(of: technology) else { return }
            let inside = Set(lineage)
            if let match = matches.first(where: { match in
                match.application.mirror.map { inside.contains($0.tree.reference(of: match.slot)) } ?? false
            }) {
                answer(match)
            }
        }
    }

    private func answer(_ match: SelectorSearch.Found?) {
        end()
        let element = match.flatMap { match in
            match.application.mirror.map { MirrorRenderer(match.application, $0.tree).element(of: match.slot) }
        }
        call.reply(Wait.Reply(element: element))
    }

    private func timeIsOver() {
        // What changed last may not have been looked at yet.
        look()
        guard !hasEnded else { return }
        let reason = watch.reasonOfNothing
        end()
        if hasMatched || condition == .gone {
            call.client.fail(call.id, FocusError.WaitTimedOut())
        } else {
            call.client.fail(call.id, FocusError.ElementNotFound(reason: reason))
        }
    }

    func end() {
        guard !hasEnded else { return }
        hasEnded = true
        timer = nil
        if let observer { call.desk.removeFocusObserver(observer) }
        if technology == .keyboard { call.desk.releaseKeyboard() }
        watch.end()
        charge.end()
    }
}
