import CDBus
import CLinux
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
        /// Unanswered calls to one destination; further ones fail at once. A mirror has 48 of them at most, a look at a
        /// target about 40, and of those two may overlap where a newer move takes over.
        package var maximumCallsInFlight = 192
        package init() {}
    }

    private let connection: OpaquePointer
    private let limits: Limits
    private let pump: BusPump
    private var inFlight: [String: Int] = [:]
    private let pending = PendingCalls()
    let unlisted = UnlistedApplications()
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
    /// The bus carried a question no further, for a limit of its own.
    package var onLimitMet: (@Loop () -> Void)?
    /// Who was asked and did not answer.
    package var onTimeout: (@Loop (String) -> Void)?
    /// A connection that was asked had left; no name of a connection is given twice.
    package var onNobody: (@Loop (String) -> Void)?
    /// Who answered what was asked of another.
    package var onForgery: (@Loop (String) -> Void)?

    /// Connects to an address like `unix:path=…`; only local sockets are tried.
    ///
    /// Nil where nothing listens there, and where somebody else does than this user or root: what a bus says of senders
    /// is believed, and the address of one that died may be anybody's.
    package init?(address: String, limits: Limits = Limits()) {
        guard address.split(separator: ";").allSatisfy({ $0.hasPrefix("unix:") }), !address.isEmpty else { return nil }
        guard let connection = dbus_connection_open_private(address, nil) else { return nil }
        guard BusConnection.isTrusted(connection) else {
            dbus_connection_close(connection)
            dbus_connection_unref(connection)
            return nil
        }
        self.connection = connection
        self.limits = limits
        dbus_connection_set_exit_on_disconnect(connection, 0)
        pump = BusPump(connection)
        pending.onForgery = { [weak self] sender in self?.onForgery?(sender) }
        pending.onTimeout = { [weak self] call in
            self?.ended(call.destination, didTimeOut: true)
            call.completion(.failure(.notResponding))
        }
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

    private static func isTrusted(_ connection: OpaquePointer) -> Bool {
        var descriptor: Int32 = -1
        var pid: Int32 = 0
        var uid: UInt32 = .max
        guard dbus_connection_get_unix_fd(connection, &descriptor) != 0,
            focusd_peer_credentials(descriptor, &pid, &uid) == 0
        else { return false }
        return uid == getuid() || uid == 0
    }

    /// Who has a well-known name; nobody else may answer what is asked of it. Nil where that is not known.
    func setOwner(_ owner: String?, of name: String) { pending.owners[name] = owner }

    /// Introduces itself to the bus daemon. Until that is answered nothing else may be sent.
    package func hello(milliseconds: Int32? = nil, _ completion: @escaping @Loop (CallFailure?) -> Void) {
        call(BusNames.daemon, BusNames.daemonPath, BusNames.daemon, "Hello", milliseconds: milliseconds) {
            [weak self] reply in
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

    /// The bus's own id, which no other bus has; nil before it is known. Wraps `dbus_connection_get_server_id`.
    package var serverID: String? {
        guard let text = dbus_connection_get_server_id(connection) else { return nil }
        defer { dbus_free(text) }
        return String(cString: text)
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

    /// Calls to one destination that are not answered.
    package func callsInFlight(to destination: String) -> Int { inFlight[destination, default: 0] }

    /// The most of them that any application has, and that it may have.
    package var mostCallsInFlight: Int { inFlight.reduce(0) { $1.key == BusNames.daemon ? $0 : max($0, $1.value) } }
    package var maximumCallsInFlight: Int { limits.maximumCallsInFlight }

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
        var serial: UInt32 = 0
        guard dbus_connection_send(connection, message.pointer, &serial) != 0, serial != 0 else {
            return completion(.failure(.disconnected))
        }
        inFlight[destination, default: 0] += 1
        pending.insert(
            PendingCalls.Call(destination: destination, completion: completion), serial: serial,
            milliseconds: milliseconds ?? limits.callMilliseconds)
        onCallSent?(destination)
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

    private func ended(_ destination: String, didTimeOut: Bool) {
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
        case DBUS_MESSAGE_TYPE_METHOD_RETURN, DBUS_MESSAGE_TYPE_ERROR: return answered(message)
        default:
            return DBUS_HANDLER_RESULT_NOT_YET_HANDLED
        }
    }

    private func answered(_ reply: OpaquePointer) -> DBusHandlerResult {
        let sender = dbus_message_get_sender(reply).map { String(cString: $0) }
        guard let call = pending.take(serial: dbus_message_get_reply_serial(reply), from: sender) else {
            return DBUS_HANDLER_RESULT_NOT_YET_HANDLED
        }
        guard dbus_message_get_type(reply) == DBUS_MESSAGE_TYPE_ERROR else {
            ended(call.destination, didTimeOut: false)
            call.completion(.success(MessageReader(reply)))
            return DBUS_HANDLER_RESULT_HANDLED
        }
        let failure = CallFailure(errorName: dbus_message_get_error_name(reply))
        // That the bus carried it no further says nothing of who was asked.
        let isLimit = dbus_message_is_error(reply, "org.freedesktop.DBus.Error.LimitsExceeded") != 0
        if isLimit { onLimitMet?() }
        ended(call.destination, didTimeOut: failure == .notResponding && !isLimit)
        if failure == .noSuchName, call.destination.hasPrefix(":") { onNobody?(call.destination) }
        call.completion(.failure(failure))
        return DBUS_HANDLER_RESULT_HANDLED
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
        let cut = pending.takeAll()
        inFlight = [:]
        // ORDER: that the bus is gone is told first; it is the reason, not the calls that it left open.
        onClose?()
        for call in cut { call.completion(.failure(.disconnected)) }
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
