import Foundation

/// A value behind a lock that the thread sanitizer knows; it does not see into `Synchronization.Mutex`.
final class Locked<Value>: @unchecked Sendable {
    // SAFETY: the value is only ever reached with the lock held, and what leaves the closure must be Sendable.
    private var value: Value
    private let lock = NSLock()

    init(_ value: sending Value) { self.value = value }

    func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
