import AccessibilityFocus
import FocusProtocol
import Foundation
import TestDesktop
import Testing

/// Elements that people name by selectors, on a real Orca and real windows.
@Suite(
    .serialized,
    .enabled(if: Requirements.hasDesktop, "needs Orca and a private process-id namespace: run `make test`"))
struct SelectorTests {
    @Test("a label that a selector names is where Orca goes, and says it itself", arguments: TestWindow.Toolkit.gtk)
    func movesToSelected(toolkit: TestWindow.Toolkit) throws {
        let scene = try DesktopScene()
        let window = try scene.window(toolkit)
        try scene.start(at: "Second", in: window)
        let client = try scene.client()
        let selector = "application[name='\(window.application)'] label[name='Plain label']"
        let outcome = try client.move(selector: selector)
        #expect(outcome.result == "confirmed" && outcome.route == "activeDescendant")
        #expect(outcome.element?.name == "Plain label" && outcome.keyboardFocus == "elsewhere")
        // What is waited for is Orca's own word.
        #expect(try client.waitFor(selector, .focused, technology: "orca")?.name == "Plain label")
        #expect(try client.find(":accessibility-focused").elements.map(\.name) == ["Plain label"])
        #expect(try client.find("\(selector):focused").elements.isEmpty)
        withExtendedLifetime(window) {}
    }

    @Test("a move waits for a window that comes later", arguments: TestWindow.Toolkit.gtk)
    func waitsForWindow(toolkit: TestWindow.Toolkit) throws {
        let scene = try DesktopScene()
        let first = try scene.window(.gtk3, title: "First window")
        try scene.start(at: "Second", in: first)
        let folder = scene.desktop.runtimeFolder
        let moving = Background {
            try Client(folder).move(selector: "frame[name=Later] label[name='Plain label']", milliseconds: 60_000)
        }
        let later = try scene.window(toolkit, title: "Later")
        let outcome = try moving.value(within: 90)
        // Its window is active when it appears; where that came a moment later, the user was somewhere else.
        #expect(
            outcome.result == "confirmed" || outcome.reason == "userMovedAway" || outcome.reason == "movedElsewhere")
        if outcome.result == "confirmed" { #expect(outcome.element?.window?.name == "Later") }
        withExtendedLifetime((first, later)) {}
    }

    @Test("the selector that is written for an element finds it again after a restart of its application")
    func survivesRestart() throws {
        let scene = try DesktopScene()
        var window = try scene.window(.gtk3)
        try scene.start(at: "Second", in: window)
        let client = try scene.client()
        let found = try client.find("push-button[name=Second]", fields: ["selector"]).elements
        let selector = try #require(found.first?.selector)
        window.process.end()
        #expect(try client.waitFor(selector, .gone) == nil)
        window = try scene.window(.gtk3)
        let again = try client.waitFor(selector)
        #expect(again?.name == "Second" && again?.busName != found.first?.busName)
        withExtendedLifetime(window) {}
    }
}
