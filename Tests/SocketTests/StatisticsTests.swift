import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

/// What `GetStatistics` counts is what happened.
@Suite(.serialized) struct StatisticsTests {
    @Test func `events, calls and timeouts of an application are counted`() async throws {
        try await withBusyService { busy in
            let service = busy.service
            let application = busy.application
            let name = application.busName
            let asked = try service.statistics(until: "it was asked") { $0.application(name) != nil }
            let first = try #require(asked.application(name))
            // Its path was read.
            #expect(first.calls > 0)
            try application.moveFocus(to: "cancel")
            try application.moveFocus(to: "help")
            let later = try service.statistics(until: "two moves of focus are counted") {
                ($0.application(name)?.events ?? 0) >= first.events + 4
            }
            #expect(later.counters["events", default: 0] >= 4)
            #expect(later.applications.allSatisfy { $0.busName.hasPrefix(":") })
            application.stop()
            let client = try service.client()
            let reply = try client.call(Wire.move(to: application.referenceText("label")))
            #expect(reply.error == nil)
            let silent = try service.statistics(until: "its silence is counted") {
                ($0.application(name)?.timeouts ?? 0) > 0
            }
            #expect(silent.counters["callTimeouts", default: 0] > 0)
            application.disconnect()
            try service.statistics(until: "it is forgotten") { $0.application(name) == nil }
        }
    }

    @Test func `signals, moves and transactions are counted`() async throws {
        try await withBusyService { busy in
            let before = try busy.service.statistics().counters
            for key in ["cancel", "help", "ok"] { try await busy.reader.present(key, of: busy.application) }
            let after = try busy.service.statistics(until: "three moves are counted") {
                $0.counters["moves", default: 0] == before["moves", default: 0] + 3
            }.counters
            #expect(after["signals", default: 0] == before["signals", default: 0] + 3)
            #expect(after["transactions", default: 0] >= before["transactions", default: 0] + 3)
        }
    }

    @Test func `clients and their calls are counted`() throws {
        let service = try Service()
        let client = try service.client()
        for _ in 0..<3 { #expect(try client.call(Wire.getInfo).error == nil) }
        let watching = try service.client()
        #expect(try watching.call(Wire.watchFocus).continues)
        let statistics = try Service.statistics(client)
        #expect(statistics.counters["calls"] == 5)
        #expect(statistics.counters["clientsAccepted"] == 2)
        #expect(statistics.counters["clientsRefused"] == 0)
        #expect(statistics.clients.map(\.calls).sorted() == [1, 4])
        #expect(statistics.clients.map(\.isStreaming).count { $0 } == 1)
        #expect(statistics.clients.allSatisfy { $0.pid == Int(getpid()) && $0.bytesQueued == 0 })
    }
}

extension Statistics {
    fileprivate func application(_ busName: String) -> ApplicationStatistics? {
        applications.first { $0.busName == busName }
    }
}
