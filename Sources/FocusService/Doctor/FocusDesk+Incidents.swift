import ATSPI
import EventLoop
import FocusRegistry

/// What went wrong, and who that was.
extension FocusDesk {
    /// Takes note of what a connection on the bus did, and finds out whose it is while it is there.
    func note(_ kind: Incidents.Kind, by busName: String) {
        let culprit = Incidents.Culprit.connection(busName)
        guard incidents.note(kind, by: culprit, at: now) else { return }
        bus.live?.readCredentials(of: busName) { [weak self] result in
            guard let self, case .success(let credentials) = result else { return }
            let program = ProcessIdentity(pid: credentials.pid)?.name
            self.incidents.identify(culprit, pid: credentials.pid, program: program)
        }
    }

    /// Takes note of what a client did.
    func note(_ kind: Incidents.Kind, byProcess pid: Int32) {
        let culprit = Incidents.Culprit.process(Int(pid))
        guard incidents.note(kind, by: culprit, at: now) else { return }
        incidents.identify(culprit, pid: Int(pid), program: ProcessIdentity(pid: Int(pid))?.name)
    }
}
