import CDBus
import EventLoop

/// Joins a libdbus connection to the event loop: watches its descriptor, keeps its deadlines, hands out what arrived.
///
/// Everything that one reading brought is dispatched in the same turn of the loop, up to a limit.
@Loop
final class BusPump {
    /// Messages dispatched in one turn, so that a flood does not hold up the socket.
    private static let maximumAtOnce = 64

    private let connection: OpaquePointer
    private var watches: [OpaquePointer: DescriptorWatch] = [:]
    private var timers: [OpaquePointer: LoopTimer] = [:]
    private var later: LoopTimer?
    private var isPumping = false
    private var isStopped = false

    /// Begins. The connection is not owned; ``stop()`` must be called while it still exists.
    init(_ connection: OpaquePointer) {
        self.connection = connection
        // Unretained: `stop` takes it back from libdbus before this object goes.
        let data = Unmanaged.passUnretained(self).toOpaque()
        dbus_connection_set_watch_functions(
            connection,
            { watch, data in
                BusPump.with(data, watch) { $0.changed(watch: $1) }
                return 1
            },
            { watch, data in BusPump.with(data, watch) { $0.watches.removeValue(forKey: $1)?.cancel() } },
            { watch, data in BusPump.with(data, watch) { $0.changed(watch: $1) } }, data, nil)
        dbus_connection_set_timeout_functions(
            connection,
            { timeout, data in
                BusPump.with(data, timeout) { $0.changed(timeout: $1) }
                return 1
            },
            { timeout, data in BusPump.with(data, timeout) { $0.timers.removeValue(forKey: $1)?.cancel() } },
            { timeout, data in BusPump.with(data, timeout) { $0.changed(timeout: $1) } }, data, nil)
        dbus_connection_set_dispatch_status_function(
            connection,
            { connection, status, data in
                guard status == DBUS_DISPATCH_DATA_REMAINS else { return }
                BusPump.with(data, connection) { pump, _ in pump.dispatchLater() }
            }, data, nil)
        dispatchLater()
    }

    /// Takes the connection off the loop; nothing of it is dispatched any more.
    func stop() {
        guard !isStopped else { return }
        isStopped = true
        later = nil
        dbus_connection_set_watch_functions(connection, nil, nil, nil, nil, nil)
        dbus_connection_set_timeout_functions(connection, nil, nil, nil, nil, nil)
        dbus_connection_set_dispatch_status_function(connection, nil, nil, nil)
    }

    /// Enters the loop's isolation from one of libdbus's callbacks.
    private static func with(
        _ data: UnsafeMutableRawPointer?, _ subject: OpaquePointer?, _ body: @Loop (BusPump, OpaquePointer) -> Void
    ) {
        Loop.assumeIsolated {
            guard let data, let subject else { return }
            body(Unmanaged<BusPump>.fromOpaque(data).takeUnretainedValue(), subject)
        }
    }

    private func changed(watch: OpaquePointer) {
        watches.removeValue(forKey: watch)?.cancel()
        guard dbus_watch_get_enabled(watch) != 0 else { return }
        let flags = dbus_watch_get_flags(watch)
        var conditions: DescriptorWatch.Conditions = []
        if flags & DBUS_WATCH_READABLE.rawValue != 0 { conditions.insert(.readable) }
        if flags & DBUS_WATCH_WRITABLE.rawValue != 0 { conditions.insert(.writable) }
        watches[watch] = DescriptorWatch(dbus_watch_get_unix_fd(watch), for: conditions) { [weak self] ready in
            self?.handle(watch, ready)
        }
    }

    private func changed(timeout: OpaquePointer) {
        timers.removeValue(forKey: timeout)?.cancel()
        guard dbus_timeout_get_enabled(timeout) != 0 else { return }
        timers[timeout] = LoopTimer(milliseconds: Int64(dbus_timeout_get_interval(timeout))) { [weak self] in
            // libdbus's timeouts fire until they are removed.
            self?.changed(timeout: timeout)
            dbus_timeout_handle(timeout)
        }
    }

    private func handle(_ watch: OpaquePointer, _ ready: DescriptorWatch.Conditions) {
        var flags: UInt32 = 0
        if ready.contains(.readable) { flags |= DBUS_WATCH_READABLE.rawValue }
        if ready.contains(.writable) { flags |= DBUS_WATCH_WRITABLE.rawValue }
        if ready.contains(.failed) { flags |= DBUS_WATCH_ERROR.rawValue }
        if ready.contains(.hangUp) { flags |= DBUS_WATCH_HANGUP.rawValue }
        isPumping = true
        dbus_watch_handle(watch, flags)
        isPumping = false
        dispatch()
    }

    private func dispatch() {
        guard !isPumping, !isStopped else { return }
        isPumping = true
        later = nil
        // What is dispatched may let go of the connection, and of this.
        let connection = connection
        dbus_connection_ref(connection)
        var left = BusPump.maximumAtOnce
        while !isStopped, left > 0, dbus_connection_dispatch(connection) == DBUS_DISPATCH_DATA_REMAINS { left -= 1 }
        isPumping = false
        if left == 0 { dispatchLater() }
        dbus_connection_unref(connection)
    }

    private func dispatchLater() {
        guard !isPumping, !isStopped, later == nil else { return }
        later = LoopTimer(milliseconds: 0) { [weak self] in self?.dispatch() }
    }
}
