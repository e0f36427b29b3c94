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
        applications: [ApplicationStatistics(busName: ":1.3", events: 5, calls: 4, timeouts: 0)],
        clients: [
            ClientStatistics(pid: 77, calls: 3, bytesQueued: 0, isStreaming: true),
            ClientStatistics(pid: 78, calls: 1, bytesQueued: 10, isStreaming: false),
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
                signalsReceived  9
                signalsRefused  1
                application  :1.3  5 events  4 calls  0 timeouts
                client  pid 77  3 calls  0 bytes queued  streaming
                client  pid 78  1 calls  10 bytes queued

                """)
        #expect(result.exitCode == 0)
        let json = try Focusctl.run("stats", "--json", in: desktop.folder)
        #expect(try JSONDecoder().decode(Statistics.self, from: Data(json.output.utf8)) == Self.statistics)
        #expect(json.output.split(separator: "\n").count == 1)
    }
}
