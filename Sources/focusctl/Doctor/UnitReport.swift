import AccessibilityFocus
import FocusProtocol
import Glibc

/// How systemd's user manager sees focusd's two units.
struct UnitReport {
    /// How long `systemctl` may take.
    static let patience = Duration.seconds(2)

    private static let socketName = "focusd.socket"
    private static let serviceName = "focusd.service"
    private static let properties = [
        "Id", "LoadState", "ActiveState", "UnitFileState", "Result", "NRestarts", "MainPID", "NeedDaemonReload",
        "MemoryCurrent", "MemoryHigh", "MemoryMax", "Listen",
    ]
    /// Restarts since the service was started by hand or by its socket, from which on something is wrong.
    private static let manyRestarts = 3

    private let socket: Unit
    private let service: Unit

    /// What there is to say about the units; `listener` is the process that listens at the socket, where one answers, and
    /// `missing` the path at which nobody does.
    static func findings(listener: pid_t? = nil, missing: String? = nil) -> [Finding] {
        let words = ["systemctl", "--user", "show", "--property=" + properties.joined(separator: ",")]
        do {
            let output = try ChildProcess.output(
                of: words + [socketName, serviceName], deadline: .after(patience))
            guard let report = UnitReport(output) else { return [noSystemd] }
            return report.findings(listener: listener, missing: missing)
        } catch .timedOut {
            return [
                Finding(
                    .systemctlSilent,
                    "systemctl --user did not answer within \(DurationText.text(patience)), so the units' state is not "
                        + "known.", whatToDo: "Look at 'systemctl --user status focusd.socket focusd.service' yourself."
                )
            ]
        } catch {
            return [noSystemd]
        }
    }

    private static let noSystemd = Finding(
        .noSystemd, "No user manager of systemd answers here, so nothing starts focusd by itself.",
        whatToDo: "Nothing, if you start focusd in another way. Else run focusctl inside the session of a user who is "
            + "logged in.")

    /// Reads what `systemctl show` printed: a block for each unit. Nil where one is missing.
    private init?(_ output: String) {
        var units: [String: Unit] = [:]
        for block in output.split(separator: "\n\n") {
            let unit = Unit(block)
            units[unit["Id"]] = unit
        }
        guard let socket = units[UnitReport.socketName], let service = units[UnitReport.serviceName] else { return nil }
        (self.socket, self.service) = (socket, service)
    }

    private func findings(listener: pid_t?, missing: String?) -> [Finding] {
        guard socket["LoadState"] != "not-found" || service["LoadState"] != "not-found" else {
            return [
                Finding(
                    .unitsNotInstalled, "systemd knows no focusd.socket, so nothing starts focusd by itself.",
                    whatToDo:
                        "Nothing, if you start focusd in another way. Else install focusd's package, or run 'make "
                        + "install' and 'systemctl --user daemon-reload'.")
            ]
        }
        var findings = failed(socket) + failed(service) + socketFindings + gone(missing)
        findings += restarts + memory
        if socket["NeedDaemonReload"] == "yes" || service["NeedDaemonReload"] == "yes" {
            findings.append(
                Finding(
                    .unitNeedsReload, "The files of focusd's units changed, and systemd has not read them again.",
                    whatToDo: "Run 'systemctl --user daemon-reload'."))
        }
        return findings + byHand(listener)
    }

    // MARK: - Each of them

    private func failed(_ unit: Unit) -> [Finding] {
        guard unit["ActiveState"] == "failed" else { return [] }
        let reason = UnitReport.results[unit["Result"]] ?? "result \(unit["Result"])"
        return [
            Finding(
                .unitFailed, "\(unit["Id"]) has failed: \(reason).",
                whatToDo: "Look at 'journalctl --user -u \(unit["Id"])', then run 'systemctl --user reset-failed "
                    + "\(unit["Id"])' and 'systemctl --user start \(UnitReport.socketName)'.")
        ]
    }

    private static let results = [
        "start-limit-hit": "it was started too often in a short time, and systemd gave up",
        "watchdog": "it did not give its sign of life",
        "oom-kill": "it used more memory than it may",
        "exit-code": "it ended with an error",
        "signal": "a signal ended it",
        "core-dump": "it crashed",
        "timeout": "it did not start or stop in time",
        "resources": "the system had not what it needs",
    ]

    private var socketFindings: [Finding] {
        guard socket["LoadState"] != "not-found" else { return [] }
        var findings: [Finding] = []
        let enabled = ["enabled", "enabled-runtime", "static", "indirect", "generated", "alias", "linked", "transient"]
        if !enabled.contains(socket["UnitFileState"]) {
            findings.append(
                Finding(
                    .socketUnitDisabled,
                    "focusd.socket is not enabled, so focusd will not be there after the next login.",
                    whatToDo:
                        "Run 'systemctl --user \(socket["UnitFileState"].hasPrefix("masked") ? "unmask" : "enable") "
                        + "\(UnitReport.socketName)'."))
        }
        if !["active", "activating", "failed"].contains(socket["ActiveState"]) {
            findings.append(
                Finding(
                    .socketUnitInactive, "focusd.socket is not active, so nothing starts focusd when it is asked.",
                    whatToDo: "Run 'systemctl --user start \(UnitReport.socketName)'."))
        }
        return findings
    }

    /// systemd keeps a socket whose file somebody removed, and takes it for a good one.
    private func gone(_ missing: String?) -> [Finding] {
        guard let missing, socket["ActiveState"] == "active", socket["Listen"].hasPrefix(missing + " "),
            !["active", "activating", "reloading"].contains(service["ActiveState"])
        else { return [] }
        return [
            Finding(
                .socketGone,
                "focusd.socket is active, and nobody can find it: its file \(SafeText.escaped(missing)) was removed.",
                whatToDo: "Run 'systemctl --user restart \(UnitReport.socketName)'.")
        ]
    }

    private var restarts: [Finding] {
        guard let count = Int(service["NRestarts"]), count >= UnitReport.manyRestarts else { return [] }
        return [
            Finding(
                .unitRestarts, "focusd.service was restarted \(count) times because it ended by itself.",
                whatToDo: "Look at 'journalctl --user -u focusd.service' and report what is there. 'systemctl --user "
                    + "restart focusd.service' counts from 0 again.")
        ]
    }

    private var memory: [Finding] {
        let limits = ["MemoryHigh", "MemoryMax"].compactMap { Int64(service[$0]) }.filter { $0 > 0 }
        guard let limit = limits.min(), let current = Int64(service["MemoryCurrent"]), current >= limit / 10 * 9 else {
            return []
        }
        let megabyte: Int64 = 1 << 20
        return [
            Finding(
                .unitMemory,
                "focusd uses \(current / megabyte) MiB of memory, of \(limit / megabyte) MiB that its unit allows.",
                whatToDo:
                    "'focusctl stats' shows what it keeps. Lower 'max-nodes' in focusd.conf, or raise the limit with "
                    + "'systemctl --user edit focusd.service'.")
        ]
    }

    /// Who answers is neither the service nor the manager, which made the socket that the service was given.
    private func byHand(_ listener: pid_t?) -> [Finding] {
        guard let listener, listener > 0, listener != pid_t(service["MainPID"]) else { return [] }
        guard ProcessEntry(listener)?.shortName != "systemd" else { return [] }
        return [
            Finding(
                .notTheUnit, "The focusd that answers (process \(listener)) was not started by systemd.",
                whatToDo: "Nothing, if you started it. To have systemd's, end that process and run 'systemctl --user "
                    + "restart \(UnitReport.socketName)'.")
        ]
    }
}

/// One unit's properties; one that was not told is empty.
private struct Unit {
    private var properties: [String: String] = [:]

    init(_ block: Substring) {
        for line in block.split(separator: "\n") {
            guard let equals = line.firstIndex(of: "=") else { continue }
            properties[String(line[..<equals])] = String(line[line.index(after: equals)...])
        }
    }

    subscript(name: String) -> String { properties[name] ?? "" }
}
