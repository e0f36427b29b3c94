import ATSPI
import EventLoop
import FocusRegistry
import Glibc

/// Decides which connections are assistive technologies: own uid, and a program that the configuration names.
@Loop
final class Recogniser {
    enum Verdict {
        case accepted(TechnologyID)
        /// Not one of ours, or the place is taken.
        case refused
        /// Asked; the answer comes by the completion.
        case pending
    }

    /// Verdicts kept about connections that are no technology; beyond it they are asked again.
    private static let maximumRefusals = 4_096

    private let bus: AccessibilityBus
    private let names: Set<String>
    private var refused: Set<String> = []
    private var asked: Set<String> = []

    init(bus: AccessibilityBus, names: Set<String>) {
        self.bus = bus
        self.names = names
    }

    /// Whether this connection was already looked at and is none.
    func isRefused(_ busName: String) -> Bool { refused.contains(busName) }

    /// Asks the bus daemon and the process itself; calls back once with what was found, nil where it is no technology.
    func recognise(
        _ busName: String, _ completion: @escaping @Loop ((TechnologyID, TechnologyConnection)?) -> Void
    ) {
        guard let connection = bus.live, !refused.contains(busName), asked.insert(busName).inserted else { return }
        connection.readCredentials(of: busName) { [weak self] result in
            guard let self else { return }
            self.asked.remove(busName)
            // A bus that does not answer in time says nothing about who this is: its next signal asks again.
            guard case .success(let credentials) = result else { return completion(nil) }
            guard credentials.uid == getuid(),
                let process = ProcessIdentity(pid: credentials.pid), self.names.contains(process.name)
            else {
                self.refuse(busName)
                return completion(nil)
            }
            completion(
                (
                    TechnologyID(process.name),
                    TechnologyConnection(busName: busName, pid: credentials.pid, version: process.version)
                ))
        }
    }

    func refuse(_ busName: String) {
        if refused.count >= Recogniser.maximumRefusals { refused.removeAll() }
        refused.insert(busName)
    }

    /// A technology left: those that were refused because its place was taken may be asked again.
    func reconsiderAll() { refused.removeAll() }

    func forget(_ busName: String) {
        refused.remove(busName)
        asked.remove(busName)
    }
}
