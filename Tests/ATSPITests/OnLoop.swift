import EventLoop
import FakePeers
import Foundation
import Testing

@testable import ATSPI

/// The process has one loop, and one thread at a time may run it: all tests of this module run one after the other.
@Suite(.serialized)
enum ATSPITests {}

/// What a test waited for did not come.
struct Missing: Error {
    let what: String
}

/// Runs a body on the event loop, on a thread made for it, and ends the loop when the body ends.
func onLoop<Value: Sendable>(
    seconds: Int64 = 60, _ body: @escaping @Loop @Sendable () async throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
        Thread {
            let outcome = Outcome<Value>()
            Loop.run {
                let guardian = LoopTimer(milliseconds: seconds * 1_000) { Loop.stop() }
                Loop.task {
                    do { outcome.result = .success(try await body()) } catch { outcome.result = .failure(error) }
                    guardian.cancel()
                    Loop.stop()
                }
            }
            // ORDER: only now is the loop free for the next test.
            continuation.resume(with: Loop.assumeOutcome(outcome))
        }.start()
    }
}

/// What a body came to. Touched by the loop's thread alone.
private final class Outcome<Value: Sendable>: @unchecked Sendable {
    // SAFETY: written on the loop's thread, read on the same thread when the loop has ended.
    var result: Result<Value, any Error> = .failure(Missing(what: "the end of the test's body"))
}

extension Loop {
    fileprivate static func assumeOutcome<Value>(_ outcome: Outcome<Value>) -> Result<Value, any Error> {
        outcome.result
    }
}

/// Waits for a call's answer.
@Loop
func answer<Value: Sendable>(
    _ ask: @Loop (@escaping @Loop (Result<Value, CallFailure>) -> Void) -> Void
) async -> Result<Value, CallFailure> {
    await withCheckedContinuation { continuation in
        ask { continuation.resume(returning: $0) }
    }
}

/// A connection of focusd's own to a test's bus.
@Loop
func connect(_ bus: PrivateBus, limits: BusConnection.Limits = BusConnection.Limits()) async throws -> BusConnection {
    guard let connection = BusConnection(address: bus.address, limits: limits) else { throw Missing(what: "the bus") }
    let failure = await withCheckedContinuation { continuation in
        connection.hello { continuation.resume(returning: $0) }
    }
    if let failure { throw failure }
    return connection
}

/// Suspends until a condition holds that something on the loop will make true.
@Loop
func until(_ what: String, seconds: Int64 = 20, _ condition: @Loop () throws -> Bool) async throws {
    let start = SystemClock.monotonicMicroseconds
    while try !condition() {
        guard SystemClock.monotonicMicroseconds - start < seconds * 1_000_000 else { throw Missing(what: what) }
        await Loop.pause(milliseconds: 2)
    }
}
