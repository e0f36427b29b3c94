import Synchronization

/// Tells each problem once: one line in the log, and one element of every sequence of problems.
package final class ProblemDesk: Sendable {
    private struct State {
        /// Those that were told, oldest first.
        var told: [FocusProblem] = []
        var streams: [UInt64: AsyncStream<FocusProblem>.Continuation] = [:]
    }
    private let state = Mutex(State())
    private let log: @Sendable (String) -> Void

    /// Problems that are remembered as told; with more, the oldest could be told again.
    private static let remembered = 256

    init(log: @escaping @Sendable (String) -> Void) { self.log = log }

    /// Tells a problem, if it was not told yet.
    func report(_ problem: FocusProblem) {
        let streams = state.withLock { state -> [AsyncStream<FocusProblem>.Continuation]? in
            guard !state.told.contains(problem) else { return nil }
            if state.told.count == Self.remembered { state.told.removeFirst() }
            state.told.append(problem)
            return Array(state.streams.values)
        }
        guard let streams else { return }
        log("AccessibilityFocus: \(problem)")
        for stream in streams { stream.yield(problem) }
    }

    /// The service is there: that it was not may be told again.
    func serviceCame() {
        state.withLock { state in
            state.told.removeAll { if case .noService = $0 { true } else { false } }
        }
    }

    /// The problems that were told, and those to come.
    var problems: AsyncStream<FocusProblem> {
        let number = uniqueNumber()
        let (stream, continuation) = AsyncStream.makeStream(
            of: FocusProblem.self, bufferingPolicy: .bufferingNewest(Self.remembered))
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.streams.removeValue(forKey: number) }
        }
        state.withLock { state in
            for problem in state.told { continuation.yield(problem) }
            state.streams[number] = continuation
        }
        return stream
    }
}
