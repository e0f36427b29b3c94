import CDBus
import EventLoop
import Glibc

/// Names that the bus daemon and the accessibility registry are known by.
enum BusNames {
    static let daemon = "org.freedesktop.DBus"
    static let daemonPath = "/org/freedesktop/DBus"
    static let registry = "org.a11y.atspi.Registry"
    static let registryPath = "/org/a11y/atspi/registry"
    static let registryRoot = "/org/a11y/atspi/accessible/root"
    static let accessible = "org.a11y.atspi.Accessible"
    static let application = "org.a11y.atspi.Application"
    static let component = "org.a11y.atspi.Component"
    static let cache = "org.a11y.atspi.Cache"
    static let cachePath = "/org/a11y/atspi/cache"
    static let text = "org.a11y.atspi.Text"
    static let properties = "org.freedesktop.DBus.Properties"
    static let peer = "org.freedesktop.DBus.Peer"
    static let introspectable = "org.freedesktop.DBus.Introspectable"
}

/// A signal or call that arrived. Valid only inside the callback that hands it out.
@Loop
struct IncomingMessage {
    private let message: OpaquePointer
    /// Nil where nobody can answer.
    private let connection: BusConnection?

    init(_ message: OpaquePointer, _ connection: BusConnection?) {
        self.message = message
        self.connection = connection
    }

    /// The sender's unique name, stamped by the bus daemon.
    var sender: String { IncomingMessage.text(dbus_message_get_sender(message)) }
    var path: String { IncomingMessage.text(dbus_message_get_path(message)) }
    var member: String { IncomingMessage.text(dbus_message_get_member(message)) }
    var interface: String { IncomingMessage.text(dbus_message_get_interface(message)) }

    /// Compares without making a string.
    func isInterface(_ name: StaticString) -> Bool {
        guard let interface = dbus_message_get_interface(message) else { return false }
        return strcmp(interface, UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)) == 0
    }

    func isMember(_ name: StaticString) -> Bool {
        guard let member = dbus_message_get_member(message) else { return false }
        return strcmp(member, UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)) == 0
    }

    func isSender(_ name: String) -> Bool {
        guard let sender = dbus_message_get_sender(message) else { return false }
        return strcmp(sender, name) == 0
    }

    var reader: MessageReader { MessageReader(message) }

    func reply(_ body: ((inout MessageWriter) -> Void)? = nil) {
        guard dbus_message_get_no_reply(message) == 0,
            let reply = dbus_message_new_method_return(message).map(OutgoingMessage.init(adopting:))
        else { return }
        if let body { reply.write(body) }
        connection?.send(reply)
    }

    func replyError(_ name: String, _ text: String) {
        guard dbus_message_get_no_reply(message) == 0,
            let reply = dbus_message_new_error(message, name, text).map(OutgoingMessage.init(adopting:))
        else { return }
        connection?.send(reply)
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
        pointer.map { String(cString: $0) } ?? ""
    }
}
