import AccessibilityFocus
import FocusProtocol
import Foundation
import TestDesktop
import Testing

/// Values that follow Orca, and Orca that follows values: a real Orca and real windows.
@Suite(
    .serialized,
    .enabled(if: Requirements.hasDesktop, "needs Orca and a private process-id namespace: run `make test`"))
struct BoundValueTests {
    private static let first = "push-button[name=First]"
    private static let second = "push-button[name=Second]"
    private static let check = "check-box[name=Check]"
    private static let label = "label[name='Plain label']"

    @Test(
        "F1, F2, F3, F5, F7: to enter, to go on to another, to be inside of several and to leave is one change each",
        arguments: TestWindow.Toolkit.gtk)
    func followsOrca(toolkit: TestWindow.Toolkit) throws {
        let scene = try DesktopScene()
        let window = try scene.window(toolkit)
        try scene.start(at: "Check", in: window)
        let buttons = try scene.bind(["first": Self.first, "second": Self.second])
        let nested = try scene.bind(["window": "frame[name=Window]", "second": Self.second, "check": Self.check])
        #expect(buttons.first.value == nil && buttons.first.cause == "initial")
        #expect(nested.first.value == "check" && nested.first.element?.name == "Check")
        let (flat, deep) = (buttons.record(), nested.record())
        for (key, count) in [("shift+Tab", 1), ("shift+Tab", 2), ("Tab", 3), ("Tab", 4)] {
            try scene.desktop.press(key)
            try deep.wait(since: 0, until: "change \(count)") { $0.count >= count }
        }
        let buttonChanges = try flat.take(atLeast: 4)
        let nestedChanges = try deep.take(atLeast: 4)
        #expect(buttonChanges.map(\.value) == ["second", "first", "second", nil])
        #expect(buttonChanges.map(\.previous) == [nil, "second", "first", "second"])
        #expect(buttonChanges.map { $0.element?.name } == ["Second", "First", "Second", nil])
        #expect(nestedChanges.map(\.value) == ["second", "window", "second", "check"])
        #expect(nestedChanges.map { $0.element?.name } == ["Second", "Window", "Second", "Check"])
        #expect((buttonChanges + nestedChanges).allSatisfy { $0.cause == "moved" && !$0.assumed })
        // One move is one transaction, in both states.
        #expect(buttonChanges.map(\.revision) == nestedChanges.map(\.revision))
        #expect(buttonChanges.map(\.revision) == buttonChanges.map(\.revision).sorted())
        withExtendedLifetime(window) {}
    }

    @Test(
        "S1, S5: a value that is set is where Orca goes and what it speaks; once more is silent; again speaks again",
        arguments: TestWindow.Toolkit.gtk)
    func set(toolkit: TestWindow.Toolkit) throws {
        let scene = try DesktopScene()
        let window = try scene.window(toolkit)
        try scene.start(at: "Check", in: window)
        let watch = try scene.bind(["label": Self.label, "second": Self.second])
        let client = try scene.client()
        let outcome = try client.set(watch.state, to: "label")
        // The change was sent before the outcome: it is there already.
        let change = try watch.next(within: 0)
        #expect(outcome.result == "confirmed" && outcome.route == "activeDescendant", "\(outcome)")
        #expect(outcome.element?.name == "Plain label" && outcome.keyboardFocus == "elsewhere")
        #expect(outcome.technologies == [TechnologyResult(id: "orca", result: "confirmed")])
        #expect(change.value == "label" && change.element?.name == "Plain label" && !change.assumed)
        #expect(change.cause == "set")
        try scene.orca.speech.wait(since: 0, until: "the label") { $0.contains { $0.contains("Plain label") } }
        try scene.orca.speech.waitUntilQuiet(for: .milliseconds(500))

        let spoken = scene.orca.speech.count
        let same = try client.set(watch.state, to: "label")
        #expect(same.result == "confirmed" && same.route == "none", "\(same)")
        try scene.orca.speech.waitUntilQuiet(for: .milliseconds(500))
        #expect(scene.orca.speech.since(spoken).isEmpty)

        let again = try client.set(watch.state, to: "label", again: true)
        #expect(again.result == "confirmed" && again.route == "activeDescendant", "\(again)")
        try scene.orca.speech.wait(since: spoken, until: "the label again") {
            $0.contains { $0.contains("Plain label") }
        }
        #expect(try client.state(watch.state)?.value == "label")

        // A button too, in the way that its toolkit has.
        let button = try client.set(watch.state, to: "second")
        #expect(button.result == "confirmed", "\(button)")
        #expect(button.route == (toolkit == .gtk3 ? "grabFocus" : "activeDescendant"))
        let changed = try watch.next(within: 0)
        #expect(changed.value == "second" && changed.previous == "label" && changed.cause == "set")
        #expect(throws: FocusSocketError.timedOut) { _ = try watch.next(within: 1) }
        withExtendedLifetime(window) {}
    }

    @Test(
        "S6: to set none gives the focus back, and Orca says to where; while it is none nothing is spoken",
        arguments: TestWindow.Toolkit.gtk)
    func setNone(toolkit: TestWindow.Toolkit) throws {
        let scene = try DesktopScene()
        let window = try scene.window(toolkit)
        try scene.start(at: "Check", in: window)
        let watch = try scene.bind(["label": Self.label])
        let changes = watch.record()
        let client = try scene.client()
        try scene.orca.speech.waitUntilQuiet(for: .milliseconds(500))
        var spoken = scene.orca.speech.count
        let idle = try client.set(watch.state, to: nil)
        #expect(idle.result == "confirmed" && idle.route == "none", "\(idle)")
        try scene.orca.speech.waitUntilQuiet(for: .milliseconds(500))
        #expect(scene.orca.speech.since(spoken).isEmpty)

        let there = try client.set(watch.state, to: "label")
        #expect(there.result == "confirmed", "\(there)")
        try scene.orca.speech.wait(since: spoken, until: "the label") { $0.contains { $0.contains("Plain label") } }
        spoken = scene.orca.speech.count
        let back = try client.set(watch.state, to: nil)
        #expect(back.result == "confirmed" && back.element?.name == "Check", "\(back)")
        #expect(back.keyboardFocus == "alreadyThere")
        try scene.orca.speech.wait(since: spoken, until: "where it goes back") { $0.contains { $0.contains("Check") } }
        #expect(try client.focus(of: "orca").element?.name == "Check")
        #expect(try client.focus(of: "keyboard").element?.name == "Check")
        let told = try changes.take(atLeast: 2)
        #expect(told.map(\.value) == ["label", nil])
        #expect(told.map(\.cause) == ["set", "set"])

        guard toolkit == .gtk3 else { return }
        // The keyboard goes back where the set had taken it along.
        let button = try scene.bind(["second": Self.second])
        let moved = try client.set(button.state, to: "second")
        #expect(moved.result == "confirmed" && moved.keyboardFocus == "moved", "\(moved)")
        let home = try client.set(button.state, to: nil)
        #expect(home.result == "confirmed" && home.element?.name == "Check", "\(home)")
        #expect(home.keyboardFocus == "moved")
        #expect(try client.focus(of: "keyboard").element?.name == "Check")
        withExtendedLifetime(window) {}
    }

    @Test(
        "S3: a value that is set before the window, or the element, exists is confirmed when it does",
        arguments: TestWindow.Toolkit.gtk)
    func setBeforeItExists(toolkit: TestWindow.Toolkit) throws {
        let scene = try DesktopScene()
        let folder = scene.desktop.runtimeFolder
        let watch = try scene.bind([
            "first": "frame[name=Later] \(Self.first)", "grown": "frame[name=Later] label[name='Grown label']",
        ])
        let (state, changes) = (watch.state, watch.record())
        let before = Background { try Client(folder).set(state, to: "first", milliseconds: 60_000) }
        try waitUntilPending(state, scene)
        let window = try scene.window(toolkit, title: "Later", changes: true)
        let outcome = try before.value(within: 90)
        #expect(outcome.result == "confirmed" && outcome.element?.window?.name == "Later", "\(outcome)")
        #expect(try changes.take(atLeast: 1).map(\.value) == ["first"])

        let growing = Background { try Client(folder).set(state, to: "grown", milliseconds: 60_000) }
        try waitUntilPending(state, scene)
        try window.tell("add Grown")
        let grown = try growing.value(within: 90)
        #expect(grown.result == "confirmed" && grown.element?.name == "Grown label", "\(grown)")
        try scene.orca.speech.wait(since: 0, until: "the label") { $0.contains { $0.contains("Grown label") } }
        #expect(try changes.take(atLeast: 1).map(\.value) == ["grown"])
    }

    @Test("S4: of two clients that race exactly one is confirmed", arguments: TestWindow.Toolkit.gtk)
    func race(toolkit: TestWindow.Toolkit) throws {
        let scene = try DesktopScene()
        let window = try scene.window(toolkit)
        try scene.start(at: "Check", in: window)
        let one = try scene.bind(["plain": Self.label])
        let other = try scene.bind(["grouped": "label[name='Grouped label']"])
        let (oneClient, otherClient) = (
            try PipelinedSets(scene.desktop.runtimeFolder), try PipelinedSets(scene.desktop.runtimeFolder)
        )
        for isOneFirst in [true, false] {
            if isOneFirst {
                try oneClient.send(one.state, "plain")
                try otherClient.send(other.state, "grouped")
            } else {
                try otherClient.send(other.state, "grouped")
                try oneClient.send(one.state, "plain")
            }
            let outcomes = [try oneClient.next(), try otherClient.next()]
            #expect(outcomes.map(\.result).sorted() == ["confirmed", "superseded"], "\(outcomes)")
            let confirmed = try #require(outcomes.first { $0.result == "confirmed" }?.element?.name)
            #expect(outcomes.first { $0.result == "superseded" }?.reason == "newerRequest")
            #expect(try scene.settledPlace()?.element?.name == confirmed)
            let states = try scene.client().states()
            #expect(states.compactMap(\.value) == [confirmed == "Plain label" ? "plain" : "grouped"], "\(states)")
            try scene.start(at: "Check", in: window)
        }
    }

    @Test("S7: a hidden element is not gone to, and nothing is spoken", arguments: TestWindow.Toolkit.gtk)
    func hidden(toolkit: TestWindow.Toolkit) throws {
        let scene = try DesktopScene()
        let window = try scene.window(toolkit)
        let watch = try scene.bind(["hidden": "push-button[name=Hidden]"])
        let changes = watch.record()
        _ = try scene.client().waitFor("push-button[name=Hidden]")
        try window.tell("hide Hidden")
        try scene.start(at: "Check", in: window)
        try scene.orca.speech.waitUntilQuiet(for: .milliseconds(500))
        let spoken = scene.orca.speech.count
        let outcome = try scene.client().set(watch.state, to: "hidden", milliseconds: 2_000)
        if toolkit == .gtk3 {
            #expect(outcome.result == "refused" && outcome.reason == "elementHidden", "\(outcome)")
        } else {
            // GTK 4 lists no hidden children: nobody can tell it from one that does not exist.
            #expect(
                outcome.reason == "elementHidden" || (outcome.result == "notFound" && outcome.reason == "noMatch"),
                "\(outcome)")
        }
        #expect(outcome.routesTried.isEmpty)
        try scene.orca.speech.waitUntilQuiet(for: .milliseconds(500))
        #expect(scene.orca.speech.since(spoken).isEmpty)
        #expect(try scene.client().focus(of: "orca").element?.name == "Check")
        #expect(changes.all.isEmpty)

        // Once it is shown it is gone to.
        try window.tell("show Hidden")
        let shown = try scene.client().set(watch.state, to: "hidden")
        #expect(shown.result == "confirmed", "\(shown)")
        #expect(try changes.take(atLeast: 1).map(\.value) == ["hidden"])
    }

    @Test("S8: a stopped application is refused in time, and neither Orca nor another's set waits for it")
    func stoppedApplication() throws {
        let scene = try DesktopScene()
        let stopped = try scene.window(.gtk3, title: "Stopped")
        let other = try scene.window(.gtk4, title: "Other")
        try scene.start(at: "Check", in: other)
        let watch = try scene.bind([
            "stopped": "frame[name=Stopped] \(Self.label)", "other": "frame[name=Other] \(Self.label)",
        ])
        _ = try scene.client().waitFor("frame[name=Stopped] \(Self.label)")
        stopped.process.signal(SIGSTOP)
        defer { stopped.process.signal(SIGCONT) }
        let (folder, state) = (scene.desktop.runtimeFolder, watch.state)
        let refusal = Background { try Client(folder).set(state, to: "stopped", milliseconds: 2_000) }
        try scene.desktop.press("Tab")
        try scene.watch.next(until: "Orca on the entry") { $0.element?.name == "Entry" }
        let outcome = try refusal.value(within: 30)
        #expect(outcome.result == "refused" || outcome.result == "notFound", "\(outcome)")
        #expect(outcome.reason == "applicationNotResponding")
        #expect(outcome.elapsedMilliseconds < 4_000)
        let confirmed = try scene.client().set(watch.state, to: "other")
        #expect(confirmed.result == "confirmed", "\(confirmed)")
        #expect(try watch.next(within: 0).value == "other")
        try scene.desktop.press("Tab")
        try scene.watch.next(until: "Orca on the password") { $0.element?.name == "Secret" }
    }

    @Test(
        "F10: what is renamed, and an application that was started again, is matched without a new request",
        arguments: TestWindow.Toolkit.gtk)
    func matchedAnew(toolkit: TestWindow.Toolkit) throws {
        let scene = try DesktopScene()
        var window = try scene.window(toolkit)
        try scene.start(at: "Second", in: window)
        let watch = try scene.bind(["second": Self.second])
        #expect(watch.first.value == "second")
        let changes = watch.record()
        try window.tell("rename Second=Other")
        try changes.wait(since: 0, until: "no longer matched") { $0.count >= 1 }
        try window.tell("rename Second=Second")
        try changes.wait(since: 0, until: "matched again") { $0.count >= 2 }
        window.process.end()
        try changes.wait(since: 0, until: "gone") { $0.count >= 3 }
        window = try scene.window(toolkit)
        try scene.start(at: "Second", in: window)
        let told = try changes.take(atLeast: 4)
        #expect(told.map(\.value) == [nil, "second", nil, "second"])
        #expect(told.prefix(3).map(\.cause) == ["matchChanged", "matchChanged", "applicationGone"])
        #expect(told.last?.element?.busName != watch.first.element?.busName)
    }

    @Test("F6, F10: when Orca goes the value is none; a new Orca is followed in the same stream")
    func orcaRestart() throws {
        let scene = try DesktopScene()
        let window = try scene.window(.gtk3)
        try scene.start(at: "Second", in: window)
        let watch = try scene.bind([
            "window": "frame[name=Window]", "second": Self.second, "check": Self.check,
        ])
        let changes = watch.record()
        scene.orca.kill()
        try changes.wait(since: 0, until: "nowhere") { $0.count >= 1 }
        let refused = try scene.client().set(watch.state, to: "check", milliseconds: 1_000)
        #expect(refused.result == "refused" && refused.reason == "technologyNotActive", "\(refused)")
        try scene.restartOrca()
        try scene.desktop.press("Tab")
        try changes.wait(since: 0, until: "the new Orca on Check") { $0.last?.value == "check" }
        let told = try changes.take(atLeast: 2)
        #expect(told.first?.value == nil && told.first?.cause == "technologyGone")
        // A new Orca mostly says where it is when it starts: the window and what has the focus in it.
        let later = told.dropFirst().map { ($0.value ?? "none") + ($0.assumed ? "?" : "") }
        var possible = ["second?", "window", "second", "check"][...]
        for value in later {
            let place = try #require(possible.firstIndex(of: value), "\(later), \(told.map(\.cause))")
            possible = possible[(place + 1)...]
        }
        let set = try scene.client().set(watch.state, to: "second")
        #expect(set.result == "confirmed", "\(set)")
        withExtendedLifetime(window) {}
    }

    @Test("when focusd restarts the stream ends; bound again it works, and the instance is another")
    func focusdRestart() throws {
        let scene = try DesktopScene()
        let window = try scene.window(.gtk3)
        try scene.start(at: "Second", in: window)
        let watch = try scene.bind(["second": Self.second, "check": Self.check])
        #expect(watch.first.value == "second")
        try scene.focusd.stop()
        do {
            while try watch.nextReply() != nil {}
        } catch FocusSocketError.connectionLost {
            // That is an end too; what would be none is a time that runs out.
        }
        let again = try FocusdProcess(environment: scene.desktop.environment)
        var technologies = try scene.client().technologies()
        try technologies.waitUntilActive("orca")
        let bound = try scene.bind(["second": Self.second, "check": Self.check])
        #expect(bound.instance != nil && bound.instance != watch.instance)
        #expect(bound.first.revision > watch.first.revision)
        let changes = bound.record()
        try scene.desktop.press("Tab")
        try changes.wait(since: 0, until: "Orca on Check") { $0.last?.value == "check" && $0.last?.assumed == false }
        #expect(changes.all.allSatisfy { $0.value != nil })
        let set = try scene.client().set(bound.state, to: "second")
        #expect(set.result == "confirmed", "\(set)")
        withExtendedLifetime((window, again)) {}
    }

    // MARK: -

    /// Asks until a set of the state is under way.
    private func waitUntilPending(_ state: String, _ scene: DesktopScene) throws {
        let client = try scene.client()
        let deadline = ContinuousClock.now + .seconds(20)
        while try client.state(state)?.pendingSets != 1 {
            guard ContinuousClock.now < deadline else { throw Missing(what: "no set of \(state) is under way") }
        }
    }
}
