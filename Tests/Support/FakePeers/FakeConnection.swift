import CDBus
import Foundation
import Glibc
import Synchronization

/// A private connection to a bus, served by a thread of its own until it is disconnected or the bus ends.
///
/// It lives as long as its thread, whoever else holds it: a fake peer leaves the bus only when a test says so.
/// What is posted from one thread happens in that order.
package final class FakeConnection: @unchecked Sendable {
    // SAFETY: after the initializer, `bus` and everything under “own thread” is touched by the connection's thread
    // alone; other threads only add to `shared`, which has a lock, and to lists that have their own.

    private struct Shared {
        var commands: [@Sendable () -> Void] = []
        var hasEnded = false
        var handler: (@Sendable (FakeCall) -> Void)?
        var listener: (@Sendable (FakeSignal) -> Void)?
    }

    private struct Waiting {
        let deadline: ContinuousClock.Instant
        let completion: @Sendable (Result<[DBusValue], FakePeerError>) -> Void
    }

    private struct Timer {
        let due: ContinuousClock.Instant
        let action: @Sendable () -> Void
    }

    /// The connection's name on the bus, `:1.N`.
    package let uniqueName: String
    /// Every signal that came in: those asked for with `listen`, and those sent to this connection alone.
    package let signals = Observations<FakeSignal>()
    /// One element as soon as the connection has ended.
    package let ended = Observations<Bool>()

    private let bus: OpaquePointer
    private let shared = Locked(Shared())
    private let wake: SocketPair
    private let ownThread = Atomic<UInt>(0)

    // Own thread:
    private var waiting: [UInt32: Waiting] = [:]
    private var timers: [Timer] = []
    private var isOpen = true

    /// Connects and says Hello. Throws when the address leads nowhere.
    package init(bus address: String) throws {
        var error = DBusError()
        dbus_error_init(&error)
        defer { dbus_error_free(&error) }
        guard let bus = dbus_connection_open_private(address, &error) else {
            throw FakePeerError.cannotConnect(error.message.map { String(cString: $0) } ?? address)
        }
        dbus_connection_set_exit_on_disconnect(bus, 0)
        do {
            let hello = try FakeMessage.call(
                destination: busDriver, path: "/org/freedesktop/DBus", interface: busDriver, member: "Hello",
                arguments: [])
            guard let reply = dbus_connection_send_with_reply_and_block(bus, hello.pointer, 10_000, &error) else {
                throw FakePeerError.cannotConnect(error.message.map { String(cString: $0) } ?? address)
            }
            defer { dbus_message_unref(reply) }
            guard let name = DBusValue.arguments(of: reply).first?.text else {
                throw FakePeerError.cannotConnect(address)
            }
            uniqueName = name
            wake = try SocketPair(nonBlocking: true)
        } catch {
            dbus_connection_close(bus)
            dbus_connection_unref(bus)
            throw error
        }
        self.bus = bus
        Thread { self.run() }.start()
    }

    deinit { dbus_connection_unref(bus) }

    /// Answers method calls with this from now on; on the connection's own thread. Each call must be answered once.
    package func serve(_ handler: @escaping @Sendable (FakeCall) -> Void) {
        shared.withLock { $0.handler = handler }
    }

    /// Passes each incoming signal on, on the connection's own thread, after it was added to `signals`.
    package func onSignal(_ listener: @escaping @Sendable (FakeSignal) -> Void) {
        shared.withLock { $0.listener = listener }
    }

    /// Whether the calling thread is the connection's own, where nothing may block.
    package var isOnOwnThread: Bool { ownThread.load(ordering: .acquiring) == UInt(pthread_self()) }

    /// Does something on the connection's own thread: at once when already there, else after what was posted before.
    package func perform(_ action: @escaping @Sendable () -> Void) {
        if isOnOwnThread { return action() }
        let wasEmpty = shared.withLock { shared -> Bool in
            shared.commands.append(action)
            return shared.commands.count == 1
        }
        if wasEmpty { wakeUp() }
        // Nobody serves an ended connection: run what is left here, one thread at a time, so that callers get an answer.
        if shared.withLock({ $0.hasEnded }) { runLeftovers() }
    }

    /// Does something on the connection's own thread after a while, unless the connection ends before.
    package func after(_ delay: Duration, _ action: @escaping @Sendable () -> Void) {
        perform { self.timers.append(Timer(due: .now + delay, action: action)) }
    }

    /// Sends a message; in order with everything else posted from the calling thread.
    package func send(_ message: FakeMessage) { perform { self.sendNow(message) } }

    /// Own thread only.
    func sendNow(_ message: FakeMessage) { if isOpen { dbus_connection_send(bus, message.pointer, nil) } }

    /// Sends bytes as they are, after all messages so far: also what libdbus itself would never send.
    ///
    /// The bus ends the connection for what is no message.
    package func sendBytes(_ bytes: [UInt8]) {
        perform {
            guard self.isOpen else { return }
            dbus_connection_flush(self.bus)
            var descriptor: Int32 = -1
            dbus_connection_get_unix_fd(self.bus, &descriptor)
            var done = 0
            while done < bytes.count {
                let count = Glibc.send(descriptor, Array(bytes[done...]), bytes.count - done, Int32(MSG_NOSIGNAL))
                if count > 0 {
                    done += count
                } else if errno == EAGAIN {
                    var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    poll(&ready, 1, 1000)
                } else if errno != EINTR {
                    // The bus has closed it already.
                    return
                }
            }
        }
    }

    /// Sends a call and passes the answer on, on the connection's own thread; `timedOut` when none came.
    package func send(
        call message: FakeMessage, within deadline: Duration = .seconds(10),
        _ completion: @escaping @Sendable (Result<[DBusValue], FakePeerError>) -> Void
    ) {
        perform {
            var serial: UInt32 = 0
            guard self.isOpen, dbus_connection_send(self.bus, message.pointer, &serial) != 0 else {
                return completion(.failure(.disconnected))
            }
            self.waiting[serial] = Waiting(deadline: .now + deadline, completion: completion)
        }
    }

    /// Leaves the bus after what was posted before, and waits until it has left, unless on the connection's own thread.
    package func disconnect() {
        if isOnOwnThread {
            isOpen = false
        } else {
            perform { self.isOpen = false }
            do { _ = try ended.waitBlocking() } catch { preconditionFailure("a fake peer's thread hangs: \(error)") }
        }
    }

    /// Bytes that the bus has not yet taken. Own thread only.
    var outgoingBytes: Int { Int(dbus_connection_get_outgoing_size(bus)) }

    // MARK: - The thread

    private func run() {
        ownThread.store(UInt(pthread_self()), ordering: .releasing)
        while isOpen {
            runCommands()
            runTimers()
            if dbus_connection_read_write(bus, 0) == 0 { isOpen = false }
            while let message = dbus_connection_pop_message(bus) {
                dispatch(message)
                dbus_message_unref(message)
            }
            guard isOpen else { break }
            sleepUntilNeeded()
        }
        end()
    }

    private func sleepUntilNeeded() {
        guard shared.withLock({ $0.commands.isEmpty }) else { return }
        var descriptor: Int32 = -1
        dbus_connection_get_unix_fd(bus, &descriptor)
        let events = Int16(POLLIN) | (dbus_connection_has_messages_to_send(bus) != 0 ? Int16(POLLOUT) : 0)
        var descriptors = [
            pollfd(fd: descriptor, events: events, revents: 0),
            pollfd(fd: wake.near, events: Int16(POLLIN), revents: 0),
        ]
        let due = (timers.map(\.due) + waiting.values.map(\.deadline)).min()
        let seconds = due.map { max(0, ContinuousClock.now.duration(to: $0).timeInterval) }
        poll(&descriptors, 2, seconds.map { Int32(min($0, 3600) * 1000 + 0.999) } ?? -1)
        if descriptors[1].revents != 0 {
            var bytes = [UInt8](repeating: 0, count: 64)
            while read(wake.near, &bytes, bytes.count) > 0 {}
        }
    }

    private func wakeUp() {
        var byte: UInt8 = 1
        // A full pipe wakes as well.
        _ = write(wake.far, &byte, 1)
    }

    private func runCommands() {
        for command in shared.withLock({ shared in
            defer { shared.commands = [] }
            return shared.commands
        }) { command() }
    }

    private func runTimers() {
        let now = ContinuousClock.now
        if !timers.isEmpty {
            let due = timers.filter { $0.due <= now }.sorted { $0.due < $1.due }
            timers.removeAll { $0.due <= now }
            for timer in due { timer.action() }
        }
        for (serial, call) in waiting where call.deadline <= now {
            waiting[serial] = nil
            call.completion(.failure(.timedOut("answer to a call")))
        }
    }

    private func end() {
        let limit = ContinuousClock.now + .seconds(1)
        while dbus_connection_has_messages_to_send(bus) != 0, dbus_connection_get_is_connected(bus) != 0,
            ContinuousClock.now < limit
        {
            dbus_connection_read_write(bus, 10)
        }
        dbus_connection_close(bus)
        let cut = waiting.values
        waiting = [:]
        timers = []
        for call in cut { call.completion(.failure(.disconnected)) }
        runCommands()
        // ORDER: no longer “own thread” before `hasEnded`, so that the leftovers have one runner at a time.
        ownThread.store(0, ordering: .releasing)
        shared.withLock {
            $0.hasEnded = true
            $0.handler = nil
            $0.listener = nil
        }
        runLeftovers()
        ended.append(true)
    }

    private func runLeftovers() {
        // They find the connection closed: sends do nothing, calls fail.
        leftovers.lock()
        defer { leftovers.unlock() }
        runCommands()
    }

    private let leftovers = NSRecursiveLock()
}

// MARK: - Incoming messages

extension FakeConnection {
    private func dispatch(_ message: OpaquePointer) {
        switch dbus_message_get_type(message) {
        case DBUS_MESSAGE_TYPE_METHOD_RETURN:
            let serial = dbus_message_get_reply_serial(message)
            waiting.removeValue(forKey: serial)?.completion(.success(DBusValue.arguments(of: message)))
        case DBUS_MESSAGE_TYPE_ERROR:
            let serial = dbus_message_get_reply_serial(message)
            let name = dbus_message_get_error_name(message).map { String(cString: $0) } ?? ""
            let text = DBusValue.arguments(of: message).first?.text ?? ""
            waiting.removeValue(forKey: serial)?.completion(.failure(.replied(name: name, message: text)))
        case DBUS_MESSAGE_TYPE_SIGNAL:
            let signal = FakeSignal(message)
            if signal.interface == "org.freedesktop.DBus.Local" {
                isOpen = false
            } else {
                signals.append(signal)
                shared.withLock { $0.listener }?(signal)
            }
        case DBUS_MESSAGE_TYPE_METHOD_CALL:
            let call = FakeCall(message, on: self)
            if call.interface == "org.freedesktop.DBus.Peer", call.member == "Ping" {
                call.reply([])
            } else if let handler = shared.withLock({ $0.handler }) {
                handler(call)
            } else {
                call.fail("org.freedesktop.DBus.Error.UnknownMethod", "nothing is served here")
            }
        default: break
        }
    }
}

/// The name of the bus itself.
let busDriver = "org.freedesktop.DBus"
