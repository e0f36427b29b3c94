import AccessibilityTree
import FocusRegistry
import Testing

/// A registry, the subscribers that hear its transactions, and what must hold after every step. Times in milliseconds.
final class RegistryUnderTest {
    private(set) var registry: FocusRegistry
    private(set) var transactions: [Transaction] = []
    /// What each kind of subscriber was told last.
    private(set) var told: [FocusChange.Audience: ObjectReference] = [:]
    private(set) var violations: [String] = []
    private var lastRevision: Int64

    init(firstRevision: Int64 = 1_000, technologies: [TechnologyID] = [.orca], version: String? = "48.1") {
        registry = FocusRegistry(firstRevision: firstRevision)
        lastRevision = firstRevision
        for id in technologies { appear(id, version: version) }
    }

    func busName(_ id: TechnologyID) -> String { ":1.\(900 + id.rawValue.count)" }

    // MARK: - What may happen

    @discardableResult
    func appear(_ id: TechnologyID, busName: String? = nil, version: String? = "48.1", at time: Int64 = 0) -> Bool {
        let connection = TechnologyConnection(busName: busName ?? self.busName(id), pid: 7, version: version)
        let (isAccepted, transaction) = registry.technologyAppeared(id, connection, at: time * 1_000)
        note(transaction)
        return isAccepted
    }

    @discardableResult
    func signal(
        _ id: TechnologyID, _ placement: Placement, _ mode: Mode? = .focusTracking, region: TextRegion? = nil,
        at time: Int64
    ) -> Transaction? {
        note(
            registry.technologySignalled(
                id, Position(placement: placement, mode: mode, region: region, time: time * 1_000)))
    }

    /// The only technology of most tests.
    @discardableResult
    func signal(
        _ placement: Placement, _ mode: Mode? = .focusTracking, region: TextRegion? = nil, at time: Int64
    ) -> Transaction? {
        signal(.orca, placement, mode, region: region, at: time)
    }

    @discardableResult
    func assume(_ placement: Placement, at time: Int64) -> Transaction? { assume(.orca, placement, at: time) }

    @discardableResult
    func assume(_ id: TechnologyID, _ placement: Placement, at time: Int64) -> Transaction? {
        note(registry.assume(id, placement, at: time * 1_000))
    }

    @discardableResult
    func leaveBus(_ busName: String, at time: Int64) -> Transaction? {
        note(registry.technologyLeft(busName: busName, at: time * 1_000))
    }

    @discardableResult
    func gone(_ element: ObjectReference, cause: Cause = .elementGone, at time: Int64) -> Transaction? {
        note(registry.elementGone(element, cause: cause, at: time * 1_000))
    }

    @discardableResult
    func applicationGone(_ busName: String, at time: Int64) -> Transaction? {
        note(registry.applicationGone(busName, at: time * 1_000))
    }

    @discardableResult
    func busLeft(at time: Int64) -> Transaction? { note(registry.busLeft(at: time * 1_000)) }

    @discardableResult
    func keyboardLeft(at time: Int64) -> Transaction? {
        note(registry.keyboardLeft(cause: .moved, at: time * 1_000))
    }

    func activate(_ window: Int, on busName: String = Places.editor, at time: Int64) {
        registry.windowActivated(Places.reference(window, on: busName), at: time * 1_000)
        note(nil)
    }

    func deactivate(_ window: Int, on busName: String = Places.editor, at time: Int64) {
        registry.windowDeactivated(Places.reference(window, on: busName), at: time * 1_000)
        note(nil)
    }

    @discardableResult
    func advance(to time: Int64) -> (transactions: [Transaction], restore: [FocusRegistry.RestoreCandidate]) {
        let result = registry.advance(to: time * 1_000)
        for transaction in result.transactions { hear(transaction) }
        compare()
        if let next = registry.nextDeadline, next <= time * 1_000 { violate("a deadline is left at \(next)") }
        return result
    }

    @discardableResult
    func restore(_ candidate: FocusRegistry.RestoreCandidate, at time: Int64) -> Transaction? {
        note(registry.restore(candidate, placement: candidate.position.placement, at: time * 1_000))
    }

    // MARK: - What is known

    func element(_ id: TechnologyID = .orca) -> ObjectReference? { registry.position(of: id)?.element }

    var aggregateElement: ObjectReference? { registry.aggregate?.position?.element }

    /// When the next deadline is, in milliseconds.
    var nextDeadline: Int64? { registry.nextDeadline.map { $0 / 1_000 } }

    // MARK: - What must hold

    @discardableResult
    private func note(_ transaction: Transaction?) -> Transaction? {
        if let transaction { hear(transaction) }
        compare()
        return transaction
    }

    private func hear(_ transaction: Transaction) {
        transactions.append(transaction)
        if transaction.revision <= lastRevision { violate("revision \(transaction.revision) after \(lastRevision)") }
        lastRevision = transaction.revision
        if transaction.changes.isEmpty && !transaction.changesTechnologies { violate("an empty transaction") }
        if Set(transaction.changes.map(\.audience)).count != transaction.changes.count {
            violate("somebody is told twice in one transaction")
        }
        let isEnter = transaction.changes.map { $0.current != nil }
        if isEnter != isEnter.filter({ !$0 }) + isEnter.filter({ $0 }) { violate("an enter before a leave") }
        for change in transaction.changes { hear(change) }
    }

    private func hear(_ change: FocusChange) {
        let before = told[change.audience]
        let isSame = change.current?.element == before
        if isSame {
            if change.isUpdateOnly && change.previous != nil { violate("an update names a previous element") }
        } else {
            if change.isUpdateOnly { violate("a move is called an update") }
            if change.previous != before { violate("previous is not what was told before") }
        }
        if change.cause == .updated && !isSame { violate("a move is caused by an update") }
        if change.audience == .aggregate && change.technology == .keyboard {
            violate("the keyboard is in the aggregate")
        }
        if case .technology(let id) = change.audience, change.technology != id {
            violate("a foreign technology's change")
        }
        told[change.audience] = change.current?.element
    }

    /// Whoever heard every change knows the present.
    private func compare() {
        for id in registry.knownTechnologies + [.keyboard] where told[.technology(id)] != element(id) {
            violate(
                "\(id.rawValue) was told \(told[.technology(id)], default: "none"), is \(element(id), default: "none")")
        }
        if told[.aggregate] != aggregateElement {
            violate(
                "the aggregate was told \(told[.aggregate], default: "none"), is \(aggregateElement, default: "none")")
        }
        if registry.revision != lastRevision { violate("a revision that nobody was told") }
        if registry.aggregate?.technology == .keyboard { violate("the keyboard speaks for the aggregate") }
    }

    func violate(_ what: String) { violations.append(what) }

    deinit {
        for violation in violations { Issue.record("after \(transactions.count) transactions: \(violation)") }
    }
}
