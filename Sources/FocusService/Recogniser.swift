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
    /// Connections that wait for the place of one id.
    private static let maximumInLine = 16

    private let bus: AccessibilityBus
    private let names: Set<String>
    private var refused: Set<String> = []
    private var asked: Set<String> = []
    /// Those that were refused only because another of the same id is there.
    private var inLine: [TechnologyID: [String]] = [:]
    /// When a process that could not be looked at is looked at again.
    private static let retryMilliseconds: Int64 = 500

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
            // A bus that does not answer in time says nothing about who this is: its next signal asks again.
            guard case .success(let credentials) = result else {
                self.asked.remove(busName)
                return completion(nil)
            }
            guard credentials.uid == getuid() else { return self.refused(busName, completion) }
            self.look(at: busName, credentials.pid, completion)
        }
    }

    private func look(
        at busName: String, _ pid: Int, _ completion: @escaping @Loop ((TechnologyID, TechnologyConnection)?) -> Void
    ) {
        guard asked.contains(busName), bus.live != nil else { return }
        guard let process = ProcessIdentity(pid: pid) else {
            guard ProcessIdentity.isOutOfDescriptors else { return refused(busName, completion) }
            // It may be one: that is seen when there are descriptors again.
            Loop.task { [weak self] in
                await Loop.pause(milliseconds: Recogniser.retryMilliseconds)
                self?.look(at: busName, pid, completion)
            }
            return
        }
        guard names.contains(process.name) else { return refused(busName, completion) }
        asked.remove(busName)
        completion(
            (
                TechnologyID(process.name),
                TechnologyConnection(busName: busName, pid: pid, version: process.version)
            ))
    }

    private func refused(
        _ busName: String, _ completion: @Loop ((TechnologyID, TechnologyConnection)?) -> Void
    ) {
        asked.remove(busName)
        refuse(busName)
        completion(nil)
    }

    func refuse(_ busName: String) {
        if refused.count >= Recogniser.maximumRefusals { refused.removeAll() }
        refused.insert(busName)
    }

    /// The place of this id is taken; it is its turn when the one that is there has left.
    func putInLine(_ busName: String, for id: TechnologyID) {
        refuse(busName)
        guard inLine[id, default: []].count < Recogniser.maximumInLine else { return }
        inLine[id, default: []].append(busName)
    }

    /// A technology left. Those whose turn it is, in the order in which they came; others may be asked again, too.
    func placeIsFree(of id: TechnologyID) -> [String] {
        refused.removeAll()
        return inLine.removeValue(forKey: id) ?? []
    }

    func forget(_ busName: String) {
        refused.remove(busName)
        asked.remove(busName)
        for id in inLine.keys { inLine[id]?.removeAll { $0 == busName } }
    }

    /// The bus is gone: other connections have the same names on the next.
    func forgetAll() {
        refused = []
        asked = []
        inLine = [:]
    }
}
