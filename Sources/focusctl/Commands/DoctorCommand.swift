import AccessibilityFocus
import FocusProtocol

/// `focusctl doctor`: what is wrong, in words, and what to do.
enum DoctorCommand {
    static let command = Command(
        name: "doctor",
        summary: "Say what is wrong and what to do about it.",
        details: [
            "Asks focusd what it noticed, compares its version with focusctl's, and, where there is no focusd, looks "
                + "for the reason itself. Ends with 1 where a finding is an error, 3 where focusd does not answer, 4 "
                + "where there is none."
        ],
        examples: [
            Example("focusctl doctor", "Why does it not work?"),
            Example("focusctl doctor --json | jq -r 'select(.severity == \"error\").code'", "The codes of the errors."),
        ],
        run: run)

    private static func run(_ invocation: Invocation, _ session: Session) throws(CommandFailure) -> ExitCode {
        let reply: Diagnose.Reply
        do {
            reply = try session.connect().call(Diagnose.self, NoParameters())
        } catch .service(let error, let path, let waited) {
            let report = ServiceWords.report(error, path: path, waited: waited)
            for finding in findings(about: error, report) { try show(finding, session) }
            return report.exitCode
        }
        let findings = reply.findings + VersionComparison.findings(daemon: reply.version)
        for finding in findings { try show(finding, session) }
        let hasErrors = findings.contains { $0.severity == "error" }
        if findings.isEmpty, !session.isJSON {
            try session.output.line(
                session.output.paint("nothing is wrong", .good) + ": focusd \(SafeText.escaped(reply.version)) answers")
        }
        return hasErrors ? .notFoundOrRefused : .done
    }

    /// What can be found out without focusd.
    private static func findings(about error: FocusSocketError, _ report: FailureReport) -> [Finding] {
        let code =
            switch error {
            case .noRuntimeDirectory: "noRuntimeDirectory"
            case .unsafeDirectory: "unsafeDirectory"
            case .noService: "noService"
            case .timedOut: "focusdNotAnswering"
            case .refused: "focusdRefused"
            case .connectionLost, .unreadableReply, .interrupted: "focusdBroken"
            }
        var findings = [
            Finding(code: code, severity: "error", what: report.what, whatToDo: report.whatToDo ?? "")
        ]
        if case .noService(let path, _) = error {
            // The check of the place came first, so the folders in which the socket would be are as they should.
            findings.append(
                Finding(
                    code: "runtimeDirectoryFine", severity: "note",
                    what: "the runtime folder is fine; the socket was looked for at \(SafeText.escaped(path))",
                    whatToDo: ""))
        }
        return findings
    }

    private static func show(_ finding: Finding, _ session: Session) throws(CommandFailure) {
        guard !session.isJSON else { return try session.json(finding) }
        let output = session.output
        let style: Style =
            switch finding.severity {
            case "error": .bad
            case "warning": .warning
            default: .faint
            }
        let severity = SafeText.escaped(finding.severity)
        let what = SafeText.escaped(finding.what)
        let whatToDo = SafeText.escaped(finding.whatToDo)
        guard output.isTerminal else {
            return try output.line("\(severity): \(what)" + (whatToDo.isEmpty ? "" : " – \(whatToDo)"))
        }
        let label = severity + String(repeating: " ", count: max(1, 9 - TextWidth.cells(of: severity, limit: 9)))
        try output.line(output.paint(label, style) + what)
        if !whatToDo.isEmpty { try output.line(String(repeating: " ", count: 9) + "→ " + whatToDo) }
    }
}

/// Whether focusd and focusctl are of the same release.
enum VersionComparison {
    /// A warning where the daemon is older, a note where it is newer, nothing where they are the same.
    static func findings(daemon: String) -> [Finding] {
        guard daemon != focusdVersion else { return [] }
        let what = "focusd is version \(daemon), focusctl is version \(focusdVersion)"
        guard precedes(daemon, focusdVersion) else {
            return [
                Finding(
                    code: "daemonNewerThanClient", severity: "note", what: what,
                    whatToDo: "Use the focusctl that was installed with focusd.")
            ]
        }
        return [
            Finding(
                code: "daemonOlderThanClient", severity: "warning", what: what + ": the daemon is older",
                whatToDo: "Restart focusd.")
        ]
    }

    /// Whether the left version comes before; what is no number counts as 0, and numbers may be of any length.
    private static func precedes(_ left: String, _ right: String) -> Bool {
        numbers(left).lexicographicallyPrecedes(numbers(right)) { ($0.count, $0) < ($1.count, $1) }
    }

    private static func numbers(_ version: String) -> [String] {
        version.split(separator: ".", omittingEmptySubsequences: false).map { part in
            String(part.prefix { $0.isASCIIDigit }.drop { $0 == "0" })
        }
    }
}
