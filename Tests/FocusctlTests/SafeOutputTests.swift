import FocusProtocol
import Foundation
import Testing

@Suite struct SafeOutputTests {
    private func get(_ name: String, _ arguments: String..., terminalWidth: UInt16? = nil) throws -> RunResult {
        let element = Samples.button(name: name, window: nil)
        let desktop = try Desktop(focus: ["orca": Samples.orca(on: element)])
        defer { desktop.end() }
        return try Focusctl(
            ["get", "orca"] + arguments, runtimeFolder: desktop.folder.path, terminalWidth: terminalWidth
        ).finish()
    }

    @Test(
        arguments: [
            ("a\nb", #"a\a b"#), ("a\r\nb", #"a\d \a b"#), ("a\tb", #"a\9 b"#), ("a\u{1B}[31mb", #"a\1b [31mb"#),
            ("a\u{0}b", #"a\0 b"#), ("a\u{7F}b", #"a\7f b"#), ("a\u{9B}b", #"a\9b b"#), ("a\u{85}b", #"a\85 b"#),
            ("a\u{2028}b", #"a\2028 b"#), ("a\u{202E}b", #"a\202e b"#), ("a\u{2066}b\u{2069}", #"a\2066 b\2069 "#),
            ("a\u{200F}b", #"a\200f b"#), ("a\u{FEFF}b", #"a\feff b"#), ("a\u{E0041}b", #"a\e0041 b"#),
            (#"say "hi" \o/"#, #"say \"hi\" \\o/"#), ("é ß 漢字 👍🏽", "é ß 漢字 👍🏽"), ("a\u{A0}b", "a\u{A0}b"),
        ])
    func nameStaysOnItsLineAndTellsTheTerminalNothing(name: String, shown: String) throws {
        let result = try get(name)
        #expect(result.output == "orca  push-button  \"\(shown)\"  of gedit  focus-tracking  1 min ago\n")
    }

    @Test func writingFromRightToLeftIsIsolatedAndKeepsItsJoiners() throws {
        let result = try get("می\u{200C}خواهم")
        #expect(result.output.contains("  \u{2068}\"می\u{200C}خواهم\"\u{2069}  of gedit  "))
    }

    @Test func jsonKeepsTheNameAndStaysOnItsLine() throws {
        let name = "a\n\u{202E}\u{9B}31m\u{2028}\u{E0041}\"\\/é"
        let result = try get(name, "--json")
        #expect(result.output.split(separator: "\n").count == 1)
        #expect(try JSONDecoder().decode(Focus.self, from: Data(result.output.utf8)).element?.name == name)
        for scalar: Unicode.Scalar in ["\u{202E}", "\u{9B}", "\u{2028}", "\u{E0041}"] {
            #expect(!result.output.unicodeScalars.contains(scalar))
        }
        #expect(result.output.contains(#"a\n\u202e\u009b31m\u2028\udb40\udc41\"\\/é"#))
    }

    @Test func megabyteNameIsWholeInAPipeAndCutOnATerminal() throws {
        let name = String(repeating: "x\n", count: 524_288)
        let json = try get(name, "--json")
        #expect(try JSONDecoder().decode(Focus.self, from: Data(json.output.utf8)).element?.name == name)
        let piped = try get(name)
        #expect(piped.output.utf8.count > name.utf8.count)
        #expect(piped.output.split(separator: "\n").count == 1)
        let terminal = try get(name, terminalWidth: 100)
        #expect(terminal.output.count <= 101)
        #expect(terminal.output.contains("…\""))
    }

    @Test func everyWordOfTheServicesIsMadeSafe() throws {
        let evil = "x\n\u{1B}]0;y\u{7}"
        let application = Application(name: evil, pid: 1, toolkit: evil, busName: evil, responding: true)
        let element = Element(
            busName: evil, path: evil, role: evil, name: evil, states: [], interfaces: [],
            window: Window(busName: "", path: "", name: evil), application: application)
        let focus = Focus(
            technology: evil, element: element, mode: evil, assumed: true, cause: evil, revision: 1,
            monotonicMicroseconds: .min)
        let statistics = Statistics(
            version: evil, uptimeMilliseconds: .min, nodes: .min, counters: [evil: .min],
            applications: [ApplicationStatistics(busName: evil, events: 1, calls: 1, timeouts: 1)], clients: [])
        let outcome = Outcome(
            result: "confirmed", reason: evil, route: evil, routesTried: [RouteAttempt(route: evil, reason: evil)],
            technologies: [TechnologyResult(id: evil, result: "confirmed"), TechnologyResult(id: evil, result: evil)],
            element: element, keyboardFocus: evil, elapsedMilliseconds: .min)
        let desktop = try Desktop(
            replies: [
                "GetFocus": [try Samples.reply(GetFocus.Reply(focus: focus))],
                "ListApplications": [try Samples.reply(ListApplications.Reply(applications: [application]))],
                "GetStatistics": [try Samples.reply(GetStatistics.Reply(statistics: statistics))],
                "MoveFocus": [try Samples.reply(MoveFocus.Reply(outcome: outcome))],
                "Diagnose": [
                    try Samples.reply(
                        Diagnose.Reply(
                            findings: [Finding(code: evil, severity: evil, what: evil, whatToDo: evil)], version: evil))
                ],
            ],
            technologies: [Technology(id: evil, active: true, pid: -1, version: evil, busName: evil)])
        defer { desktop.end() }
        for command in ServiceFailureTests.everyCommand {
            for width: UInt16? in [nil, 20, 60, 1000] {
                let run = try Focusctl(command, runtimeFolder: desktop.folder.path, terminalWidth: width)
                let result = try run.finish()
                let controls = result.output.unicodeScalars.filter { $0.value < 0x20 && $0 != "\n" }
                #expect(controls.isEmpty, "\(command)")
                #expect(!result.output.contains("\u{1B}"), "\(command)")
                #expect(result.exitCode <= 4, "\(command)")
            }
        }
    }
}
