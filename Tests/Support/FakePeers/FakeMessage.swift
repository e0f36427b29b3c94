import CDBus

/// A message of libdbus on its way out. Whoever holds it owns one reference.
package final class FakeMessage: @unchecked Sendable {
    // SAFETY: the pointer never changes, libdbus counts references atomically, and nobody writes to a message after
    // its initializer has returned; libdbus locks a message when it is sent.
    let pointer: OpaquePointer

    private init(adopting pointer: OpaquePointer) { self.pointer = pointer }

    deinit { dbus_message_unref(pointer) }

    /// A signal, to everybody or, with a destination, to one connection. Throws what D-Bus cannot carry.
    package static func signal(
        path: String, interface: String, member: String, arguments: [DBusValue], destination: String? = nil
    ) throws -> FakeMessage {
        try check(path, "object path", dbus_validate_path)
        try check(interface, "interface", dbus_validate_interface)
        try check(member, "member", dbus_validate_member)
        guard let pointer = dbus_message_new_signal(path, interface, member) else {
            throw FakePeerError.notSendable("signal \(member)")
        }
        let message = FakeMessage(adopting: pointer)
        try message.finish(arguments, destination)
        return message
    }

    /// A method call.
    package static func call(
        destination: String, path: String, interface: String?, member: String, arguments: [DBusValue]
    ) throws -> FakeMessage {
        try check(path, "object path", dbus_validate_path)
        if let interface { try check(interface, "interface", dbus_validate_interface) }
        try check(member, "member", dbus_validate_member)
        guard let pointer = dbus_message_new_method_call(nil, path, interface, member) else {
            throw FakePeerError.notSendable("call \(member)")
        }
        let message = FakeMessage(adopting: pointer)
        try message.finish(arguments, destination)
        return message
    }

    /// A reply to the call with this serial.
    static func reply(serial: UInt32, destination: String?, arguments: [DBusValue]) throws -> FakeMessage {
        guard let pointer = dbus_message_new(DBUS_MESSAGE_TYPE_METHOD_RETURN) else {
            throw FakePeerError.notSendable("reply")
        }
        let message = FakeMessage(adopting: pointer)
        dbus_message_set_reply_serial(pointer, serial)
        dbus_message_set_no_reply(pointer, 1)
        try message.finish(arguments, destination)
        return message
    }

    /// A reply that carries one array, to be copied for calls. That the elements have the signature is not checked.
    static func reply(trustedArray elements: [DBusValue], of signature: String) throws -> FakeMessage {
        let message = try reply(serial: 1, destination: nil, arguments: [])
        var iterator = DBusMessageIter()
        dbus_message_iter_init_append(message.pointer, &iterator)
        try DBusValue.container(&iterator, "a", signature, elements)
        return message
    }

    /// The same reply for another call.
    func addressed(to destination: String, serial: UInt32) -> FakeMessage? {
        guard let copy = copy() else { return nil }
        dbus_message_set_reply_serial(copy.pointer, serial)
        dbus_message_set_destination(copy.pointer, destination)
        return copy
    }

    /// An error reply to the call with this serial.
    static func error(serial: UInt32, destination: String, name: String, message text: String) throws -> FakeMessage {
        try check(name, "error name", dbus_validate_error_name)
        guard let pointer = dbus_message_new(DBUS_MESSAGE_TYPE_ERROR) else { throw FakePeerError.notSendable(name) }
        let message = FakeMessage(adopting: pointer)
        dbus_message_set_error_name(pointer, name)
        dbus_message_set_reply_serial(pointer, serial)
        dbus_message_set_no_reply(pointer, 1)
        try message.finish([.string(text)], destination)
        return message
    }

    /// The same message once more: a sent message carries a serial and cannot be sent again.
    func copy() -> FakeMessage? { dbus_message_copy(pointer).map(FakeMessage.init(adopting:)) }

    /// The bytes of the whole message, the last occurrence of some of them replaced by as many others.
    func marshalled(replacing old: [UInt8], with new: [UInt8]) -> [UInt8] {
        precondition(old.count == new.count)
        dbus_message_set_serial(pointer, 0x7FFF_0000)
        var data: UnsafeMutablePointer<CChar>?
        var length: Int32 = 0
        guard dbus_message_marshal(pointer, &data, &length) != 0, let data else { return [] }
        defer { dbus_free(data) }
        var bytes = UnsafeRawBufferPointer(start: data, count: Int(length)).map { $0 }
        guard !old.isEmpty else { return bytes }
        for start in stride(from: bytes.count - old.count, through: 0, by: -1)
        where bytes[start..<start + old.count].elementsEqual(old) {
            bytes.replaceSubrange(start..<start + old.count, with: new)
            return bytes
        }
        preconditionFailure("what is to be replaced is not in the message")
    }

    private func finish(_ arguments: [DBusValue], _ destination: String?) throws {
        if let destination {
            try Self.check(destination, "bus name", dbus_validate_bus_name)
            dbus_message_set_destination(pointer, destination)
        }
        var iterator = DBusMessageIter()
        dbus_message_iter_init_append(pointer, &iterator)
        for argument in arguments { try argument.append(to: &iterator) }
    }

    static func check(
        _ text: String, _ what: String,
        _ validate: (UnsafePointer<CChar>?, UnsafeMutablePointer<DBusError>?) -> dbus_bool_t
    ) throws {
        guard !text.utf8.contains(0), validate(text, nil) != 0 else {
            throw FakePeerError.notSendable("\(what) “\(text)”")
        }
    }
}

// MARK: - Values into a message

extension DBusValue {
    func append(to iterator: inout DBusMessageIter) throws {
        switch self {
        case .byte(let value): Self.basic(&iterator, "y", value)
        case .boolean(let value): Self.basic(&iterator, "b", dbus_bool_t(value ? 1 : 0))
        case .int16(let value): Self.basic(&iterator, "n", value)
        case .uint16(let value): Self.basic(&iterator, "q", value)
        case .int32(let value): Self.basic(&iterator, "i", value)
        case .uint32(let value): Self.basic(&iterator, "u", value)
        case .int64(let value): Self.basic(&iterator, "x", value)
        case .uint64(let value): Self.basic(&iterator, "t", value)
        case .double(let value): Self.basic(&iterator, "d", value)
        case .string(let value):
            try FakeMessage.check(value, "string", dbus_validate_utf8)
            Self.text(&iterator, "s", value)
        case .objectPath(let value):
            try FakeMessage.check(value, "object path", dbus_validate_path)
            Self.text(&iterator, "o", value)
        case .signature(let value):
            try FakeMessage.check(value, "signature", dbus_signature_validate)
            Self.text(&iterator, "g", value)
        case .array(let element, let values):
            if let odd = values.first(where: { $0.typeSignature != element }) {
                throw FakePeerError.notSendable("\(odd.typeSignature) in an array of \(element)")
            }
            try FakeMessage.check("a" + element, "signature", dbus_signature_validate)
            try Self.container(&iterator, "a", element, values)
        case .structure(let fields):
            guard !fields.isEmpty else { throw FakePeerError.notSendable("empty structure") }
            try Self.container(&iterator, "r", nil, fields)
        case .dictionaryEntry(let key, let value):
            try Self.container(&iterator, "e", nil, [key, value])
        case .variant(let value):
            try FakeMessage.check(value.typeSignature, "signature", dbus_signature_validate)
            try Self.container(&iterator, "v", value.typeSignature, [value])
        }
    }

    private static func basic<T: BitwiseCopyable>(_ iterator: inout DBusMessageIter, _ code: Unicode.Scalar, _ value: T)
    {
        withUnsafePointer(to: value) { _ = dbus_message_iter_append_basic(&iterator, Int32(code.value), $0) }
    }

    private static func text(_ iterator: inout DBusMessageIter, _ code: Unicode.Scalar, _ value: String) {
        value.withCString { characters in
            withUnsafePointer(to: characters) {
                _ = dbus_message_iter_append_basic(&iterator, Int32(code.value), $0)
            }
        }
    }

    static func container(
        _ iterator: inout DBusMessageIter, _ code: Unicode.Scalar, _ signature: String?, _ values: [DBusValue]
    ) throws {
        var inner = DBusMessageIter()
        guard dbus_message_iter_open_container(&iterator, Int32(code.value), signature, &inner) != 0 else {
            throw FakePeerError.notSendable("container")
        }
        do {
            for value in values { try value.append(to: &inner) }
        } catch {
            dbus_message_iter_abandon_container(&iterator, &inner)
            throw error
        }
        dbus_message_iter_close_container(&iterator, &inner)
    }
}

// MARK: - Values out of a message

extension DBusValue {
    /// All arguments of a message that libdbus has received, and so has checked.
    static func arguments(of message: OpaquePointer) -> [DBusValue] {
        var iterator = DBusMessageIter()
        guard dbus_message_iter_init(message, &iterator) != 0 else { return [] }
        return read(&iterator)
    }

    private static func read(_ iterator: inout DBusMessageIter) -> [DBusValue] {
        var values: [DBusValue] = []
        while let value = readOne(&iterator) {
            values.append(value)
            dbus_message_iter_next(&iterator)
        }
        return values
    }

    private static func readOne(_ iterator: inout DBusMessageIter) -> DBusValue? {
        switch UInt8(truncatingIfNeeded: dbus_message_iter_get_arg_type(&iterator)) {
        case UInt8(ascii: "y"): .byte(number(&iterator))
        case UInt8(ascii: "b"): .boolean(number(&iterator) as dbus_bool_t != 0)
        case UInt8(ascii: "n"): .int16(number(&iterator))
        case UInt8(ascii: "q"): .uint16(number(&iterator))
        case UInt8(ascii: "i"): .int32(number(&iterator))
        case UInt8(ascii: "u"): .uint32(number(&iterator))
        case UInt8(ascii: "x"): .int64(number(&iterator))
        case UInt8(ascii: "t"): .uint64(number(&iterator))
        case UInt8(ascii: "d"): .double(Double(bitPattern: number(&iterator)))
        case UInt8(ascii: "s"): .string(text(&iterator))
        case UInt8(ascii: "o"): .objectPath(text(&iterator))
        case UInt8(ascii: "g"): .signature(text(&iterator))
        case UInt8(ascii: "a"): .array(elementSignature(&iterator), inside(&iterator))
        case UInt8(ascii: "r"): .structure(inside(&iterator))
        case UInt8(ascii: "e"): entry(inside(&iterator))
        case UInt8(ascii: "v"): inside(&iterator).first.map { .variant($0) }
        // The end, and file descriptors, which no accessible sends.
        default: nil
        }
    }

    private static func number<T: FixedWidthInteger & BitwiseCopyable>(_ iterator: inout DBusMessageIter) -> T {
        var value: T = 0
        dbus_message_iter_get_basic(&iterator, &value)
        return value
    }

    private static func text(_ iterator: inout DBusMessageIter) -> String {
        var characters: UnsafePointer<CChar>?
        dbus_message_iter_get_basic(&iterator, &characters)
        return characters.map { String(cString: $0) } ?? ""
    }

    private static func inside(_ iterator: inout DBusMessageIter) -> [DBusValue] {
        var inner = DBusMessageIter()
        dbus_message_iter_recurse(&iterator, &inner)
        return read(&inner)
    }

    private static func entry(_ values: [DBusValue]) -> DBusValue? {
        values.count == 2 ? .dictionaryEntry(values[0], values[1]) : nil
    }

    private static func elementSignature(_ iterator: inout DBusMessageIter) -> String {
        guard let whole = dbus_message_iter_get_signature(&iterator) else { return "" }
        defer { dbus_free(whole) }
        return String(String(cString: whole).dropFirst())
    }
}
