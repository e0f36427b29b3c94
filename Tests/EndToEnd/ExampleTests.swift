import AccessibilityFocus
import FocusProtocol
import Foundation
import TestDesktop
import Testing

/// The examples, driven by keys as a person would, on a real Orca. One Orca at a time: in order.
@Suite(
    .serialized,
    .enabled(
        if: Requirements.hasDesktop && GTKPrograms.canBeBuilt,
        "needs Orca, libgtk-4-dev and a private process-id namespace: run `make test`"))
struct ExampleTests {
    private static let raise = "Raise a priority notification"
    private static func notification(_ number: Int) -> String {
        "Priority notification \(number): the meeting begins in five minutes"
    }

    @Test("a notification is raised and heard; left or dismissed, the property is false again")
    func customNotification() throws {
        let scene = try DesktopScene()
        let example = try Example(on: scene)

        try scene.desktop.press("space")
        try scene.orca.waitUntilSpoken(ExampleTests.notification(1))
        try example.waitUntilItShows(true)
        #expect(try scene.client().focus(of: "orca").element?.name == ExampleTests.notification(1))

        // The keyboard stayed on the button: from there Tab goes to the next one.
        try scene.desktop.press("Tab")
        try scene.watch.next(until: "Orca on the other button") { $0.element?.name == "Dismiss it" }
        try example.waitUntilItShows(false)

        try scene.desktop.press("shift+Tab")
        try scene.watch.next(until: "Orca back on the button") { $0.element?.name == ExampleTests.raise }
        try scene.desktop.press("space")
        try scene.orca.waitUntilSpoken(ExampleTests.notification(2))
        try example.waitUntilItShows(true)
        try scene.desktop.press("Escape")
        try example.waitUntilItShows(false)
        try scene.wait(for: "\(Example.element) label[name*=\"notification 2\"]", "gone")

        // In between it never was anything else.
        #expect(example.values == [false, true, false, true, false])
    }

    @Test(
        "a script binds the same notification from outside, sets it and gives the focus back",
        .enabled(if: Needs.hasForeignClient, "no .venv: run `scripts/install-packages test`"))
    func focusPort() throws {
        let scene = try DesktopScene()
        let example = try Example(on: scene)
        let port = try ChildProcess(
            Needs.python,
            [
                "\(Places.package)/Examples/FocusPort/focus_port.py",
                "\(Example.element) label[name^=\"Priority notification\"]",
            ], environment: scene.desktop.environment)
        try port.output.line("off (initial)")

        try scene.desktop.press("space")
        try port.output.first("the notification") { $0.hasPrefix("on '\(ExampleTests.notification(1))' (") }
        try scene.desktop.press("Tab")
        try port.output.first("left") { $0.hasPrefix("off (") }
        try example.waitUntilItShows(false)

        try port.send("set")
        try port.output.line("set: confirmed")
        try example.waitUntilItShows(true)
        try port.send("back")
        try port.output.line("back: confirmed")
        #expect(try scene.client().focus(of: "orca").element?.name == "Dismiss it")
        try example.waitUntilItShows(false)
    }
}

/// The built example on a desktop; its window is active when this is made.
private final class Example {
    static let element = "application[name=\"custom-notification\"]"
    private let process: ChildProcess
    private let scene: DesktopScene

    init(on scene: DesktopScene) throws {
        self.scene = scene
        process = try ChildProcess(
            try GTKPrograms.example(), environment: scene.desktop.environment)
        try process.output.first(within: 60, "its first value") { $0.contains("(initial)") }
        try scene.wait(for: "\(Example.element) frame:active", "present")
        try scene.wait(for: "\(Example.element) push-button:focused", "present")
    }

    /// Waits until its window has the value in its last line, for another assistive technology too.
    func waitUntilItShows(_ value: Bool) throws {
        _ = try scene.desktop.reference(of: "isNotificationFocused: \(value)", in: "custom-notification")
    }

    /// The values that it printed, in their order.
    var values: [Bool] {
        process.output.all.compactMap { line in
            guard line.hasPrefix("isNotificationFocused: ") else { return nil }
            return line.contains(": true")
        }
    }
}

extension DesktopScene {
    /// Waits until something is there or gone.
    func wait(for selector: String, _ condition: String) throws {
        _ = try client().call(Wait.self, .init(selector: selector, condition: condition, timeoutMilliseconds: 60_000))
    }
}

/// The Python that has the package `varlink`.
private enum Needs {
    static let python = "\(Places.package)/.venv/bin/python"
    static let hasForeignClient =
        ProcessInfo.processInfo.environment["FOCUSD_REQUIRE_ALL"] == "1"
        || FileManager.default.isExecutableFile(atPath: python)
}
