import AccessibilityTree
import CDBus

/// A message that is being written; it owns the C message until it is sent or dropped.
package struct OutgoingMessage: ~Copyable {
    let pointer: OpaquePointer

    init(adopting pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        dbus_message_unref(pointer)
    }

    /// A method call. The names must be valid: they are literals or came from the bus.
    static func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String
    ) -> OutgoingMessage? {
        dbus_message_new_method_call(destination, path, interface, member).map(OutgoingMessage.init(adopting:))
    }

    static func signal(_ path: String, _ interface: String, _ member: String) -> OutgoingMessage? {
        dbus_message_new_signal(path, interface, member).map(OutgoingMessage.init(adopting:))
    }

    /// Unicast, to one connection only.
    func setDestination(_ busName: String) {
        dbus_message_set_destination(pointer, busName)
    }

    /// Writes the arguments in order.
    func write(_ body: (inout MessageWriter) -> Void) {
        var writer = MessageWriter(pointer)
        body(&writer)
    }
}

/// Appends arguments. libdbus fails only when memory runs out, and then ends the process's will to go on anyway.
struct MessageWriter {
    private var iterator = DBusMessageIter()

    init(_ message: OpaquePointer) {
        dbus_message_iter_init_append(message, &iterator)
    }

    private init() {}

    mutating func string(_ value: String) { text(value, WireType.string) }

    mutating func objectPath(_ value: String) { text(value, WireType.objectPath) }

    mutating func int32(_ value: Int32) {
        var value = value
        dbus_message_iter_append_basic(&iterator, WireType.int32, &value)
    }

    mutating func uint32(_ value: UInt32) {
        var value = value
        dbus_message_iter_append_basic(&iterator, WireType.uint32, &value)
    }

    mutating func boolean(_ value: Bool) {
        var value: dbus_bool_t = value ? 1 : 0
        dbus_message_iter_append_basic(&iterator, WireType.boolean, &value)
    }

    mutating func reference(_ value: ObjectReference) {
        structure {
            $0.string(value.busName)
            $0.objectPath(value.path)
        }
    }

    mutating func structure(_ body: (inout MessageWriter) -> Void) {
        container(WireType.structure, nil, body)
    }

    mutating func dictionaryEntry(_ body: (inout MessageWriter) -> Void) {
        container(WireType.dictionaryEntry, nil, body)
    }

    mutating func array(of signature: String, _ body: (inout MessageWriter) -> Void) {
        container(WireType.array, signature, body)
    }

    mutating func variant(_ signature: String, _ body: (inout MessageWriter) -> Void) {
        container(WireType.variant, signature, body)
    }

    private mutating func container(_ type: Int32, _ signature: String?, _ body: (inout MessageWriter) -> Void) {
        var inner = MessageWriter()
        dbus_message_iter_open_container(&iterator, type, signature, &inner.iterator)
        body(&inner)
        dbus_message_iter_close_container(&iterator, &inner.iterator)
    }

    private mutating func text(_ value: String, _ type: Int32) {
        value.withCString { pointer in
            var pointer: UnsafePointer<CChar>? = pointer
            _ = dbus_message_iter_append_basic(&iterator, type, &pointer)
        }
    }
}
