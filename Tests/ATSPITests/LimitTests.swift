import AccessibilityTree
import EventLoop
import FakePeers
import Testing

@testable import ATSPI

extension ATSPITests {
    /// What the bus itself admits.
    @Suite struct BusLimits {
        @Test func `a question that the bus does not carry is no silence of who was asked`() async throws {
            let bus = try PrivateBus(limits: ["max_replies_per_connection": 4])
            defer { bus.stop() }
            let peer = try FakeConnection(bus: bus.address)
            defer { peer.disconnect() }
            let held = Observations<FakeCall>()
            peer.serve { held.append($0) }
            let name = peer.uniqueName
            try await onLoop {
                var limits = BusConnection.Limits()
                limits.callMilliseconds = 50_000
                let connection = try await connect(bus, limits: limits)
                defer { connection.close() }
                var refused = 0
                var timeouts: [String] = []
                connection.onLimitMet = { refused += 1 }
                connection.onTimeout = { timeouts.append($0) }
                var failures: [CallFailure] = []
                let reference = ObjectReference(busName: name, path: "/it")
                for _ in 0..<6 {
                    connection.readRole(reference) { if case .failure(let failure) = $0 { failures.append(failure) } }
                }
                try await until("two are refused") { refused == 2 }
                #expect(failures == [.notResponding, .notResponding] && timeouts.isEmpty)
                #expect(connection.callsInFlight(to: name) == 4)
            }
        }
    }
}
