import Glibc

/// Watches the folders in which the service's socket appears, so that nobody has to look for it again and again.
///
/// It belongs to the engine's thread.
final class ServiceWatch {
    let descriptor: Int32
    private let location: SocketLocation

    /// Nil where the system has no watches left.
    init?(_ location: SocketLocation) {
        descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard descriptor >= 0 else { return nil }
        self.location = location
    }

    deinit { close(descriptor) }

    /// Watches the folders that are there; false where the runtime folder is not. To be called before each look.
    func renew() -> Bool {
        let events = UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_ATTRIB) | UInt32(IN_ONLYDIR)
        _ = inotify_add_watch(descriptor, location.folder, events)
        return inotify_add_watch(descriptor, location.runtimeFolder, events) >= 0
    }

    /// Takes what happened, and tells whether the service's folder or socket can have appeared.
    func take() -> Bool {
        var hasAppeared = false
        // SAFETY: `read` writes whole events into the buffer, each its header and a name of the length it says.
        withUnsafeTemporaryAllocation(byteCount: 16384, alignment: MemoryLayout<inotify_event>.alignment) { buffer in
            while true {
                let count = retrying { read(descriptor, buffer.baseAddress, buffer.count) }
                guard count > 0 else { return }
                var begin = 0
                while begin + MemoryLayout<inotify_event>.size <= count {
                    let event = buffer.loadUnaligned(fromByteOffset: begin, as: inotify_event.self)
                    let end = begin + MemoryLayout<inotify_event>.size + Int(event.len)
                    let name = buffer[(begin + MemoryLayout<inotify_event>.size)..<min(end, count)].prefix { $0 != 0 }
                    if names.contains(String(decoding: name, as: UTF8.self)) { hasAppeared = true }
                    begin = end
                }
            }
        }
        return hasAppeared
    }

    /// An event without a name is about a watched folder itself.
    private let names: Set = ["focusd", "io.focusd.Focus", ""]
}
