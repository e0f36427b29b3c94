import CDBus
import EventLoop

/// A message that outlives the callback that got it.
@Loop
final class HeldMessage {
    private let message: OpaquePointer

    init(_ message: OpaquePointer) {
        self.message = dbus_message_ref(message)
    }

    var signature: String { dbus_message_get_signature(message).map { String(cString: $0) } ?? "" }

    /// Sets an iterator to the first element of the array that is the first argument. Valid while this object lives.
    func enterArray(_ elements: inout DBusMessageIter) {
        var arguments = DBusMessageIter()
        guard dbus_message_iter_init(message, &arguments) != 0,
            dbus_message_iter_get_arg_type(&arguments) == WireType.array
        else { return }
        dbus_message_iter_recurse(&arguments, &elements)
    }

    isolated deinit { dbus_message_unref(message) }
}
