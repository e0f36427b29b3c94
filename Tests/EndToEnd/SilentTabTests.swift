import AccessibilityFocus
import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

/// Orca says nothing where the keyboard arrives at what it is on already; focusd has it speak all the same.
@Suite(
    .serialized,
    .enabled(if: Requirements.hasDesktop, "needs Orca and a private process-id namespace: run `make test`"))
struct SilentTabTests {
    @Test(
        "a button that Orca was sent to is spoken once when the user tabs to it", arguments: TestWindow.Toolkit.gtk)
    func spokenOnce(toolkit: TestWindow.Toolkit) throws {
        let scene = try SilentTabScene(toolkit)
        for _ in 0..<3 {
            let arriving = try scene.sendToSecond()
            let (spoken, moved) = (scene.speech.count, scene.regions.count)
            try scene.keyboard.press(arriving)
            try scene.waitForKeyboard("Second")
            try scene.speech.wait(since: spoken, until: "the button") { $0.contains { $0.contains("Second") } }
            // A second time would come within the time that the first took.
            try scene.speech.waitUntilQuiet(for: .milliseconds(600))
            // The button and nothing else, not even the window that it is in.
            let told = scene.told(since: spoken).joined(separator: " | ")
            #expect(["Second push button.", "Second button."].contains(told), "\(told)")
            #expect(scene.regions.since(moved).last == scene.references["Second"])
            #expect(try scene.scene.client().focus(of: "orca").element?.name == "Second")
        }
        // The way there by focusd's own accessible is nobody's business.
        let told = try scene.changes.take(atLeast: 0)
        #expect(told.map(\.value) == ["second", nil, "second", nil, "second"], "\(told.map(\.cause))")
    }

    @Test(
        "a user who moves on while that is done is never pulled back, and hears nothing twice",
        arguments: TestWindow.Toolkit.gtk)
    func movesOn(toolkit: TestWindow.Toolkit) throws {
        let seed = ProcessInfo.processInfo.environment["FOCUSD_SEED"].flatMap { UInt64($0) } ?? 4
        print("\(toolkit): FOCUSD_SEED=\(seed)")
        var generator = SeededGenerator(seed: seed)
        let scene = try SilentTabScene(toolkit)
        for run in 1...100 {
            let delay = Duration.milliseconds(Int.random(in: 0...100, using: &generator))
            let (key, goal) = Bool.random(using: &generator) ? ("Tab", "Check") : ("shift+Tab", "First")
            let arriving = try scene.sendToSecond()
            let (spoken, moved) = (scene.speech.count, scene.regions.count)
            try scene.keyboard.press(arriving)
            try scene.waitForKeyboard("Second")
            Delay.pass(delay, since: .now)
            try scene.keyboard.press(key)
            try scene.waitForKeyboard(goal)
            let ends = try scene.settledRegion(since: moved, at: goal)
            let told = scene.told(since: spoken)
            let what =
                "run \(run), \(arriving), \(key) after \(delay): \(scene.named(scene.regions.since(moved))), \(told)"
            #expect(ends == scene.references[goal], "\(what)")
            #expect(told.count { $0.contains("Second") } <= 1, "\(what)")
            #expect(told.count { $0.contains(goal) } == 1, "\(what)")
            #expect(!zip(told, told.dropFirst()).contains { $0 == $1 }, "\(what)")
        }
    }
}

/// A window whose second button Orca is sent to while the keyboard is beside it; all that Orca does is recorded.
private final class SilentTabScene {
    let scene: DesktopScene
    let window: TestWindow
    let keyboard: Keyboard
    let regions: Record<String>
    let changes: Record<StateChange>
    let references: [String: String]
    private let places: Record<String>
    private let state: String

    var speech: Record<String> { scene.orca.speech }

    init(_ toolkit: TestWindow.Toolkit) throws {
        scene = try DesktopScene()
        window = try scene.window(toolkit)
        try scene.start(at: "Check", in: window)
        keyboard = try Keyboard(on: scene.desktop)
        regions = try scene.desktop.regions()
        var references: [String: String] = [:]
        for name in ["First", "Second", "Check"] { references[name] = try window.reference(of: name) }
        self.references = references
        places = try scene.keyboardPlaces()
        let watch = try scene.bind(["second": "push-button[name=Second]"])
        state = watch.state
        changes = watch.record()
    }

    /// Sends Orca to the second button, which it speaks, while the keyboard is beside it; the key that leads there too.
    func sendToSecond() throws -> String {
        let moved = regions.count
        if !["First", "Check"].contains(places.all.last) {
            try window.tell("focus First")
            try waitForKeyboard("First")
            try regions.wait(since: moved, until: "Orca on the first button") { $0.last == references["First"] }
        }
        let spoken = speech.count
        let outcome = try scene.client().set(state, to: "second", routes: ["activeDescendant"])
        guard outcome.result == "confirmed" else { throw Missing(what: "no start for a run: \(outcome)") }
        try speech.wait(since: spoken, until: "the second button") { $0.contains { $0.contains("Second") } }
        return places.all.last == "First" ? "Tab" : "shift+Tab"
    }

    func waitForKeyboard(_ name: String) throws {
        try places.wait(since: 0, until: "the keyboard on \(name)") { $0.last == name }
    }

    /// The last element that Orca signalled once it stays where it should be, or is not there for long.
    ///
    /// Orca may pass by there first: what it was sent before the user moved on may come after that.
    func settledRegion(since mark: Int, at goal: String) throws -> String? {
        let deadline = ContinuousClock.now + .seconds(5)
        repeat {
            do {
                try regions.wait(since: mark, within: 3, until: "Orca on \(goal)") { $0.last == references[goal] }
            } catch let missing as Missing {
                print(missing)
                break
            }
            try regions.waitUntilQuiet(for: .milliseconds(250))
        } while regions.since(mark).last != references[goal] && ContinuousClock.now < deadline
        return regions.since(mark).last
    }

    /// What was spoken but for the names of pressed keys, after which Orca 43 has a space.
    func told(since mark: Int) -> [String] {
        speech.since(mark).map { String($0.dropFirst("SPEAKS ".count)) }.filter {
            !$0.hasSuffix(" ") && !["tab", "left shift"].contains($0)
        }
    }

    /// References by the names of their elements, and focusd's own accessibles as such.
    func named(_ references: [String]) -> [String] {
        references.map { reference in self.references.first { $0.value == reference }?.key ?? reference }
    }
}
