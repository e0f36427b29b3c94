import FocusProtocol
import Foundation
import Testing

/// What the doctor says of focusd's units: each provoked, and gone once it is mended.
@Suite struct UnitFindingTests {
    /// Finds exactly this while systemd says so, and nothing when all is well again.
    private func expect(
        _ code: FindingCode, _ words: String, socket: [String: String] = [:], service: [String: String] = [:]
    ) throws {
        let patient = try Patient([])
        defer { patient.end() }
        try patient.systemctl.say(socket: socket, service: service)
        let findings = try patient.findings()
        #expect(findings.map(\.code) == [code.rawValue])
        #expect(findings.first?.severity == code.severity.rawValue)
        #expect(findings.first?.what.contains(words) == true, "\(findings)")
        try patient.systemctl.say()
        #expect(try patient.codes() == [])
    }

    @Test func `noSystemd`() throws {
        let patient = try Patient([])
        defer { patient.end() }
        for script in ["exit 1", "echo; exit 0", "echo Failed to connect to bus >&2; exit 1"] {
            try patient.systemctl.run(script)
            #expect(try patient.codes() == ["noSystemd"])
        }
        let none = try Focusctl.run(
            "doctor", "--json", in: patient.folder, environment: ["PATH": FakeSystemctl.nowhere(patient.folder)])
        #expect(try none.findings().map(\.code) == ["noSystemd"])
        #expect(none.exitCode == 0)
        try patient.systemctl.say()
        #expect(try patient.codes() == [])
    }

    @Test func `systemctlSilent`() throws {
        let patient = try Patient([])
        defer { patient.end() }
        // Neither one that writes nothing, nor one that writes and does not end, nor what they started, is waited for.
        for script in ["exec sleep 600", "echo Id=focusd.socket; sleep 600 & wait", "exec >&-; exec sleep 600"] {
            try patient.systemctl.run(script)
            let start = ContinuousClock.now
            #expect(try patient.codes() == ["systemctlSilent"])
            #expect(ContinuousClock.now - start < .seconds(40))
        }
        try patient.systemctl.say()
        #expect(try patient.codes() == [])
    }

    @Test func `unitsNotInstalled`() throws {
        let missing = ["LoadState": "not-found", "ActiveState": "inactive", "UnitFileState": ""]
        try expect(
            .unitsNotInstalled, "systemd knows no focusd.socket", socket: missing,
            service: missing.merging(["MainPID": "0"]) { $1 })
    }

    @Test(arguments: ["disabled", "masked", ""]) func `socketUnitDisabled`(state: String) throws {
        try expect(.socketUnitDisabled, "focusd.socket is not enabled", socket: ["UnitFileState": state])
    }

    @Test func `socketUnitInactive`() throws {
        try expect(.socketUnitInactive, "focusd.socket is not active", socket: ["ActiveState": "inactive"])
    }

    @Test func `socketGone`() throws {
        let folder = try RuntimeFolder()
        let systemctl = try FakeSystemctl(in: folder)
        let idle = ["ActiveState": "inactive", "MainPID": "0"]
        func codes(_ socket: [String: String], _ service: [String: String]) throws -> [String] {
            try systemctl.say(socket: socket, service: service)
            return try Focusctl.run("doctor", "--json", in: folder, environment: ["PATH": systemctl.path])
                .findings().map(\.code)
        }
        let here = ["Listen": "\(folder.path)/focusd/io.focusd.Focus (Stream)"]
        #expect(try codes(here, idle) == ["noService", "socketGone", "runtimeDirectoryFine"])
        // Restarting makes no difference where that is not the socket that was looked for, or focusd is on its way.
        #expect(
            try codes(["Listen": "/run/user/0/focusd/io.focusd.Focus (Stream)"], idle)
                == ["noService", "runtimeDirectoryFine"])
        #expect(
            try codes(here, ["ActiveState": "activating"]) == ["noService", "runtimeDirectoryFine"])
        let patient = try Patient([])
        defer { patient.end() }
        try patient.systemctl.say(
            socket: ["Listen": "\(patient.folder.path)/focusd/io.focusd.Focus (Stream)"], service: idle)
        #expect(try patient.codes() == ["notTheUnit"])
    }

    @Test(arguments: [
        ("start-limit-hit", "too often"), ("oom-kill", "memory"), ("watchdog", "sign of life"), ("new", "new"),
    ])
    func `unitFailed`(result: String, words: String) throws {
        try expect(.unitFailed, words, service: ["ActiveState": "failed", "Result": result])
        try expect(.unitFailed, "focusd.socket", socket: ["ActiveState": "failed", "Result": result])
    }

    @Test func `unitRestarts`() throws {
        try expect(.unitRestarts, "restarted 3 times", service: ["NRestarts": "3"])
        let patient = try Patient([])
        defer { patient.end() }
        try patient.systemctl.say(service: ["NRestarts": "2"])
        #expect(try patient.codes() == [])
    }

    @Test func `unitMemory`() throws {
        try expect(.unitMemory, "230 MiB of memory, of 256 MiB", service: ["MemoryCurrent": "241591911"])
    }

    @Test func `unitNeedsReload`() throws {
        try expect(.unitNeedsReload, "changed", service: ["NeedDaemonReload": "yes"])
    }

    @Test func `notTheUnit`() throws {
        try expect(.notTheUnit, "(process \(getpid()))", service: ["MainPID": "1"])
    }

    @Test func unitsAreLookedAtWhereThereIsNoService() throws {
        let folder = try RuntimeFolder()
        let systemctl = try FakeSystemctl(in: folder)
        try systemctl.say(socket: ["ActiveState": "inactive"], service: ["ActiveState": "failed", "MainPID": "0"])
        let result = try Focusctl.run("doctor", "--json", in: folder, environment: ["PATH": systemctl.path])
        #expect(
            try result.findings().map(\.code) == [
                "noService", "unitFailed", "socketUnitInactive", "runtimeDirectoryFine",
            ])
        #expect(result.exitCode == 4)
    }
}
