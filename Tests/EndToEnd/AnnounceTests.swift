import AccessibilityFocus
import FocusProtocol
import Foundation
import TestDesktop
import Testing

extension RealOrcaTests {
    @Test("what is announced is spoken, and neither Orca nor the keyboard moves", arguments: TestWindow.Toolkit.gtk)
    func announced(toolkit: TestWindow.Toolkit) throws {
        let scene = try DesktopScene()
        let window = try scene.window(toolkit)
        try scene.start(at: "Second", in: window)
        _ = try scene.settledPlace()
        let signals = try scene.client().statistics().counters["signals"]
        for (text, urgent) in [("The build has finished", false), ("Battery nearly empty", true)] {
            let reply = try scene.client().call(Announce.self, .init(text: text, urgent: urgent))
            #expect(reply.delivered)
            #expect(reply.route == "notification")
            try scene.orca.waitUntilSpoken(text)
        }
        #expect(try scene.client().statistics().counters["signals"] == signals)
        #expect(try scene.client().focus(of: "orca").element?.name == "Second")
        #expect(try scene.client().focus(of: "keyboard").element?.name == "Second")
        // Orca goes on from where it was, and the stream holds nothing in between.
        try scene.desktop.press("Tab")
        let next = try scene.watch.next()
        #expect(next.element?.name == "Check")
        #expect(next.previous?.name == "Second")
        #expect(try scene.client().applications().allSatisfy { $0.name != "focusd" })
        withExtendedLifetime(window) {}
    }

    @Test("announcements in quick succession are each spoken once, in order")
    func announcedQuickly() throws {
        let scene = try DesktopScene()
        let window = try scene.window(.gtk3)
        try scene.start(at: "Second", in: window)
        let texts = ["First notice", "Second notice", "Third notice", "Fourth notice", "Fifth notice"]
        for text in texts { #expect(try scene.client().call(Announce.self, .init(text: text)).delivered) }
        try scene.orca.waitUntilSpoken("Fifth notice")
        let spoken = try scene.orca.spokenLines().filter { $0.contains(" notice") }
        #expect(spoken.count == texts.count, "\(spoken)")
        for (line, text) in zip(spoken, texts) { #expect(line.contains(text)) }
        withExtendedLifetime(window) {}
    }
}
