import FocusProtocol

/// `focusctl wait`: until an element is there, has a focus, or is gone.
enum WaitCommand {
    static let command = Command(
        name: "wait",
        summary: "Wait until an element is there, has the focus, or is gone.",
        arguments: [
            Argument(
                placeholder: "SELECTOR", isRequired: true,
                summary: "Matches the element, as 'focusctl help find' explains.")
        ],
        options: [
            Option("focused", summary: "Wait until a technology is on it or inside of it: any assistive one."),
            Option("technology", value: Value("ID"), summary: "With --focused: only this one, like orca, or keyboard."),
            Option("gone", summary: "Wait until no element matches any more."),
        ],
        details: [
            "Prints the element as soon as it is as was waited for, and nothing where it is gone.",
            "--timeout is how long focusd waits: 10s where it is not given, 1h at most. Ends with 1 where no element "
                + "matched in this time, with 3 where one did, but was not as was waited for.",
        ],
        examples: [
            Example("focusctl wait 'dialog[name^=\"Save\"]'", "Until the dialog is there."),
            Example("focusctl wait 'entry[name=\"Search\"]' --focused", "Until the screen reader is on the entry."),
            Example("focusctl wait 'alert' --gone --timeout 1m && echo gone", "Until no alert is there."),
        ],
        run: run)

    private static let defaultTimeout = Duration.seconds(10)
    private static let maximumTimeout = Duration.seconds(3600)
    /// How much longer than focusd itself the client waits for the answer.
    private static let grace = Duration.seconds(2)

    private static func run(_ invocation: Invocation, _ session: Session) throws(CommandFailure) -> ExitCode {
        let condition = try condition(invocation)
        let timeout = try invocation.timeout(default: defaultTimeout, maximum: maximumTimeout, called: "1h")
        let selector = invocation.words[0]
        let reply = try session.connect(within: timeout + grace).call(
            Wait.self,
            .init(
                selector: selector, condition: condition.rawValue, technology: invocation.value("technology"),
                timeoutMilliseconds: timeout.wholeMilliseconds), about: selector)
        guard let element = reply.element else { return .done }
        if session.isJSON {
            try session.json(element)
        } else {
            try session.output.table([ElementWords.row(element)])
        }
        return .done
    }

    private static func condition(_ invocation: Invocation) throws(CommandFailure) -> Wait.Condition {
        if invocation.has("gone") {
            guard !invocation.has("focused") else { throw .usage(.excluding("--focused", "--gone", command)) }
        }
        guard invocation.has("focused") || !invocation.has("technology") else {
            throw .usage(.needing("--technology", "--focused", command))
        }
        return invocation.has("gone") ? .gone : invocation.has("focused") ? .focused : .present
    }
}
