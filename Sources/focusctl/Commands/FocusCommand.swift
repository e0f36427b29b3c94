import FocusProtocol

/// `focusctl focus`: moves technologies to an element.
enum FocusCommand {
    static let command = Command(
        name: "focus",
        summary: "Move the screen reader to an element and say what became of it.",
        arguments: [
            Argument(
                placeholder: "SELECTOR", isRequired: true,
                summary: "The element, as 'focusctl help find' explains; or its reference, which is its bus name "
                    + "directly followed by its path, like \(ElementReference.example).")
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
            "An element that a selector means may still appear while focusd tries. Where several match, the only one in "
                + "the active window is meant; else nothing is moved.",
            "--timeout is how long focusd tries: 2s where it is not given, 60s at most. Ends with 0 when confirmed, 3 "
                + "when the element was found but nothing confirmed the move in time, else with 1.",
        ],
        examples: [
            Example(
                "focusctl focus 'notification push-button[name=\"Reply\"]'",
                "Move every active screen reader to that button."),
            Example("focusctl focus \(ElementReference.example)", "The same, to the element of this reference."),
            Example(
                "focusctl focus \"$(focusctl get keyboard --json | jq -r '.element | .busName + .path')\"",
                "Bring the screen reader to the element that has the keyboard focus."),
            Example(
                "focusctl focus --route activeDescendant \(ElementReference.example)",
                "The same as the first, but the keyboard focus must not move."),
        ],
        run: run)

    static let defaultTimeout = Duration.seconds(2)
    static let maximumTimeout = Duration.seconds(60)
    /// How much longer than focusd itself the client waits for the outcome.
    static let grace = Duration.seconds(2)

    private static func run(_ invocation: Invocation, _ session: Session) throws(CommandFailure) -> ExitCode {
        let word = invocation.words[0]
        let isReference = ElementReference.isMeant(by: word)
        guard !isReference || ElementReference.isValid(word) else { throw .usage(.badReference(word)) }
        let timeout = try invocation.timeout(default: defaultTimeout, maximum: maximumTimeout, called: "60s")
        let connection = try session.connect(within: timeout + grace)
        let outcome = try connection.call(
            MoveFocus.self,
            MoveFocus.Parameters(
                selector: isReference ? nil : word, element: isReference ? word : nil,
                technologies: invocation.values("technology"),
                again: invocation.has("again") ? true : nil, routes: invocation.values("route"),
                timeoutMilliseconds: timeout.wholeMilliseconds), about: word
        ).outcome
        return try session.tell(outcome, OutcomeWords.sentence(outcome))
    }
}
