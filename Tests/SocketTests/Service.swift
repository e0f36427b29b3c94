import FakePeers
import FocusProtocol
import Foundation
import Glibc
import TestDesktop

/// A focusd of one test's own, in a runtime folder of its own, with a private accessibility bus or without any.
final class Service: Sendable {
    let folder: TemporaryFolder
    let focusd: FocusdProcess

    init(bus: PrivateBus? = nil) throws {
        folder = try TemporaryFolder()
        focusd = try FocusdProcess(environment: Service.environment(runtimeFolder: folder.path, bus: bus))
    }

    static func environment(runtimeFolder: String?, bus: PrivateBus? = nil) -> [String: String] {
        var environment = ["PATH": "/usr/bin:/bin", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"]
        environment["XDG_RUNTIME_DIR"] = runtimeFolder
        environment["AT_SPI_BUS_ADDRESS"] = bus?.address
        return environment
    }

    var socket: String { folder.socket }
    var pid: Int32 { focusd.process.pid }

    func client() throws -> RawClient { try RawClient(socket) }

    func statistics() throws -> Statistics { try Service.statistics(try client()) }

    static func statistics(_ client: RawClient) throws -> Statistics {
        struct Envelope: Decodable {
            let parameters: GetStatistics.Reply
        }
        let text = try client.call(Wire.getStatistics).text
        return try JSONDecoder().decode(Envelope.self, from: Data(text.utf8)).parameters.statistics
    }

    /// The codes of what the doctor finds.
    func findings() throws -> [String] { try Client(folder.path).diagnose().map(\.code) }

    /// Asks again and again, each time a round trip, until the numbers are as they should be.
    @discardableResult
    func statistics(
        within seconds: Double = 30, until description: String, _ fits: (Statistics) -> Bool
    ) throws -> Statistics {
        let client = try client()
        let deadline = Date(timeIntervalSinceNow: seconds)
        while true {
            let statistics = try Service.statistics(client)
            if fits(statistics) { return statistics }
            guard deadline.timeIntervalSinceNow > 0 else {
                throw Missing(what: "not within \(seconds) s: \(description); instead \(statistics)")
            }
        }
    }

    var openDescriptors: Int {
        get throws { try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").count }
    }

    /// What it keeps in memory.
    var residentKilobytes: Int {
        get throws {
            let text = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
            let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
            guard let number = line?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
                throw Missing(what: "no VmRSS of focusd")
            }
            return number
        }
    }
}

/// A service with an application and a screen reader that focusd knows.
final class BusyService: Sendable {
    let bus: PrivateBus
    let service: Service
    let application: FakeApplication
    let reader: FakeScreenReaderProcess

    init() async throws {
        bus = try PrivateBus()
        application = try FakeApplication.sample(bus: bus.address)
        service = try Service(bus: bus)
        let watch = try service.client()
        try watch.send(Wire.watchTechnologies)
        func isActive(_ reply: RawClient.Reply, _ id: String) -> Bool {
            let technologies = reply.parameters["technologies"] as? [[String: Any]] ?? []
            return technologies.contains { $0["id"] as? String == id && $0["active"] as? Bool == true }
        }
        // The keyboard is active where there is a bus; no reply tells when it comes, so it is asked for.
        let deadline = Date(timeIntervalSinceNow: 30)
        let asking = try service.client()
        while !isActive(try asking.call(Wire.listTechnologies), "keyboard") {
            guard deadline.timeIntervalSinceNow > 0 else { throw Missing(what: "focusd did not find the bus") }
        }
        reader = try FakeScreenReaderProcess(bus: bus.address, follows: false)
        try await reader.present("ok", of: application)
        while !isActive(try watch.reply(), "orca") {}
        // Its first signal counts a moment later, once the element it names was read; both are known after this.
        let focus = try service.client()
        var now = try focus.call(Wire.watchFocus)
        while now.elementName != "OK" { now = try focus.reply() }
        for (key, name) in [("cancel", "Cancel"), ("ok", "OK")] {
            try await reader.present(key, of: application)
            while now.elementName != name { now = try focus.reply() }
        }
    }

    func end() {
        reader.quit()
        application.disconnect()
        service.focusd.process.end()
        bus.stop()
    }

    func storm(_ count: Int, perSecond: Int? = nil) async throws {
        try await reader.storm(
            count: count, bus: application.busName,
            paths: (application.node("ok").path, application.node("cancel").path), perSecond: perSecond)
    }
}

func withBusyService(_ body: (BusyService) async throws -> Void) async throws {
    let busy = try await BusyService()
    defer { busy.end() }
    try await body(busy)
}

/// A runtime folder, 0700, removed at the end.
final class TemporaryFolder: Sendable {
    let path: String
    var focusdFolder: String { path + "/focusd" }
    var socket: String { focusdFolder + "/io.focusd.Focus" }

    init() throws { path = try Places.makeTemporaryFolder() }

    deinit {
        do { try FileManager.default.removeItem(atPath: path) } catch { print("left behind: \(path): \(error)") }
    }
}

/// Calls one after the other on another thread until told to stop, and keeps the longest time an answer took.
final class SteadyClient: @unchecked Sendable {
    // SAFETY: everything that changes is guarded by `condition`.
    private let condition = NSCondition()
    private var shouldStop = false
    private var result: Result<(count: Int, slowest: Double), any Error>?

    init(_ socket: String, _ message: String) {
        Thread.detachNewThread { [self] in
            let result = Result { try run(socket, message) }
            condition.withLock {
                self.result = result
                condition.broadcast()
            }
        }
    }

    private func run(_ socket: String, _ message: String) throws -> (count: Int, slowest: Double) {
        let client = try RawClient(socket)
        var (count, slowest) = (0, 0.0)
        while !condition.withLock({ shouldStop }) {
            let start = ContinuousClock.now
            let reply = try client.call(message)
            if let error = reply.error { throw Missing(what: error) }
            slowest = max(slowest, start.duration(to: .now) / .seconds(1))
            count += 1
        }
        return (count, slowest)
    }

    func stop() throws -> (count: Int, slowest: Double) {
        condition.lock()
        defer { condition.unlock() }
        shouldStop = true
        let deadline = Date(timeIntervalSinceNow: 30)
        while true {
            if let result { return try result.get() }
            guard condition.wait(until: deadline) else { throw Missing(what: "the steady client does not end") }
        }
    }
}

/// What the machine must have; missing is a named skip on a desk, and a failure where all is required.
enum Needs {
    static let isEverythingRequired = ProcessInfo.processInfo.environment["FOCUSD_REQUIRE_ALL"] == "1"
    /// Where all is required, a test that only root can do fails for others; it is not left out in silence.
    static let isRoot = isEverythingRequired || getuid() == 0
    static let python = "\(Places.package)/.venv/bin/python"
    static let hasForeignClient = isEverythingRequired || FileManager.default.isExecutableFile(atPath: python)
}
