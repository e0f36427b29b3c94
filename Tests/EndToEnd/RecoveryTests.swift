import AccessibilityFocus
import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

/// What dies on a real desktop comes back, and focusd with it: docs/recovery.md. Subscribers stay through all of it.
@Suite(
    .serialized,
    .enabled(if: Requirements.hasDesktop, "needs Orca and a private process-id namespace: run `make test`"))
struct RecoveryTests {
    @Test("the accessibility bus is killed: focusd has it started again, and follows a new Orca and a new window")
    func accessibilityBus() throws {
        let scene = try DesktopScene()
        let window = try scene.window(.gtk3)
        try scene.start(at: "Second", in: window)
        let bus = try FakeConnection(bus: scene.desktop.accessibilityBusAddress).processID(of: "org.freedesktop.DBus")
        let stopwatch = Stopwatch()
        kill(bus, SIGKILL)
        #expect(try scene.watch.next().cause == "busGone")
        // Nobody else asks for it: Orca and the window go on without a bus, and know nothing of a new one.
        try waitForBus(scene)
        stopwatch.tell("the bus killed: focusd is on the next")
        try replacePeers(of: scene, window, "accessibility bus killed, Orca and window restarted")
    }

    @Test("the session bus is killed, and the accessibility bus ends with it: both are found when they are back")
    func sessionBus() throws {
        let scene = try DesktopScene()
        let window = try scene.window(.gtk3)
        try scene.start(at: "Second", in: window)
        let address = try #require(scene.desktop.environment["DBUS_SESSION_BUS_ADDRESS"])
        kill(try FakeConnection(bus: address).processID(of: "org.freedesktop.DBus"), SIGKILL)
        #expect(try scene.watch.next().cause == "busGone")
        #expect(try scene.client().focus().technology == nil)
        let session = try ChildProcess(
            "/usr/bin/dbus-daemon",
            ["--session", "--nofork", "--nopidfile", "--address=\(address)", "--print-address=1"],
            environment: scene.desktop.environment)
        try session.output.first("the session bus") { $0.hasPrefix("unix:") }
        let stopwatch = Stopwatch()
        try waitForBus(scene)
        stopwatch.end("session bus back: focusd is on the accessibility bus")
        try replacePeers(of: scene, window, "session bus killed, Orca and window restarted")
    }

    @Test("the registry is killed: no focus is lost, and windows of both toolkits are still found")
    func registry() throws {
        let scene = try DesktopScene()
        let (window, other) = (try scene.window(.gtk4, title: "Other"), try scene.window(.gtk3))
        try scene.start(at: "Second", in: other)
        let bus = try FakeConnection(bus: scene.desktop.accessibilityBusAddress)
        defer { bus.disconnect() }
        let before = try bus.processID(of: FakeApplication.registry.bus)
        let stopwatch = Stopwatch()
        kill(before, SIGKILL)
        try scene.desktop.press("Tab")
        let change = try scene.watch.next()
        #expect(change.element?.name == "Check" && change.cause == "moved")
        stopwatch.tell("registry killed: the next move")
        for application in ["gtk3-window", "gtk4-window"] {
            let found = try scene.client().waitFor("application[name=\(application)] check-box", milliseconds: 20_000)
            #expect(found?.name == "Check")
        }
        stopwatch.tell("registry killed: both windows found")
        #expect(try bus.processID(of: FakeApplication.registry.bus) != before)
        try scene.desktop.press("shift+Tab")
        #expect(try scene.watch.next().element?.name == "Second")
        withExtendedLifetime(window) {}
    }

    @Test("Orca is replaced by another: one leave, and the other is followed")
    func replacedOrca() throws {
        let scene = try DesktopScene()
        let window = try scene.window(.gtk3)
        try scene.start(at: "Second", in: window)
        try scene.restartOrca(replacing: true)
        let leave = try scene.watch.next()
        #expect(leave.element == nil && leave.cause == "technologyGone")
        let stopwatch = Stopwatch()
        try scene.desktop.press("Tab")
        try scene.watch.next(until: "the new Orca on Check") { $0.element?.name == "Check" && !$0.assumed }
        stopwatch.tell("Orca replaced: the next move")
    }

    @Test("a window is stopped and goes on: it is named as not answering, and is right again without a restart")
    func stoppedWindow() throws {
        let scene = try DesktopScene()
        let window = try scene.window(.gtk3)
        try scene.start(at: "Second", in: window)
        let state = try scene.bind(["check": "application[name=gtk3-window] check-box"])
        #expect(try scene.client().find("push-button").elements.contains { $0.name == "Second" })
        window.process.signal(SIGSTOP)
        let deadline = Date(timeIntervalSinceNow: 30)
        while try scene.client().find("label[name=Nothing]").stale.isEmpty {
            guard Date() < deadline else { throw Missing(what: "it never counts as not answering") }
        }
        // What was done to it meanwhile it does when it goes on.
        try window.process.send("rename Second=Renamed")
        window.process.signal(SIGCONT)
        let stopwatch = Stopwatch()
        #expect(try scene.client().waitFor("push-button[name=Renamed]")?.name == "Renamed")
        try scene.desktop.press("Tab")
        let change = try scene.watch.next(until: "Check") { $0.element?.name == "Check" }
        #expect(!change.assumed)
        #expect(try state.next().value == "check")
        stopwatch.tell("window stopped and continued")
        #expect(try scene.client().find("label[name=Nothing]").stale.isEmpty)
    }

    @Test("the whole desktop is suspended and goes on: no leave, nobody cut off")
    func suspended() throws {
        let scene = try DesktopScene()
        let window = try scene.window(.gtk3)
        try scene.start(at: "Second", in: window)
        let all = try scene.desktop.processes()
        #expect(all.contains(scene.focusd.process.pid) && all.contains(scene.orca.pid) && all.count >= 7)
        for process in all { kill(process, SIGSTOP) }
        Delay.pass(.milliseconds(2_500), since: .now)
        // focusd first: it finds that time has passed, and nobody who answers.
        scene.focusd.process.signal(SIGCONT)
        for process in all { kill(process, SIGCONT) }
        let stopwatch = Stopwatch()
        try scene.desktop.press("Tab")
        let change = try scene.watch.next()
        #expect(change.element?.name == "Check" && change.previous?.name == "Second" && change.cause == "moved")
        stopwatch.tell("desktop suspended and resumed: the next move")
        withExtendedLifetime(window) {}
    }

    @Test("focusd is killed with Orca running: its successor knows where Orca is")
    func killedFocusd() throws {
        let scene = try DesktopScene()
        let window = try scene.window(.gtk4)
        try scene.start(at: "Second", in: window)
        let revision = scene.watch.first.revision
        let stopwatch = Stopwatch()
        try scene.restartFocusd()
        let watch = try FocusWatch(scene.desktop.runtimeFolder, technology: "orca")
        let first = try watch.first.element != nil ? watch.first : watch.next(until: "a place") { $0.element != nil }
        #expect(first.element?.name == "Second" && first.assumed && first.revision > revision)
        stopwatch.end("focusd killed beside Orca: first right answer")
        try scene.desktop.press("Tab")
        try watch.next(until: "Orca's own word") { $0.element?.name == "Check" && !$0.assumed }
        withExtendedLifetime(window) {}
    }

    // MARK: -

    private func waitForBus(_ scene: DesktopScene) throws {
        let deadline = Date(timeIntervalSinceNow: 20)
        while try scene.client().diagnose().contains(where: { $0.code == "noAccessibilityBus" }) {
            guard Date() < deadline else { throw Missing(what: "focusd is on no bus") }
        }
    }

    /// A new Orca and a new window, as a person starts them when the bus took the old ones with it.
    private func replacePeers(of scene: DesktopScene, _ window: TestWindow, _ what: String) throws {
        window.process.end()
        scene.orca.kill()
        try scene.restartOrca()
        let stopwatch = Stopwatch()
        let next = try scene.window(.gtk3)
        try scene.start(at: "Check", in: next)
        stopwatch.tell(what)
        #expect(try scene.client().find("application[name=gtk3-window] check-box").elements.map(\.name) == ["Check"])
        withExtendedLifetime(next) {}
    }
}

/// How long it took until something was right again. Where others than focusd have to come back, too, it is only told.
private struct Stopwatch {
    private let begin = ContinuousClock.now

    @discardableResult
    func tell(_ what: String) -> Duration {
        let passed = begin.duration(to: .now)
        let milliseconds = passed.components.seconds * 1_000 + passed.components.attoseconds / 1_000_000_000_000_000
        print("recovery: \(what): right again after \(milliseconds) ms")
        return passed
    }

    /// Everything is right now: that must not have taken longer than is promised.
    func end(_ what: String, at location: SourceLocation = #_sourceLocation) {
        let passed = tell(what)
        #expect(passed <= .seconds(2), "\(what): \(passed)", sourceLocation: location)
    }
}
