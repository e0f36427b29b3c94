import FocusProtocol
import Foundation
import Testing

@Suite struct DoctorTests {
    private func diagnose(_ findings: [Finding], version: String = focusdVersion) throws -> Desktop {
        try Desktop(replies: ["Diagnose": [try Samples.reply(Diagnose.Reply(findings: findings, version: version))]])
    }
    private static let noBus = Finding(
        code: "noAccessibilityBus", severity: "error", what: "There is no accessibility bus.", whatToDo: "Install it.")
    private static let noReader = Finding(
        code: "noScreenReader", severity: "warning", what: "No screen reader runs.", whatToDo: "Start Orca.")

    @Test func nothingWrongIsSaid() throws {
        let desktop = try diagnose([])
        defer { desktop.end() }
        let result = try Focusctl.run("doctor", in: desktop.folder)
        #expect(result.output == "nothing is wrong: focusd 0.1.0 answers\n")
        #expect(result.exitCode == 0)
        #expect(try Focusctl.run("doctor", "--json", in: desktop.folder).output == "")
    }

    @Test func findingsAreSaidWithWhatToDoAndAnErrorEndsWithOne() throws {
        let desktop = try diagnose([Self.noBus, Self.noReader])
        defer { desktop.end() }
        let result = try Focusctl.run("doctor", in: desktop.folder)
        #expect(
            result.output == """
                error: There is no accessibility bus. – Install it.
                warning: No screen reader runs. – Start Orca.

                """)
        #expect(result.exitCode == 1)
        let json = try Focusctl.run("doctor", "--json", in: desktop.folder)
        let lines = json.output.split(separator: "\n")
        #expect(
            try lines.map { try JSONDecoder().decode(Finding.self, from: Data($0.utf8)) } == [
                Self.noBus, Self.noReader,
            ])
        #expect(json.exitCode == 1)
    }

    @Test func warningsAloneEndWithZero() throws {
        let desktop = try diagnose([Self.noReader])
        defer { desktop.end() }
        #expect(try Focusctl.run("doctor", in: desktop.folder).exitCode == 0)
    }

    @Test(arguments: ["0.0.9", "0.0.10", "0.1.0-beta", "", "nonsense"])
    func olderDaemonIsAWarning(version: String) throws {
        let desktop = try diagnose([], version: version)
        defer { desktop.end() }
        let result = try Focusctl.run("doctor", in: desktop.folder)
        let isOlder = version != "0.1.0-beta"
        #expect(result.output.contains("the daemon is older") == isOlder, "\(result.output)")
        #expect(result.output.hasPrefix(isOlder ? "warning: focusd is version" : "note: focusd is version"))
        #expect(result.exitCode == 0)
    }

    @Test(arguments: ["0.1.1", "0.10.0", "1.0", "99999999999999999999.0"])
    func newerDaemonIsANote(version: String) throws {
        let desktop = try diagnose([], version: version)
        defer { desktop.end() }
        let result = try Focusctl.run("doctor", in: desktop.folder)
        #expect(result.output.hasPrefix("note: focusd is version \(version), focusctl is version 0.1.0 – "))
        #expect(result.exitCode == 0)
    }

    @Test func withoutAServiceItLooksForTheReasonItself() throws {
        let folder = try RuntimeFolder()
        let result = try Focusctl.run("doctor", in: folder)
        #expect(
            result.output == """
                error: there is no focusd at \(folder.socket): No such file or directory – Run 'focusd' \
                in this desktop session.
                note: the runtime folder is fine; the socket was looked for at \(folder.socket)

                """)
        #expect(result.errors == "")
        #expect(result.exitCode == 4)
        let json = try Focusctl.run("doctor", "--json", in: folder)
        let codes = try json.output.split(separator: "\n").map {
            try JSONDecoder().decode(Finding.self, from: Data($0.utf8)).code
        }
        #expect(codes == ["noService", "runtimeDirectoryFine"])
    }

    @Test func serviceThatDoesNotAnswerIsAFinding() throws {
        let desktop = try Desktop(replies: ["Diagnose": []])
        defer { desktop.end() }
        let result = try Focusctl.run("doctor", "--timeout", "100ms", in: desktop.folder)
        #expect(result.output.hasPrefix("error: focusd did not answer within 100 ms at \(desktop.folder.socket)"))
        #expect(result.exitCode == 3)
    }

    @Test func serviceThatKnowsNoDiagnosisIsOlder() throws {
        let desktop = try Desktop(replies: ["Diagnose": [Samples.error("org.varlink.service.MethodNotFound")]])
        defer { desktop.end() }
        let result = try Focusctl.run("doctor", in: desktop.folder)
        #expect(
            result.output.hasPrefix("error: focusd does not know this command: it is older than focusctl – Restart"))
        #expect(result.exitCode == 1)
    }
}
