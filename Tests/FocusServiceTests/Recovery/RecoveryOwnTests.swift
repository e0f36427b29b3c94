import AccessibilityFocus
import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

/// focusd itself: killed, out of descriptors, stopped with the whole desktop, and asleep.
extension FocusdTests.Recovery {
    @Test(.enabled(if: hasRegistry, "needs at-spi2-core"))
    func `focusd is killed with clients attached: their streams end, and its successor knows the same`() async throws {
        try await withScene(registry: true) { scene in
            let app = try scene.application()
            let orca = try scene.reader(registers: true)
            let watch = try await scene.watch(orca, on: "help", of: app)
            let state = try StateWatch(scene.runtimeFolder, ["help": "[name=Help]"])
            let session = try SessionWatch(scene.runtimeFolder)
            #expect(state.first.value == "help" && !state.first.assumed)
            let socket = "\(scene.runtimeFolder)/focusd/io.focusd.Focus"
            scene.focusd.process.signal(SIGKILL)
            #expect(try scene.focusd.process.wait() == -SIGKILL)
            #expect(throws: (any Error).self) { _ = try watch.next() }
            #expect(throws: (any Error).self) { _ = try state.next() }
            #expect(throws: (any Error).self) {
                while try session.next() != nil {}; throw FocusSocketError.connectionLost
            }
            // What it held is left behind, and taken over.
            #expect(FileManager.default.fileExists(atPath: socket))
            let stopwatch = Stopwatch()
            try scene.restartFocusd()
            let again = try scene.watch("orca")
            let restored =
                try again.first.element == nil ? again.next(until: "help") { $0.element != nil } : again.first
            // The keyboard is elsewhere: only what the dead one left can tell.
            #expect(restored.element?.name == "Help" && restored.assumed)
            #expect(restored.revision > watch.first.revision)
            let bound = try StateWatch(scene.runtimeFolder, ["help": "[name=Help]"])
            #expect(bound.first.value == "help" && bound.first.assumed)
            #expect(bound.instance != state.instance)
            stopwatch.end("focusd killed and started")
            try await orca.present("help", of: app)
            try again.next(until: "its own word") { $0.element?.name == "Help" && !$0.assumed }
        }
    }

    @Test(.enabled(if: hasRegistry, "needs at-spi2-core"))
    func `the client library comes back to a focusd that was killed, and focusctl watch says that it is gone`()
        async throws
    {
        try await withScene(registry: true) { scene in
            let app = try scene.application()
            let orca = try scene.reader(registers: true)
            _ = try await scene.watch(orca, on: "ok", of: app)
            let follower = try TestDesktop.ChildProcess(
                try Places.product("focusctl"), ["watch", "orca"],
                environment: ["XDG_RUNTIME_DIR": scene.runtimeFolder, "LC_ALL": "C.UTF-8"])
            try follower.output.first("the focus") { $0.contains("OK") }
            let bound = AccessibilityFocusState<Bool>(
                engine: FocusEngine(FocusConfiguration(runtimeFolder: scene.runtimeFolder)))
            AccessibilityFocus.Element("[name=OK]").accessibilityFocused(bound.projectedValue)
            let binding = bound.projectedValue
            try scene.wait(within: 20, "the library's value") { binding.wrappedValue }
            #expect(!binding.current.assumed)
            scene.focusd.process.signal(SIGKILL)
            #expect(try follower.wait() == 4)
            try follower.errors.first("why it ended") { $0.contains("focusd") }
            try scene.wait(within: 20, "the library's value to be gone") { !binding.wrappedValue }
            #expect(binding.current.cause == "serviceGone")
            let stopwatch = Stopwatch()
            try scene.restartFocusd()
            try scene.wait(within: 20, "the library's value to be back") { binding.wrappedValue }
            stopwatch.end("focusd killed: the client library's value")
            try await orca.present("help", of: app)
            try scene.wait(within: 20, "the library on the new focusd") { !binding.wrappedValue }
            #expect(binding.current.cause == "moved")
        }
    }

    @Test
    func `all descriptors are taken: who is there is served, the bus is found again, and newcomers when some leave`()
        async throws
    {
        try await withScene { scene in
            let app = try scene.application()
            let orca = try scene.reader()
            let watch = try await scene.watch(orca, on: "ok", of: app)
            let attached = try scene.client()
            let figures = ProcessFigures(pid: scene.focusd.process.pid)
            // Room for a few clients, and what focusd keeps for itself.
            try figures.leaveDescriptors(12)
            let folder = scene.runtimeFolder
            let crowd = (0..<20).map { _ in
                Background { try Client(folder).waitFor("[name=Nowhere]", milliseconds: 2_500) }
            }
            try scene.wait(within: 20, "those that there is room for") { try attached.statistics().clients.count >= 4 }
            let before = try figures.voluntarySwitches()
            Delay.pass(.seconds(1), since: .now)
            let inside = try attached.statistics().clients.count
            #expect(inside < 15, "\(inside) clients came in")
            // It looks at the door ten times a second, and does not spin.
            #expect(try figures.voluntarySwitches() - before < 60)
            try await orca.present("help", of: app)
            try watch.expect(app, "help", cause: "moved")
            scene.stopBus()
            try watch.expect(nil, nil, cause: "busGone")
            try scene.startBusAgain()
            let (newApp, newOrca) = (try scene.application(), try scene.reader())
            try scene.wait(within: 20, "the bus") {
                try !attached.diagnose().contains { $0.code == "noAccessibilityBus" }
            }
            try await newOrca.present("cancel", of: newApp)
            try watch.next(until: "cancel") { $0.element?.name == "Cancel" }
            // The crowd gives up one after the other, and each newcomer has its turn.
            for one in crowd { #expect(throws: (any Error).self) { _ = try one.value(within: 60) } }
            #expect(try scene.client().focus(of: "orca").element?.name == "Cancel")
        }
    }

    @Test func `not one descriptor is left: the bus is found and screen readers are known when there are some again`()
        async throws
    {
        let folder = try Places.makeTemporaryFolder()
        defer { do { try FileManager.default.removeItem(atPath: folder) } catch { print("left behind: \(error)") } }
        let manager = try NotifySocket(at: "\(folder)/notify")
        try await withScene(variables: ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "400000"]) { scene in
            let app = try scene.application()
            let orca = try scene.reader()
            let watch = try await scene.watch(orca, on: "ok", of: app)
            let attached = try scene.client()
            let figures = ProcessFigures(pid: scene.focusd.process.pid)
            for _ in 0..<3 {
                // Who went before is let go of before the answer comes.
                _ = try attached.statistics()
                try figures.leaveDescriptors(0)
            }
            // Its manager must not take it for dead now.
            manager.drain()
            for _ in 0..<2 { #expect(manager.next() == "WATCHDOG=1") }
            // Without a descriptor its process cannot be looked at: it is not taken for a stranger for that.
            let odilia = try scene.reader("odilia")
            try await odilia.present("help", of: app)
            _ = try attached.statistics()
            try await orca.present("help", of: app)
            try watch.expect(app, "help", cause: "moved")
            try figures.limitDescriptors(to: 64)
            try scene.wait(within: 20, "odilia") {
                try attached.listTechnologies().contains { $0.id == "odilia" && $0.active }
            }
            scene.stopBus()
            try watch.expect(nil, nil, cause: "busGone")
            // Those of the bus that is gone are taken, too.
            try figures.leaveDescriptors(0)
            try scene.startBusAgain()
            let (newApp, newOrca) = (try scene.application(), try scene.reader())
            let before = try figures.voluntarySwitches()
            Delay.pass(.seconds(2), since: .now)
            #expect(try figures.voluntarySwitches() - before < 40)
            // It may have found room in what it watched the bus's place with; it serves in either case.
            _ = try attached.diagnose()
            try figures.limitDescriptors(to: 64)
            let stopwatch = Stopwatch()
            try scene.waitUntilOnBus()
            try await newOrca.present("cancel", of: newApp)
            try watch.next(until: "cancel") { $0.element?.name == "Cancel" }
            stopwatch.end("descriptors free again")
        }
    }

    @Test(.enabled(if: hasRegistry, "needs at-spi2-core"))
    func `the whole desktop is suspended in the middle of things: nothing is lost, and nobody is cut off`() async throws
    {
        try await withScene(registry: true) { scene in
            let (app, other) = (try scene.application(), try scene.application("other"))
            let orca = try scene.reader(registers: true)
            let watch = try await scene.watch(orca, on: "ok", of: app)
            let state = try StateWatch(
                scene.runtimeFolder, ["here": "application[name=calc] *", "there": "[name=Help]"])
            #expect(state.first.value == "here")
            let peer = try scene.peer()
            let bus = try peer.processID(of: "org.freedesktop.DBus")
            let timeouts = try scene.counter("callTimeouts")
            // The bus stops first, so that questions are on their way when focusd stops too.
            kill(bus, SIGSTOP)
            let folder = scene.runtimeFolder
            let search = Background { try Client(folder).find("application[name=other] [name=Help]") }
            let attached = try scene.client()
            try scene.wait(within: 20, "the search") {
                try attached.statistics().clients.contains { $0.calls > 0 && $0.pid == Int(getpid()) }
            }
            orca.freeze(true)
            scene.focusd.process.signal(SIGSTOP)
            Delay.pass(.milliseconds(2_500), since: .now)
            // It goes on first, and finds all deadlines passed and nothing heard.
            scene.focusd.process.signal(SIGCONT)
            let stopwatch = Stopwatch()
            kill(bus, SIGCONT)
            orca.freeze(false)
            let found = try search.value(within: 30)
            #expect(found.elements.count == 1 && found.stale.isEmpty && found.complete)
            #expect(try scene.counter("callTimeouts") == timeouts)
            try await orca.present("help", of: other)
            // Nothing came in between: no leave.
            try watch.expect(other, "help", cause: "moved")
            let change = try state.next()
            #expect(change.value == "there" && change.cause == "moved")
            stopwatch.end("suspended and resumed")
        }
    }

    @Test(.enabled(if: hasRegistry, "needs at-spi2-core"))
    func `a suspension between two windows is no leave`() async throws {
        try await withScene(registry: true) { scene in
            let (app, other) = (try scene.application(), try scene.application("other"))
            let orca = try scene.reader(registers: true)
            try app.activate("frame")
            let watch = try await scene.watch(orca, on: "ok", of: app)
            try app.deactivate("frame")
            try app.connection.settle()
            scene.focusd.process.signal(SIGSTOP)
            Delay.pass(.milliseconds(1_500), since: .now)
            try other.activate("frame")
            try await orca.present("help", of: other)
            scene.focusd.process.signal(SIGCONT)
            try watch.expect(other, "help", cause: "moved")
        }
    }

    @Test(.enabled(if: hasRegistry, "needs at-spi2-core"))
    func `an idle focusd does not wake up, with a bus and a screen reader, and without`() async throws {
        let folder = try Places.makeTemporaryFolder()
        defer { do { try FileManager.default.removeItem(atPath: folder) } catch { print("left behind: \(error)") } }
        let manager = try NotifySocket(at: "\(folder)/notify")
        // A ping every 2.5 s.
        let variables = ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "5000000"]
        try await withScene(registry: true, variables: variables) { scene in
            let app = try scene.application()
            let orca = try scene.reader(registers: true)
            _ = try await scene.watch(orca, on: "ok", of: app)
            let lonely = try FocusdProcess(environment: ["XDG_RUNTIME_DIR": folder])
            defer { lonely.process.end() }
            let both = [ProcessFigures(pid: scene.focusd.process.pid), ProcessFigures(pid: lonely.process.pid)]
            // A ping is in the way of sleep, and the next one far away.
            manager.drain()
            _ = manager.next()
            for figures in both { try figures.waitUntilAsleep(for: .seconds(2)) }
            manager.drain()
            #expect(manager.next() == "WATCHDOG=1")
            // It is asleep again, and the next ping is far away.
            Delay.pass(.milliseconds(500), since: .now)
            let before = try both.map { try $0.voluntarySwitches() }
            for _ in 0..<2 { #expect(manager.next() == "WATCHDOG=1") }
            Delay.pass(.milliseconds(500), since: .now)
            let switches = zip(try both.map { try $0.voluntarySwitches() }, before).map { $0 - $1 }
            print("recovery: wake-ups of an idle focusd: \(switches[0]) for 2 pings, \(switches[1]) without a bus")
            // One for each ping.
            #expect(switches[0] <= 3)
            #expect(switches[1] <= 1)
        }
    }
}
