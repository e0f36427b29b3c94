import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

/// Buses and the registry.
extension FocusdTests.Recovery {
    @Test func `the accessibility bus dies: its address is asked for again and not remembered`() async throws {
        let session = try PrivateBus()
        defer { session.stop() }
        // What the environment says is stale from the beginning.
        let variables = ["AT_SPI_BUS_ADDRESS": "unix:path=/nowhere/at-spi/bus_0,guid=0123456789abcdef0123456789abcdef"]
        try await withScene(session: session, variables: variables) { scene in
            let app = try scene.application()
            let orca = try scene.reader()
            let watch = try await scene.watch(orca, on: "ok", of: app)
            let state = try StateWatch(scene.runtimeFolder, ["help": "[name=Help]"])
            scene.stopBus()
            try watch.expect(nil, nil, cause: "busGone")
            try scene.startBusElsewhere(on: session)
            let (newApp, newOrca) = (try scene.application(), try scene.reader())
            let stopwatch = Stopwatch()
            try scene.waitUntilOnBus()
            try await newOrca.present("help", of: newApp)
            try watch.next(until: "help") { $0.element?.busName == newApp.busName && $0.element?.name == "Help" }
            #expect(try state.next().value == "help")
            stopwatch.end("accessibility bus killed, started elsewhere")
        }
    }

    @Test(.enabled(if: hasRegistry, "needs at-spi2-core"))
    func `the registry dies: nothing is lost, it is started again and knows what focusd wants`() async throws {
        let services = try Places.makeTemporaryFolder()
        var second: Int32 = 0
        defer {
            // This version of it does not end with its bus.
            if second > 0 { kill(second, SIGKILL) }
            do { try FileManager.default.removeItem(atPath: services) } catch { print("left behind: \(error)") }
        }
        // It must not hold the bus's own output open.
        try """
        [D-BUS Service]
        Name=org.a11y.atspi.Registry
        Exec=/bin/sh -c "exec \(try PrivateBus.registryProgram()) </dev/null >/dev/null 2>&1"
        """.write(toFile: "\(services)/registry.service", atomically: false, encoding: .utf8)
        try await withScene(registry: true, services: services) { scene in
            let app = try scene.application()
            let orca = try scene.reader(registers: true)
            let watch = try await scene.watch(orca, on: "ok", of: app)
            let keyboard = try scene.watch("keyboard")
            let state = try StateWatch(scene.runtimeFolder, ["help": "application[name=calc] [name=Help]"])
            #expect(try scene.client().find("[name=Help]").elements.count == 1)
            let peer = try scene.peer()
            let before = try peer.processID(of: FakeApplication.registry.bus)
            let focusd = try peer.name(of: scene.focusd.process.pid)
            let stopwatch = Stopwatch()
            kill(before, SIGKILL)
            try scene.wait(within: 20, "another registry that knows focusd") {
                do {
                    return try peer.hasOwner(FakeApplication.registry.bus)
                        && peer.registered(by: focusd).contains { $0.lowercased().contains("focused") }
                } catch FakePeerError.replied {
                    // It was asked before the bus noticed that it has died.
                    return false
                }
            }
            stopwatch.end("registry killed")
            second = try peer.processID(of: FakeApplication.registry.bus)
            #expect(second != before)
            // The application told the first registry of itself, and not the second: it is there all the same.
            let applications = try scene.client().applications()
            #expect(applications.map(\.name) == ["calc"])
            #expect(try scene.client().find("[name=Help]").elements.count == 1)
            try await orca.present("help", of: app)
            try watch.expect(app, "help", cause: "moved")
            #expect(try state.next().value == "help")
            try app.moveFocus(to: "help")
            try keyboard.next(until: "help") { $0.element?.name == "Help" }
            app.disconnect()
            try watch.expect(nil, nil, cause: "applicationGone")
            #expect(try scene.client().applications().isEmpty)
        }
    }

    @Test func `the session bus goes: nothing is lost while the accessibility bus lives`() async throws {
        var session = try PrivateBus()
        defer { session.stop() }
        try await withScene(session: session) { scene in
            let app = try scene.application()
            let orca = try scene.reader()
            let watch = try await scene.watch(orca, on: "ok", of: app)
            session.stop()
            try await orca.present("help", of: app)
            try watch.expect(app, "help", cause: "moved")
            #expect(
                try scene.client().move(to: app.referenceText("ok"), timeoutMilliseconds: 300).result != "confirmed")
            // The accessibility bus goes after it, as it does where its launcher ends with the session bus.
            scene.stopBus()
            try watch.expect(nil, nil, cause: "busGone")
            try ProcessFigures(pid: scene.focusd.process.pid).waitUntilAsleep(for: .milliseconds(300))
            session = try PrivateBus(inPlaceOf: session)
            try scene.startBusElsewhere(on: session)
            let (newApp, newOrca) = (try scene.application(), try scene.reader())
            let stopwatch = Stopwatch()
            try scene.waitUntilOnBus()
            try await newOrca.present("help", of: newApp)
            try watch.next(until: "help") { $0.element?.busName == newApp.busName && $0.element?.name == "Help" }
            stopwatch.end("session bus and accessibility bus gone and back")
        }
    }

    @Test func `whoever tells the address is missing: focusd waits for it to come and does not ask again and again`()
        async throws
    {
        let session = try PrivateBus()
        defer { session.stop() }
        try await withScene(session: session) { scene in
            let watch = try scene.watch("orca")
            scene.sessionLauncher?.connection.disconnect()
            scene.stopBus()
            try scene.wait(within: 20, "no bus") { try scene.client().diagnose().map(\.code) == ["noAccessibilityBus"] }
            try ProcessFigures(pid: scene.focusd.process.pid).waitUntilAsleep(for: .milliseconds(1_700))
            try scene.startBusElsewhere(on: session)
            let (app, orca) = (try scene.application(), try scene.reader())
            let stopwatch = Stopwatch()
            try scene.waitUntilOnBus()
            try await orca.present("help", of: app)
            try watch.next(until: "help") { $0.element?.name == "Help" }
            stopwatch.end("org.a11y.Bus came late")
        }
    }
}

extension FakeConnection {
    /// The events that the registry has from a connection.
    fileprivate func registered(by busName: String) throws -> Set<String> {
        let answer = try callBlocking(
            FakeApplication.registry.bus, "/org/a11y/atspi/registry", "org.a11y.atspi.Registry", "GetRegisteredEvents")
        let pairs = answer.first?.elements?.compactMap(\.elements) ?? []
        return Set(pairs.filter { $0.first?.text == busName }.compactMap { $0.last?.text })
    }
}
