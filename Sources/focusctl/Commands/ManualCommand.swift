import Varlink

/// `focusctl manual`: a manual page, for those who install focusd.
enum ManualCommand {
    /// The pages, as `man` names them.
    static let pages = Value("PAGE", choices: ["focusctl", "io.focusd.Focus"])

    static let command = Command(
        name: "manual",
        summary: "Print the source of a manual page, for those who install focusd.",
        arguments: [
            Argument(
                placeholder: pages.placeholder, summary: "focusctl or io.focusd.Focus. Without it: focusctl.",
                choices: pages.choices)
        ],
        details: [
            "The page of focusctl is made from the same table as this help, that of io.focusd.Focus from the text of the "
                + "interface. The date in it is that of SOURCE_DATE_EPOCH where the environment has it."
        ],
        examples: [
            Example("focusctl manual | man -l -", "Read all of the help as one page."),
            Example("focusctl manual io.focusd.Focus | man -l -", "Read about the socket's methods."),
        ],
        run: run)

    private static func run(_ invocation: Invocation, _ session: Session) throws(CommandFailure) -> ExitCode {
        try session.output.text(invocation.words.first == "io.focusd.Focus" ? interface() : CommandManual.text())
        return .done
    }

    private static func interface() -> String {
        do {
            return try InterfaceManual.text()
        } catch {
            // A test parses the same text: this is a bug of ours and nobody's input.
            preconditionFailure("line \(error.line): \(error.expected)")
        }
    }
}
