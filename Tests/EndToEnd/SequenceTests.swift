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
        try scene.press("space")
        // GTK 4.8 says that the window is left, and not that the dialog is there: Orca tells of the button only, and that
        // may take longer than the grace after which a window that was left counts (F6). How long is for GTK and Orca to
        // decide, but what one state is told, the other one is told by the same move.
        let isSilent = !scene.tellsWindows(of: toolkit)
        let left = try scene.expect(
            isSilent ? ["yes"] : ["dialog", "yes"], of: inner, leaving: toolkit == .gtk4 ? .ifLate : .never,
            "the dialog is open")
        try scene.expect(
            ["dialog"], of: outer, isFirst: false, leaving: left.map { .by(revision: $0) } ?? .never,
            "the dialog is open")
        try scene.expect(["answers"], of: answers, isFirst: false, "the dialog is open")
        try scene.press("Tab")
        try scene.expect(["no"], of: inner, "Tab inside of it")
        try scene.expect([], of: outer, isFirst: false, "Tab inside of it")
        try scene.expect([], of: answers, isFirst: false, "Tab inside of it")
        try scene.press("Escape")
        // It is gone before Orca is anywhere else.
        try scene.expect(isSilent ? ["none", "ask"] : ["none", "window", "ask"], of: inner, "it is closed")
        try scene.expect(["none", "application"], of: outer, isFirst: false, "it is closed")
        try scene.expect(["none"], of: answers, isFirst: false, "it is closed")
    }

    @Test("a menu that is opened, walked and left by Escape", arguments: TestWindow.Toolkit.gtk)
    func menu(toolkit: TestWindow.Toolkit) throws {
        let scene = try SequenceScene()
        let window = try scene.window(toolkit, hasScene: true)
        try scene.start(at: "Menu", in: window)
        // GTK 4.8 calls what it opens menus with a push button. The items of GTK 4.18 have no names.
        let isOld = scene.orcaVersion < 48
        let button = isOld && toolkit == .gtk4 ? "push-button" : "toggle-button"
        let hasNames = isOld || toolkit == .gtk3
        let open = hasNames ? "menu-item[name='Open item']" : "menu-item:nth-child(1)"
        let save = hasNames ? "menu-item[name='Save item']" : "menu-item:nth-child(2)"
        let watch = try scene.follow([
            "window": "frame[name=Window]", "button": "\(button)[name=Menu]", "menu": "menu", "open": open,
            "save": save,
        ])
        try scene.press("space")
        if toolkit == .gtk3 {
            // The window is left for its menu while Orca stays on the button until an item is reached (F6).
            try scene.expect(["none"], of: watch, "the menu is open")
        } else {
            _ = try scene.client().waitFor(open)
            try watch.changes.waitUntilQuiet(for: .milliseconds(600))
        }
        try scene.press("Down")
        // GTK 4 puts the focus on the first item as it opens the menu. Orca may signal that at once, at the next key, or
        // not at all: what it signals is told, and nothing else.
        try scene.expect(["save"], of: watch, beginningIfSignalledWith: toolkit == .gtk4 ? "open" : nil, "Down")
        try scene.press("Down")
        try scene.expect(["open"], of: watch, "Down again")
        try scene.press("Escape")
        // The menu is gone before Orca is anywhere else.
        try scene.expect(["none", "button"], of: watch, "Escape")
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
        let tellsWindows = scene.tellsWindows(of: toolkit)
        let first = tellsWindows ? ["window", "second"] : ["second"]
        let other = tellsWindows ? ["other", "in other"] : ["in other"]
        // As of a dialog, GTK 4.8 does not say of a new window that it is the active one.
        try scene.expect(other, of: watch, leaving: tellsWindows ? .never : .ifLate, "another window")
        // While the keys of alt+Tab are down it is the window manager that has the keyboard: the window may have been left
        // for longer than the grace (F6).
        try scene.activate("Window")
        try scene.expect(first, of: watch, "back to the first")
        // It may come back to the first one for a moment; Orca says so then.
        try scene.press("alt+Tab")
        try scene.expect(other, of: watch, leaving: .ifLate, beginningIfSignalledWith: first[0], "alt+Tab")
        try scene.press("alt+Tab")
        try scene.expect(first, of: watch, leaving: .ifLate, beginningIfSignalledWith: other[0], "alt+Tab again")
    }

    @Test("from one application to another, to a window without accessibility, and back")
    func applications() throws {
        let scene = try SequenceScene()
        let three = try scene.window(.gtk3, title: "Three")
        let four = try scene.window(.gtk4, title: "Four")
        try scene.start(at: "Check", in: four)
        try scene.activate("Three")
        try scene.start(at: "Second", in: three)
        let watch = try scene.follow([
            "three": "frame[name=Three]", "second": "frame[name=Three] push-button[name=Second]",
            "four": "frame[name=Four]", "check": "frame[name=Four] check-box[name=Check]",
        ])
        try scene.activate("Four")
        // Two applications tell of it, each when it comes to it: the new one may be slower by more than the grace.
        let onCheck = scene.tellsWindows(of: .gtk4) ? ["four", "check"] : ["check"]
        try scene.expect(onCheck, of: watch, leaving: .ifLate, "GTK 4")
        try scene.press("alt+Tab")
        try scene.expect(["three", "second"], of: watch, leaving: .ifLate, "alt+Tab to GTK 3")
        let silent = try TestWindow(.gtk3, title: "Silent", isSilent: true, on: scene.desktop)
        try scene.expect(["none"], of: watch, "a window without accessibility")
        try scene.activate("Three")
        // Orca 43 believes that it never left, and says nothing (F11).
        try scene.expect(scene.tellsReturns ? ["three", "second"] : ["second?"], of: watch, "back to GTK 3")
        try scene.activate("Silent")
        try scene.expect(["none"], of: watch, "there again")
        try scene.activate("Four")
        try scene.expect(onCheck, of: watch, "from there to GTK 4")
        try scene.activate("Silent")
        try scene.expect(["none"], of: watch, "from GTK 4 to it")
        try scene.activate("Four")
        try scene.expect(scene.tellsReturns ? onCheck : ["check?"], of: watch, "back to GTK 4")
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
    /// When what is expected next cannot have begun yet, and how much was signalled by then.
    private var stepBegan = ContinuousClock.now
    private var lastSignal = 0

    final class Followed {
        let state: String
        let changes: Record<StateWatch.Arrival>
        /// The element that the last change named, or the first reply.
        fileprivate var place: String?

        init(_ watch: StateWatch) {
            state = watch.state
            place = watch.first.element?.reference
            changes = watch.arrivals()
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

    func start(at name: String, in window: TestWindow) throws {
        try scene.start(at: name, in: window)
        begin()
    }

    func client() throws -> Client { try scene.client() }

    /// What is done; what it leads to begins about then.
    func press(_ key: String) throws {
        try desktop.press(key)
        stepBegan = .now
    }

    func activate(_ title: String) throws {
        try desktop.activate(title)
        stepBegan = .now
    }

    var orcaVersion: Int { scene.orcaVersion }

    /// Orca 43 tells of windows of GTK 4.8 only what has the focus in them.
    func tellsWindows(of toolkit: TestWindow.Toolkit) -> Bool { toolkit == .gtk3 || orcaVersion >= 48 }

    /// Orca 43 says nothing when a window comes back and it believes to be where it was.
    var tellsReturns: Bool { orcaVersion >= 48 }

    func follow(_ prototypes: KeyValuePairs<String, String>) throws -> Followed {
        defer { begin() }
        return Followed(try scene.bind(prototypes))
    }

    /// Whether a state may be told that the window is left before the technology is in the next one.
    enum Leaving {
        case never
        /// Only where nothing was heard of the next one within the grace (F6).
        case ifLate
        /// It must be told, by the move that another state was told of.
        case by(revision: Int64)
    }

    /// These values came, in this order, and nothing else does for a while. A mark is for what is only assumed.
    ///
    /// Of one moment only the first state is watched for that while; the others are concerned by the same moves. Answers
    /// the revision of the leave where there was one.
    ///
    /// - Parameter extra: This value comes first, if and only if the technology signals that it is there.
    @discardableResult
    func expect(
        _ values: [String], of followed: Followed, isFirst: Bool = true, leaving: Leaving = .never,
        beginningIfSignalledWith extra: String? = nil, _ moment: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Int64? {
        let quiet = Duration.milliseconds(isFirst ? 600 : 20)
        var values = values
        if case .by = leaving { values.insert("none", at: 0) }
        // What came before the step, where that may be, is more than what is still to come.
        let early = extra == nil ? 0 : followed.changes.waiting
        var arrivals = try followed.changes.take(atLeast: values.count + early, quiet: quiet)
        let left = arrivals.first.flatMap { $0.change.cause == "windowDeactivated" ? $0 : nil }
        switch leaving {
        case .never: break
        case .ifLate:
            // The grace begins with the deactivation: a leave that comes sooner is wrong. The tool that pressed the key may have
            // ended later than that.
            guard let left, left.moment - stepBegan >= SequenceScene.grace - .milliseconds(50) else { break }
            values.insert("none", at: 0)
            if arrivals.count < values.count {
                arrivals += try followed.changes.take(atLeast: values.count - arrivals.count)
            }
        case .by(let revision):
            #expect(left?.change.revision == revision, "\(moment): one move", sourceLocation: sourceLocation)
        }
        let signals = regions.since(lastSignal)
        let elements = arrivals.compactMap { $0.change.element?.reference }
        if let extra {
            // What is signalled once more is no move.
            var places: [String] = []
            for place in signals where place != places.last ?? followed.place { places.append(place) }
            #expect(elements == places, "\(moment): what Orca signalled is told", sourceLocation: sourceLocation)
            let expected = values.count { $0 != "none" }
            if places.count > expected { values.insert(extra, at: values.count - expected) }
        }
        followed.place = arrivals.last?.change.element?.reference
        let told = arrivals.map { ($0.change.value ?? "none") + ($0.change.assumed ? "?" : "") }
        let causes = arrivals.map { "\($0.change.value ?? "none") \($0.change.cause) \($0.change.revision)" }
        #expect(
            told == values, "\(moment): \(causes), Orca signalled \(regions.all.suffix(6))",
            sourceLocation: sourceLocation)
        begin()
        return left?.change.revision
    }

    /// How long a window may be left before that counts (F6).
    private static let grace = Duration.milliseconds(150)

    /// What is done next is a new step.
    private func begin() {
        stepBegan = .now
        lastSignal = regions.count
    }
}

extension FocusProtocol.Element {
    /// As `PrivateDesktop.regions` writes it.
    fileprivate var reference: String { busName + path }
}
