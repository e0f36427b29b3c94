import FocusProtocol

/// `focusctl set`: moves technologies to the element of a value.
enum SetCommand {
    static let command = Command(
        name: "set",
        summary: "Move the screen reader to the element of a bound value, and say what became of it.",
        arguments: [
            Argument(
                placeholder: "STATE", isRequired: true,
                summary: "The state's name, or its id like '#ygkdu-1', in quotes: to a shell, # begins a comment."),
            Argument(placeholder: "VALUE", summary: "One of its values: the NAMEs of 'focusctl bind'."),
        ],
        options: [
            Option(
                "none",
                summary: "Instead of VALUE: leave the state's elements, back to where the focus was before, if it is "
                    + "inside of one. A set that waits for its element is given up."),
            Option("again", summary: "Present the element anew where the state has that value already."),
            Option(
                "route", value: Value("ROUTE", choices: ["application", "grabFocus", "activeDescendant"]),
                repeats: true,
                summary:
                    "Try only this: application, where the one who bound it moves there itself; grabFocus, by which "
                    + "the keyboard focus moves too; or activeDescendant, by which it stays where it is."),
        ],
        details: [
            "Somebody must have bound the state: 'focusctl bind', or a program. It moves the technologies that the state "
                + "follows, and the value changes when they say that they are there, and not before.",
            "The element may still appear while focusd tries. Where the state has the value already, that is confirmed at "
                + "once and in silence. Ctrl-C gives the move up.",
            "--timeout is how long focusd tries: 2s where it is not given, 60s at most. Ends with 0 when confirmed, 3 "
                + "when the element was found but nothing confirmed the move in time, else with 1.",
        ],
        examples: [
            Example(
                "focusctl set message alert", "Move the screen reader to what alert is bound to in the state message."),
            Example("focusctl set message --none", "Give the focus back to where it was before."),
            Example("focusctl set message alert --again", "Have it read once more."),
            Example(
                "focusctl set '#ygkdu-1' save --timeout 10s", "A state without a name, an element that may take long."),
        ],
        run: run)

    private static func run(_ invocation: Invocation, _ session: Session) throws(CommandFailure) -> ExitCode {
        let state = invocation.words[0]
        let value = invocation.words.count > 1 ? invocation.words[1] : nil
        let isNone = invocation.has("none")
        guard value == nil || !isNone else { throw .usage(.excluding("VALUE", "--none", command)) }
        guard value != nil || isNone else { throw .usage(.noValue()) }
        guard !isNone || !invocation.has("again") else { throw .usage(.excluding("--again", "--none", command)) }
        let timeout = try invocation.timeout(
            default: FocusCommand.defaultTimeout, maximum: FocusCommand.maximumTimeout, called: "60s")
        let connection = try session.connect(within: timeout + FocusCommand.grace)
        let outcome: Outcome
        do {
            outcome = try connection.call(
                SetValue.self,
                SetValue.Parameters(
                    state: state, value: value, again: invocation.has("again") ? true : nil,
                    routes: invocation.values("route"), timeoutMilliseconds: timeout.wholeMilliseconds)
            ).outcome
        } catch {
            throw StateWords.explained(error, state: state, value: value, connection)
        }
        return try session.tell(
            outcome, isNone ? OutcomeWords.leavingSentence(outcome) : OutcomeWords.sentence(outcome))
    }
}
