import Glibc

/// Tells on the loop that something in a folder, or the folder itself, may have come, changed or gone.
///
/// It only says that it is time to look. Wraps inotify.
@Loop
package final class FolderWatch {
    private let descriptor: Int32
    private var watch: DescriptorWatch?

    /// Watches those of the folders that are there; nil where the system has no watches left, or none is there.
    package init?(_ folders: [String], _ body: @escaping @Loop () -> Void) {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard descriptor >= 0 else { return nil }
        let events = [
            IN_CREATE, IN_DELETE, IN_MOVED_FROM, IN_MOVED_TO, IN_DELETE_SELF, IN_MOVE_SELF, Int32(IN_ONLYDIR),
            Int32(IN_DONT_FOLLOW),
        ].reduce(UInt32(0)) { $0 | UInt32($1) }
        let watched = folders.filter { inotify_add_watch(descriptor, $0, events) >= 0 }
        guard !watched.isEmpty else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        watch = DescriptorWatch(descriptor, for: .readable) { _ in
            // What happened is not looked at: the folder itself is.
            withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { buffer in
                while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
            }
            body()
        }
    }

    isolated deinit {
        watch?.cancel()
        close(descriptor)
    }
}
