/// `focusctl help`: the same as `--help`, for those who ask in a word.
enum HelpCommand {
    static let command = Command(
        name: "help",
        summary: "Show what a command does, with examples.",
        arguments: [Argument(placeholder: "COMMAND", summary: "The command. Without it: all of them in short.")],
        examples: [Example("focusctl help focus", "How is the screen reader moved?")],
        run: { invocation, session throws(CommandFailure) in
            guard let name = invocation.words.first else {
                try session.output.text(HelpText.overview())
                return .done
            }
            guard let command = CommandTable.command(named: name) else { throw .usage(.unknownCommand(name)) }
            try session.output.text(HelpText.help(for: command))
            return .done
        })
}
