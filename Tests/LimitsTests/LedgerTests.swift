import FocusProtocol
import Testing

@testable import FocusService

/// What each process may have, and what is left for others.
@Suite struct LedgerTests {
    /// A ledger with small numbers, and how often each limit was met.
    private final class Scene {
        let ledger: ClientLedger
        private(set) var met: [String: Int] = [:]

        init(perProcess: Int = 4, inAll: Int = 10) {
            var limits = ServiceLimits()
            limits.maximumSearchesPerProcess = perProcess
            limits.maximumSearches = inAll
            limits.maximumReceivedBytesPerProcess = perProcess
            limits.maximumReceivedBytes = inAll
            ledger = ClientLedger(limits: limits)
            ledger.onMet = { [unowned self] name, _ in met[name, default: 0] += 1 }
        }

        /// Takes one search as often as it goes, at most so many times; returns how many and what the next was refused for.
        func fill(_ pid: Int32, atMost most: Int = 100) -> (count: Int, refusal: String?) {
            for count in 0..<most {
                do { try ledger.account(of: pid).take(.searches) } catch { return (count, error.limit) }
            }
            return (most, nil)
        }
    }

    @Test func `a process has its share and no more, and is told the limit's name`() {
        let scene = Scene()
        let (count, refusal) = scene.fill(1)
        #expect(count == 4 && refusal == "maximumSearchesPerProcess")
        #expect(scene.met == ["maximumSearchesPerProcess": 1])
        scene.ledger.account(of: 1).give(.searches)
        #expect(scene.fill(1, atMost: 1).count == 1)
    }

    @Test func `nobody has more than is left for the others`() {
        let scene = Scene()
        #expect(scene.fill(1).count == 4)
        // Six are left: of these it may have as many as remain then.
        let second = scene.fill(2)
        #expect(second.count == 3 && second.refusal == "maximumSearches")
        let third = scene.fill(3)
        #expect(third.count == 1 && third.refusal == "maximumSearches")
        #expect(scene.fill(4).count == 1)
        // What one gives back is there for the one who has least.
        scene.ledger.account(of: 1).give(.searches, 4)
        #expect(scene.fill(5).count > 0)
        #expect(scene.ledger.total(of: .searches) <= 10)
    }

    @Test func `one process at its limit takes nothing from the share of another`() {
        let scene = Scene(perProcess: 4, inAll: 16)
        #expect(scene.fill(1).count == 4)
        #expect(scene.fill(2).count == 4)
    }

    @Test func `nothing is taken where nothing is wanted`() throws {
        let scene = Scene()
        _ = scene.fill(1)
        try scene.ledger.account(of: 1).take(.searches, 0)
        #expect(scene.ledger.total(of: .searches) == 4)
    }

    @Test func `a charge is given back once, by its end or with whoever held it`() throws {
        let scene = Scene()
        let account = scene.ledger.account(of: 1)
        let charge = try account.charge(.searches)
        charge.end()
        charge.end()
        #expect(account[.searches] == 0)
        do { _ = try account.charge(.searches) }
        #expect(account[.searches] == 0 && scene.ledger.total(of: .searches) == 0)
    }

    @Test func `an account without connections is forgotten`() throws {
        let scene = Scene()
        let account = scene.ledger.account(of: 1)
        try account.take(.clients)
        scene.ledger.close(account)
        #expect(scene.ledger.accounts.count == 1)
        account.give(.clients)
        scene.ledger.close(account)
        #expect(scene.ledger.accounts.isEmpty)
    }

    @Test func `who waits for room is told when something is given back, and not before`() throws {
        let scene = Scene()
        var told = 0
        let waiter = Scene()
        scene.ledger.onRoom = { told += 1 }
        let account = scene.ledger.account(of: 1)
        account.change(.receivedBytes, from: 0, to: 4)
        #expect(account.exceeded(.receivedBytes) == "maximumReceivedBytesPerProcess")
        scene.ledger.waitForRoom(waiter) {}
        account.change(.receivedBytes, from: 4, to: 5)
        #expect(told == 0)
        account.change(.receivedBytes, from: 5, to: 1)
        #expect(told == 1 && scene.ledger.takeStalled().count == 1)
        account.change(.receivedBytes, from: 1, to: 0)
        #expect(told == 1)
    }

    @Test func `more may be counted than there is room for, and is told`() {
        let scene = Scene()
        let account = scene.ledger.account(of: 1)
        #expect(account.overdrawn(.receivedBytes) == nil)
        account.change(.receivedBytes, from: 0, to: 5)
        #expect(account.overdrawn(.receivedBytes) == "maximumReceivedBytesPerProcess")
        let other = scene.ledger.account(of: 2)
        other.change(.receivedBytes, from: 0, to: 4)
        #expect(other.overdrawn(.receivedBytes) == "maximumReceivedBytes")
    }

    @Test func `each limit has a name of its own, and the share of one is at most half of all`() {
        let names = SharedResource.allCases.flatMap { [$0.names.ofProcess, $0.names.ofAll] }
        #expect(Set(names + SingleLimit.allCases.map(\.rawValue)).count == names.count + SingleLimit.allCases.count)
        let limits = ServiceLimits()
        for resource in SharedResource.allCases {
            let share = limits.share(of: resource)
            // Else the first process could not even have its share.
            #expect(share.ofProcess * 2 <= share.ofAll, "\(resource)")
        }
    }
}

@Suite struct RateLimitTests {
    @Test func `each process may do it so often in any second, and all together so often`() {
        var limit = RateLimit(ofProcess: 2, ofAll: 3)
        #expect(limit.admits(1, at: 0) == .admitted)
        #expect(limit.admits(1, at: 1) == .admitted)
        #expect(limit.admits(1, at: 2) == .tooManyOfProcess)
        #expect(limit.admits(2, at: 3) == .admitted)
        #expect(limit.admits(3, at: 4) == .tooManyOfAll)
        #expect(limit.count(at: 5) == (ofAll: 3, most: 2))
        // The first of them is a second old.
        #expect(limit.admits(3, at: 1_000_000) == .admitted)
        #expect(limit.admits(1, at: 1_000_000) == .tooManyOfAll)
        #expect(limit.count(at: 3_000_000) == (ofAll: 0, most: 0))
    }
}

@Suite struct LatencyRecordTests {
    @Test func `figures are of the last thousand`() {
        var record = LatencyRecord()
        #expect(record.figures == (middle: 0, ninetyNinth: 0, longest: 0))
        record.add(1_000_000)
        for value in 0..<Int64(LatencyRecord.size) { record.add(value) }
        #expect(record.count == 1 + Int64(LatencyRecord.size))
        #expect(record.figures == (middle: 512, ninetyNinth: 1_013, longest: 1_023))
        // A clock that stands still, and a time that no number here can hold.
        record.add(-5)
        record.add(.max)
        #expect(record.figures.longest == Int(UInt32.max))
    }
}
