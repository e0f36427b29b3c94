import AccessibilityFocus
import FocusProtocol

/// One run of focusctl, from its arguments to its exit code.
enum Program {
    /// Does what the arguments say and reports what keeps it from that on standard error.
    static func run(_ arguments: [String]) -> ExitCode {
        let output = Output.standard()
        do {
            let invocation = try Invocation(arguments)
            return try run(invocation, output: output)
        } catch .outputClosed {
            return .done
        } catch {
            let report = error.report
            Output.complain("focusctl: " + report.what)
            for line in report.picture { Output.complain(line) }
            let doctor = report.concernsDoctor ? "'focusctl doctor' looks for the reason." : nil
            let hints = [report.whatToDo, doctor].compactMap { $0 }
            if !hints.isEmpty { Output.complain(hints.joined(separator: " ")) }
            return report.exitCode
        }
    }

    private static func run(_ invocation: Invocation, output: Output) throws(CommandFailure) -> ExitCode {
        if invocation.has("version") {
            try output.line("focusctl \(focusdVersion)")
            return .done
        }
        if invocation.has("help") {
            try output.text(
                invocation.isCommandNamed ? HelpText.help(for: invocation.command) : HelpText.overview())
            return .done
        }
        return try invocation.command.run(invocation, Session(invocation, output: output))
    }
}
