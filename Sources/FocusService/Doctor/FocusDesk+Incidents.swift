import ATSPI
import EventLoop
import FocusRegistry

/// What went wrong, and who that was.
extension FocusDesk {
    /// Takes note of what a connection on the bus did, and finds out whose it is while it is there.
    func note(_ kind: Incidents.Kind, by busName: String) {
        let culprit = Incidents.Culprit.connection(busName)
        guard note(kind, by: culprit) else { return }
        bus.live?.readCredentials(of: busName) { [weak self] result in
            guard let self, case .success(let credentials) = result else { return }
            let program = ProcessIdentity(pid: credentials.pid)?.name
            self.incidents.identify(culprit, pid: credentials.pid, program: program)
        }
    }

    /// Takes note of what a client did.
    func note(_ kind: Incidents.Kind, byProcess pid: Int32) {
        let culprit = Incidents.Culprit.process(Int(pid))
        guard note(kind, by: culprit) else { return }
        incidents.identify(culprit, pid: Int(pid), program: ProcessIdentity(pid: Int(pid))?.name)
    }

    /// Takes note. True, and told in the log, where nothing of this kind was known of this culprit.
    @discardableResult
    func note(_ kind: Incidents.Kind, by culprit: Incidents.Culprit) -> Bool {
        guard incidents.note(kind, by: culprit, at: now) else { return false }
        onTrouble?("\(culprit.words) \(kind.words)")
        return true
    }

    func applicationDidNotAnswer(_ busName: String) {
        if renderer.didNotAnswer(busName) { onTrouble?("\(busName) does not answer") }
    }

    func applicationAnswered(_ busName: String) {
        if renderer.answered(busName) { onStep?("\(busName) answers again") }
    }
}

extension Incidents.Culprit {
    fileprivate var words: String {
        switch self {
        case .connection(let busName): busName
        case .process(let pid): "process \(pid)"
        case .nobody: "the accessibility bus"
        }
    }
}

extension Incidents.Kind {
    /// The end of a sentence that begins with who it was. What comes later of the same is counted, and told by the doctor.
    fileprivate var words: String {
        switch self {
        case .forgedMessage: "spoke for somebody else: refused"
        case .strangeScreenReader: "said where a screen reader is and is no known one: refused"
        case .malformedMessage: "sent what is not as its interface says: left out"
        case .callRefused: "has as many unanswered questions as it may have: not asked"
        case .busRefused: "did not carry a question on, for a limit of its own"
        case .heldEvents: "sent more events while it was read than are kept: it is read once more"
        case .slowClient: "read too slowly: cut off"
        case .clients: "was not let in: all places are taken"
        case .limit(let name): "came to the limit \(name)"
        }
    }
}
