import FocusProtocol

/// Makes focusctl(1) from the table of commands.
enum CommandManual {
    static func text() -> String {
        var page = ManualPage(
            "focusctl", section: 1, what: "show and move the accessibility focus", version: focusdVersion)
        page.section("SYNOPSIS")
        page.macro(".Nm")
        page.macro(".Op Ar COMMAND")
        page.macro(".Op Ar OPTION ...")
        page.section("DESCRIPTION")
        page.prose(HelpText.what)
        page.prose("It asks focusd, which systemd starts when it is needed.")
        page.macro(".Pp")
        page.prose("Without a command it is '\(CommandTable.defaultCommand.name)'.")
        page.macro(".Pp")
        page.prose("Options of every command:")
        page.list(CommandTable.commonOptions.map { (term($0), $0.summary) })
        page.section("COMMANDS")
        for command in CommandTable.commands { describe(command, on: &page) }
        page.section("ENVIRONMENT")
        page.list(CommandTable.environment.map { ("Ev \($0.0)", $0.1) })
        page.section("FILES")
        page.list([("Pa $XDG_RUNTIME_DIR/focusd/io.focusd.Focus", "The socket of focusd.")])
        page.section("EXIT STATUS")
        page.list(CommandTable.exitCodes.map { ("\($0.0)", $0.1) })
        page.seeAlso([("focusd", 1), ("focusd.conf", 5), ("io.focusd.Focus", 7)])
        return page.text
    }

    private static func describe(_ command: Command, on page: inout ManualPage) {
        page.subsection(command.name)
        page.macro(".Nm focusctl")
        page.macro(".Cm \(command.name)")
        for argument in command.arguments {
            let word = "Ar \(ManualPage.escaped(argument.placeholder))" + (argument.repeats ? " ..." : "")
            page.macro(argument.isRequired ? ".\(word)" : ".Op \(word)")
        }
        for option in command.options { page.macro(".Op \(term(option))" + (option.repeats ? " ..." : "")) }
        page.macro(".Pp")
        page.paragraphs([command.summary] + command.details)
        page.list(
            command.arguments.map { ("Ar \(ManualPage.escaped($0.placeholder))", $0.summary) }
                + command.options.map { (term($0), $0.summary) })
        guard !command.examples.isEmpty else { return }
        page.macro(".Pp")
        page.prose(command.examples.count == 1 ? "Example:" : "Examples:")
        for example in command.examples {
            page.macro(".Pp")
            page.prose(example.what)
            page.literal([example.line])
        }
    }

    /// How an option is written, in macros: its short form first.
    private static func term(_ option: Option) -> String {
        let short = option.short.map { "Fl \($0) , " } ?? ""
        let value = option.value.map { " Ar \(ManualPage.escaped($0.placeholder))" } ?? ""
        return "\(short)Fl \\-\(option.name)\(value)"
    }
}
