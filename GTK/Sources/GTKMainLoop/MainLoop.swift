import CMainLoop

/// The main loop of GTK's thread, for those who are on another one.
package enum MainLoop {
    /// Has something done in the loop, soon, in the order in which it is asked for; on any thread.
    package static func perform(_ work: @escaping @Sendable () -> Void) {
        let data = Unmanaged.passRetained(Work(work)).toOpaque()
        g_idle_add_full(
            Priority.usual,
            { data in
                if let data { Unmanaged<Work>.fromOpaque(data).takeUnretainedValue().perform() }
                return 0
            }, data, { data in if let data { Unmanaged<Work>.fromOpaque(data).release() } })
    }

    /// Has something done in the loop behind all that was asked for before, and waits until it is done; on any thread.
    package static func performed(_ work: @escaping @MainActor () -> Void) async {
        await withCheckedContinuation { continuation in
            perform {
                MainActor.assumeIsolated(work)
                continuation.resume()
            }
        }
    }

    /// Does something at once on the main thread, and has it done there soon on any other.
    package static func performOnMainThread(_ work: @escaping @MainActor () -> Void) {
        if isMainThread {
            MainActor.assumeIsolated(work)
        } else {
            perform { MainActor.assumeIsolated(work) }
        }
    }

    /// Does something at once on the main thread, and nothing on any other.
    package static func performIfOnMainThread(_ work: @escaping @MainActor () -> Void) {
        if isMainThread { MainActor.assumeIsolated(work) }
    }

    private static var isMainThread: Bool { focusd_is_main_thread() != 0 }

    /// GLib's numbers for what comes first.
    enum Priority {
        static let usual: Int32 = 0
        static let low: Int32 = 300
    }

    private final class Work: Sendable {
        let perform: @Sendable () -> Void

        init(_ perform: @escaping @Sendable () -> Void) { self.perform = perform }
    }
}
