import FakePeers

/// A bus for one test.
func withBus(registry: Bool = false, _ body: (PrivateBus) async throws -> Void) async throws {
    let bus = try PrivateBus(registry: registry)
    defer { bus.stop() }
    try await body(bus)
}

/// A connection that hears everything on the bus that is said to everybody.
func listener(_ bus: PrivateBus) throws -> FakeConnection {
    let connection = try FakeConnection(bus: bus.address)
    try connection.listen("type='signal'")
    return connection
}

let accessible = "org.a11y.atspi.Accessible"
let cachePath = "/org/a11y/atspi/cache"
let cacheInterface = "org.a11y.atspi.Cache"

/// One fake application, a client that asks it, and the signals that it hears; on a bus of their own.
struct Stage {
    let bus: PrivateBus
    let app: FakeApplication
    let client: FakeConnection

    /// Runs a test's body with the sample application.
    static func run(
        _ toolkit: FakeToolkit = .gtk3, _ body: (Stage) async throws -> Void
    ) async throws {
        try await run({ try .sample(bus: $0.address, toolkit: toolkit, registration: .never) }, body)
    }

    /// Runs a test's body with an application of its own.
    static func run(
        _ make: (PrivateBus) throws -> FakeApplication, _ body: (Stage) async throws -> Void
    ) async throws {
        try await withBus { bus in
            try await body(Stage(bus: bus, app: make(bus), client: listener(bus)))
        }
    }

    func ask(
        _ member: String, of key: String, _ interface: String = accessible, _ arguments: [DBusValue] = [],
        within deadline: Duration = .seconds(10)
    ) async throws -> [DBusValue] {
        let path = app.find(key)?.path ?? key
        return try await client.call(app.busName, path, interface, member, arguments, within: deadline)
    }

    func property(_ name: String, of key: String, _ interface: String = accessible) async throws -> DBusValue {
        try await client.property(app.busName, app.find(key)?.path ?? key, interface, name)
    }

    /// The error's name, or nil where the call was answered.
    func failure(
        of member: String, of key: String, _ interface: String = accessible, _ arguments: [DBusValue] = []
    ) async throws -> String? {
        do {
            _ = try await ask(member, of: key, interface, arguments)
            return nil
        } catch FakePeerError.replied(let name, _) {
            return name.replacing("org.freedesktop.DBus.Error.", with: "")
        }
    }

    func children(_ key: String) async throws -> [FakeReference] {
        try await ask("GetChildren", of: key).first?.elements?.compactMap(\.referenced) ?? []
    }

    func items() async throws -> [[DBusValue]] {
        try await ask("GetItems", of: cachePath, cacheInterface).first?.elements?.compactMap(\.elements) ?? []
    }

    /// All signals that the application has sent so far.
    func heard() async throws -> [FakeSignal] {
        try await app.connection.settled()
        try await client.settled()
        return client.signals.all.filter { $0.sender == app.busName }
    }
}
