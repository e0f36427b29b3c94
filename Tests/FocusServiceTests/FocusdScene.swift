import AccessibilityFocus
import FakePeers
import FocusProtocol
import Foundation
import Synchronization
import TestDesktop
import Testing

/// The real focusd on a bus of its own, one test at a time: the tests are the extensions of this.
@Suite(.serialized) enum FocusdTests {}

/// focusd, a bus without a desktop, and the fake peers that a test puts on it. `end` takes all of it down.
final class FocusdScene {
    private(set) var bus: PrivateBus
    let runtimeFolder: String
    private(set) var focusd: FocusdProcess
    private let environment: [String: String]
    private let arguments: [String]
    private var readers: [FakeScreenReaderProcess] = []
    private var applications: [FakeApplication] = []
    private var connections: [FakeConnection] = []

    /// With a session bus focusd learns the address from there, else from its environment, to which `variables` are added.
    /// `configuration` is the text of its file of settings, `limits` are the bus's. `services` is a folder of what the
    /// bus starts by itself.
    init(
        registry: Bool = false, session: PrivateBus? = nil, configuration: String? = nil, limits: [String: Int] = [:],
        variables: [String: String] = [:], services: String? = nil, options: [String] = []
    ) throws {
        bus = try PrivateBus(registry: registry, limits: limits, services: services)
        runtimeFolder = try Places.makeTemporaryFolder()
        var environment = variables
        environment["XDG_RUNTIME_DIR"] = runtimeFolder
        if let session {
            environment["DBUS_SESSION_BUS_ADDRESS"] = session.address
            sessionLauncher = try SessionLauncher(on: session, tells: bus.address)
        } else {
            environment["AT_SPI_BUS_ADDRESS"] = bus.address
        }
        var arguments = options
        if let configuration {
            let file = "\(runtimeFolder)/focusd.conf"
            try Data(configuration.utf8).write(to: URL(fileURLWithPath: file))
            arguments += ["--config", file]
        }
        self.environment = environment
        self.arguments = arguments
        focusd = try FocusdProcess(environment: environment, arguments: arguments)
        try waitUntilOnBus()
    }

    /// Answers on the session bus for the accessibility bus.
    private(set) var sessionLauncher: SessionLauncher?

    /// Ends the bus, and with it everybody's connection.
    func stopBus() { bus.stop() }

    /// Starts an empty bus at the address of the one that was stopped.
    func startBusAgain() throws { bus = try PrivateBus(inPlaceOf: bus) }

    /// Starts an empty bus elsewhere, which `org.a11y.Bus` on the session bus tells from now on.
    func startBusElsewhere(on session: PrivateBus) throws {
        bus = try PrivateBus()
        sessionLauncher?.connection.disconnect()
        sessionLauncher = try SessionLauncher(on: session, tells: bus.address)
    }

    /// Starts focusd anew, after it was ended by a signal; the bus and all on it stay.
    func restartFocusd(by signal: Int32 = SIGKILL) throws {
        focusd.process.signal(signal)
        try focusd.process.wait()
        focusd = try FocusdProcess(environment: environment, arguments: arguments)
    }

    func end() {
        for reader in readers { reader.quit() }
        for application in applications { application.disconnect() }
        for connection in connections { connection.disconnect() }
        focusd.process.end()
        bus.stop()
        do { try FileManager.default.removeItem(atPath: runtimeFolder) } catch { print("left behind: \(error)") }
    }

    // MARK: - Who is there

    func application(_ name: String = "calc", toolkit: FakeToolkit = .gtk3) throws -> FakeApplication {
        let application = try FakeApplication.sample(bus: bus.address, name: name, toolkit: toolkit)
        applications.append(application)
        return application
    }

    func adopt(_ application: FakeApplication) -> FakeApplication {
        applications.append(application)
        return application
    }

    /// A screen reader that signals only what it is told to, unless it follows.
    func reader(_ name: String = FakeScreenReaderProcess.unknownOrca, follows: Bool = false, registers: Bool = false)
        throws
        -> FakeScreenReaderProcess
    {
        let reader = try FakeScreenReaderProcess(bus: bus.address, as: name, registers: registers, follows: follows)
        readers.append(reader)
        return reader
    }

    /// Anybody else on the bus.
    func peer() throws -> FakeConnection {
        let connection = try FakeConnection(bus: bus.address)
        connections.append(connection)
        return connection
    }

    // MARK: - The client's side

    func client() throws -> Client { try Client(runtimeFolder) }

    func watch(_ technology: String? = "orca", updates: Bool? = nil) throws -> FocusWatch {
        try FocusWatch(runtimeFolder, technology: technology, updates: updates)
    }

    func counter(_ name: String) throws -> Int64 {
        let counters = try client().statistics().counters
        guard let count = counters[name] else { throw Missing(what: "no counter \(name)") }
        return count
    }

    /// Waits until a counter is at least this.
    func waitForCounter(_ name: String, _ count: Int64, within seconds: Double = 10) throws {
        try wait(within: seconds, "\(name) \(count)") { try counter(name) >= count }
    }

    /// Waits until focusd is on the bus, and the bus knows what it wants to hear.
    func waitUntilOnBus(within seconds: Double = 20) throws {
        try wait(within: seconds, "focusd on the bus") {
            try !client().diagnose().contains { $0.code == "noAccessibilityBus" }
        }
    }

    /// Returns when everything that focusd asked of the bus so far has been done there.
    func settle() throws {
        // ORDER: the answer needs an answer of the bus, which comes after what was asked before.
        _ = try client().diagnose()
    }

    /// Asks again and again; focusd answers each question at once.
    func wait(within seconds: Double, _ what: String, until isTrue: () throws -> Bool) throws {
        let deadline = Date(timeIntervalSinceNow: seconds)
        while try !isTrue() {
            guard Date() < deadline else { throw Missing(what: "not within \(seconds) s: \(what)") }
        }
    }

    /// Puts the reader on an element; returns the stream from then on, with everything around it heard.
    func watch(_ reader: FakeScreenReaderProcess, on key: String, of app: FakeApplication) async throws -> FocusWatch {
        try await reader.present(key, of: app)
        try wait(within: 20, "focus on \(key)") {
            let element = try client().focus(of: "orca").element
            return element?.path == app.node(key).path && element?.busName == app.busName
        }
        try settle()
        return try watch("orca")
    }
}

/// What `org.a11y.Bus` is on a session bus: it tells the address, and notes every call.
final class SessionLauncher: Sendable {
    let calls = Observations<FakeCall>()
    let connection: FakeConnection
    /// Whether toolkits are to show themselves, as it says when it is asked; nil where it says nothing of that.
    private let isEnabled: Flag

    /// A value that its connection's thread and a test's share.
    private final class Flag: Sendable {
        let value = Mutex<Bool?>(true)
    }

    func setIsEnabled(_ isEnabled: Bool?) { self.isEnabled.value.withLock { $0 = isEnabled } }

    init(on session: PrivateBus, tells address: String) throws {
        connection = try FakeConnection(bus: session.address)
        let (calls, isEnabled) = (calls, Flag())
        self.isEnabled = isEnabled
        connection.serve { call in
            calls.append(call)
            switch call.member {
            case "GetAddress": call.reply([.string(address)])
            case "Get":
                guard let isEnabled = isEnabled.value.withLock({ $0 }) else {
                    return call.fail("org.freedesktop.DBus.Error.UnknownProperty")
                }
                call.reply([.variant(.boolean(isEnabled))])
            default: call.fail("org.freedesktop.DBus.Error.UnknownMethod")
            }
        }
        try connection.requestName("org.a11y.Bus")
    }
}

/// Runs a test's body with a scene that is taken down whatever happens.
func withScene(
    registry: Bool = false, session: PrivateBus? = nil, configuration: String? = nil, limits: [String: Int] = [:],
    variables: [String: String] = [:], services: String? = nil, options: [String] = [],
    _ body: (FocusdScene) async throws -> Void
) async throws {
    let scene = try FocusdScene(
        registry: registry, session: session, configuration: configuration, limits: limits, variables: variables,
        services: services, options: options)
    defer { scene.end() }
    do {
        try await body(scene)
    } catch {
        Issue.record("focusd said: \(scene.focusd.process.errors.all.suffix(20))")
        throw error
    }
    // Whatever it was told, it lives.
    _ = try scene.client().statistics()
}

extension FakeConnection {
    /// The signals of this name that came so far.
    func heard(_ member: String) -> [FakeSignal] { signals.all.filter { $0.member == member } }
}

extension FocusWatch {
    /// The next change must be this one.
    @discardableResult
    func expect(
        _ app: FakeApplication?, _ key: String?, cause: String, within seconds: Int = 20,
        at location: SourceLocation = #_sourceLocation
    ) throws -> Focus {
        let change = try next(within: seconds)
        #expect(change.cause == cause, sourceLocation: location)
        #expect(change.element?.path == key.flatMap { app?.find($0)?.path }, sourceLocation: location)
        #expect(change.element?.busName == app.flatMap { key == nil ? nil : $0.busName }, sourceLocation: location)
        return change
    }
}

let hasRegistry = PrivateBus.hasRegistry || ProcessInfo.processInfo.environment["FOCUSD_REQUIRE_ALL"] == "1"
