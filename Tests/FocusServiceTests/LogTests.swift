import AccessibilityFocus
import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

extension FocusdTests {
    /// What focusd's log says, each with its level.
    @Suite(.enabled(if: hasRegistry)) struct LogLines {
        private func expect(_ level: Int, _ words: String, in scene: FocusdScene) throws {
            _ = try scene.focusd.process.errors.first(within: 20, "‘\(words)’ in the log") {
                $0.hasPrefix("<\(level)>focusd: ") && $0.contains(words)
            }
        }

        @Test func `the log says when the bus and screen readers come and go`() async throws {
            try await withScene { scene in
                try expect(6, "on the accessibility bus", in: scene)
                let app = try scene.application()
                let orca = try scene.reader()
                try await orca.present("ok", of: app)
                try expect(6, "orca is there (process \(orca.pid), \(orca.busName))", in: scene)
                let second = try scene.reader()
                try await second.present("help", of: app)
                try expect(4, "a second orca came (\(second.busName))", in: scene)
                orca.quit()
                try expect(6, "orca has left (\(orca.busName))", in: scene)
                try expect(6, "orca is there (process \(second.pid), \(second.busName))", in: scene)
                scene.stopBus()
                try expect(4, "the accessibility bus has gone", in: scene)
            }
        }

        @Test func `the log says who misbehaved, once, and who does not answer`() async throws {
            try await withScene(registry: true) { scene in
                let app = try scene.application()
                let stranger = try scene.peer()
                let target = DBusValue.reference(app.busName, app.node("cancel").path)
                func speak() throws {
                    try stranger.emit(
                        path: "/org/a11y/atspi/accessible/root", interface: "org.a11y.atspi.Event.ScreenReader",
                        member: "RegionChanged", ["", 0, 0, .variant(target), .variantDictionary([])])
                    try stranger.settle()
                }
                try speak()
                try expect(4, "\(stranger.uniqueName) said where a screen reader is", in: scene)
                let before = try scene.counter("foreignSignals")
                for _ in 0..<2 { try speak() }
                try scene.waitForCounter("foreignSignals", before + 2)
                #expect(scene.focusd.process.errors.all.count { $0.contains(stranger.uniqueName) } == 1)
                let client = try scene.client()
                app.stop()
                _ = try client.find("push-button")
                try expect(4, "\(app.busName) does not answer", in: scene)
            }
        }

        @Test func `who asks for more than the limits allow is in the log`() async throws {
            try await withScene { scene in
                let client = try scene.client()
                let text = String(repeating: "a", count: 9_000)
                #expect(throws: FocusSocketError.self) { try client.call(Announce.self, .init(text: text)) }
                try expect(4, "process \(getpid()) came to the limit maximumAnnouncementBytes", in: scene)
            }
        }

        @Test func `--verbose tells developers of calls and of moves`() async throws {
            try await withScene(options: ["--verbose"]) { scene in
                let app = try scene.application()
                let orca = try scene.reader()
                _ = try await scene.watch(orca, on: "ok", of: app)
                try expect(7, "process \(getpid()) calls io.focusd.Focus.GetFocus", in: scene)
                try expect(7, "orca moved, now \(app.busName)\(app.node("ok").path)", in: scene)
            }
        }
    }
}
