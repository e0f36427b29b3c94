import CGLib

/// The one thread that owns all mutable state: GLib's default main context as a global actor.
@globalActor
package actor Loop {
    package static let shared = Loop()

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        LoopExecutor.shared.asUnownedSerialExecutor()
    }

    /// Runs the loop on the calling thread, which becomes its thread, until ``stop()`` is called.
    ///
    /// `start` runs on the loop before anything else.
    package static func run(_ start: @escaping @Loop @Sendable () -> Void) {
        let context = g_main_context_default()
        guard g_main_context_acquire(context) != 0 else { preconditionFailure("another thread runs the loop") }
        defer { g_main_context_release(context) }
        assumeIsolated {
            isRunning = true
            start()
        }
        while assumeIsolated({ isRunning }) { g_main_context_iteration(context, 1) }
    }

    @Loop private static var isRunning = false

    /// Ends ``run(_:)`` after what is being dispatched now.
    @Loop package static func stop() {
        isRunning = false
    }

    /// Enters the loop's isolation from a C callback that GLib or libdbus calls on the loop's thread.
    package static func assumeIsolated<Result>(_ operation: @Loop () throws -> Result) rethrows -> Result {
        shared.preconditionIsolated()
        return try withoutActuallyEscaping(operation) { operation in
            // SAFETY: the isolation was just checked; dropping the actor from the function's type changes nothing
            // in its representation. The standard library's `MainActor.assumeIsolated` does the same.
            try unsafeBitCast(operation, to: (() throws -> Result).self)()
        }
    }

    /// Starts a task that stays on the loop's thread across all its suspensions.
    @discardableResult
    package static func task(_ body: @escaping @Loop @Sendable () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: LoopExecutor.shared) { await body() }
    }
}
