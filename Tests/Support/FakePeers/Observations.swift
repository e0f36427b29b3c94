import Dispatch

/// A growing list of things that happened, on which a test waits for the next one instead of sleeping.
package final class Observations<Element: Sendable>: Sendable {
    private struct Waiter {
        var remaining: Int
        let matches: @Sendable (Element) -> Bool
        let resume: @Sendable (Element?) -> Void
    }

    private struct State {
        var all: [Element] = []
        var waiters: [Int: Waiter] = [:]
        var nextWaiter = 0
    }

    private let state = Locked(State())

    /// An empty list.
    package init() {}

    /// Everything so far, oldest first.
    package var all: [Element] { state.withLock { $0.all } }

    /// How many there are so far: the place from which to wait for what comes next.
    package var count: Int { state.withLock { $0.all.count } }

    /// How many so far are of a kind.
    package func count(where matches: (Element) -> Bool) -> Int { all.count(where: matches) }

    /// Forgets everything so far; who waits keeps waiting.
    package func removeAll() { state.withLock { $0.all = [] } }

    /// Adds one and wakes who waited for it.
    package func append(_ element: Element) {
        let satisfied = state.withLock { state -> [Waiter] in
            state.all.append(element)
            var satisfied: [Waiter] = []
            for (id, var waiter) in state.waiters where waiter.matches(element) {
                waiter.remaining -= 1
                state.waiters[id] = waiter.remaining > 0 ? waiter : nil
                if waiter.remaining == 0 { satisfied.append(waiter) }
            }
            return satisfied
        }
        for waiter in satisfied { waiter.resume(element) }
    }

    /// The `number`th element of a kind, counted from place `start`; waits for it. Throws `timedOut`.
    package func wait(
        _ number: Int = 1, from start: Int = 0, within deadline: Duration = .seconds(10), for what: String = "event",
        where matches: @escaping @Sendable (Element) -> Bool = { _ in true }
    ) async throws -> Element {
        let found = await withCheckedContinuation { continuation in
            let waiter = enlist(number, from: start, where: matches) { continuation.resume(returning: $0) }
            guard let waiter else { return }
            DispatchQueue.global().asyncAfter(deadline: .now() + deadline.timeInterval) { self.abandon(waiter) }
        }
        guard let found else { throw FakePeerError.timedOut(what) }
        return found
    }

    /// As `wait`, holding up the calling thread: for benchmarks and plain threads.
    package func waitBlocking(
        _ number: Int = 1, from start: Int = 0, within deadline: Duration = .seconds(10), for what: String = "event",
        where matches: @escaping @Sendable (Element) -> Bool = { _ in true }
    ) throws -> Element {
        let done = DispatchSemaphore(value: 0)
        let result = Locked<Element?>(nil)
        let waiter = enlist(number, from: start, where: matches) { element in
            result.withLock { $0 = element }
            done.signal()
        }
        if done.wait(timeout: .now() + deadline.timeInterval) == .timedOut, let waiter {
            abandon(waiter)
            done.wait()
        }
        guard let found = result.withLock({ $0 }) else { throw FakePeerError.timedOut(what) }
        return found
    }

    /// Calls `resume` exactly once: now (and answers nil), when the element comes, or with nothing when abandoned.
    private func enlist(
        _ number: Int, from start: Int, where matches: @escaping @Sendable (Element) -> Bool,
        resume: @escaping @Sendable (Element?) -> Void
    ) -> Int? {
        let (found, waiter) = state.withLock { state -> (Element?, Int?) in
            var remaining = number
            for element in state.all.dropFirst(start) where matches(element) {
                remaining -= 1
                if remaining == 0 { return (element, nil) }
            }
            let id = state.nextWaiter
            state.nextWaiter += 1
            state.waiters[id] = Waiter(remaining: remaining, matches: matches, resume: resume)
            return (nil, id)
        }
        if waiter == nil { resume(found) }
        return waiter
    }

    private func abandon(_ waiter: Int) {
        state.withLock { $0.waiters.removeValue(forKey: waiter) }?.resume(nil)
    }
}

extension Duration {
    /// The same length in seconds.
    package var timeInterval: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
