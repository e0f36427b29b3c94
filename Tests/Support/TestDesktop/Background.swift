import Foundation

/// Work on another thread whose result is waited for with a deadline.
package final class Background<Value: Sendable>: @unchecked Sendable {
    // SAFETY: `result` is written before `done` is signalled and read after it.
    private var result: Result<Value, any Error>?
    private let done = DispatchSemaphore(value: 0)

    package init(_ body: @escaping @Sendable () throws -> Value) {
        Thread.detachNewThread { [self] in
            result = Result { try body() }
            done.signal()
        }
    }

    package func value(within seconds: Double) throws -> Value {
        guard done.wait(timeout: .now() + seconds) == .success, let result else {
            throw Missing(what: "no answer within \(seconds) s")
        }
        return try result.get()
    }
}
