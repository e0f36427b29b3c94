import AccessibilityTree
import FakePeers

@testable import ATSPI

/// Items of a cache as an application would send them, and as it should not.
struct Item {
    var own: DBusValue
    var application: DBusValue
    var parent: DBusValue
    var index: Int32 = 0
    var count: Int32 = 0
    var children: [DBusValue] = []
    var interfaces = ["org.a11y.atspi.Accessible", "org.a11y.atspi.Component"]
    var name = ""
    var role: UInt32 = 43
    var description = ""
    var states: [UInt32] = [1 << 8, 1]

    static let null = DBusValue.reference("", "/org/a11y/atspi/null")
    static let modernSignature = "((so)(so)(so)iiassusau)"
    static let legacySignature = "((so)(so)(so)a(so)assusau)"

    init(_ busName: String, _ number: Int) {
        own = .reference(busName, "/it/\(number)")
        application = .reference(busName, "/root")
        parent = .reference(busName, "/it/\(number / 10)")
        index = Int32(number % 10)
        name = "item \(number)"
    }

    private var tail: [DBusValue] {
        [
            .strings(interfaces), .string(name), .uint32(role), .string(description),
            .array("u", states.map { .uint32($0) }),
        ]
    }

    var modern: DBusValue { .structure([own, application, parent, .int32(index), .int32(count)] + tail) }
    var legacy: DBusValue { .structure([own, application, parent, .array("(so)", children)] + tail) }
}

/// A bare connection that answers `GetItems`, and everything else, as a test says.
struct Lister {
    let connection: FakeConnection

    /// The second argument is the lister's own name.
    init(_ bus: PrivateBus, _ answer: @escaping @Sendable (FakeCall, String) -> Void) throws {
        connection = try FakeConnection(bus: bus.address)
        let name = connection.uniqueName
        connection.serve { answer($0, name) }
    }
}
