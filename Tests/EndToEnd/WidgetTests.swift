import AccessibilityFocus
import FocusProtocol
import Foundation
import TestDesktop
import Testing

/// Values bound to widgets of an app's own, by the library for GTK, on a real Orca. One Orca at a time: in order.
@Suite(
    .serialized,
    .enabled(
        if: Requirements.hasDesktop && GTKPrograms.canBeBuilt,
        "needs Orca, libgtk-4-dev, libgtk-3-dev and a private process-id namespace: run `make test`"))
struct WidgetTests {
    @Test("in GTK 4 each widget is told from all others, and Orca is brought to it, also where another thread bound it")
    func gtk4() throws {
        let scene = try DesktopScene()
        let window = try WidgetWindow("widget-window", on: scene)
        try window.set("label")
        let values = try window.expectAllTold()
        #expect(values.count == 19)
        for value in [
            "button", "mnemonic", "caption", "entry", "nameless entry", "other nameless entry", "switch", "check",
            "icon", "row 1", "row 2", "row 3", "framed", "label", "other nameless entry",
        ] {
            try window.set(value)
            let place = try scene.client().focus(of: "orca")
            #expect(place.element?.description == value)
        }
        // Those that can have the keyboard focus took it themselves.
        #expect(try scene.client().focus(of: "keyboard").element?.description == "other nameless entry")
        // The last one: from here on the app has two states.
        try window.bindElsewhere("late")
        #expect(try scene.client().focus(of: "orca").element?.description == "late")
    }

    @Test("in GTK 4 a widget stays what it is when its text, its place and what is around it change")
    func gtk4Changes() throws {
        let scene = try DesktopScene()
        let window = try WidgetWindow("widget-window", on: scene)
        try window.set("row 3")
        for (command, value) in [
            ("rename label=Other text", "label"), ("rename button=Check", "button"),
            // Now there are two of that name and role.
            ("rename framed=Other text", "framed"), ("insert row 2", "row 2"),
            ("insert nameless entry", "nameless entry"),
            ("hide row 1", "row 3"), ("show row 1", "row 3"),
            ("rename empty label=No more", "empty label"),
        ] {
            try window.tell(command)
            try window.set(value)
            try window.expectAllTold(except: command.hasPrefix("hide ") ? "row 1" : nil)
        }
        try window.tell("remove label")
        try window.set("framed")
        #expect(!(try window.expectAllTold().contains("label")))
    }

    @Test(
        "in GTK 3 a widget is known by an accessible id, also where another thread bound it, and ends with the widget")
    func gtk3() throws {
        let scene = try DesktopScene()
        let window = try WidgetWindow("widget-window3", on: scene)
        for value in ["label", "button", "other label"] {
            try window.set(value)
            #expect(try scene.client().focus(of: "orca").element?.description == value)
        }
        #expect(try window.expectAllTold() == ["button", "label", "other label"])
        try window.tell("remove other label")
        try window.process.output.line("value none")
        try window.set("label")
        #expect(try window.expectAllTold() == ["button", "label"])
        try window.bindElsewhere("late")
        #expect(try scene.client().focus(of: "orca").element?.description == "late")
    }
}

/// A window of `GTK/Tests` on a desktop, each of whose widgets has its value as its description.
private final class WidgetWindow {
    let process: ChildProcess
    private let scene: DesktopScene
    private let pid: String

    init(_ name: String, on scene: DesktopScene) throws {
        self.scene = scene
        process = try ChildProcess(try GTKPrograms.window(name), environment: scene.desktop.environment)
        let ready = try process.output.first(within: 60, "READY") { $0.hasPrefix("READY ") }
        pid = String(ready.dropFirst("READY ".count))
        try scene.wait(for: "[pid=\(pid)] frame:active", "present")
        // Orca misses what a new application says before the registry lists it: from here on it is known where it is.
        try scene.desktop.press("Tab")
        try scene.watch.next(until: "Orca in the window") { [pid] focus in
            !focus.assumed && focus.element.map { String($0.application.pid) == pid } ?? false
        }
    }

    func tell(_ command: String) throws {
        try process.send(command)
        try process.output.line("ok \(command)", within: 40)
    }

    /// Has the app set its own state; the outcome must be `confirmed`, and the value must come.
    func set(_ value: String) throws { try confirm("set", value) }

    /// Has a thread of the app that is not GTK's bind what is not bound yet, and set it at once.
    func bindElsewhere(_ value: String) throws { try confirm("bind", value) }

    private func confirm(_ command: String, _ value: String) throws {
        // What Orca still says about the move before would look like a user who goes elsewhere.
        _ = try scene.settledPlace()
        try process.send("\(command) \(value)")
        let outcome = try process.output.first(within: 40, "the outcome of \(value)") { $0.hasPrefix("outcome ") }
        #expect(outcome.hasPrefix("outcome confirmed "), "\(command) \(value): \(outcome)")
        try process.output.line("ok \(command) \(value)")
    }

    /// Every selector that the app bound takes exactly the widget that it is bound for. Answers the values.
    @discardableResult
    func expectAllTold(except hidden: String? = nil) throws -> [String] {
        let client = try scene.client()
        let states = try client.call(ListStates.self, .init()).states
        let prototypes = try #require(states.first { $0.pids == [Int(pid)] }?.prototypes)
        for prototype in prototypes where prototype.value != hidden {
            let selector = prototype.selector.replacingOccurrences(of: ":self", with: "[pid=\(pid)]")
            let found = try client.call(Find.self, .init(selector: selector)).elements
            #expect(found.map(\.description) == [prototype.value], "\(prototype.selector)")
        }
        return prototypes.map(\.value).sorted()
    }
}
