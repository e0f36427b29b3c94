import Synchronization
import Testing

/// How long a test waits for what takes milliseconds.
let usualDeadline = Duration.seconds(20)

struct DeadlinePassed: Error, CustomStringConvertible {
    let description: String
}

/// Something that many threads change and tests wait for.
final class Watched<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var waiters: [Int: @Sendable (Value) -> Bool] = [:]
        var lastWaiter = 0
    }
    private let state: Mutex<State>

    init(_ value: Value) { state = Mutex(State(value: value)) }

    var value: Value { state.withLock { $0.value } }

    @discardableResult
    func change<Result>(_ body: (inout Value) -> sending Result) -> sending Result {
        // A waiter resumes its task, which never runs on this thread: it may be called while the lock is held.
        state.withLock { state in
            let result = body(&state.value)
            for (id, waiter) in state.waiters where waiter(state.value) { state.waiters[id] = nil }
            return result
        }
    }

    /// Waits until what `pick` gives is there; throws after the deadline.
    func wait<Picked: Sendable>(
        _ what: String, deadline: Duration = usualDeadline, for pick: @escaping @Sendable (Value) -> Picked?
    ) async throws -> Picked {
        let (stream, continuation) = AsyncStream.makeStream(of: Picked.self)
        let id = state.withLock { state -> Int? in
            if let picked = pick(state.value) {
                continuation.yield(picked)
                return nil
            }
            state.lastWaiter += 1
            state.waiters[state.lastWaiter] = { value in
                guard let picked = pick(value) else { return false }
                continuation.yield(picked)
                return true
            }
            return state.lastWaiter
        }
        defer { if let id { _ = state.withLock { $0.waiters.removeValue(forKey: id) } } }
        return try await within(deadline, what) {
            for await picked in stream { return picked }
            throw DeadlinePassed(description: "cancelled: \(what)")
        }
    }

    /// Waits until it is so.
    func wait(
        _ what: String, deadline: Duration = usualDeadline, until isSo: @escaping @Sendable (Value) -> Bool
    ) async throws {
        _ = try await wait(what, deadline: deadline) { isSo($0) ? true : nil }
    }
}

/// What the body gives, or an error after the deadline.
func within<Result: Sendable>(
    _ deadline: Duration = usualDeadline, _ what: String, _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Result.self) { group in
        group.addTask(operation: body)
        group.addTask {
            try await ContinuousClock().sleep(for: deadline)
            throw DeadlinePassed(description: "not within \(deadline): \(what)")
        }
        defer { group.cancelAll() }
        guard let result = try await group.next() else { throw DeadlinePassed(description: what) }
        return result
    }
}
