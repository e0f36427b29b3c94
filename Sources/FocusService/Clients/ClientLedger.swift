import FocusProtocol
import FocusRegistry

/// What clients make focusd hold: each process has an account, and all of them together have what there is.
///
/// Whatever a client causes is taken here before it is made, and given back when it ends, or with the client.
final class ClientLedger {
    let limits: ServiceLimits
    private(set) var accounts: [Int32: ClientAccount] = [:]
    fileprivate(set) var totals = [Int](repeating: 0, count: SharedResource.allCases.count)
    /// A limit, by its name, was met by a process.
    var onMet: ((String, Int32) -> Void)?
    /// Who waits for received bytes to become fewer.
    private var stalled: [ObjectIdentifier: () -> Void] = [:]
    /// Something became less while somebody waits for it: to be answered by ``takeStalled()``, outside of what made it so.
    var onRoom: (() -> Void)?

    init(limits: ServiceLimits) {
        self.limits = limits
    }

    /// The account of a process, made where it has none.
    func account(of pid: Int32) -> ClientAccount {
        if let account = accounts[pid] { return account }
        let account = ClientAccount(pid: pid, ledger: self)
        accounts[pid] = account
        return account
    }

    /// Forgets an account that has no connection any more.
    func close(_ account: ClientAccount) {
        if account[.clients] == 0, accounts[account.pid] === account { accounts[account.pid] = nil }
    }

    func total(of resource: SharedResource) -> Int { totals[resource.rawValue] }

    /// Whoever refuses or cuts something says so here: it is counted, and told of.
    func count(_ limit: String, by pid: Int32) { onMet?(limit, pid) }

    func count(_ limit: SingleLimit, by pid: Int32) { count(limit.rawValue, by: pid) }

    // MARK: - Who waits

    func waitForRoom(_ one: AnyObject, _ wake: @escaping () -> Void) { stalled[ObjectIdentifier(one)] = wake }

    func stopWaiting(_ one: AnyObject) { stalled[ObjectIdentifier(one)] = nil }

    func takeStalled() -> [() -> Void] {
        defer { stalled = [:] }
        return Array(stalled.values)
    }

    fileprivate func tellOfRoom() {
        if !stalled.isEmpty { onRoom?() }
    }
}

/// What one process holds over all its connections.
final class ClientAccount {
    let pid: Int32
    // Owned by the server, which outlives its clients.
    private unowned let ledger: ClientLedger
    private var amounts = [Int](repeating: 0, count: SharedResource.allCases.count)
    /// For how long its calls were served since this moment: what ``ClientTurns`` goes by.
    var usedNanoseconds: Int64 = 0
    var usedSince: Int64 = .min
    /// Grows with each turn that any process has from the line.
    var lastTurn: UInt64 = 0
    /// How many of its connections wait in line for their turn.
    var resting = 0
    var isResting: Bool { resting > 0 }
    /// Which focus its binds follow, and how many of them each; that of all technologies in the usual modes costs nothing.
    private var views: [FocusView: Int] = [:]
    /// The connection that may send a long message to its end though the process has no room for it.
    private var sender: ObjectIdentifier?

    init(pid: Int32, ledger: ClientLedger) {
        self.pid = pid
        self.ledger = ledger
    }

    subscript(resource: SharedResource) -> Int { amounts[resource.rawValue] }

    /// The name of the limit that so much more would pass; nil where there is room. Counted as met by whoever refuses.
    ///
    /// Beside the two numbers, nobody may have more than is left for all others then: who has little always gets some.
    func exceeded(_ resource: SharedResource, by amount: Int = 1) -> String? {
        guard amount > 0 else { return nil }
        let share = ledger.limits.share(of: resource)
        let after = amounts[resource.rawValue] + amount
        if after > share.ofProcess { return resource.names.ofProcess }
        if after > share.ofAll - ledger.totals[resource.rawValue] - amount { return resource.names.ofAll }
        return nil
    }

    /// The name of the limit that what it has already has passed, where that is only counted afterwards.
    func overdrawn(_ resource: SharedResource) -> String? {
        let share = ledger.limits.share(of: resource)
        if self[resource] > share.ofProcess { return resource.names.ofProcess }
        return self[resource] > share.ofAll - ledger.total(of: resource) ? resource.names.ofAll : nil
    }

    /// Whether a connection is the one that may send its message to the end; the first that asks is.
    func maySend(_ one: AnyObject) -> Bool {
        if sender == nil { sender = ObjectIdentifier(one) }
        return sender == ObjectIdentifier(one)
    }

    func hasSent(_ one: AnyObject) {
        if sender == ObjectIdentifier(one) { sender = nil }
    }

    /// Takes so much, to be given back by hand. Throws what the client is to be told.
    func take(_ resource: SharedResource, _ amount: Int = 1) throws(FocusError.LimitExceeded) {
        if let limit = exceeded(resource, by: amount) {
            ledger.count(limit, by: pid)
            throw FocusError.LimitExceeded(limit: limit)
        }
        add(amount, to: resource)
    }

    /// Takes one of these, which is given back when the charge ends or is forgotten.
    func charge(_ resource: SharedResource) throws(FocusError.LimitExceeded) -> ClientCharge {
        try take(resource)
        return ClientCharge(self, resource)
    }

    func give(_ resource: SharedResource, _ amount: Int = 1) { add(-amount, to: resource) }

    /// Takes over what something is now, whether there is room for it or not.
    func change(_ resource: SharedResource, from before: Int, to after: Int) {
        if before != after { add(after - before, to: resource) }
    }

    /// One more bind follows this view, which is taken once.
    func take(_ view: FocusView) throws(FocusError.LimitExceeded) {
        guard view != .aggregate else { return }
        if views[view] == nil { try take(.views) }
        views[view, default: 0] += 1
    }

    func give(_ view: FocusView) {
        guard let uses = views[view] else { return }
        views[view] = uses > 1 ? uses - 1 : nil
        if uses == 1 { give(.views) }
    }

    private func add(_ amount: Int, to resource: SharedResource) {
        amounts[resource.rawValue] += amount
        ledger.totals[resource.rawValue] += amount
        assert(amounts[resource.rawValue] >= 0, "more \(resource) was given back than taken")
        if amount < 0, resource == .receivedBytes { ledger.tellOfRoom() }
    }
}

/// One thing that a process was charged, until it ends.
final class ClientCharge {
    private var account: ClientAccount?
    private let resource: SharedResource

    init(_ account: ClientAccount, _ resource: SharedResource) {
        self.account = account
        self.resource = resource
    }

    /// Gives it back; any further time nothing.
    func end() {
        account?.give(resource)
        account = nil
    }

    deinit { account?.give(resource) }
}
