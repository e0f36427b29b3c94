import CDBus

/// A signal as it came in.
package struct FakeSignal: Sendable, Hashable {
    package let sender: String
    /// The unique name it was sent to alone; nil for a broadcast.
    package let destination: String?
    package let path: String
    package let interface: String
    package let member: String
    package let signature: String
    package let arguments: [DBusValue]

    init(_ message: OpaquePointer) {
        sender = string(dbus_message_get_sender(message))
        destination = dbus_message_get_destination(message).map { String(cString: $0) }
        path = string(dbus_message_get_path(message))
        interface = string(dbus_message_get_interface(message))
        member = string(dbus_message_get_member(message))
        signature = string(dbus_message_get_signature(message))
        arguments = DBusValue.arguments(of: message)
    }
}

/// A method call as it came in, and the way to answer it, from any thread.
package struct FakeCall: Sendable {
    package let sender: String
    package let path: String
    package let interface: String?
    package let member: String
    package let arguments: [DBusValue]
    let serial: UInt32
    let wantsReply: Bool
    let connection: FakeConnection

    init(_ message: OpaquePointer, on connection: FakeConnection) {
        sender = string(dbus_message_get_sender(message))
        path = string(dbus_message_get_path(message))
        interface = dbus_message_get_interface(message).map { String(cString: $0) }
        member = string(dbus_message_get_member(message))
        arguments = DBusValue.arguments(of: message)
        serial = dbus_message_get_serial(message)
        wantsReply = dbus_message_get_no_reply(message) == 0
        self.connection = connection
    }

    /// The property that `Properties.Get` or `Set` names; nil for every other call.
    package var property: String? {
        guard interface == "org.freedesktop.DBus.Properties", member == "Get" || member == "Set", arguments.count > 1
        else { return nil }
        return arguments[1].text
    }

    /// The interface that is meant: that of the property for `Properties.Get`, else the call's own.
    package var subject: String? {
        interface == "org.freedesktop.DBus.Properties" ? arguments.first?.text : interface
    }

    /// Answers with these values; values that D-Bus cannot carry become an error answer.
    package func reply(_ values: [DBusValue]) {
        guard wantsReply else { return }
        do {
            connection.send(try .reply(serial: serial, destination: sender, arguments: values))
        } catch {
            fail("org.freedesktop.DBus.Error.Failed", "\(error)")
        }
    }

    /// Answers with a copy of a reply.
    func reply(copyOf message: FakeMessage) {
        guard wantsReply else { return }
        guard let copy = message.addressed(to: sender, serial: serial) else {
            return fail("org.freedesktop.DBus.Error.NoMemory")
        }
        connection.send(copy)
    }

    /// Answers with a string of these bytes, for a property in a variant, whether they are text or not.
    package func reply(bytes: [UInt8]) {
        guard wantsReply else { return }
        // A string of the same length holds the place, for libdbus checks what it is given.
        let marker = String(repeating: "\u{1}", count: bytes.count)
        let place = property == nil ? DBusValue.string(marker) : .variant(.string(marker))
        do {
            let message = try FakeMessage.reply(serial: serial, destination: sender, arguments: [place])
            connection.sendBytes(message.marshalled(replacing: Array(marker.utf8), with: bytes))
        } catch {
            preconditionFailure("a reply with a string of ones cannot be made: \(error)")
        }
    }

    /// Answers with a D-Bus error.
    package func fail(_ name: String, _ text: String = "") {
        guard wantsReply else { return }
        do {
            connection.send(try .error(serial: serial, destination: sender, name: name, message: text))
        } catch {
            preconditionFailure("a fake peer was told to answer with an error that D-Bus cannot carry: \(error)")
        }
    }
}

private func string(_ characters: UnsafePointer<CChar>?) -> String { characters.map { String(cString: $0) } ?? "" }
