import AccessibilityFocus
import FocusProtocol
import Foundation
import TestDesktop
import Testing

/// What focusd promises, shown on a real Orca and real windows. One Orca at a time: in order.
@Suite(
    .serialized,
    .enabled(if: Requirements.hasDesktop, "needs Orca and a private process-id namespace: run `make test`"))
struct RealOrcaTests {
    @Test("each Tab is exactly one change, with the right element and mode", arguments: TestWindow.Toolkit.gtk)
    func tabIsOneChange(toolkit: TestWindow.Toolkit) throws {
        let scene = try DesktopScene()
        let window = try scene.window(toolkit)
        try scene.start(at: "Second", in: window)
        var revision: Int64 = 0
        for (name, role) in [("Check", "check-box"), ("Entry", "text"), ("Secret", "password-text")] {
            try scene.desktop.press("Tab")
            let change = try scene.watch.next()
            #expect(change.element?.name == name)
            #expect(change.element?.role == role)
            #expect(change.technology == "orca")
            #expect(change.mode == "focus-tracking" || (change.mode == "caret-tracking" && name == "Entry"))
            #expect(change.cause == "moved")
            #expect(!change.assumed)
            #expect(change.element?.window?.name == "Window")
            #expect(change.element?.application.name == window.application)
            #expect(change.revision > revision)
            revision = change.revision
        }
        // Backwards, and the stream holds nothing else in between.
        try scene.desktop.press("shift+Tab")
        let back = try scene.watch.next()
        #expect(back.element?.name == "Entry")
        #expect(back.previous?.name == "Secret")
    }

    @Test("killing the application is exactly one leave", arguments: TestWindow.Toolkit.gtk)
    func killedApplication(toolkit: TestWindow.Toolkit) throws {
        let scene = try DesktopScene()
        let window = try scene.window(toolkit)
        try scene.start(at: "Second", in: window)
        window.process.end()
        let leave = try scene.watch.next()
        #expect(leave.element == nil)
        #expect(leave.previous?.name == "Second")
        try expectNothingMore(scene)
    }

    @Test("closing the window is exactly one leave", arguments: TestWindow.Toolkit.gtk)
    func closedWindow(toolkit: TestWindow.Toolkit) throws {
        let scene = try DesktopScene()
        let window = try scene.window(toolkit)
        try scene.start(at: "Second", in: window)
        try window.tell("close")
        let leave = try scene.watch.next()
        #expect(leave.element == nil)
        #expect(["elementGone", "elementHidden", "windowDeactivated"].contains(leave.cause))
        try expectNothingMore(scene)
    }

    @Test("killing Orca is exactly one leave, and a new Orca is followed again")
    func killedOrca() throws {
        let scene = try DesktopScene()
        let window = try scene.window(.gtk3)
        try scene.start(at: "Second", in: window)
        scene.orca.kill()
        let leave = try scene.watch.next()
        #expect(leave.element == nil)
        #expect(leave.cause == "technologyGone")
        #expect(leave.technology == "orca")
        try scene.restartOrca()
        try scene.desktop.press("Tab")
        try scene.watch.next(until: "the new Orca on Check") { $0.element?.name == "Check" && !$0.assumed }
        withExtendedLifetime(window) {}
    }

    @Test("button and label are reached, confirmed by Orca and spoken", arguments: TestWindow.Toolkit.gtk)
    func reached(toolkit: TestWindow.Toolkit) throws {
        let scene = try DesktopScene()
        let window = try scene.window(toolkit)
        try scene.start(at: "Check", in: window)
        for (name, route) in [
            ("Plain label", "activeDescendant"), ("Second", toolkit == .gtk3 ? "grabFocus" : "activeDescendant"),
        ] {
            let outcome = try scene.move(to: try window.reference(of: name))
            #expect(outcome.result == "confirmed")
            #expect(outcome.route == route)
            #expect(outcome.element?.name == name)
            try scene.watch.next(until: "Orca on \(name)") { $0.element?.name == name }
            try scene.orca.waitUntilSpoken(name)
        }
    }

    @Test(
        "an entry is reached in GTK 3 with the keyboard; in GTK 4 only when the route is named",
        arguments: TestWindow.Toolkit.gtk)
    func entry(toolkit: TestWindow.Toolkit) throws {
        let scene = try DesktopScene()
        let window = try scene.window(toolkit)
        try scene.start(at: "Check", in: window)
        let entry = try window.reference(of: "Entry")
        let outcome = try scene.move(to: entry)
        if toolkit == .gtk3 {
            #expect(outcome.result == "confirmed")
            #expect(outcome.route == "grabFocus")
            #expect(outcome.keyboardFocus == "moved")
        } else {
            #expect(outcome.result == "refused")
            #expect(outcome.reason == "keyboardFocusCannotMove")
            #expect(outcome.keyboardFocus == "elsewhere")
            let named = try scene.move(to: entry, routes: ["activeDescendant"])
            #expect(named.result == "confirmed")
            #expect(named.keyboardFocus == "elsewhere")
        }
        try scene.orca.waitUntilSpoken("typed text")
    }

    @Test("by activeDescendant alone the keyboard focus stays", arguments: TestWindow.Toolkit.gtk)
    func keyboardStays(toolkit: TestWindow.Toolkit) throws {
        let scene = try DesktopScene()
        let window = try scene.window(toolkit)
        try scene.start(at: "Check", in: window)
        let outcome = try scene.move(to: try window.reference(of: "Second"), routes: ["activeDescendant"])
        #expect(outcome.result == "confirmed")
        #expect(outcome.route == "activeDescendant")
        #expect(outcome.keyboardFocus == "elsewhere")
        #expect(try scene.client().focus(of: "keyboard").element?.name == "Check")
        #expect(try scene.client().focus(of: "orca").element?.name == "Second")
    }

    @Test("a hidden button is refused and nothing moves", arguments: TestWindow.Toolkit.gtk)
    func hidden(toolkit: TestWindow.Toolkit) throws {
        let scene = try DesktopScene()
        let window = try scene.window(toolkit)
        // GTK 4 does not list hidden children: its reference is taken while it shows.
        let reference = try window.reference(of: "Hidden")
        try window.tell("hide Hidden")
        try scene.start(at: "Check", in: window)
        let outcome = try scene.move(to: reference)
        #expect(outcome.result == "refused")
        #expect(outcome.reason == "elementHidden" || outcome.reason == "elementDefunct")
        #expect(outcome.routesTried.isEmpty)
        #expect(try scene.client().focus(of: "orca").element?.name == "Check")
    }

    @Test("a label that is scrolled out of sight is reached", arguments: TestWindow.Toolkit.gtk)
    func scrolledOut(toolkit: TestWindow.Toolkit) throws {
        let scene = try DesktopScene()
        let window = try scene.window(toolkit)
        try scene.start(at: "Check", in: window)
        let outcome = try scene.move(to: try window.reference(of: "Row 55"))
        #expect(outcome.result == "confirmed")
        #expect(outcome.route == "activeDescendant")
        try scene.orca.waitUntilSpoken("Row 55")
    }

    @Test("a stopped application is refused by the deadline, and holds up nobody else")
    func stoppedApplication() throws {
        let scene = try DesktopScene()
        let stopped = try scene.window(.gtk3, title: "Stopped")
        let target = try stopped.reference(of: "Plain label")
        let other = try scene.window(.gtk4, title: "Other")
        try scene.start(at: "Check", in: other)
        let label = try other.reference(of: "Plain label")
        var quiet = 0.0
        for _ in 0..<5 {
            quiet = max(
                quiet,
                try timed {
                    try scene.desktop.press("Tab")
                    _ = try scene.watch.next()
                })
        }
        stopped.process.signal(SIGSTOP)
        defer { stopped.process.signal(SIGCONT) }
        let client = try scene.client()
        let runtimeFolder = scene.desktop.runtimeFolder
        let refusal = Background { try Client(runtimeFolder).move(to: target, timeoutMilliseconds: 2_000) }
        // Others are answered while it is in flight.
        #expect(try client.focus(of: "orca").element?.application.name == other.application)
        let outcome = try refusal.value(within: 30)
        #expect(outcome.result == "refused")
        #expect(outcome.reason == "applicationNotResponding")
        #expect(outcome.elapsedMilliseconds <= 2_000)
        let others = try client.move(to: label)
        #expect(others.result == "confirmed", "\(others)")
        try scene.watch.next(until: "Orca on the label") { $0.element?.name == "Plain label" }
        let after = try timed {
            try scene.desktop.press("Tab")
            _ = try scene.watch.next()
        }
        #expect(after < quiet * 3, "a Tab took \(after) s after it, \(quiet) s before")
    }

    @Test("a user who moves during a move ends it and is not pulled back")
    func userWins() throws {
        let scene = try DesktopScene()
        let window = try scene.window(.gtk4)
        try scene.start(at: "Second", in: window)
        let label = try window.reference(of: "Plain label")
        var superseded = 0
        for round in 0..<6 {
            let runtimeFolder = scene.desktop.runtimeFolder
            let answer = Background { try Client(runtimeFolder).move(to: label) }
            try scene.desktop.press(round.isMultiple(of: 2) ? "Tab" : "shift+Tab")
            let outcome = try answer.value(within: 30)
            #expect(["confirmed", "superseded"].contains(outcome.result), "\(outcome)")
            let place = try scene.settledPlace()
            if outcome.result == "superseded" {
                superseded += 1
                // The user came after it: Orca is where the keys go.
                #expect(place?.element?.name == (try settledKeyboard(scene)))
            } else {
                #expect(["Plain label", try settledKeyboard(scene)].contains(place?.element?.name))
            }
        }
        print("superseded in \(superseded) of 6 races")
    }

    @Test("focusd started beside a running Orca takes its focus from live state, marked as assumed")
    func startedLate() throws {
        let scene = try DesktopScene()
        let window = try scene.window(.gtk3)
        try scene.start(at: "Second", in: window)
        try scene.focusd.stop()
        let again = try FocusdProcess(environment: scene.desktop.environment)
        let watch = try FocusWatch(scene.desktop.runtimeFolder, technology: "orca")
        let assumed =
            try watch.first.element != nil ? watch.first : watch.next(until: "a place") { $0.element != nil }
        #expect(assumed.element?.name == "Second")
        #expect(assumed.assumed)
        try scene.desktop.press("Tab")
        let moved = try watch.next(until: "Orca's own word") { !$0.assumed }
        #expect(moved.element?.name == "Check")
        #expect(moved.revision > assumed.revision)
        withExtendedLifetime((window, again)) {}
    }

    @Test("again presents the element anew", arguments: TestWindow.Toolkit.gtk)
    func presentedAgain(toolkit: TestWindow.Toolkit) throws {
        let scene = try DesktopScene()
        let window = try scene.window(toolkit)
        try scene.start(at: "Check", in: window)
        let label = try window.reference(of: "Plain label")
        #expect(try scene.move(to: label).result == "confirmed")
        let silent = try scene.move(to: label)
        #expect(silent.result == "confirmed")
        #expect(silent.route == "none")
        let again = try scene.move(to: label, again: true)
        #expect(again.result == "confirmed")
        #expect(again.route == "activeDescendant")
        // focusd's own accessibles are in no list.
        #expect(try scene.client().applications().allSatisfy { $0.name != "focusd" })
    }

    // MARK: -

    /// Nothing else comes within a second, and the stream lives on until then.
    private func expectNothingMore(_ scene: DesktopScene) throws {
        #expect(throws: FocusSocketError.timedOut) { _ = try scene.watch.next(within: 1) }
    }

    private func settledKeyboard(_ scene: DesktopScene) throws -> String? {
        try scene.client().focus(of: "keyboard").element?.name
    }

    private func timed(_ body: () throws -> Void) rethrows -> Double {
        let clock = ContinuousClock()
        let duration = try clock.measure { try body() }
        return Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }
}
