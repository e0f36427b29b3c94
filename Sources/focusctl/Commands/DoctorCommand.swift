import AccessibilityFocus
import FocusProtocol
import Glibc
import Varlink

/// `focusctl doctor`: what is wrong, in words, and what to do.
enum DoctorCommand {
    static let command = Command(
        name: "doctor",
        summary: "Say what is wrong and what to do about it.",
        details: [
            "Asks focusd what it noticed, compares its version with focusctl's, looks at its systemd units, and, where "
                + "there is no focusd, looks for the reason itself. The gravest comes first. Ends with 0 where nothing is "
                + "worse than a note, 1 where a finding is an error or a warning, 3 where focusd does not answer, 4 where "
                + "there is none."
        ],
        examples: [
            Example("focusctl doctor", "Why does it not work?"),
            Example("focusctl doctor --json | jq -r 'select(.severity == \"error\").code'", "The codes of the errors."),
        ],
        run: run)

    private static func run(_ invocation: Invocation, _ session: Session) throws(CommandFailure) -> ExitCode {
        var findings: [Finding] = []
        var version: String?
        var failure: FailureReport?
        do {
            let connection = try session.connect()
            let reply = try connection.call(Diagnose.self, NoParameters())
            version = reply.version
            findings = reply.findings + VersionComparison.findings(daemon: reply.version)
            findings += try interface(connection) + missing(connection)
            findings += UnitReport.findings(listener: connection.socket.listener)
        } catch .service(let error, let path, let waited) {
            let report = ServiceWords.report(error, path: path, waited: waited)
            failure = report
            var missing: String?
            if case .noService(let path, _) = error { missing = path }
            findings += self.findings(about: error, report) + UnitReport.findings(missing: missing)
        }
        let sorted = FindingCode.Severity.allCases.flatMap { severity in
            findings.filter { FindingCode.Severity(rawValue: $0.severity) ?? .note == severity }
        }
        for finding in sorted { try show(finding, session) }
        if let failure { return failure.exitCode }
        let isWell = sorted.allSatisfy { FindingCode.Severity(rawValue: $0.severity) ?? .note == .note }
        if isWell, let version, !session.isJSON {
            try session.output.line(
                session.output.paint("nothing is wrong", .good) + ": focusd \(SafeText.escaped(version)) answers")
        }
        return isWell ? .done : .notFoundOrRefused
    }

    // MARK: - What is asked beside the diagnosis

    private static func interface(_ connection: Connection) throws(CommandFailure) -> [Finding] {
        do {
            let parameters = DescribeInterface.Parameters(interface: FocusInterface.name)
            return VersionComparison.findings(
                interface: try connection.call(DescribeInterface.self, parameters).description)
        } catch {
            // A limit that is met says nothing of the interface.
            guard let answer = error.answer, answer.name != FocusError.LimitExceeded.name else { throw error }
            return [
                Finding(
                    .interfaceDiffers, "What answers does not tell its interface, as every focusd does.",
                    whatToDo: "Restart focusd.")
            ]
        }
    }

    private static func missing(_ connection: Connection) throws(CommandFailure) -> [Finding] {
        do {
            return MissingApplications.findings(
                listed: try connection.call(ListApplications.self, NoParameters()).applications)
        } catch {
            // Without the list nobody can be missing from it.
            guard error.answer != nil else { throw error }
            return []
        }
    }

    /// What can be found out without focusd.
    private static func findings(about error: FocusSocketError, _ report: FailureReport) -> [Finding] {
        let code: FindingCode =
            switch error {
            case .noRuntimeDirectory: .noRuntimeDirectory
            case .unsafeDirectory: .unsafeDirectory
            case .noService(_, code: ECONNREFUSED): .nobodyListens
            case .noService: .noService
            case .timedOut: .focusdNotAnswering
            case .refused(let reply): code(of: reply)
            case .connectionLost, .unreadableReply, .interrupted: .focusdBroken
            }
        var findings = [Finding(code, report.what + ".", whatToDo: report.whatToDo ?? "Restart focusd.")]
        if case .noService(let path, _) = error {
            // The check of the place came first, so the folders in which the socket would be are as they should.
            findings.append(
                Finding(
                    .runtimeDirectoryFine,
                    "The runtime folder is fine. The socket was looked for at \(SafeText.escaped(path)).",
                    whatToDo: "Nothing."))
        }
        return findings
    }

    private static func code(of reply: ErrorReply) -> FindingCode {
        guard reply.name == FocusError.LimitExceeded.name else { return .focusdRefused }
        return FindingCode(limit: reply.parameters["limit"]?.plainText ?? "")
    }

    // MARK: - Showing

    /// One line where nobody looks; on a terminal what to do is on a line of its own.
    private static func show(_ finding: Finding, _ session: Session) throws(CommandFailure) {
        guard !session.isJSON else { return try session.json(finding) }
        let output = session.output
        let style: Style =
            switch FindingCode.Severity(rawValue: finding.severity) {
            case .error: .bad
            case .warning: .warning
            case .note, nil: .faint
            }
        let severity = SafeText.escaped(finding.severity)
        let what = SafeText.escaped(finding.what)
        let whatToDo = SafeText.escaped(finding.whatToDo)
        guard output.isTerminal else {
            return try output.line("\(severity): \(what)" + (whatToDo.isEmpty ? "" : " \(whatToDo)"))
        }
        try output.line(output.paint("\(severity): ", style) + what)
        if !whatToDo.isEmpty { try output.line("    " + whatToDo) }
    }
}
