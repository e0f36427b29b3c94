import AccessibilityFocus
import FocusProtocol

/// `focusctl watch`: every move, as it happens.
enum WatchCommand {
    static let command = Command(
        name: "watch",
        summary: "Follow the accessibility focus: a line for each move.",
        arguments: [
            Argument(
                placeholder: "TECHNOLOGY",
                summary: "Only this one, like orca; keyboard follows the keyboard focus. Without it: the assistive "
                    + "technology that moved last.")
        ],
        options: [
            Option("updates", summary: "Also show changes of mode and text region on the same element."),
            ChangeCommand.option,
        ],
        details: [
            "Prints where the focus is now, then a line as soon as it moves, until it is ended with Ctrl-C or nobody "
                + "reads the output any more. It may start before any screen reader does.",
            ChangeCommand.help,
            "--timeout is for the first answer only. Ends with 4 when focusd ends.",
        ],
        examples: [
            Example("focusctl watch", "Follow the screen reader."),
            Example("focusctl watch keyboard", "Follow the keyboard focus."),
            Example(
                "focusctl watch --json | jq --unbuffered -r .element.name", "The name of each element it comes to."),
            Example(
                "focusctl watch --exec 'jq -r .element.name >>names.log'", "Run a command for each move."),
        ],
        run: run)

    private static func run(_ invocation: Invocation, _ session: Session) throws(CommandFailure) -> ExitCode {
        let connection = try session.connect()
        let asked = invocation.words.first
        let parameters = GetFocus.Parameters(
            technology: asked, updates: invocation.has("updates") ? true : nil)
        var changes = try Changes(GetFocus.self, parameters, connection, command: invocation.value("exec"))
        var columns = session.output.columns()
        while let focus = try changes.next()?.focus {
            if let command = changes.command {
                command.take(Session.jsonLine(focus))
            } else if session.isJSON {
                try session.json(focus)
            } else {
                try session.output.row(row(focus, of: asked), in: &columns)
            }
        }
        throw connection.failure(.connectionLost)
    }

    /// The line of one move; the age only where it is not news.
    private static func row(_ focus: Focus, of asked: String?) -> [Cell] {
        var focus = focus
        if focus.cause != "initial" { focus.monotonicMicroseconds = 0 }
        return FocusWords.row(focus, of: asked, now: monotonicMicrosecondsNow())
    }
}
