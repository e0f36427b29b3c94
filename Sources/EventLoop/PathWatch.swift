import Glibc

/// Calls back on the loop when something comes to be at one of some paths, like the socket of a bus that is started again.
///
/// Nobody looks again and again: the kernel tells (inotify). Where a folder on the way is missing, its parent is watched.
@Loop
package final class PathWatch {
    package let paths: Set<String>
    /// Whether a folder on the way came or went since: only a new watch sees what happens there.
    package private(set) var isOutdated = false
    private let descriptor: Int32
    /// The names that matter, by the folder's watch.
    private var names: [Int32: Set<String>] = [:]
    private var watch: DescriptorWatch?
    private let body: @Loop () -> Void

    /// Nil where the system has no watch left, or no folder on the way to one of the paths is there.
    ///
    /// What came before is not told: look after this, not before.
    package init?(_ paths: Set<String>, _ body: @escaping @Loop () -> Void) {
        self.paths = paths
        self.body = body
        descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard descriptor >= 0 else { return nil }
        guard !paths.isEmpty, paths.allSatisfy(add) else { return nil }
        watch = DescriptorWatch(descriptor, for: .readable) { [weak self] _ in self?.read() }
    }

    /// Watches the innermost folder on the way to a path that is there.
    private func add(_ path: String) -> Bool {
        guard path.hasPrefix("/") else { return false }
        var parts = path.split(separator: "/").map(String.init)
        let events =
            UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_ATTRIB) | UInt32(IN_DELETE_SELF)
            | UInt32(IN_MOVE_SELF) | UInt32(IN_ONLYDIR)
        while let name = parts.popLast() {
            let added = inotify_add_watch(descriptor, "/" + parts.joined(separator: "/"), events)
            if added >= 0 {
                names[added, default: []].insert(name)
                return true
            }
            guard errno == ENOENT else { return false }
        }
        return false
    }

    private func read() {
        var concerns = false
        // SAFETY: `read` writes whole events into the buffer, each its header and a name of the length it says.
        withUnsafeTemporaryAllocation(byteCount: 8_192, alignment: MemoryLayout<inotify_event>.alignment) { buffer in
            while true {
                let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                guard count > 0 else { return }
                var begin = 0
                while begin + MemoryLayout<inotify_event>.size <= count {
                    let event = buffer.loadUnaligned(fromByteOffset: begin, as: inotify_event.self)
                    let end = begin + MemoryLayout<inotify_event>.size + Int(event.len)
                    let name = buffer[(begin + MemoryLayout<inotify_event>.size)..<min(end, count)].prefix { $0 != 0 }
                    if take(event, String(decoding: name, as: UTF8.self)) { concerns = true }
                    begin = end
                }
            }
        }
        if concerns { body() }
    }

    /// Whether one of the paths may be there now.
    private func take(_ event: inotify_event, _ name: String) -> Bool {
        // About the folder itself, or of nobody knows what: too much happened at once.
        guard event.len > 0 else {
            if event.mask & UInt32(IN_ATTRIB) == 0 { isOutdated = true }
            return true
        }
        guard names[event.wd]?.contains(name) == true else { return false }
        if event.mask & UInt32(IN_ISDIR) != 0 { isOutdated = true }
        return true
    }

    package func cancel() {
        watch?.cancel()
        watch = nil
    }

    isolated deinit {
        watch?.cancel()
        if descriptor >= 0 { close(descriptor) }
    }
}
