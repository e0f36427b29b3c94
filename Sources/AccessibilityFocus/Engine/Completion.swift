import Synchronization

/// One answer that one task waits for; whichever of answer and cancellation comes first counts.
final class Completion<Answer: Sendable>: Sendable {
    private enum State {
        case new
        case waiting(CheckedContinuation<Result<Answer, FocusClientError>, Never>)
        case done(Result<Answer, FocusClientError>)
        case over
    }
    private let state = Mutex(State.new)

    /// Begins something and waits for what becomes of it.
    ///
    /// - Parameters:
    ///   - begin: Must lead to `finish` in the end.
    ///   - onCancel: Called when the task is cancelled; the waiting ends at once.
    func wait(
        _ begin: @Sendable (Completion) -> Void, onCancel: @escaping @Sendable () -> Void
    ) async throws(FocusClientError) -> Answer {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let early = state.withLock { state -> Result<Answer, FocusClientError>? in
                    if case .done(let result) = state {
                        state = .over
                        return result
                    }
                    state = .waiting(continuation)
                    return nil
                }
                if let early {
                    continuation.resume(returning: early)
                } else {
                    begin(self)
                }
            }
        } onCancel: {
            finish(.failure(.cancelled))
            onCancel()
        }
        return try result.get()
    }

    /// Ends the waiting. Does nothing where it is over.
    func finish(_ result: Result<Answer, FocusClientError>) {
        let waiting = state.withLock { state -> CheckedContinuation<Result<Answer, FocusClientError>, Never>? in
            switch state {
            case .new:
                state = .done(result)
                return nil
            case .waiting(let continuation):
                state = .over
                return continuation
            case .done, .over: return nil
            }
        }
        waiting?.resume(returning: result)
    }
}
