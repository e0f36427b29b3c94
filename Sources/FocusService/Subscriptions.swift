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
    private var lastNumber: UInt64 = 0

    init(server: FocusServer) {
        self.server = server
    }

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

    func publish(_ transaction: Transaction) {
        for change in transaction.changes {
            guard let subscribers = focus[change.audience], !subscribers.isEmpty else { continue }
            let isWanted = !change.isUpdateOnly || subscribers.values.contains { $0.wantsUpdates }
            guard isWanted, let bytes = reply(change, transaction) else { continue }
            for subscriber in subscribers.values where !change.isUpdateOnly || subscriber.wantsUpdates {
                subscriber.client.reply(subscriber.id, bytes, continues: true)
            }
        }
        if transaction.changesTechnologies, !technologies.isEmpty {
            publishTechnologies()
        }
    }

    private func publishTechnologies() {
        do {
            let bytes = try JSONBytes.encode(ListTechnologies.Reply(technologies: server.technologies()))
            for subscriber in technologies.values {
                subscriber.client.reply(subscriber.id, bytes, continues: true)
            }
        } catch {
            assertionFailure("technologies cannot be encoded: \(error)")
        }
    }

    /// What was shown of an element from memory was out of date: those who follow a focus on it are shown it again.
    func publishCorrection(of element: ObjectReference) {
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
                isUpdateOnly: true)
            let transaction = Transaction(revision: registry.revision, time: server.desk.now, changes: [change])
            guard subscribers.values.contains(where: \.wantsUpdates), let bytes = reply(change, transaction) else {
                continue
            }
            for subscriber in subscribers.values where subscriber.wantsUpdates {
                subscriber.client.reply(subscriber.id, bytes, continues: true)
            }
        }
    }

    private func reply(_ change: FocusChange, _ transaction: Transaction) -> [UInt8]? {
        FocusReply.bytes(change, transaction, instance: nil, renderer: server.desk.renderer)
    }
}
