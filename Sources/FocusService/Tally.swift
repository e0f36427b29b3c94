/// What focusd counted since it started: for `GetStatistics` and `Diagnose`.
struct Tally {
    enum Counter: String, CaseIterable {
        case signals, events, moves, transactions
        case forgedMessages, malformedMessages, refusedTechnologies, foreignSignals
        case overtakenSignals, unreadableElements, callTimeouts, callsRefused
        case searches, searchNanoseconds
        case mirrorLoads, mirrorReloads, mirrorChecks, mirrorRepairs
        case clientsAccepted, clientsRefused, clientsClosedForFault, subscribersTooSlow, calls
    }

    struct ApplicationTally {
        var events: Int64 = 0
        var calls: Int64 = 0
        var timeouts: Int64 = 0
    }

    /// Applications counted apart; one more and all that have left are forgotten.
    static let maximumApplications = 1_024

    private var counts = [Int64](repeating: 0, count: Counter.allCases.count)
    private(set) var applications: [String: ApplicationTally] = [:]
    /// How often each limit of what clients may cost was met, by its name; those that never were are missing.
    private(set) var limitsMet: [String: Int64] = [:]

    mutating func count(_ counter: Counter, by number: Int = 1) {
        counts[Tally.index[counter, default: 0]] += Int64(number)
    }

    subscript(counter: Counter) -> Int64 { counts[Tally.index[counter, default: 0]] }

    /// Limits are named by us: they are few.
    mutating func countLimit(_ name: String) { limitsMet[name, default: 0] += 1 }

    mutating func countEvent(of busName: String) {
        count(.events)
        change(busName) { $0.events += 1 }
    }

    /// A call that was sent. Only to applications: the bus daemon and the registry are none.
    mutating func countCall(to busName: String) {
        guard busName.hasPrefix(":") else { return }
        change(busName) { $0.calls += 1 }
    }

    mutating func countTimeout(of busName: String) {
        count(.callTimeouts)
        // Who has left is forgotten; its calls in flight end after it.
        guard applications[busName] != nil else { return }
        change(busName) { $0.timeouts += 1 }
    }

    private mutating func change(_ busName: String, _ body: (inout ApplicationTally) -> Void) {
        if applications[busName] == nil && applications.count >= Tally.maximumApplications { applications.removeAll() }
        body(&applications[busName, default: ApplicationTally()])
    }

    mutating func forget(_ busName: String) { applications[busName] = nil }

    var named: [String: Int64] {
        Dictionary(uniqueKeysWithValues: Counter.allCases.map { ($0.rawValue, self[$0]) })
    }

    private static let index = Dictionary(uniqueKeysWithValues: Counter.allCases.enumerated().map { ($1, $0) })
}
