import AccessibilityFocus
import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

extension FocusdTests {
    /// What the doctor tells of that happened: with who did it, and no more when it is some time ago.
    @Suite struct IncidentFindings {
        /// focusd that forgets soon.
        private func withForgetful(
            registry: Bool = false, settings: String = "", limits: [String: Int] = [:],
            _ body: (FocusdScene) async throws -> Void
        ) async throws {
            try await withScene(
                registry: registry, configuration: "remember-trouble = 3s\n" + settings, limits: limits, body)
        }

        @Test func `forgedMessages and malformedMessages`() async throws {
            try await withForgetful { scene in
                let evil = try scene.application("evil")
                let forged = try scene.expectFound(.forgedMessages, evil.busName) {
                    try evil.forgeNameOwnerChanged(":1.99", from: ":1.99", to: "")
                    let focusd = try scene.focusdName(evil.connection)
                    try evil.emitRaw(
                        path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged",
                        [":1.99", ":1.99", ""], to: focusd)
                    try evil.connection.settle()
                }
                #expect(forged.what.contains("(process \(getpid()), \(evil.busName))"))
                #expect(forged.what.contains("spoke for somebody else"))
                try scene.expectFound(.malformedMessages, evil.busName) {
                    try evil.emitRaw(
                        path: "/org/a11y/atspi/screenreader", interface: "org.a11y.atspi.Event.ScreenReader",
                        member: "RegionChanged", ["nonsense"])
                    try evil.connection.settle()
                }
                // Who does it may leave before anybody looks.
                evil.disconnect()
                try scene.expectGone(.forgedMessages)
                try scene.expectGone(.malformedMessages)
            }
        }

        @Test func `forgedMessages by one who is no screen reader`() async throws {
            try await withForgetful { scene in
                let app = try scene.application()
                let stranger = try scene.reader("orcinus")
                try await stranger.present("cancel", of: app)
                try scene.waitForCounter("foreignSignals", 1)
                let finding = try scene.expectFound(.forgedMessages, "orcinus (process \(stranger.pid), ")
                #expect(finding.whatToDo.contains("technologies"))
                try scene.expectGone(.forgedMessages)
            }
        }

        @Test func `limitReached.callsInFlight`() async throws {
            try await withForgetful { scene in
                let orca = try scene.reader()
                let frozen = scene.adopt(try FakeApplication.large(bus: scene.bus.address, nodes: 80))
                frozen.stop()
                // Seven questions for each element, of which 192 may be unanswered.
                for number in 1..<60 { try await orca.present("n\(number)", of: frozen) }
                try scene.waitForCounter("callsRefused", 1)
                try scene.expectFound(.limitCallsInFlight, frozen.busName)
                try scene.expectGone(.limitCallsInFlight)
            }
        }

        @Test func `limitReached.busReplies`() async throws {
            try await withForgetful(limits: ["max_replies_per_connection": 16]) { scene in
                let orca = try scene.reader()
                let frozen = scene.adopt(try FakeApplication.large(bus: scene.bus.address, nodes: 20))
                frozen.stop()
                for number in 1..<10 { try await orca.present("n\(number)", of: frozen) }
                try scene.expectFound(.limitBusReplies)
                try scene.expectGone(.limitBusReplies)
            }
        }

        @Test(.enabled(if: hasRegistry, "needs at-spi2-core")) func `limitReached.heldEvents`() async throws {
            try await withForgetful(registry: true) { scene in
                let app = try scene.application()
                let gate = Gate()
                app.script("GetItems", times: 1, .truth.held(by: gate))
                let folder = scene.runtimeFolder
                let search = Background { try Client(folder).find("push-button[name=OK]") }
                _ = try await app.waitForCall("GetItems", within: .seconds(20))
                let event = FakeEvent.propertyChange("accessible-name", "Help")
                _ = try await app.flood([(event, from: "help")], count: 51_000).wait()
                gate.open()
                try scene.expectFound(.limitHeldEvents, app.busName)
                _ = try search.value(within: 20)
                try scene.expectGone(.limitHeldEvents)
            }
        }
    }
}
