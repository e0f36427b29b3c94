import EventLoop
import Glibc
import Synchronization
import Testing

/// The process has one loop, and one thread at a time may run it. These tests run one after the other, each on a thread
/// of its own that is the loop's while the test lasts.
@Suite(.serialized)
enum LoopTests {}

/// A test's body came to no end.
struct LoopTimeout: Error {}

/// Runs a body on the event loop, on a thread made for it, and ends the loop when the body ends.
///
/// Fails after `seconds`, in case the body waits for something that never comes.
func onLoop<Value: Sendable>(
    seconds: Int64 = 30, _ body: @escaping @Loop @Sendable () async throws -> Value
) async throws -> Value {
    let outcome = Shared<Result<Value, any Error>>(.failure(LoopTimeout()))
    return try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
        startThread {
            Loop.run {
                let guardian = LoopTimer(milliseconds: seconds * 1_000) { Loop.stop() }
                Loop.task {
                    do { outcome.set(.success(try await body())) } catch { outcome.set(.failure(error)) }
                    guardian.cancel()
                    Loop.stop()
                }
            }
            // ORDER: only now is the loop free for the next test.
            continuation.resume(with: outcome.value)
        }
    }
}

/// Starts a detached thread.
func startThread(_ body: @escaping @Sendable () -> Void) {
    final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
    var thread = pthread_t()
    let result = pthread_create(
        &thread, nil,
        { data in
            guard let data else { return nil }
            Unmanaged<Body>.fromOpaque(data).takeRetainedValue().run()
            return nil
        }, Unmanaged.passRetained(Body(body)).toOpaque())
    precondition(result == 0, "no thread for a test: \(result)")
    pthread_detach(thread)
}

/// A value that threads hand to each other.
final class Shared<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>
    init(_ value: Value) { mutex = Mutex(value) }
    var value: Value { mutex.withLock { $0 } }
    func set(_ value: Value) { mutex.withLock { $0 = value } }
    func update(_ change: @Sendable (inout Value) -> Void) { mutex.withLock { change(&$0) } }
}

/// What happens, in its order, from whatever thread.
final class Log: Sendable {
    private let entries = Mutex<[String]>([])
    func note(_ entry: String) { entries.withLock { $0.append(entry) } }
    var all: [String] { entries.withLock { $0 } }
}

/// Suspends until something calls the closure it is given.
@Loop
func untilCalled(_ start: @Loop (@escaping @Loop () -> Void) -> Void) async {
    await withCheckedContinuation { continuation in
        start { continuation.resume() }
    }
}
