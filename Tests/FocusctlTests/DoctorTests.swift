import FocusProtocol
import Foundation
import TestDesktop
import Testing

@Suite struct DoctorTests {
    static let noBus = Finding(
        code: "noAccessibilityBus", severity: "error", what: "There is no accessibility bus.", whatToDo: "Install it.")
    static let off = Finding(
        code: "toolkitAccessibilityOff", severity: "warning", what: "Accessibility is off.", whatToDo: "Switch it on.")
    static let active = Finding(
        code: "technologyActive", severity: "note", what: "orca 43.1 is active.", whatToDo: "Nothing.")

    @Test func nothingWrongIsSaid() throws {
        let patient = try Patient([])
        defer { patient.end() }
        let result = try patient.doctor()
        #expect(result.output == "nothing is wrong: focusd 0.1.0 answers\n")
        #expect(result.exitCode == 0)
        #expect(try patient.doctor("--json").output == "")
    }

    @Test func theGravestComesFirstWithWhatToDoAndEndsWithOne() throws {
        let patient = try Patient([Self.active, Self.off, Self.noBus])
        defer { patient.end() }
        let result = try patient.doctor()
        #expect(
            result.output == """
                error: There is no accessibility bus. Install it.
                warning: Accessibility is off. Switch it on.
                note: orca 43.1 is active. Nothing.

                """)
        #expect(result.exitCode == 1)
        let json = try patient.doctor("--json")
        let lines = json.output.split(separator: "\n")
        #expect(
            try lines.map { try JSONDecoder().decode(Finding.self, from: Data($0.utf8)) } == [
                Self.noBus, Self.off, Self.active,
            ])
        #expect(json.exitCode == 1)
    }

    @Test func exitCodeTellsWhetherAnythingIsWorseThanANote() throws {
        for (findings, code) in [([Self.active], 0), ([Self.off], 1), ([Self.noBus], 1)] as [([Finding], Int32)] {
            let patient = try Patient(findings)
            defer { patient.end() }
            #expect(try patient.doctor().exitCode == code)
            #expect(try patient.doctor("--json").exitCode == code)
        }
    }

    @Test func notesAloneAreNothingWrong() throws {
        let patient = try Patient([Self.active])
        defer { patient.end() }
        #expect(
            try patient.doctor().output
                == "note: orca 43.1 is active. Nothing.\nnothing is wrong: focusd 0.1.0 answers\n")
    }

    // MARK: - The way to focusd: each provoked, and gone once it is mended

    private func codes(_ folder: RuntimeFolder, _ arguments: [String] = [], path: String? = nil) throws -> [String] {
        let run = try Focusctl(
            ["doctor", "--json"] + arguments, runtimeFolder: path ?? folder.path,
            environment: ["PATH": FakeSystemctl.nowhere(folder)])
        let result = try run.finish()
        #expect(result.errors == "")
        let findings = try result.findings()
        #expect(findings.allSatisfy { $0.what.hasSuffix(".") && !$0.whatToDo.isEmpty }, "\(findings)")
        #expect(result.exitCode == (findings.contains { $0.code == "focusdNotAnswering" } ? 3 : findings.exitCode))
        return findings.map(\.code)
    }

    private func answering(_ folder: RuntimeFolder) throws -> ScriptedService {
        let replies = [
            "Diagnose": try Samples.reply(Diagnose.Reply(findings: [], version: focusdVersion)),
            "GetInterfaceDescription": try Samples.reply(["description": FocusInterface.text]),
            "ListApplications": try Samples.reply(ListApplications.Reply(applications: [])),
        ]
        return try ScriptedService(in: folder) { call in replies[call.name].map { [$0] } ?? [] }
    }

    @Test func `noService, runtimeDirectoryFine and nobodyListens`() throws {
        let folder = try RuntimeFolder()
        #expect(try codes(folder) == ["noService", "runtimeDirectoryFine", "noSystemd"])
        try Data().write(to: URL(fileURLWithPath: folder.socket))
        #expect(try codes(folder) == ["nobodyListens", "runtimeDirectoryFine", "noSystemd"])
        try FileManager.default.removeItem(atPath: folder.socket)
        let service = try answering(folder)
        defer { service.end() }
        #expect(try codes(folder) == ["noSystemd"])
    }

    @Test func `noRuntimeDirectory`() throws {
        let folder = try RuntimeFolder()
        let service = try answering(folder)
        defer { service.end() }
        for path in ["", "relative", folder.path + "/missing"] {
            #expect(try codes(folder, path: path).first == "noRuntimeDirectory")
        }
        #expect(try codes(folder) == ["noSystemd"])
    }

    @Test func `unsafeDirectory`() throws {
        let folder = try RuntimeFolder()
        let service = try answering(folder)
        defer { service.end() }
        chmod(folder.focusdFolder, 0o755)
        #expect(try codes(folder).first == "unsafeDirectory")
        chmod(folder.focusdFolder, 0o700)
        #expect(try codes(folder) == ["noSystemd"])
    }

    @Test func `focusdNotAnswering`() throws {
        let folder = try RuntimeFolder()
        let mute = try ScriptedService(in: folder) { _ in [] }
        #expect(try codes(folder, ["--timeout", "100ms"]).first == "focusdNotAnswering")
        mute.end()
        try FileManager.default.removeItem(atPath: folder.socket)
        let service = try answering(folder)
        defer { service.end() }
        #expect(try codes(folder) == ["noSystemd"])
    }

    @Test func `focusdRefused and focusdBroken`() throws {
        for (step, code) in [
            (Samples.error("org.varlink.service.MethodNotFound"), "focusdRefused"),
            (.message("nonsense"), "focusdBroken"),
            (.hangUp, "focusdBroken"),
        ] as [(ScriptedService.Step, String)] {
            let folder = try RuntimeFolder()
            let broken = try ScriptedService(in: folder) { _ in [step] }
            let result = try Focusctl.run("doctor", "--json", in: folder)
            let finding = try #require(try result.findings().first)
            #expect(
                finding.code == code && finding.what.hasSuffix(".") && finding.whatToDo.hasSuffix("."), "\(finding)")
            #expect(result.exitCode == (code == "focusdRefused" ? 1 : 4))
            broken.end()
            try FileManager.default.removeItem(atPath: folder.socket)
            let service = try answering(folder)
            defer { service.end() }
            #expect(try codes(folder) == ["noSystemd"])
        }
    }

    /// Where no place is left, the doctor is not let in either; that is what it tells.
    @Test(arguments: [
        ("maximumClients", "limitReached.clients"), ("maximumClientsPerProcess", "limitReached.clientsPerProcess"),
    ])
    func `limitReached where the doctor itself is not let in`(limit: String, code: String) throws {
        let folder = try RuntimeFolder()
        let full = try ScriptedService(in: folder) { _ in
            [Samples.error("io.focusd.Focus.LimitExceeded", #"{"limit":"\#(limit)"}"#), .hangUp]
        }
        let result = try Focusctl.run("doctor", "--json", in: folder)
        let finding = try #require(try result.findings().first { $0.code == code })
        #expect(finding.whatToDo.contains("nd ") && !finding.whatToDo.contains("Restart focusd"), "\(finding)")
        #expect(finding.what.contains(limit), "\(finding)")
        #expect(result.exitCode == 1)
        full.end()
        try FileManager.default.removeItem(atPath: folder.socket)
        let service = try answering(folder)
        defer { service.end() }
        #expect(try codes(folder) == ["noSystemd"])
    }

    // MARK: - Versions

    @Test(arguments: ["0.0.9", "0.0.10", "", "nonsense"]) func `daemonOlderThanClient`(version: String) throws {
        let patient = try Patient([], version: version)
        defer { patient.end() }
        let result = try patient.doctor()
        #expect(
            result.output.hasPrefix("warning: focusd is version \(version), focusctl is version 0.1.0: the daemon is"))
        #expect(result.exitCode == 1)
        #expect(try patient.codes() == [FindingCode.daemonOlderThanClient.rawValue])
        try expectNothing()
    }

    @Test(arguments: ["0.1.1", "0.10.0", "1.0", "99999999999999999999.0", "0.1.0-beta"])
    func `daemonNewerThanClient`(version: String) throws {
        let patient = try Patient([], version: version)
        defer { patient.end() }
        let result = try patient.doctor()
        #expect(result.output.hasPrefix("note: focusd is version \(version), focusctl is version 0.1.0. "))
        #expect(result.exitCode == 0)
        #expect(try patient.codes() == [FindingCode.daemonNewerThanClient.rawValue])
        try expectNothing()
    }

    /// It was restarted, or the other one installed: both are of the same version now.
    private func expectNothing() throws {
        let mended = try Patient([])
        defer { mended.end() }
        #expect(try mended.codes() == [])
    }

    @Test func `interfaceDiffers where it is not told at all`() throws {
        let folder = try RuntimeFolder()
        let replies = [
            "Diagnose": try Samples.reply(Diagnose.Reply(findings: [], version: focusdVersion)),
            "GetInterfaceDescription": Samples.error("org.varlink.service.InterfaceNotFound"),
            "ListApplications": try Samples.reply(ListApplications.Reply(applications: [])),
        ]
        let old = try ScriptedService(in: folder) { call in replies[call.name].map { [$0] } ?? [] }
        #expect(try codes(folder) == ["interfaceDiffers", "noSystemd"])
        old.end()
        try FileManager.default.removeItem(atPath: folder.socket)
        let service = try answering(folder)
        defer { service.end() }
        #expect(try codes(folder) == ["noSystemd"])
    }

    @Test func `interfaceDiffers`() throws {
        let old = "interface io.focusd.Focus\nmethod GetFocus() -> ()\nmethod Dance() -> ()\n"
        for (text, words) in [
            (old, "focusd has no Announce, "), (old, "focusctl does not know Dance"), ("x", "be read"),
        ] {
            let patient = try Patient([], interface: text)
            defer { patient.end() }
            let result = try patient.doctor()
            #expect(result.output.hasPrefix("warning: focusd and focusctl have other versions of io.focusd.Focus: "))
            #expect(result.output.contains(words), "\(result.output)")
            #expect(result.exitCode == 1)
            #expect(try patient.codes() == [FindingCode.interfaceDiffers.rawValue])
        }
        try expectNothing()
    }

    // MARK: - Programs that are not on the bus

    @Test func `applicationMissing`() throws {
        let patient = try Patient([])
        defer { patient.end() }
        // It runs on the display, and the bus does not know it. Its other processes do not count.
        let display = ["DISPLAY": ":4711"]
        let firefox = try browser([], display)
        let part = try browser(["-contentproc"], display)
        defer { for process in [firefox, part] { process.end() } }
        let result = try patient.doctor(environment: display)
        #expect(
            result.output.hasPrefix("warning: firefox-esr (process \(firefox.pid)) runs on this display"))
        #expect(try patient.codes(environment: display) == ["applicationMissing"])
        // Of another display nothing is known here.
        #expect(try patient.codes(environment: ["DISPLAY": ":4712"]) == [])
        let listed = Application(
            name: "Firefox", pid: Int(firefox.pid), toolkit: "Gecko", busName: ":1.7", responding: true)
        let mended = try Patient([], applications: [listed])
        defer { mended.end() }
        #expect(try mended.codes(environment: display) == [])
    }

    /// A process that is called as a browser is, and waits.
    private func browser(_ arguments: [String], _ environment: [String: String]) throws -> ChildProcess {
        let process = try ChildProcess(
            "/bin/sh", ["-c", "echo there; read -r line", "sh"] + arguments, environment: environment,
            name: "/usr/lib/firefox-esr/firefox-esr")
        try process.output.line("there")
        return process
    }
}

/// A desktop with a service that finds what a test wants, and units that are as a test wants.
final class Patient {
    let systemctl: FakeSystemctl
    private let desktop: Desktop
    var folder: RuntimeFolder { desktop.folder }

    init(
        _ findings: [Finding], version: String = focusdVersion, interface: String = FocusInterface.text,
        applications: [Application] = []
    ) throws {
        desktop = try Desktop(replies: [
            "Diagnose": [try Samples.reply(Diagnose.Reply(findings: findings, version: version))],
            "GetInterfaceDescription": [try Samples.reply(["description": interface])],
            "ListApplications": [try Samples.reply(ListApplications.Reply(applications: applications))],
        ])
        systemctl = try FakeSystemctl(in: desktop.folder)
    }

    func end() { desktop.end() }

    func doctor(_ arguments: String..., environment: [String: String] = [:]) throws -> RunResult {
        try Focusctl(
            ["doctor"] + arguments, runtimeFolder: folder.path,
            environment: environment.merging(["PATH": systemctl.path]) { $1 }
        ).finish()
    }

    func findings(environment: [String: String] = [:]) throws -> [Finding] {
        let result = try doctor("--json", environment: environment)
        let findings = try result.findings()
        #expect(result.exitCode == (findings.contains { $0.severity != "note" } ? 1 : 0))
        #expect(findings.allSatisfy { $0.what.hasSuffix(".") && !$0.whatToDo.isEmpty }, "\(findings)")
        return findings
    }

    func codes(environment: [String: String] = [:]) throws -> [String] {
        try findings(environment: environment).map(\.code)
    }
}

extension RunResult {
    /// The findings that were printed as JSON.
    func findings() throws -> [Finding] {
        try output.split(separator: "\n").map { try JSONDecoder().decode(Finding.self, from: Data($0.utf8)) }
    }
}

extension [Finding] {
    /// What `focusctl doctor` ends with: 4 where the service is not there.
    fileprivate var exitCode: Int32 {
        let absent = ["noService", "nobodyListens", "noRuntimeDirectory", "unsafeDirectory", "focusdBroken"]
        if contains(where: { absent.contains($0.code) }) { return 4 }
        return contains { $0.severity != "note" } ? 1 : 0
    }
}
