import CDBus

/// Many messages sent on a connection's own pacing, while the connection goes on answering calls.
package final class Flood: Sendable {
    private struct Progress {
        var sent = 0
        var isCancelled = false
    }

    private let connection: FakeConnection
    private let messages: [FakeMessage]
    private let total: Int
    private let perSecond: Int?
    private let start = ContinuousClock.now
    private let progress = Locked(Progress())
    private let finished = Observations<Int>()

    fileprivate init(_ connection: FakeConnection, _ messages: [FakeMessage], total: Int, perSecond: Int?) {
        self.connection = connection
        self.messages = messages
        self.total = messages.isEmpty ? 0 : total
        self.perSecond = perSecond
    }

    /// How many were sent so far.
    package var sent: Int { progress.withLock { $0.sent } }

    /// Sends no more.
    package func cancel() { progress.withLock { $0.isCancelled = true } }

    /// Waits until all are sent, or it was cancelled, and the bus has taken them; answers how many.
    package func wait(within deadline: Duration = .seconds(60)) async throws -> Int {
        let sent = try await finished.wait(within: deadline, for: "end of a flood")
        try await connection.settled()
        return sent
    }

    /// As `wait`, holding up the calling thread.
    package func waitBlocking(within deadline: Duration = .seconds(60)) throws -> Int {
        let sent = try finished.waitBlocking(within: deadline, for: "end of a flood")
        try connection.settle()
        return sent
    }

    fileprivate func step() {
        let (sent, isCancelled) = progress.withLock { ($0.sent, $0.isCancelled) }
        guard !isCancelled, sent < total else { return finished.append(sent) }
        var target = min(total, sent + 256)
        if let perSecond {
            let due = start.duration(to: .now).timeInterval * Double(perSecond)
            target = min(target, Int(due.rounded(.down)) + 1)
        }
        var next = sent
        while next < target, connection.outgoingBytes < 256 * 1024 {
            guard let message = messages[next % messages.count].copy() else { break }
            connection.sendNow(message)
            next += 1
        }
        progress.withLock { $0.sent = next }
        // A full bus and a kept pace want a pause; else only let the connection read before the next batch.
        let isAhead = next == sent || (perSecond != nil && next - sent < 256)
        connection.after(isAhead ? .milliseconds(1) : .zero) { self.step() }
    }
}

extension FakeConnection {
    /// Sends `count` messages, these in turn, at a rate or as fast as the bus takes them.
    package func flood(_ messages: [FakeMessage], count: Int, perSecond: Int? = nil) -> Flood {
        let flood = Flood(self, messages, total: count, perSecond: perSecond)
        perform { flood.step() }
        return flood
    }
}
