import CDBus
import EventLoop
import Glibc

/// Why a call has no answer that can be used.
package enum CallFailure: Error, Hashable, Sendable {
    /// No answer by the deadline, or too many unanswered ones already.
    case notResponding
    /// The name has no owner: the application is gone.
    case noSuchName
    case unknownObject
    /// The object lacks the interface, the method, or says that it cannot do this.
    case notSupported
    case malformed
    case disconnected
    /// Any other error the peer sent.
    case refused
}

/// A private libdbus connection on the event loop. Nothing here waits: every call has a deadline and a completion.
///
/// Wraps `dbus_connection_open_private` and what belongs to it.
@Loop
package final class BusConnection {
    package struct Limits: Sendable {
        /// The usual deadline of a call.
        package var callMilliseconds: Int32 = 1_000
        /// Unanswered calls to one destination; further ones fail at once.
        package var maximumCallsInFlight = 64
        package init() {}
    }

    private let connection: OpaquePointer
    private let limits: Limits
    private let pump: BusPump
    private var inFlight: [String: Int] = [:]
    /// By the order of asking.
    private var unanswered: [UInt64: PendingCall] = [:]
    private var callsMade: UInt64 = 0
    private(set) package var uniqueName = ""
    private var isOpen = true

    /// A signal; the pointer is valid only inside the call.
    var onSignal: (@Loop (IncomingMessage) -> Void)?
    /// A method call to this connection; false where nobody here knows the object.
    var onCall: (@Loop (IncomingMessage) -> Bool)?
    package var onClose: (@Loop () -> Void)?
    /// Who is asked, at each call that was sent and wants an answer.
    package var onCallSent: (@Loop (String) -> Void)?
    /// Who was not asked, for it has too many unanswered questions.
    package var onCallRefused: (@Loop (String) -> Void)?
    /// Who was asked and did not answer.
    package var onTimeout: (@Loop (String) -> Void)?

    /// Connects to an address like `unix:path=…`; only local sockets are tried. Nil where nothing listens there.
    package init?(address: String, limits: Limits = Limits()) {
        guard address.split(separator: ";").allSatisfy({ $0.hasPrefix("unix:") }), !address.isEmpty else { return nil }
        guard let connection = dbus_connection_open_private(address, nil) else { return nil }
        self.connection = connection
        self.limits = limits
        dbus_connection_set_exit_on_disconnect(connection, 0)
        pump = BusPump(connection)
        // Owned by the filter: libdbus may still dispatch after this object is gone.
        let sink = Unmanaged.passRetained(FilterSink(self))
        dbus_connection_add_filter(
            connection,
            { _, message, data in
                Loop.assumeIsolated {
                    guard let message, let data else { return DBUS_HANDLER_RESULT_NOT_YET_HANDLED }
                    let sink = Unmanaged<FilterSink>.fromOpaque(data).takeUnretainedValue()
                    return sink.connection?.received(message) ?? DBUS_HANDLER_RESULT_NOT_YET_HANDLED
                }
            }, sink.toOpaque(),
            { data in
                guard let data else { return }
                Unmanaged<FilterSink>.fromOpaque(data).release()
            })
    }

    /// Introduces itself to the bus daemon. Until that is answered nothing else may be sent.
    package func hello(_ completion: @escaping @Loop (CallFailure?) -> Void) {
        call(BusNames.daemon, BusNames.daemonPath, BusNames.daemon, "Hello") { [weak self] reply in
            guard let self else { return }
            do {
                var reader = try reply.get()
                self.uniqueName = try reader.string()
                // So that libdbus, too, knows that it is registered.
                dbus_bus_set_unique_name(self.connection, self.uniqueName)
                completion(nil)
            } catch {
                completion((error as? CallFailure) ?? .malformed)
            }
        }
    }

    /// Asks for messages that match a rule. The bus daemon's answer is not awaited; `refused` is called where it is no.
    package func addMatch(_ rule: String, refused: (@Loop () -> Void)? = nil) {
        guard let refused else {
            return send(BusNames.daemon, BusNames.daemonPath, BusNames.daemon, "AddMatch") { $0.string(rule) }
        }
        call(
            BusNames.daemon, BusNames.daemonPath, BusNames.daemon, "AddMatch", milliseconds: 60_000,
            { $0.string(rule) }
        ) {
            if case .failure(let failure) = $0, failure != .disconnected { refused() }
        }
    }

    package func removeMatch(_ rule: String) {
        send(BusNames.daemon, BusNames.daemonPath, BusNames.daemon, "RemoveMatch") { $0.string(rule) }
    }

    // MARK: - Calls

    package typealias Completion = @Loop (Result<MessageReader, CallFailure>) -> Void

    /// Calls a method. The completion is called exactly once, later, with a reader that is valid only inside it.
    func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String,
        milliseconds: Int32? = nil, _ arguments: ((inout MessageWriter) -> Void)? = nil,
        _ completion: @escaping Completion
    ) {
        guard isOpen, let message = OutgoingMessage.call(destination, path, interface, member) else {
            return completion(.failure(.disconnected))
        }
        guard inFlight[destination, default: 0] < limits.maximumCallsInFlight || destination == BusNames.daemon else {
            onCallRefused?(destination)
            return completion(.failure(.notResponding))
        }
        if let arguments { message.write(arguments) }
        // What is asked of it by name must not start a service.
        dbus_message_set_auto_start(message.pointer, destination.hasPrefix(":") ? 0 : 1)
        var pending: OpaquePointer?
        let isSent = dbus_connection_send_with_reply(
            connection, message.pointer, &pending, milliseconds ?? limits.callMilliseconds)
        guard isSent != 0, let pending else { return completion(.failure(.disconnected)) }
        inFlight[destination, default: 0] += 1
        onCallSent?(destination)
        callsMade += 1
        let call = PendingCall(number: callsMade, destination: destination, connection: self, completion: completion)
        unanswered[callsMade] = call
        let box = Unmanaged.passRetained(call)
        dbus_pending_call_set_notify(
            pending,
            { pending, data in
                Loop.assumeIsolated {
                    guard let pending, let data else { return }
                    Unmanaged<PendingCall>.fromOpaque(data).takeUnretainedValue().answered(pending)
                }
            }, box.toOpaque(),
            { data in
                guard let data else { return }
                Unmanaged<PendingCall>.fromOpaque(data).release()
            })
        dbus_pending_call_unref(pending)
    }

    /// Calls a method whose answer nobody wants.
    func send(
        _ destination: String, _ path: String, _ interface: String, _ member: String,
        _ arguments: ((inout MessageWriter) -> Void)? = nil
    ) {
        guard let message = OutgoingMessage.call(destination, path, interface, member) else { return }
        if let arguments { message.write(arguments) }
        dbus_message_set_no_reply(message.pointer, 1)
        send(message)
    }

    func send(_ message: borrowing OutgoingMessage) {
        guard isOpen else { return }
        dbus_connection_send(connection, message.pointer, nil)
    }

    fileprivate func ended(_ number: UInt64, _ destination: String, didTimeOut: Bool) {
        unanswered[number] = nil
        if let count = inFlight[destination] { inFlight[destination] = count > 1 ? count - 1 : nil }
        if didTimeOut { onTimeout?(destination) }
    }

    // MARK: - What arrives

    fileprivate func received(_ message: OpaquePointer) -> DBusHandlerResult {
        switch dbus_message_get_type(message) {
        case DBUS_MESSAGE_TYPE_SIGNAL:
            if dbus_message_is_signal(message, "org.freedesktop.DBus.Local", "Disconnected") != 0 {
                close()
                return DBUS_HANDLER_RESULT_HANDLED
            }
            onSignal?(IncomingMessage(message, self))
            return DBUS_HANDLER_RESULT_HANDLED
        case DBUS_MESSAGE_TYPE_METHOD_CALL:
            let isAnswered = onCall?(IncomingMessage(message, self)) ?? false
            return isAnswered ? DBUS_HANDLER_RESULT_HANDLED : DBUS_HANDLER_RESULT_NOT_YET_HANDLED
        default:
            return DBUS_HANDLER_RESULT_NOT_YET_HANDLED
        }
    }

    /// Ends the connection; calls in flight are answered with `disconnected`.
    package func close() {
        guard isOpen else { return }
        isOpen = false
        let onClose = self.onClose
        self.onClose = nil
        onSignal = nil
        onCall = nil
        dbus_connection_close(connection)
        let cut = unanswered.sorted { $0.key < $1.key }
        unanswered = [:]
        inFlight = [:]
        // ORDER: that the bus is gone is told first; it is the reason, not the calls that it left open.
        onClose?()
        for (_, call) in cut { call.cut() }
    }

    isolated deinit {
        pump.stop()
        if isOpen { dbus_connection_close(connection) }
        dbus_connection_unref(connection)
    }
}

/// What libdbus's filter holds of a connection.
private final class FilterSink {
    weak let connection: BusConnection?

    init(_ connection: BusConnection) {
        self.connection = connection
    }
}

/// A call that waits for its answer.
@Loop
private final class PendingCall {
    private let number: UInt64
    private let destination: String
    private weak let connection: BusConnection?
    private var completion: BusConnection.Completion?

    init(
        number: UInt64, destination: String, connection: BusConnection,
        completion: @escaping BusConnection.Completion
    ) {
        self.number = number
        self.destination = destination
        self.connection = connection
        self.completion = completion
    }

    /// The connection was closed: no answer will count.
    func cut() {
        let completion = self.completion
        self.completion = nil
        completion?(.failure(.disconnected))
    }

    func answered(_ pending: OpaquePointer) {
        guard let completion, let reply = dbus_pending_call_steal_reply(pending) else { return }
        self.completion = nil
        defer { dbus_message_unref(reply) }
        guard dbus_message_get_type(reply) == DBUS_MESSAGE_TYPE_ERROR else {
            connection?.ended(number, destination, didTimeOut: false)
            return completion(.success(MessageReader(reply)))
        }
        let failure = CallFailure(errorName: dbus_message_get_error_name(reply))
        connection?.ended(number, destination, didTimeOut: failure == .notResponding)
        completion(.failure(failure))
    }
}

extension CallFailure {
    fileprivate init(errorName: UnsafePointer<CChar>?) {
        guard let errorName else {
            self = .refused
            return
        }
        switch String(cString: errorName) {
        case "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.Timeout",
            "org.freedesktop.DBus.Error.TimedOut", "org.freedesktop.DBus.Error.LimitsExceeded":
            self = .notResponding
        case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner":
            self = .noSuchName
        case "org.freedesktop.DBus.Error.UnknownObject": self = .unknownObject
        case "org.freedesktop.DBus.Error.UnknownMethod", "org.freedesktop.DBus.Error.UnknownInterface",
            "org.freedesktop.DBus.Error.UnknownProperty", "org.freedesktop.DBus.Error.NotSupported":
            self = .notSupported
        case "org.freedesktop.DBus.Error.Disconnected": self = .disconnected
        default: self = .refused
        }
    }
}
