import AccessibilityTree
import EventLoop
import FakePeers
import Testing

@testable import ATSPI

extension ATSPITests {
    /// The texts that focusd shows: which can be read, where, and for how long.
    @Suite struct OwnNotificationTests {
        @Test func `no text stands where another one stood, and only so many stand`() {
            var notifications = OwnNotifications()
            var paths: Set<String> = []
            for number in 0..<100 {
                let added = notifications.add("Text \(number)", for: ":1.1")
                #expect(paths.insert(added.path).inserted)
                #expect(notifications[added.path] == added)
                let removed = notifications.removeOldest(leaving: 32)
                #expect(removed.map(\.text) == (number < 32 ? [] : ["Text \(number - 32)"]))
            }
            #expect(notifications.all.map(\.text) == (68..<100).map { "Text \($0)" })
            #expect(notifications.removeOldest(leaving: 0).count == 32)
            #expect(notifications.all.isEmpty && notifications.removeOldest(leaving: 0).isEmpty)
        }

        @Test func `a text that was told goes from the bus after a while, and its listener is told that`() async throws
        {
            let bus = try PrivateBus()
            defer { bus.stop() }
            let listener = try FakeConnection(bus: bus.address)
            defer { listener.disconnect() }
            let (before, after) = try await onLoop {
                let connection = try await connect(bus)
                let own = OwnAccessible(notificationMilliseconds: 500)
                own.busName = connection.uniqueName
                connection.onCall = { own.answer($0) }
                own.announce("Saved", politeness: nil, to: listener.uniqueName, over: connection)
                let event = try await listener.signals.wait { $0.member == "StateChanged" }
                func name() async throws -> String? {
                    try await listener.property(event.sender, event.path, "org.a11y.atspi.Accessible", "Name").text
                }
                let before = try await name()
                let removal = try await listener.signals.wait { $0.member == "RemoveAccessible" }
                #expect(removal.interface == "org.a11y.atspi.Cache" && removal.destination == listener.uniqueName)
                #expect(
                    removal.arguments.first?.referenced == FakeReference(bus: event.sender, path: event.path))
                var after: String?
                do { after = try await name() } catch FakePeerError.replied { after = nil }
                connection.close()
                return (before, after)
            }
            #expect(before == "Saved")
            #expect(after == nil)
        }
    }
}
