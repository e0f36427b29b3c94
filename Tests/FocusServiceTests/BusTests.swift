import AccessibilityFocus
import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

extension FocusdTests {
    /// The bus may be missing, mute, dead or new: focusd serves its socket and goes on looking.
    @Suite struct Bus {
        /// focusd alone, with this in its environment.
        private func withFocusd(_ variables: [String: String], _ body: (String) throws -> Void) throws {
            let folder = try Places.makeTemporaryFolder()
            let focusd = try FocusdProcess(
                environment: variables.merging(["XDG_RUNTIME_DIR": folder]) { $1 })
            defer {
                focusd.process.end()
                do { try FileManager.default.removeItem(atPath: folder) } catch { print("left behind: \(error)") }
            }
            try body(folder)
        }

        @Test func `without any bus the socket is served and the reason told`() throws {
            try withFocusd([:]) { folder throws in
                let findings = try Client(folder).diagnose()
                #expect(findings.map(\.code) == ["noAccessibilityBus"])
                let focus = try Client(folder).focus()
                #expect(focus.technology == nil && focus.element == nil)
                let outcome = try Client(folder).move(to: ":1.5/org/a11y/atspi/accessible/17")
                #expect(outcome.result == "refused" && outcome.reason == "technologyNotActive")
                #expect(try Client(folder).applications().isEmpty)
            }
        }

        @Test(arguments: ["AT_SPI_BUS_ADDRESS", "DBUS_SESSION_BUS_ADDRESS"])
        func `a bus that takes connections and never answers holds up nothing`(variable: String) throws {
            let place = try Places.makeTemporaryFolder()
            let mute = try MuteSocket(at: "\(place)/bus")
            defer { mute.end() }
            try withFocusd([variable: "unix:path=\(place)/bus"]) { folder throws in
                for _ in 0..<3 {
                    #expect(try Client(folder).diagnose().map(\.code) == ["noAccessibilityBus"])
                    #expect(try Client(folder).focus(of: "keyboard").element == nil)
                }
            }
        }

        @Test func `an address that leads nowhere, or is none, holds up nothing`() throws {
            for address in ["unix:path=/nowhere/bus", "nonsense", "unix:", "tcp:host=localhost,port=1"] {
                try withFocusd(["AT_SPI_BUS_ADDRESS": address]) { folder throws in
                    #expect(try Client(folder).diagnose().map(\.code) == ["noAccessibilityBus"])
                }
            }
        }

        @Test func `the end of the bus is one leave, and subscribers stay`() async throws {
            try await withScene { scene in
                let app = try scene.application()
                let orca = try scene.reader()
                let watch = try await scene.watch(orca, on: "ok", of: app)
                let aggregate = try scene.watch(nil)
                var technologies = try scene.client().technologies()
                #expect(try technologies.next().contains { $0.id == "orca" && $0.active })
                scene.stopBus()
                for each in [watch, aggregate] {
                    let leave = try each.expect(nil, nil, cause: "busGone")
                    #expect(leave.previous?.name == "OK")
                }
                #expect(try !technologies.next().contains { $0.id == "orca" && $0.active })
                #expect(try scene.client().diagnose().contains { $0.code == "noAccessibilityBus" })
                try scene.startBusAgain()
                let (newApp, newOrca) = (try scene.application(), try scene.reader())
                try scene.waitUntilOnBus()
                try await newOrca.present("help", of: newApp)
                for each in [watch, aggregate] {
                    let back = try each.next(until: "help") { $0.element?.name == "Help" && !$0.assumed }
                    #expect(back.element?.busName == newApp.busName && back.technology == "orca")
                }
                #expect(try technologies.next().contains { $0.id == "orca" && $0.busName == newOrca.busName })
            }
        }

        @Test func `a move that is under way ends with the bus`() async throws {
            try await withScene { scene in
                let app = try scene.application()
                let orca = try scene.reader()
                _ = try await scene.watch(orca, on: "ok", of: app)
                app.script("GrabFocus", .never)
                let (folder, reference) = (scene.runtimeFolder, app.referenceText("help"))
                let mover = Background { try Client(folder).move(to: reference, timeoutMilliseconds: 30_000) }
                _ = try await app.waitForCall("GrabFocus")
                scene.stopBus()
                let outcome = try mover.value(within: 20)
                #expect(outcome.result == "refused" && outcome.reason == "busGone")
                try scene.startBusAgain()
            }
        }

        @Test func `the address comes from the session bus, whose switches are never touched`() async throws {
            let session = try PrivateBus()
            defer { session.stop() }
            try await withScene(session: session) { scene in
                let app = try scene.application()
                let orca = try scene.reader()
                _ = try await scene.watch(orca, on: "ok", of: app)
                let keyboard = try scene.watch("keyboard")
                let launcher = try #require(scene.sessionLauncher)
                _ = try scene.client().diagnose()
                #expect(launcher.calls.all.contains { $0.member == "GetAddress" })
                #expect(!launcher.calls.all.contains { $0.member == "Set" })
                _ = keyboard
                launcher.connection.disconnect()
            }
        }
    }

    /// Nothing is asked or registered that nobody needs.
    @Suite struct Demand {
        private func registered(_ peer: FakeConnection, by focusd: String) throws -> Set<String> {
            let answer = try peer.callBlocking(
                FakeApplication.registry.bus, "/org/a11y/atspi/registry", "org.a11y.atspi.Registry",
                "GetRegisteredEvents")
            let pairs = answer.first?.elements?.compactMap(\.elements) ?? []
            return Set(pairs.filter { $0.first?.text == focusd }.compactMap { $0.last?.text })
        }

        /// focusd's name on the bus: the one that belongs to its process.
        private func busName(_ scene: FocusdScene, _ peer: FakeConnection) throws -> String {
            let names = try peer.busBlocking("ListNames").first?.elements?.compactMap(\.text) ?? []
            for name in names where name.hasPrefix(":") {
                let pid = try peer.busBlocking("GetConnectionUnixProcessID", [.string(name)]).first?.number
                if pid == Int64(scene.focusd.process.pid) { return name }
            }
            throw Missing(what: "focusd on the bus")
        }

        @Test(.enabled(if: hasRegistry, "needs at-spi2-core"))
        func `nothing is registered until a technology is there or the keyboard asked for`() async throws {
            try await withScene(registry: true) { scene in
                let app = try scene.application()
                let peer = try scene.peer()
                let focusd = try busName(scene, peer)
                let aggregate = try scene.watch(nil)
                _ = try scene.client().applications()
                try scene.settle()
                #expect(try registered(peer, by: focusd) == [])
                let orca = try scene.reader(registers: true)
                try scene.wait(within: 20, "registered events") { try !registered(peer, by: focusd).isEmpty }
                let events = try registered(peer, by: focusd).map { $0.lowercased() }
                #expect(events.contains { $0.contains("focused") })
                #expect(!events.contains { $0.contains("text") })
                // Taken from live state until it speaks.
                let assumed = try aggregate.next(until: "ok") { $0.element?.name == "OK" }
                #expect(assumed.assumed && assumed.technology == "orca")
                try await orca.present("help", of: app)
                try aggregate.next(until: "help") { $0.element?.name == "Help" && !$0.assumed }
                orca.quit()
                try scene.wait(within: 20, "nothing registered any more") {
                    try registered(peer, by: focusd).isEmpty
                }
            }
        }

        @Test(.enabled(if: hasRegistry, "needs at-spi2-core"))
        func `a keyboard client is enough to register`() async throws {
            try await withScene(registry: true) { scene in
                let app = try scene.application()
                let peer = try scene.peer()
                let focusd = try busName(scene, peer)
                let watch = try scene.watch("keyboard")
                #expect(watch.first.element?.name == "OK" && watch.first.technology == "keyboard")
                try scene.wait(within: 20, "registered events") { try !registered(peer, by: focusd).isEmpty }
                try app.moveFocus(to: "help")
                try watch.expect(app, "help", cause: "moved")
                #expect(try scene.client().applications().map(\.name) == ["calc"])
            }
        }

        @Test(.enabled(if: hasRegistry, "needs at-spi2-core"))
        func `a technology that was there before focusd is recognised`() async throws {
            try await withScene(registry: true) { scene in
                let app = try scene.application()
                let orca = try scene.reader(registers: true)
                var technologies = try scene.client().technologies()
                try technologies.waitUntilActive("orca")
                let second = try FocusdProcess(environment: [
                    "AT_SPI_BUS_ADDRESS": scene.bus.address, "XDG_RUNTIME_DIR": try Places.makeTemporaryFolder(),
                ])
                defer {
                    second.process.end()
                    do { try FileManager.default.removeItem(atPath: second.runtimeFolder) } catch { print("\(error)") }
                }
                var seen = try Client(second.runtimeFolder).technologies()
                try seen.waitUntilActive("orca")
                let watch = try FocusWatch(second.runtimeFolder, technology: "orca")
                if watch.first.element == nil {
                    try watch.next(until: "ok") { $0.element?.name == "OK" && $0.assumed }
                } else {
                    #expect(watch.first.element?.name == "OK" && watch.first.assumed)
                }
                try await orca.present("help", of: app)
                try watch.next(until: "help") { $0.element?.name == "Help" && !$0.assumed }
            }
        }

        @Test(arguments: FakeToolkit.allCases)
        func `all properties at once are never asked for`(toolkit: FakeToolkit) async throws {
            try await withScene { scene in
                let app = try scene.application(toolkit: toolkit)
                let orca = try scene.reader(follows: true)
                let keyboard = try scene.watch("keyboard")
                _ = try await scene.watch(orca, on: "cancel", of: app)
                _ = try scene.client().move(to: app.referenceText("label"))
                _ = try scene.client().move(to: app.referenceText("help"), routes: ["grabFocus"])
                try app.moveFocus(to: "entry")
                try keyboard.next(until: "entry") { $0.element?.name == "Amount" }
                _ = try scene.client().diagnose()
                #expect(app.count("GetAll") == 0 && app.count("GetItems") == 0 && app.count("GetText") == 0)
            }
        }
    }
}

/// A Unix socket that takes connections, as the kernel does by itself, and never says a word.
final class MuteSocket {
    private let descriptor: Int32
    private let path: String

    /// `room` is how many connections may wait besides one.
    init(at path: String, room: Int32 = 64) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // SAFETY: the path of a temporary folder is short, and the rest of the address is zero.
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        // SAFETY: every socket address begins like `sockaddr`, and this one outlives the call.
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard result == 0, listen(descriptor, room) == 0 else { throw Missing(what: "no socket at \(path): \(errno)") }
    }

    func end() {
        close(descriptor)
        do {
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.removeItem(atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path)
        } catch {
            print("left behind: \(path): \(error)")
        }
    }
}
