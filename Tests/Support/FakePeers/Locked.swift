import Glibc

/// A value behind a lock that the thread sanitizer knows; it does not see into `Synchronization.Mutex`.
final class Locked<Value>: @unchecked Sendable {
    // SAFETY: the value is only ever reached with the lock held, and what leaves the closure must be Sendable.
    private var value: Value
    // A fake tree has a hundred thousand of these: the bare lock is a tenth of what Foundation's takes.
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    init(_ value: sending Value) {
        self.value = value
        pthread_mutex_init(lock, nil)
    }

    deinit {
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return try body(&value)
    }
}
