import AccessibilityFocus

/// What to say, and what to do, when focusd cannot be talked to or answers with an error.
enum ServiceWords {
    static let howToStart = "Run 'focusd' in this desktop session."

    /// The report on a failure at this socket, which was waited for that long.
    static func report(_ error: FocusSocketError, path: String?, waited: Duration?) -> FailureReport {
        let place = SafeText.escaped(path ?? "its socket")
        switch error {
        case .noRuntimeDirectory(let folder):
            let what =
                folder.map { "the runtime folder \(SafeText.escaped($0)), in which focusd would be, does not exist" }
                ?? "XDG_RUNTIME_DIR does not name a folder, so focusd cannot be found"
            return FailureReport(
                what: what,
                whatToDo: "Run focusctl inside the desktop session, or name the session's runtime folder: "
                    + "XDG_RUNTIME_DIR=/run/user/$(id -u)",
                exitCode: .noService)
        case .unsafeDirectory(let folder, let why):
            let (what, whatToDo) = unsafe(SafeText.escaped(folder), why)
            return FailureReport(what: what, whatToDo: whatToDo, exitCode: .noService)
        case .noService(_, let code):
            return FailureReport(
                what: "there is no focusd at \(place): \(systemMessage(code))",
                whatToDo: howToStart, exitCode: .noService, concernsDoctor: true)
        case .connectionLost, .interrupted:
            return FailureReport(
                what: "focusd closed the connection at \(place)",
                whatToDo: "It was stopped or restarted.", exitCode: .noService, concernsDoctor: true)
        case .timedOut:
            let time = waited.map { " within " + DurationText.text($0) } ?? ""
            return FailureReport(
                what: "focusd did not answer\(time) at \(place)",
                whatToDo: "Allow more with --timeout, or restart focusd.", exitCode: .timedOut, concernsDoctor: true)
        case .unreadableReply(let fault):
            return FailureReport(
                what: "what answers at \(place) does not speak as focusd does: \(words(fault))",
                whatToDo: "Is another program or another version of focusd running there? Restart focusd.",
                exitCode: .noService)
        case .refused(let error):
            return report(error)
        }
    }

    private static func unsafe(_ folder: String, _ why: UnsafeReason) -> (what: String, whatToDo: String) {
        switch why {
        case .isLink: ("\(folder) is a link, and a link cannot be trusted", "Remove it and restart focusd.")
        case .isNoFolder: ("\(folder) is not a folder", "Remove it and restart focusd.")
        case .foreignOwner(let uid):
            (
                "\(folder) belongs to another user (uid \(uid))",
                "Run focusctl as the user of the desktop session, with that session's XDG_RUNTIME_DIR."
            )
        case .openToOthers(let mode):
            (
                "\(folder) is open to other users (mode \(String(mode, radix: 8)))",
                "Close it: chmod 700 \(folder)"
            )
        case .pathTooLong: ("\(folder) is longer than a socket's path can be", "Use a shorter XDG_RUNTIME_DIR.")
        case .foreignPeer(let uid):
            ("another user (uid \(uid)) answers at \(folder)", "Do not use it; find out who put a socket there.")
        }
    }

    private static func words(_ fault: ReplyFault) -> String {
        switch fault {
        case .tooLong: "its answer is longer than \(Limits.maximumMessageBytes / 1_048_576) MiB"
        case .notUnderstood: "its answer cannot be read"
        case .continuesUnasked: "it sends a stream where one answer was asked for"
        }
    }

    // MARK: - Errors that focusd answers with

    private static func report(_ error: ErrorReply) -> FailureReport {
        let old = "Restart focusd, so that it is of the same version."
        switch error.name {
        case "io.focusd.Focus.UnknownTechnology":
            return FailureReport(
                what: "there is no technology '\(parameter("id", of: error))'",
                whatToDo: "'focusctl technologies' lists those that focusd knows; 'keyboard' is always one.",
                exitCode: .notFoundOrRefused)
        case "io.focusd.Focus.SubscriberTooSlow":
            return FailureReport(
                what: "focusd ended the stream, because it was not read fast enough",
                whatToDo: "Something that reads faster must take the output, or start it again.",
                exitCode: .notFoundOrRefused)
        case "io.focusd.Focus.UnknownState":
            return FailureReport(
                what: "there is no state '\(parameter("state", of: error))'",
                whatToDo: "'focusctl states' lists those that there are.", exitCode: .notFoundOrRefused)
        case "io.focusd.Focus.UnknownValue":
            return FailureReport(
                what: "the state has no value '\(parameter("value", of: error))'",
                whatToDo: "'focusctl states' shows its values.", exitCode: .notFoundOrRefused)
        case "io.focusd.Focus.StateExists":
            return FailureReport(
                what: "there is a state '\(parameter("state", of: error))' already, and what is bound there is not the "
                    + "same",
                whatToDo:
                    "'focusctl states' shows it; bind the same names, selectors, technologies and modes, or choose "
                    + "another --name.", exitCode: .notFoundOrRefused)
        case "io.focusd.Focus.LimitExceeded" where parameter("limit", of: error) == "announcementsPerSecond":
            return FailureReport(
                what: "too much was announced in this second, so this was not", whatToDo: "Try again in a second.",
                exitCode: .notFoundOrRefused)
        case "io.focusd.Focus.LimitExceeded" where parameter("limit", of: error).hasPrefix("maximumClients"):
            return FailureReport(
                what: "focusd takes no further client (\(parameter("limit", of: error)))",
                whatToDo:
                    "End programs that hold connections and do not need them; 'focusctl stats' lists them where it is "
                    + "let in.",
                exitCode: .notFoundOrRefused)
        case "io.focusd.Focus.LimitExceeded":
            return FailureReport(
                what: "that is more than focusd allows: \(parameter("limit", of: error))", whatToDo: nil,
                exitCode: .notFoundOrRefused)
        case "io.focusd.Focus.StaleElement":
            return FailureReport(
                what: "the element is gone", whatToDo: "Ask for its reference again.", exitCode: .notFoundOrRefused)
        case "io.focusd.Focus.ElementNotFound":
            return notFound(parameter("reason", of: error))
        case "io.focusd.Focus.WaitTimedOut":
            return FailureReport(
                what: "the time is over, and it is still not as was waited for",
                whatToDo: "Allow more with --timeout.", exitCode: .timedOut)
        case "io.focusd.Focus.AmbiguousSelector":
            return FailureReport(
                what: "the selector matches \(parameter("count", of: error)) elements, and a tree begins with one",
                whatToDo: "'focusctl find' lists them; say more in the selector.", exitCode: .notFoundOrRefused)
        case "org.varlink.service.InvalidParameter":
            return FailureReport(
                what: "focusd does not accept the value of '\(parameter("parameter", of: error))'", whatToDo: nil,
                exitCode: .usage)
        case "org.varlink.service.MethodNotFound", "org.varlink.service.MethodNotImplemented",
            "org.varlink.service.InterfaceNotFound":
            return FailureReport(
                what: "focusd does not know this command: it is older than focusctl", whatToDo: old,
                exitCode: .notFoundOrRefused)
        default:
            let details = error.parameters.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.plainText)" }
            let suffix = details.isEmpty ? "" : " (" + details.joined(separator: ", ") + ")"
            return FailureReport(
                what: SafeText.escaped("focusd refused: \(error.name)\(suffix)"), whatToDo: nil,
                exitCode: .notFoundOrRefused)
        }
    }

    private static func notFound(_ reason: String) -> FailureReport {
        let (what, whatToDo): (String, String?) =
            switch reason {
            case "noSuchApplication":
                ("there is no such application", "'focusctl apps' lists those that there are.")
            case "stillLoading":
                (
                    "nothing matches yet, and an application is still being read",
                    "Try again, or allow more with --timeout."
                )
            case "applicationNotResponding":
                ("nothing matches, and an application that could match does not respond", "See 'focusctl apps'.")
            case "noMatch": ("no element matches", nil)
            default: ("no element was found: \(reason)", nil)
            }
        return FailureReport(what: what, whatToDo: whatToDo, exitCode: .notFoundOrRefused)
    }

    private static func parameter(_ name: String, of error: ErrorReply) -> String {
        SafeText.escaped(error.parameters[name]?.plainText ?? "?")
    }
}
