/// Orca's remote controller on a session bus, as versions 49 to 51 serve it; it notes what it is told.
package final class FakeRemoteController: Sendable {
    /// What it is called, and how its modules are.
    package enum Generation: String, Sendable, CaseIterable {
        /// Versions 49 and 50.
        case first
        /// From 51 on.
        case second

        /// The name it owns, which is its own interface's, too.
        package var name: String { self == .second ? "org.gnome.Orca1.Service" : "org.gnome.Orca.Service" }
        /// The version that it says it is of.
        package var version: String { self == .second ? "51.1" : "49.5" }
        /// The path of its own object; modules are below it.
        package var path: String { self == .second ? "/org/gnome/Orca1/Service" : "/org/gnome/Orca/Service" }
    }

    /// What it says to everything.
    package enum Answer: String, Sendable, CaseIterable { case yes, no, error, never }

    /// Everything that it was told, in order.
    package let calls = Observations<FakeCall>()
    private let connection: FakeConnection

    /// Owns its name on this bus from then on.
    package init(session address: String, _ generation: Generation, answer: Answer = .yes) throws {
        connection = try FakeConnection(bus: address)
        let calls = calls
        connection.serve { call in
            calls.append(call)
            if call.member == "GetVersion", answer == .yes {
                return call.reply([.string(generation.version + " (rev 1a2b3c)")])
            }
            switch answer {
            case .yes: call.reply([.boolean(true)])
            case .no: call.reply([.boolean(false)])
            case .error: call.fail("org.freedesktop.DBus.Error.Failed", "no script")
            case .never: break
            }
        }
        do {
            try connection.requestName(generation.name)
        } catch {
            connection.disconnect()
            throw error
        }
    }

    /// Leaves the bus.
    package func disconnect() { connection.disconnect() }
}

/// A signal or call as a fake peer in another process tells of it, its arguments as text.
package struct FakeMention: Codable, Hashable, Sendable {
    /// Who sent it.
    package var sender: String
    package var path: String
    package var interface: String
    package var member: String
    package var arguments: [String]

    init(_ signal: FakeSignal) {
        (sender, path, interface, member) = (signal.sender, signal.path, signal.interface, signal.member)
        arguments = signal.arguments.map(FakeMention.text)
    }

    init(_ call: FakeCall) {
        (sender, path, interface, member) = (call.sender, call.path, call.interface ?? "", call.member)
        arguments = call.arguments.map(FakeMention.text)
    }

    private static func text(_ value: DBusValue) -> String {
        let value = value.unwrapped
        return value.text ?? value.number.map { "\($0)" } ?? value.truth.map { "\($0)" } ?? ""
    }
}
