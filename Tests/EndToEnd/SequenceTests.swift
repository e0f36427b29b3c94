import AccessibilityFocus
import FocusProtocol
import Foundation
import TestDesktop
import Testing

/// Every change that a bound client gets of what people do all day, and nothing else: a real Orca with openbox.
@Suite(
    .serialized,
    .enabled(if: Requirements.hasDesktop, "needs Orca and a private process-id namespace: run `make test`"))
struct SequenceTests {
    @Test("a dialog that is opened and closed, and what is nested in it", arguments: TestWindow.Toolkit.gtk)
    func dialog(toolkit: TestWindow.Toolkit) throws {
        let scene = try SequenceScene()
        let window = try scene.window(toolkit, hasScene: true)
        try scene.start(at: "Ask", in: window)
        let inner = try scene.follow([
            "window": "frame[name=Window]", "ask": "push-button[name=Ask]", "dialog": "dialog[name=Question]",
            "answers": "*[name=Answers]", "yes": "push-button[name=Yes]", "no": "push-button[name=No]",
        ])
        let outer = try scene.follow([
            "application": "application[name='\(window.application)']", "dialog": "dialog[name=Question]",
        ])
        let answers = try scene.follow(["answers": "*[name=Answers]"])
        try scene.desktop.press("space")
        // GTK 4 says that the window is left, and not that the dialog is there: Orca tells of the button only, and that
        // may take longer than the grace after which a window that was left counts (F6).
        if toolkit == .gtk3 {
            try scene.expect(["dialog", "yes"], of: inner, "the dialog is open")
            try scene.expect(["dialog"], of: outer, isFirst: false, "the dialog is open")
        } else {
            try scene.expect(["yes"], of: inner, mayLeave: true, "the dialog is open")
            try scene.expect(["dialog"], of: outer, isFirst: false, mayLeave: true, "the dialog is open")
        }
        try scene.expect(["answers"], of: answers, isFirst: false, "the dialog is open")
        try scene.desktop.press("Tab")
        try scene.expect(["no"], of: inner, "Tab inside of it")
        try scene.expect([], of: outer, isFirst: false, "Tab inside of it")
        try scene.expect([], of: answers, isFirst: false, "Tab inside of it")
        try scene.desktop.press("Escape")
        // It is gone before Orca is anywhere else.
        try scene.expect(toolkit == .gtk3 ? ["none", "window", "ask"] : ["none", "ask"], of: inner, "it is closed")
        try scene.expect(["none", "application"], of: outer, isFirst: false, "it is closed")
        try scene.expect(["none"], of: answers, isFirst: false, "it is closed")
    }

    @Test("a menu that is opened, walked and left by Escape", arguments: TestWindow.Toolkit.gtk)
    func menu(toolkit: TestWindow.Toolkit) throws {
        let scene = try SequenceScene()
        let window = try scene.window(toolkit, hasScene: true)
        try scene.start(at: "Menu", in: window)
        let watch = try scene.follow([
            "window": "frame[name=Window]", "button": "toggle-button[name=Menu]", "menu": "menu",
            "open": "menu-item[name='Open item']", "save": "menu-item[name='Save item']",
        ])
        try scene.desktop.press("space")
        // The window of GTK 3 is left for its menu while Orca stays on the button until an item is reached (F6).
        try scene.expect(toolkit == .gtk3 ? ["none"] : [], of: watch, "the menu is open")
        try scene.desktop.press("Down")
        // A slow Orca hears that GTK 4 puts the focus on the first item as it opens the menu; a fast one does not.
        try scene.expect(["save"], of: watch, mayBeginWith: toolkit == .gtk4 ? "open" : nil, "Down")
        try scene.desktop.press("Down")
        try scene.expect(["open"], of: watch, "Down again")
        try scene.desktop.press("Escape")
        // The menu is gone before Orca is anywhere else. In GTK 4 it says that it is on the window then.
        try scene.expect(["none", toolkit == .gtk3 ? "button" : "window"], of: watch, "Escape")
        withExtendedLifetime(window) {}
    }

    @Test("from one window to another of its application and back", arguments: TestWindow.Toolkit.gtk)
    func windows(toolkit: TestWindow.Toolkit) throws {
        let scene = try SequenceScene()
        let window = try scene.window(toolkit, hasScene: true)
        try scene.start(at: "Second", in: window)
        let watch = try scene.follow([
            "window": "frame[name=Window]", "other": "frame[name=Other]", "second": "push-button[name=Second]",
            "in other": "push-button[name='In Other']",
        ])
        try window.tell("another Other")
        // As of a dialog, GTK 4 does not say of a new window that it is the active one.
        if toolkit == .gtk3 {
            try scene.expect(["other", "in other"], of: watch, "another window")
        } else {
            try scene.expect(["in other"], of: watch, mayLeave: true, "another window")
        }
        // Nor does Orca tell of windows of GTK 4, but of what has the focus in them. While the keys of alt+Tab are down
        // it is the window manager that has the keyboard: the window may have been left for longer than the grace.
        let first = toolkit == .gtk3 ? ["window", "second"] : ["second"]
        let other = toolkit == .gtk3 ? ["other", "in other"] : ["in other"]
        try scene.desktop.activate("Window")
        try scene.expect(first, of: watch, "back to the first")
        try scene.desktop.press("alt+Tab")
        try scene.expect(other, of: watch, mayLeave: true, "alt+Tab")
        try scene.desktop.press("alt+Tab")
        try scene.expect(first, of: watch, mayLeave: true, "alt+Tab again")
    }

    @Test("from one application to another, to a window without accessibility, and back")
    func applications() throws {
        let scene = try SequenceScene()
        let three = try scene.window(.gtk3, title: "Three")
        let four = try scene.window(.gtk4, title: "Four")
        try scene.start(at: "Check", in: four)
        try scene.desktop.activate("Three")
        try scene.start(at: "Second", in: three)
        let watch = try scene.follow([
            "three": "frame[name=Three]", "second": "frame[name=Three] push-button[name=Second]",
            "four": "frame[name=Four]", "check": "frame[name=Four] check-box[name=Check]",
        ])
        try scene.desktop.activate("Four")
        try scene.expect(["check"], of: watch, mayLeave: true, "GTK 4")
        try scene.desktop.press("alt+Tab")
        try scene.expect(["three", "second"], of: watch, mayLeave: true, "alt+Tab to GTK 3")
        let silent = try TestWindow(.gtk3, title: "Silent", isSilent: true, on: scene.desktop)
        try scene.expect(["none"], of: watch, "a window without accessibility")
        try scene.desktop.activate("Three")
        try scene.expect(["second?"], of: watch, "back to GTK 3")
        try scene.desktop.activate("Silent")
        try scene.expect(["none"], of: watch, "there again")
        try scene.desktop.activate("Four")
        try scene.expect(["check"], of: watch, "from there to GTK 4")
        try scene.desktop.activate("Silent")
        try scene.expect(["none"], of: watch, "from GTK 4 to it")
        try scene.desktop.activate("Four")
        try scene.expect(["check?"], of: watch, "back to GTK 4")
        withExtendedLifetime((three, four, silent)) {}
    }

    @Test("a label that is hidden while Orca is on it, and its parent", arguments: TestWindow.Toolkit.gtk)
    func hidden(toolkit: TestWindow.Toolkit) throws {
        let scene = try SequenceScene()
        let window = try scene.window(toolkit)
        try scene.start(at: "Check", in: window)
        let watch = try scene.follow([
            "plain": "label[name='Plain label']", "grouped": "label[name='Grouped label']",
            "check": "check-box[name=Check]",
        ])
        let client = try scene.client()
        #expect(try client.set(watch.state, to: "plain").result == "confirmed")
        try scene.expect(["plain"], of: watch, "the label is set")
        try window.tell("hide Plain label")
        try scene.expect(["none"], of: watch, "it is hidden")
        try window.tell("show Plain label")
        try scene.expect([], of: watch, "it is shown again")
        #expect(try client.set(watch.state, to: "grouped").result == "confirmed")
        try scene.expect(["grouped"], of: watch, "the other label is set")
        try window.tell("hide Group")
        try scene.expect(["none"], of: watch, "its parent is hidden")
    }
}

/// A private desktop whose bound states are read all the time, each change against what is expected.
final class SequenceScene {
    let scene: DesktopScene
    let desktop: PrivateDesktop
    private let regions: Record<String>

    final class Followed {
        let state: String
        let changes: Record<StateChange>

        init(_ watch: StateWatch) {
            state = watch.state
            changes = watch.record()
        }
    }

    init() throws {
        scene = try DesktopScene()
        desktop = scene.desktop
        regions = try desktop.regions()
    }

    func window(_ toolkit: TestWindow.Toolkit, title: String = "Window", hasScene: Bool = false) throws -> TestWindow {
        try scene.window(toolkit, title: title, hasScene: hasScene)
    }

    func start(at name: String, in window: TestWindow) throws { try scene.start(at: name, in: window) }

    func client() throws -> Client { try scene.client() }

    func follow(_ prototypes: KeyValuePairs<String, String>) throws -> Followed {
        Followed(try scene.bind(prototypes))
    }

    /// These values came, in this order, and nothing else does for a while. A mark is for what is only assumed.
    ///
    /// Of one moment only the first state is watched for that while; the others are concerned by the same moves.
    /// Where a window `mayLeave` before the technology is in the next, a none may come before them.
    func expect(
        _ values: [String], of followed: Followed, isFirst: Bool = true, mayLeave: Bool = false,
        mayBeginWith extra: String? = nil, _ moment: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let quiet = Duration.milliseconds(isFirst ? 600 : 20)
        var changes = try followed.changes.take(atLeast: values.count, quiet: quiet)
        let hasLeft = mayLeave && changes.first?.cause == "windowDeactivated"
        if hasLeft, changes.count <= values.count {
            changes += try followed.changes.take(atLeast: values.count + 1 - changes.count)
        }
        var told = changes.map { ($0.value ?? "none") + ($0.assumed ? "?" : "") }
        let causes = changes.map { "\($0.value ?? "none") \($0.cause) \($0.revision)" }
        if hasLeft { told.removeFirst() }
        if let extra, told.first == extra, told.count == values.count + 1 { told.removeFirst() }
        #expect(
            told == values, "\(moment): \(causes), Orca signalled \(regions.all.suffix(6))",
            sourceLocation: sourceLocation)
    }
}
