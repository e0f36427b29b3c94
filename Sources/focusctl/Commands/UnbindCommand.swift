import FocusProtocol

/// `focusctl unbind`: ends a state, whoever bound it.
enum UnbindCommand {
    static let command = Command(
        name: "unbind",
        summary: "End a bound state, whoever bound it.",
        arguments: [
            Argument(
                placeholder: "STATE", isRequired: true,
                summary: "The state's name, or its id like '#ygkdu-1', in quotes: to a shell, # begins a comment.")
        ],
        details: [
            "Each 'focusctl bind' of it ends, with 0; programs that bound it are told. It moves nothing. Ends with 1 where "
                + "there is no such state."
        ],
        examples: [
            Example("focusctl unbind message", "End the state of this name."),
            Example(
                "focusctl states --json | jq -r .state | while read -r s; do focusctl unbind \"$s\"; done",
                "End all of them."),
        ],
        run: run)

    private static func run(_ invocation: Invocation, _ session: Session) throws(CommandFailure) -> ExitCode {
        let state = invocation.words[0]
        let connection = try session.connect()
        do {
            _ = try connection.call(Unbind.self, Unbind.Parameters(state: state))
        } catch {
            throw StateWords.explained(error, state: state, value: nil, connection)
        }
        return .done
    }
}
