import FocusProtocol

/// `focusctl focus`: moves technologies to an element.
enum FocusCommand {
    static let command = Command(
        name: "focus",
        summary: "Move the screen reader to an element and say what became of it.",
        arguments: [
            Argument(
                placeholder: "REFERENCE", isRequired: true,
                summary: "The element: its bus name directly followed by its path, like \(ElementReference.example).")
        ],
        options: [
            Option(
                "technology", value: Value("ID"), repeats: true,
                summary: "Move this one, like orca; keyboard moves the keyboard focus. Without it: every active "
                    + "assistive technology."),
            Option(
                "route", value: Value("ROUTE", choices: ["grabFocus", "activeDescendant"]), repeats: true,
                summary: "Try only this: grabFocus, by which the keyboard focus moves too, or activeDescendant, by "
                    + "which it stays where it is."),
            Option("again", summary: "Present the element anew where the technology is on it already."),
        ],
        details: [
            "Nothing is taken on trust: 'confirmed' means that the technology itself said that it is there. All else "
                + "is told with its reason.",
            "--timeout is how long focusd tries: 2s where it is not given, 60s at most. Ends with 0 when confirmed, 3 "
                + "when the element was found but nothing confirmed the move in time, else with 1.",
        ],
        examples: [
            Example("focusctl focus \(ElementReference.example)", "Move every active screen reader there."),
            Example(
                "focusctl focus \"$(focusctl get keyboard --json | jq -r '.element | .busName + .path')\"",
                "Bring the screen reader to the element that has the keyboard focus."),
            Example(
                "focusctl focus --route activeDescendant \(ElementReference.example)",
                "The same as the first, but the keyboard focus must not move."),
        ],
        run: run)

    private static let defaultTimeout = Duration.seconds(2)
    private static let maximumTimeout = Duration.seconds(60)
    /// How much longer than focusd itself the client waits for the outcome.
    private static let grace = Duration.seconds(2)

    private static func run(_ invocation: Invocation, _ session: Session) throws(CommandFailure) -> ExitCode {
        let reference = invocation.words[0]
        guard ElementReference.isValid(reference) else { throw .usage(.badReference(reference)) }
        let timeout = try invocation.timeout() ?? defaultTimeout
        guard timeout <= maximumTimeout else { throw .usage(.tooLongForMove(invocation.value("timeout") ?? "")) }
        let connection = try session.connect(within: timeout + grace)
        let outcome = try connection.call(
            MoveFocus.self,
            MoveFocus.Parameters(
                element: reference, technologies: invocation.values("technology"),
                again: invocation.has("again") ? true : nil, routes: invocation.values("route"),
                timeoutMilliseconds: timeout.wholeMilliseconds)
        ).outcome
        if session.isJSON {
            try session.json(outcome)
        } else {
            let style: Style = outcome.result == "confirmed" ? .good : .warning
            try session.output.line(session.output.paint(OutcomeWords.sentence(outcome), style))
        }
        switch outcome.result {
        case "confirmed": return .done
        case "timedOut": return .timedOut
        default: return .notFoundOrRefused
        }
    }
}
