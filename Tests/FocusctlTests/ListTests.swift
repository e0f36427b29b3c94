import FocusProtocol
import Foundation
import Testing

@Suite struct ListTests {
    private static let applications = [
        Application(name: "firefox", pid: 12, toolkit: "Gecko", busName: ":1.3", responding: true, nodes: 1200),
        Application(name: "", pid: 0, toolkit: "", busName: ":1.4", responding: false),
    ]
    private static let statistics = Statistics(
        version: "0.1.0", uptimeMilliseconds: 7_260_000, nodes: 42,
        counters: ["signalsRefused": 1, "signalsReceived": 9],
        memory: MemoryStatistics(privateBytes: 9_800_000, residentBytes: 20_000_000), descriptors: 12,
        latency: LatencyStatistics(
            moves: 30, p50Microseconds: 120, p99Microseconds: 900, maximumMicroseconds: 1_500),
        limits: [
            LimitUse(name: "maximumClients", used: 2, limit: 512, met: 0),
            LimitUse(name: "maximumStates", used: 0, limit: 16_384, met: 0),
            LimitUse(name: "maximumSearches", used: 0, limit: 256, met: 3),
        ],
        applications: [
            ApplicationStatistics(
                busName: ":1.3", events: 5, calls: 4, timeouts: 0, callsInFlight: 1, nodes: 7, responding: false)
        ],
        clients: [
            ClientStatistics(
                pid: 77, calls: 3, callsInFlight: 1, bytesQueued: 0, bytesReceived: 50, isStreaming: true,
                connectedMilliseconds: 7_260_000),
            ClientStatistics(pid: 78, calls: 1, bytesQueued: 10, isStreaming: false),
        ],
        processes: [
            ProcessStatistics(
                pid: 77, clients: 1, callsInFlight: 1, streams: 1, states: 2, prototypes: 4, selectorBytes: 90,
                selectorParts: 6, treeSelectors: 1, views: 1, searches: 3, moves: 1, sets: 1, bytesQueued: 0,
                bytesWaiting: 0)
        ])

    private func desktop() throws -> Desktop {
        try Desktop(replies: [
            "ListApplications": [try Samples.reply(ListApplications.Reply(applications: Self.applications))],
            "GetStatistics": [try Samples.reply(GetStatistics.Reply(statistics: Self.statistics))],
        ])
    }

    @Test func technologiesAreALineEach() throws {
        let desktop = try desktop()
        defer { desktop.end() }
        let result = try Focusctl.run("technologies", in: desktop.folder)
        #expect(
            result.output == """
                keyboard  active
                orca  active  43.1  pid 99  :1.7
                odilia  not active

                """)
        #expect(result.exitCode == 0)
        let json = try Focusctl.run("technologies", "--json", in: desktop.folder)
        #expect(
            json.output == """
                {"active":true,"id":"keyboard"}
                {"active":true,"busName":":1.7","id":"orca","pid":99,"version":"43.1"}
                {"active":false,"id":"odilia"}

                """)
    }

    @Test func applicationsAreALineEach() throws {
        let desktop = try desktop()
        defer { desktop.end() }
        let result = try Focusctl.run("apps", in: desktop.folder)
        #expect(
            result.output == """
                "firefox"  Gecko  pid 12  :1.3  responding  1200 nodes
                (no name)  :1.4  not responding

                """)
        #expect(result.exitCode == 0)
        let json = try Focusctl.run("--json", "apps", in: desktop.folder)
        #expect(
            json.output == """
                {"busName":":1.3","name":"firefox","nodes":1200,"pid":12,"responding":true,"toolkit":"Gecko"}
                {"busName":":1.4","name":"","pid":0,"responding":false,"toolkit":""}

                """)
    }

    @Test func statisticsAreALineForEachNumber() throws {
        let desktop = try desktop()
        defer { desktop.end() }
        let result = try Focusctl.run("stats", in: desktop.folder)
        #expect(
            result.output == """
                version  0.1.0
                uptime  2 h
                nodes  42
                private memory  9.3 MiB
                descriptors  12
                signal to client  p50 120 µs, p99 900 µs, at most 1500 µs
                signalsReceived  9
                signalsRefused  1
                limit  maximumClients  2 of 512  met 0 times
                limit  maximumSearches  0 of 256  met 3 times
                application  :1.3  7 nodes  5 events  4 calls  1 in flight  0 timeouts  not responding
                process  pid 77  1 connections  1 calls in flight  1 streams  2 states  3 searches  1 moves  1 sets  0 bytes queued
                client  pid 77  3 calls  1 in flight  50 bytes received  0 bytes queued  2 h  streaming
                client  pid 78  1 calls  0 in flight  0 bytes received  10 bytes queued  0 s

                """)
        #expect(result.exitCode == 0)
        let json = try Focusctl.run("stats", "--json", in: desktop.folder)
        #expect(try JSONDecoder().decode(Statistics.self, from: Data(json.output.utf8)) == Self.statistics)
        #expect(json.output.split(separator: "\n").count == 1)
    }
}
