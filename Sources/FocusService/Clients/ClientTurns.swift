import EventLoop

/// Whose turn it is to be served: a process whose calls took long waits until all others have had their turn.
///
/// In one turn of the loop every connection with something to read is looked at once. Without this, one process with
/// many connections, or with many calls in one piece, would be served to the end before anybody else.
@Loop
final class ClientTurns {
    private let limits: ServiceLimits
    private var line: [ClientConnection] = []
    private var timer: LoopTimer?
    private var lastTurn: UInt64 = 0

    /// How long a process is remembered what it used: after a rest of its own it begins anew.
    private static let windowNanoseconds: Int64 = 10_000_000
    /// Processes that wait in line are served for as long as this many of them may be, in a turn of the loop.
    private static let processesAtOnce: Int64 = 2

    init(limits: ServiceLimits) {
        self.limits = limits
    }

    /// A process is served: what it used long ago is forgotten.
    func begin(_ account: ClientAccount) {
        let now = SystemClock.monotonicNanoseconds
        guard now - ClientTurns.windowNanoseconds > account.usedSince, !account.isResting else { return }
        account.usedSince = now
        account.usedNanoseconds = 0
    }

    /// Whether a process has used up its turn.
    func isOver(_ account: ClientAccount) -> Bool { account.usedNanoseconds > limits.turnNanoseconds }

    /// Puts a client at the end of the line.
    func join(_ client: ClientConnection) {
        line.append(client)
        client.account.resting += 1
        if timer == nil { arm() }
    }

    func leave(_ client: ClientConnection) {
        guard let place = line.firstIndex(where: { $0 === client }) else { return }
        line.remove(at: place)
        client.account.resting -= 1
    }

    private func arm() {
        timer = LoopTimer(milliseconds: 0) { [weak self] in self?.serve() }
    }

    /// Everybody else has been looked at since they joined: processes get their turns, as long as that is not too long.
    private func serve() {
        timer = nil
        let begin = SystemClock.monotonicNanoseconds
        let most = limits.turnNanoseconds * ClientTurns.processesAtOnce
        var begun: Set<ObjectIdentifier> = []
        // Who comes to wait anew meanwhile has had a turn.
        var left = line.count
        while left > 0, SystemClock.monotonicNanoseconds - begin < most, let place = next(begun) {
            left -= 1
            let client = line.remove(at: place)
            let account = client.account
            if begun.insert(ObjectIdentifier(account)).inserted {
                account.usedSince = begin
                account.usedNanoseconds = 0
            }
            lastTurn += 1
            account.lastTurn = lastTurn
            account.resting -= 1
            client.takeTurn()
        }
        if !line.isEmpty { arm() }
    }

    /// Who is next: of the process whose last turn is longest ago, the one that has waited longest.
    private func next(_ begun: Set<ObjectIdentifier>) -> Int? {
        let able = line.indices.filter { place in
            let account = line[place].account
            return !begun.contains(ObjectIdentifier(account)) || !isOver(account)
        }
        return able.min { line[$0].account.lastTurn < line[$1].account.lastTurn }
    }
}
