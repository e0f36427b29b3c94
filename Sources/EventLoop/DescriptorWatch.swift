import CGLib
import CLinux
import Glibc

/// Calls back on the loop while a descriptor is ready. It owns neither the descriptor nor keeps it open.
@Loop
package final class DescriptorWatch {
    package struct Conditions: OptionSet, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }
        package static let readable = Conditions(rawValue: G_IO_IN.rawValue)
        package static let writable = Conditions(rawValue: G_IO_OUT.rawValue)
        package static let hangUp = Conditions(rawValue: G_IO_HUP.rawValue)
        package static let failed = Conditions(rawValue: G_IO_ERR.rawValue)
    }

    private var source: guint = 0
    private var membership: (group: DescriptorGroup, descriptor: Int32, number: UInt64)?
    private let body: @Loop (Conditions) -> Void

    /// Starts watching. `body` may cancel the watch. In a group it must be cancelled before the descriptor is closed.
    package init(
        _ descriptor: Int32, for conditions: Conditions, in group: DescriptorGroup? = nil,
        _ body: @escaping @Loop (Conditions) -> Void
    ) {
        self.body = body
        if let group, let number = group.add(descriptor, for: conditions, body) {
            membership = (group, descriptor, number)
            return
        }
        source = g_unix_fd_add(
            descriptor, GIOCondition(rawValue: conditions.rawValue),
            { _, condition, data in
                Loop.assumeIsolated {
                    guard let data else { return gboolean(0) }
                    let watch = Unmanaged<DescriptorWatch>.fromOpaque(data).takeUnretainedValue()
                    watch.body(Conditions(rawValue: condition.rawValue))
                    return gboolean(1)
                }
            }, Unmanaged.passUnretained(self).toOpaque())
        // The loop never runs inside itself. A source that may not recurse is taken out of the poll set and put back with
        // each dispatch, which costs two writes to the loop's eventfd, a read, and one turn of the loop for nothing.
        if let added = g_main_context_find_source_by_id(nil, source) { g_source_set_can_recurse(added, 1) }
    }

    package func cancel() {
        if let (group, descriptor, number) = membership { group.remove(number, of: descriptor) }
        membership = nil
        guard source != 0 else { return }
        g_source_remove(source)
        source = 0
    }

    isolated deinit { cancel() }
}

/// Calls back on the loop when the process is told to end.
///
/// Not by GLib's own means: those start a thread that does nothing else.
@Loop
package final class TerminationWatch {
    private let descriptor: Int32
    private var watch: DescriptorWatch?

    /// The signals are blocked from now on, in this thread and in those that it starts.
    package init(signals: [Int32], _ body: @escaping @Loop () -> Void) {
        let descriptor = focusd_signal_descriptor(signals, signals.count)
        self.descriptor = descriptor
        // Without a descriptor the signals keep their own effect, which is to end the process.
        guard descriptor >= 0 else { return }
        watch = DescriptorWatch(descriptor, for: .readable) { _ in
            while focusd_read_signal(descriptor) != 0 { body() }
        }
    }

    isolated deinit {
        watch?.cancel()
        if descriptor >= 0 { close(descriptor) }
    }
}
