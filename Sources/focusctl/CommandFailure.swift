import AccessibilityFocus

/// Why a command could not be done.
enum CommandFailure: Error {
    /// The arguments say nothing that can be done.
    case usage(UsageError)
    /// The conversation with focusd failed at this place.
    case service(FocusSocketError, path: String?, waited: Duration?)
    /// Whoever read standard output has had enough: no failure to speak of.
    case outputClosed
    /// Standard output takes nothing, for the reason of this `errno`.
    case outputFailed(code: Int32)
}

/// What is said about a failure: the sentence, a hint on its own line, and the exit code.
struct FailureReport {
    let what: String
    let whatToDo: String?
    let exitCode: ExitCode
    /// Whether `focusctl doctor` could find out more.
    var concernsDoctor = false
}

extension CommandFailure {
    /// Whether focusd answered that it knows no technology of that id.
    var isUnknownTechnology: Bool {
        guard case .service(.refused(let error), path: _, waited: _) = self else { return false }
        return error.name == "io.focusd.Focus.UnknownTechnology"
    }

    /// What to say about it.
    var report: FailureReport {
        switch self {
        case .usage(let error):
            FailureReport(what: error.what, whatToDo: error.hint, exitCode: .usage)
        case .service(let error, let path, let waited):
            ServiceWords.report(error, path: path, waited: waited)
        case .outputClosed:
            FailureReport(what: "nobody reads the output", whatToDo: nil, exitCode: .done)
        case .outputFailed(let code):
            FailureReport(
                what: "the output cannot be written: \(systemMessage(code))", whatToDo: nil,
                exitCode: .notFoundOrRefused)
        }
    }
}
