import AccessibilityFocus
import FakePeers
import FocusProtocol
import Foundation
import Synchronization
import TestDesktop
import Testing

/// Who dies, stands still or is busy just while it is asked something.
extension FocusdTests.Recovery {
    @Test(arguments: [false, true])
    func `an application dies while its element is read: the focus is gone and stays on nothing of it`(
        wasThere: Bool
    ) async throws {
        try await withScene { scene in
            let (app, other) = (try scene.application(), try scene.application("other"))
            let orca = try scene.reader()
            let watch = try await scene.watch(orca, on: "ok", of: wasThere ? app : other)
            app.script("*", .truth.held(by: Gate()))
            try await orca.present("help", of: app)
            _ = try await app.waitForCall("GetRole", on: "help", within: .seconds(20))
            app.disconnect()
            try watch.expect(nil, nil, cause: wasThere ? "applicationGone" : "elementGone")
            try await orca.present("help", of: other)
            #expect(try watch.expect(other, "help", cause: "moved").previous == nil)
        }
    }

    /// A registry that lists what a test says, and tells nobody of changes.
    private func registry(on bus: PrivateBus, _ answer: @escaping @Sendable (_ number: Int) -> [DBusValue]?) throws
        -> FakeConnection
    {
        let registry = try FakeConnection(bus: bus.address)
        let asked = Count()
        registry.serve { call in
            switch call.member {
            case "GetChildren":
                if let roots = answer(asked.next()) { call.reply([.array("(so)", roots)]) }
            case "GetRegisteredEvents": call.reply([.array("(ss)", [])])
            default: call.reply([])
            }
        }
        try registry.requestName(FakeApplication.registry.bus)
        return registry
    }

    private final class Count: Sendable {
        private let count = Mutex(0)

        func next() -> Int {
            count.withLock {
                $0 += 1
                return $0
            }
        }
    }

    @Test func `a registry does not answer for a moment: it is asked again for its list`() async throws {
        try await withScene { scene in
            let app = try scene.application()
            let root = DBusValue.reference(app.busName, app.root.path)
            let registry = try registry(on: scene.bus) { $0 == 1 ? nil : [root] }
            defer { registry.disconnect() }
            #expect(try scene.client().waitFor("push-button[name=OK]")?.path == app.node("ok").path)
        }
    }

    @Test func `an application of which the registry told nobody is found by who waits for it`() async throws {
        try await withScene { scene in
            let late = Mutex<[DBusValue]>([])
            let registry = try registry(on: scene.bus) { _ in late.withLock { $0 } }
            defer { registry.disconnect() }
            let folder = scene.runtimeFolder
            let waiting = Background { try Client(folder).waitFor("push-button[name=OK]") }
            try scene.wait(within: 20, "the list") { try scene.client().find("frame").complete }
            let app = try scene.application()
            late.withLock { $0 = [.reference(app.busName, app.root.path)] }
            #expect(try waiting.value(within: 40)?.path == app.node("ok").path)
        }
    }

    @Test(.enabled(if: hasRegistry, "needs at-spi2-core"))
    func `an application says late of what toolkit it is: its states are understood from then on`() async throws {
        try await withScene(registry: true) { scene in
            let app = try scene.application(toolkit: .gtk4)
            app.script("ToolkitName", times: 1, .never)
            let client = try scene.client()
            // Widgets of GTK 4 never say that they are showing.
            try scene.wait(within: 20, "what is not hidden") {
                try client.find("push-button:not(:hidden)").elements.count == 3
            }
        }
    }

    @Test(arguments: ["AT_SPI_BUS_ADDRESS", "DBUS_SESSION_BUS_ADDRESS"])
    func `a bus that stands still gets one connection, however long that takes, and focusd waits on it`(
        variable: String
    ) throws {
        let place = try Places.makeTemporaryFolder()
        // Whoever connects while another waits here stands still.
        let mute = try MuteSocket(at: "\(place)/bus", room: 0)
        defer { mute.end() }
        let folder = try Places.makeTemporaryFolder()
        let focusd = try FocusdProcess(
            environment: [variable: "unix:path=\(place)/bus", "XDG_RUNTIME_DIR": folder])
        defer {
            focusd.process.end()
            do { try FileManager.default.removeItem(atPath: folder) } catch { print("left behind: \(error)") }
        }
        // A wait that cannot be fulfilled is a clock of focusd's own: in that time it would connect again, and stand still.
        #expect(throws: FocusSocketError.self) { try Client(folder).waitFor("#nothing", milliseconds: 4_000) }
        let finding = try #require(try Client(folder).diagnose().first)
        #expect(finding.code == "noAccessibilityBus")
        #expect(try Client(folder).focus(of: "keyboard").element == nil)
    }

    @Test
    func `a session bus that stands still gets one connection, however often it is asked, and answers when it goes on`()
        async throws
    {
        let session = try PrivateBus()
        let peer = try FakeConnection(bus: session.address)
        defer {
            peer.disconnect()
            session.stop()
        }
        try await withScene(session: session) { scene in
            let daemon = try peer.processID(of: "org.freedesktop.DBus")
            kill(daemon, SIGSTOP)
            defer { kill(daemon, SIGCONT) }
            let (app, orca) = (try scene.application(), try scene.reader())
            _ = try await scene.watch(orca, on: "ok", of: app)
            func isSwitchKnown() throws -> Bool {
                try !scene.client().diagnose().contains { $0.code == "toolkitSwitchUnknown" }
            }
            // More than the daemon's socket has room for.
            for _ in 0..<40 {
                #expect(try !isSwitchKnown())
                #expect(try scene.client().focus(of: "orca").element?.name == "OK")
            }
            #expect(try scene.client().call(Announce.self, .init(text: "Saved")).route == "notification")
            kill(daemon, SIGCONT)
            try scene.wait(within: 20, "the session bus answers") { try isSwitchKnown() }
            #expect(try peer.connections(of: scene.focusd.process.pid).count <= 1)
        }
    }

    @Test func `a bus that stands still is used as soon as it goes on`() async throws {
        let bus = try PrivateBus()
        let peer = try FakeConnection(bus: bus.address)
        defer {
            peer.disconnect()
            bus.stop()
        }
        let daemon = try peer.processID(of: "org.freedesktop.DBus")
        kill(daemon, SIGSTOP)
        defer { kill(daemon, SIGCONT) }
        let folder = try Places.makeTemporaryFolder()
        let focusd = try FocusdProcess(environment: ["AT_SPI_BUS_ADDRESS": bus.address, "XDG_RUNTIME_DIR": folder])
        defer {
            focusd.process.end()
            do { try FileManager.default.removeItem(atPath: folder) } catch { print("left behind: \(error)") }
        }
        #expect(throws: FocusSocketError.self) { try Client(folder).waitFor("#nothing", milliseconds: 2_500) }
        #expect(try Client(folder).diagnose().map(\.code) == ["noAccessibilityBus"])
        kill(daemon, SIGCONT)
        let app = try FakeApplication.sample(bus: bus.address)
        let orca = try FakeScreenReaderProcess(bus: bus.address, follows: false)
        defer {
            orca.quit()
            app.disconnect()
        }
        let deadline = Date(timeIntervalSinceNow: 20)
        while try Client(folder).diagnose().contains(where: { $0.code == "noAccessibilityBus" }) {
            guard Date() < deadline else { throw Missing(what: "focusd on the bus") }
        }
        let watch = try FocusWatch(folder, technology: "orca")
        try await orca.present("help", of: app)
        try watch.next(until: "help") { $0.element?.name == "Help" }
        #expect(try peer.connections(of: focusd.process.pid).count == 1)
    }
}

extension FakeConnection {
    /// The connections that a process has to this bus.
    fileprivate func connections(of pid: Int32) throws -> [String] {
        let all = try busBlocking("ListNames").first?.elements?.compactMap(\.text) ?? []
        return try all.filter { name in
            try name.hasPrefix(":") && name != uniqueName
                && busBlocking("GetConnectionUnixProcessID", [.string(name)]).first?.number == Int64(pid)
        }
    }
}
