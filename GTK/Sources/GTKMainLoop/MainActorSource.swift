import CMainLoop
import Dispatch
import Glibc

/// Runs what is to be done on the main actor in GLib's main loop, which in a GTK program is the main thread's only loop.
///
/// Without it a task of the main actor would never run: nothing else looks at libdispatch's main queue while GTK's loop
/// runs.
@MainActor package enum MainActorSource {
    private static var isInstalled = false
    /// GLib's condition for it, which is poll's.
    private static let readable = UInt32(POLLIN)

    /// Installs it once; further calls do nothing.
    package static func install() {
        guard !isInstalled else { return }
        isInstalled = true
        let handle = _dispatch_get_main_queue_handle_4CF()
        guard handle >= 0 else { fatalError("libdispatch has no handle of its main queue: \(handle)") }
        g_unix_fd_add(
            handle, readable,
            { descriptor, _, _ in
                // ORDER: the wake-up is taken before the queue is looked at, so that one that comes meanwhile counts.
                var wakeUps: UInt64 = 0
                _ = read(descriptor, &wakeUps, MemoryLayout<UInt64>.size)
                _dispatch_main_queue_callback_4CF(nil)
                return 1
            }, nil)
    }
}
