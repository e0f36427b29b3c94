import AccessibilityFocus
import FocusProtocol

/// Why a command could not be done.
enum CommandFailure: Error {
    /// The arguments say nothing that can be done.
    case usage(UsageError)
    /// The conversation with focusd failed at this place.
    case service(FocusSocketError, path: String?, waited: Duration?)
    /// focusd cannot read this selector.
    case selector(SelectorFault)
    /// What was named is not there; what there is instead.
    case notThere(what: String, whatToDo: String)
    /// The system does not let a command be run for changes.
    case cannotRunCommands(code: Int32)
    /// Whoever read standard output has had enough: no failure to speak of.
    case outputClosed
    /// Standard output takes nothing, for the reason of this `errno`.
    case outputFailed(code: Int32)
}

/// What is said about a failure: the sentence, a hint on its own line, and the exit code.
struct FailureReport {
    let what: String
    /// Lines that show it.
    var picture: [String] = []
    let whatToDo: String?
    let exitCode: ExitCode
    /// Whether `focusctl doctor` could find out more.
    var concernsDoctor = false
}

extension CommandFailure {
    /// Whether focusd answered that it knows no technology of that id.
    var isUnknownTechnology: Bool { answer?.name == FocusError.UnknownTechnology.name }

    /// The error that focusd answered with; nil where it was something else.
    var answer: ErrorReply? {
        guard case .service(.refused(let error), path: _, waited: _) = self else { return nil }
        return error
    }

    /// The same failure, but where focusd refuses the selector, with the selector.
    func about(_ selector: String) -> CommandFailure {
        guard let answer, let fault = SelectorFault(answer, in: selector) else { return self }
        return .selector(fault)
    }

    /// What to say about it.
    var report: FailureReport {
        switch self {
        case .usage(let error):
            FailureReport(what: error.what, whatToDo: error.hint, exitCode: .usage)
        case .selector(let fault):
            FailureReport(
                what: fault.what, picture: fault.picture(width: Output.complaintWidth()),
                whatToDo: "'focusctl help find' shows what selectors look like.", exitCode: .usage)
        case .service(let error, let path, let waited):
            ServiceWords.report(error, path: path, waited: waited)
        case .notThere(let what, let whatToDo):
            FailureReport(what: what, whatToDo: whatToDo, exitCode: .notFoundOrRefused)
        case .cannotRunCommands(let code):
            FailureReport(
                what: "no command can be run: \(systemMessage(code))", whatToDo: nil, exitCode: .notFoundOrRefused)
        case .outputClosed:
            FailureReport(what: "nobody reads the output", whatToDo: nil, exitCode: .done)
        case .outputFailed(let code):
            FailureReport(
                what: "the output cannot be written: \(systemMessage(code))", whatToDo: nil,
                exitCode: .notFoundOrRefused)
        }
    }
}
