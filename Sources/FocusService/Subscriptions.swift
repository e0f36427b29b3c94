import AccessibilityTree
import EventLoop
import FocusProtocol
import FocusRegistry
import Varlink

/// The open streams, and what each is told. One change is encoded once, however many are told.
@Loop
final class Subscriptions {
    private struct Subscriber {
        let client: ClientConnection
        let id: ServerConversation.CallID
        let wantsUpdates: Bool
    }

    private unowned let server: FocusServer
    private var focus: [FocusChange.Audience: [UInt64: Subscriber]] = [:]
    private var technologies: [UInt64: Subscriber] = [:]
    private var applications: [UInt64: Subscriber] = [:]
    /// What those who follow the applications were told last.
    private var listedApplications: [Application] = []
    private var applicationTimers: [LoopTimer] = []
    private var lastNumber: UInt64 = 0

    init(server: FocusServer) {
        self.server = server
    }

    /// Whether nobody follows a focus.
    var isEmpty: Bool { focus.values.allSatisfy(\.isEmpty) }

    /// Follows the focus of one technology or the aggregate; the first reply was sent by the caller.
    func followFocus(
        _ audience: FocusChange.Audience, _ client: ClientConnection, _ id: ServerConversation.CallID,
        wantsUpdates: Bool
    ) {
        lastNumber += 1
        let number = lastNumber
        focus[audience, default: [:]][number] = Subscriber(client: client, id: id, wantsUpdates: wantsUpdates)
        let isKeyboard = audience == .technology(.keyboard)
        if isKeyboard { server.desk.retainKeyboard() }
        client.whenCancelled(id) { [weak self] in
            self?.focus[audience]?[number] = nil
            if isKeyboard { self?.server.desk.releaseKeyboard() }
        }
    }

    func followTechnologies(_ client: ClientConnection, _ id: ServerConversation.CallID) {
        lastNumber += 1
        let number = lastNumber
        technologies[number] = Subscriber(client: client, id: id, wantsUpdates: false)
        client.whenCancelled(id) { [weak self] in self?.technologies[number] = nil }
    }

    func followApplications(
        _ client: ClientConnection, _ id: ServerConversation.CallID, from listed: [Application]
    ) {
        lastNumber += 1
        let number = lastNumber
        applications[number] = Subscriber(client: client, id: id, wantsUpdates: false)
        listedApplications = listed
        client.whenCancelled(id) { [weak self] in self?.applications[number] = nil }
    }

    /// A connection came or went. An application is listed a moment after its connection came: it is looked for twice.
    func connectionsChanged() {
        guard !applications.isEmpty else { return }
        applicationTimers = [200, 1_000].map { milliseconds in
            LoopTimer(milliseconds: milliseconds) { [weak self] in self?.publishApplications() }
        }
    }

    private func publishApplications() {
        server.applications { [weak self] list in
            guard let self, list.map(\.busName) != self.listedApplications.map(\.busName) else { return }
            self.listedApplications = list
            do {
                let reply = StreamReply(try JSONBytes.encode(ListApplications.Reply(applications: list)))
                for subscriber in self.applications.values {
                    subscriber.client.tell(subscriber.id, reply)
                }
            } catch {
                assertionFailure("applications cannot be encoded: \(error)")
            }
        }
    }

    func publish(_ transaction: Transaction) {
        for change in transaction.changes {
            guard let subscribers = focus[change.audience], !subscribers.isEmpty else { continue }
            let isWanted = !change.isUpdateOnly || subscribers.values.contains { $0.wantsUpdates }
            guard isWanted else { continue }
            let reply = reply(change, transaction)
            for subscriber in subscribers.values where !change.isUpdateOnly || subscriber.wantsUpdates {
                subscriber.client.tell(subscriber.id, reply)
            }
        }
        if transaction.changesTechnologies, !technologies.isEmpty {
            publishTechnologies()
        }
    }

    private func publishTechnologies() {
        do {
            let reply = StreamReply(try JSONBytes.encode(ListTechnologies.Reply(technologies: server.technologies())))
            for subscriber in technologies.values {
                subscriber.client.tell(subscriber.id, reply)
            }
        } catch {
            assertionFailure("technologies cannot be encoded: \(error)")
        }
    }

    /// What was shown of an element from memory was out of date: those who follow a focus on it are shown it again.
    ///
    /// `isForAll` where nothing was shown but that it is there: that is no mere update.
    func publishCorrection(of element: ObjectReference, isForAll: Bool = false) {
        let registry = server.desk.registry
        for (audience, subscribers) in focus where !subscribers.isEmpty {
            let current: (technology: TechnologyID, position: Position?)?
            switch audience {
            case .technology(let id): current = (id, registry.position(of: id))
            case .aggregate: current = registry.aggregate
            }
            guard let current, let position = current.position, position.element == element else { continue }
            let change = FocusChange(
                audience: audience, technology: current.technology, previous: nil, current: position, cause: .updated,
                isUpdateOnly: !isForAll)
            let transaction = Transaction(revision: registry.revision, time: server.desk.now, changes: [change])
            guard isForAll || subscribers.values.contains(where: \.wantsUpdates) else { continue }
            let reply = reply(change, transaction)
            for subscriber in subscribers.values where isForAll || subscriber.wantsUpdates {
                subscriber.client.tell(subscriber.id, reply)
            }
        }
    }

    private func reply(_ change: FocusChange, _ transaction: Transaction) -> StreamReply {
        StreamReply(FocusReply.bytes(change, transaction, instance: nil, renderer: server.desk.renderer))
    }
}
