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
    /// Off while a history is shortened: its failures are looked for.
    var reportsViolations = true
    private var lastRevision: Int64
    let states = StatesUnderTest()

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
                id, Position(placement: states.matched(placement), mode: mode, region: region, time: time * 1_000)))
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
        note(registry.assume(id, states.matched(placement), at: time * 1_000))
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
    func lost(_ id: TechnologyID = .orca, _ mode: Mode? = .focusTracking, at time: Int64) -> Transaction? {
        note(registry.technologyLost(id, mode: mode, at: time * 1_000))
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
        note(
            registry.restore(
                candidate, placement: states.matched(candidate.position.placement), at: time * 1_000))
    }

    // MARK: - Bound values

    /// Whoever keeps the selectors first says where those match that are new.
    @discardableResult
    func bind(_ id: String, _ prototypes: [(String, Int32)], _ view: FocusView = .aggregate) -> StateValue {
        let prototypes = prototypes.map { StatePrototype(value: $0.0, selector: SelectorKey(rawValue: $0.1)) }
        if states.use(prototypes.map(\.selector)), let transaction = rematch(at: 0) {
            violate("a new selector changed \(transaction.stateChanges)")
        }
        let id = FocusStateID(id)
        let value = registry.bind(id, prototypes, view)
        states.bound(id, prototypes, view, value)
        note(nil)
        return value
    }

    func unbind(_ id: String) {
        registry.unbind(FocusStateID(id))
        states.unbound(FocusStateID(id))
        note(nil)
    }

    /// Asks for every stored place. Some are answered with nil, where nothing changed.
    @discardableResult
    func rematch(cause: Cause = .matchChanged, at time: Int64) -> Transaction? {
        note(
            registry.rematch(cause: cause, at: time * 1_000) { [states] placement in
                let matched = states.matched(placement).matches
                return matched == placement.matches && placement.lineage.count.isMultiple(of: 2) ? nil : matched
            })
    }

    func value(_ id: String) -> String? { registry.value(of: FocusStateID(id))?.value }

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
        if transaction.changes.isEmpty && transaction.stateChanges.isEmpty && !transaction.changesTechnologies {
            violate("an empty transaction")
        }
        if Set(transaction.changes.map(\.audience)).count != transaction.changes.count {
            violate("somebody is told twice in one transaction")
        }
        let isEnter = transaction.changes.map { $0.current != nil }
        if isEnter != isEnter.filter({ !$0 }) + isEnter.filter({ $0 }) { violate("an enter before a leave") }
        for change in transaction.changes { hear(change) }
        states.hear(transaction.stateChanges).forEach(violate)
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
        states.compare(with: registry).forEach(violate)
        if registry.revision != lastRevision { violate("a revision that nobody was told") }
        if registry.aggregate?.technology == .keyboard { violate("the keyboard speaks for the aggregate") }
    }

    func violate(_ what: String) { violations.append(what) }

    deinit {
        guard reportsViolations else { return }
        for violation in violations { Issue.record("after \(transactions.count) transactions: \(violation)") }
    }
}
