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
            #expect(silent.application(name)?.nodes ?? 0 > 0)
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

    @Test func `moves are timed from the signal until they are written`() async throws {
        try await withBusyService { busy in
            let service = busy.service
            // Nobody follows: nothing is written, and nothing is timed.
            let before = try service.statistics(until: "nobody follows") { $0.processes.allSatisfy { $0.streams == 0 } }
            let watch = try service.client()
            #expect(try watch.call(Wire.watchFocus).continues)
            for key in ["cancel", "help", "ok"] { try await busy.reader.present(key, of: busy.application) }
            for _ in 0..<3 { _ = try watch.reply() }
            let after = try service.statistics().latency
            #expect(after.moves == before.latency.moves + 3)
            #expect(after.p50Microseconds > 0 && after.p50Microseconds <= after.p99Microseconds)
            #expect(after.p99Microseconds <= after.maximumMicroseconds)
        }
    }

    @Test func `memory and descriptors are those that the system tells`() throws {
        let service = try Service()
        let client = try service.client()
        let statistics = try Service.statistics(client)
        #expect(try statistics.descriptors == service.openDescriptors)
        let resident = try service.residentKilobytes * 1_024
        #expect(abs(statistics.memory.residentBytes - resident) < resident / 4)
        #expect(statistics.memory.privateBytes > 1 << 20)
        #expect(statistics.memory.privateBytes <= statistics.memory.residentBytes)
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
        // Both the stream and the question for this are under way.
        #expect(statistics.clients.allSatisfy { $0.callsInFlight == 1 && $0.connectedMilliseconds >= 0 })
        #expect(statistics.clients.map(\.bytesReceived).allSatisfy { $0 > 0 })
        let process = try #require(statistics.processes.first)
        #expect(statistics.processes.count == 1 && process.pid == Int(getpid()))
        #expect(process.clients == 2 && process.callsInFlight == 2 && process.streams == 1)
    }
}

extension Statistics {
    fileprivate func application(_ busName: String) -> ApplicationStatistics? {
        applications.first { $0.busName == busName }
    }
}
