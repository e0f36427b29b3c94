import Foundation

/// What came so far of something that goes on, in its order. Waiting for more has a deadline.
package final class Record<Entry: Sendable>: @unchecked Sendable {
    // SAFETY: everything that changes is guarded by `condition`.
    private let what: String
    private let condition = NSCondition()
    private var entries: [Entry]
    private var taken = 0
    private var lastArrival = ContinuousClock.now
    private var ending: String?

    /// Reads on a thread of its own until nothing more comes or reading throws.
    package init(
        _ what: String, beginningWith entries: [Entry] = [], reading next: @escaping @Sendable () throws -> Entry?
    ) {
        self.what = what
        self.entries = entries
        Thread.detachNewThread { [self] in
            do {
                while let entry = try next() { add(entry) }
                end("it ended")
            } catch {
                end("\(error)")
            }
        }
    }

    private func add(_ entry: Entry) {
        condition.withLock {
            entries.append(entry)
            lastArrival = .now
            condition.broadcast()
        }
    }

    private func end(_ how: String) {
        condition.withLock {
            ending = how
            condition.broadcast()
        }
    }

    package var all: [Entry] { condition.withLock { entries } }

    /// How many came so far: what comes later can be told from them.
    package var count: Int { condition.withLock { entries.count } }

    /// How many have not been taken yet.
    package var waiting: Int { condition.withLock { entries.count - taken } }

    package func since(_ mark: Int) -> [Entry] { condition.withLock { Array(entries[mark...]) } }

    /// All that came after what was taken before: at least so many, and then nothing for a while.
    package func take(atLeast count: Int, quiet: Duration = .milliseconds(600), within seconds: Double = 30) throws
        -> [Entry]
    {
        condition.lock()
        defer { condition.unlock() }
        let from = taken
        let start = ContinuousClock.now
        try wait(until: start + .seconds(seconds), "\(count) and then nothing for \(quiet)", from: from) {
            guard entries.count - from >= count else { return start + .seconds(seconds) }
            return max(start, lastArrival) + quiet
        }
        taken = entries.count
        return Array(entries[from...])
    }

    /// Waits until what came after a mark fits.
    package func wait(
        since mark: Int, within seconds: Double = 20, until description: String, _ fits: ([Entry]) -> Bool
    ) throws {
        condition.lock()
        defer { condition.unlock() }
        let deadline = ContinuousClock.now + .seconds(seconds)
        try wait(until: deadline, description, from: mark) {
            fits(Array(entries[mark...])) ? .now : deadline
        }
    }

    /// Waits until nothing has come for a while, counted from now.
    package func waitUntilQuiet(for quiet: Duration, within seconds: Double = 20) throws {
        condition.lock()
        defer { condition.unlock() }
        let start = ContinuousClock.now
        try wait(until: start + .seconds(seconds), "nothing for \(quiet)", from: entries.count) {
            max(start, lastArrival) + quiet
        }
    }

    /// Waits, with the lock held, until the moment that `due` gives has passed; it is asked anew after each arrival.
    private func wait(
        until deadline: ContinuousClock.Instant, _ description: String, from mark: Int,
        due: () -> ContinuousClock.Instant
    ) throws {
        while true {
            let moment = due()
            let now = ContinuousClock.now
            if moment <= now, moment < deadline { return }
            if now >= deadline { throw missing("not within the time", description, mark) }
            if let ending, moment >= deadline { throw missing(ending, description, mark) }
            let left = now.duration(to: min(moment, deadline)).components
            let seconds = Double(left.seconds) + Double(left.attoseconds) / 1e18
            _ = condition.wait(until: Date(timeIntervalSinceNow: seconds))
        }
    }

    private func missing(_ why: String, _ description: String, _ mark: Int) -> Missing {
        Missing(what: "\(what): \(description): \(why)", seen: entries[mark...].map { "\($0)" })
    }
}
