/// Makes help from the table of commands.
enum HelpText {
    /// The width that help is wrapped to.
    static let width = 80

    /// What focusctl is for.
    static let what =
        "focusctl shows and moves the accessibility focus, which is the element that the screen reader is on."

    /// What focusctl is, its commands and the options of all of them.
    static func overview() -> String {
        var sections = [
            wrap(what, indent: 0).joined(separator: "\n"),
            "Usage: focusctl [COMMAND] [OPTION]...\n       Without a command: \(CommandTable.defaultCommand.name).",
            section("Commands", CommandTable.commands.map { ($0.name, $0.summary) }),
            section("Options of every command", CommandTable.commonOptions.map { (spelling($0), $0.summary) }),
            section("Exit codes", CommandTable.exitCodes),
            section("Environment", CommandTable.environment),
        ]
        let examples = CommandTable.commands.compactMap(\.examples.first)
        sections.append(exampleSection(examples))
        sections.append("'focusctl help COMMAND' says more about a command.")
        return sections.joined(separator: "\n\n") + "\n"
    }

    /// What a command does, takes and is good for.
    static func help(for command: Command) -> String {
        var sections = [wrap(command.summary, indent: 0).joined(separator: "\n"), "Usage: " + usage(of: command)]
        sections += command.details.map { wrap($0, indent: 0).joined(separator: "\n") }
        if !command.arguments.isEmpty {
            sections.append(section("Arguments", command.arguments.map { ($0.placeholder, $0.summary) }))
        }
        if !command.options.isEmpty {
            sections.append(section("Options", command.options.map { (spelling($0), $0.summary) }))
        }
        sections.append(
            section("Options of every command", CommandTable.commonOptions.map { (spelling($0), $0.summary) }))
        if !command.examples.isEmpty { sections.append(exampleSection(command.examples)) }
        return sections.joined(separator: "\n\n") + "\n"
    }

    private static func usage(of command: Command) -> String {
        let arguments = command.arguments.map {
            ($0.isRequired ? $0.placeholder : "[\($0.placeholder)]") + ($0.repeats ? "..." : "")
        }
        let options = command.options.map { "[\(spelling($0))]" + ($0.repeats ? "..." : "") }
        return wrap(
            (["focusctl", command.name] + arguments + options + ["[OPTION]..."]).joined(separator: " "), indent: 7
        ).joined(separator: "\n")
    }

    private static func spelling(_ option: Option) -> String {
        let short = option.short.map { "-\($0), " } ?? ""
        let value = option.value.map { " " + $0.placeholder } ?? ""
        return "\(short)--\(option.name)\(value)"
    }

    private static func exampleSection(_ examples: [Example]) -> String {
        "Examples:\n" + examples.map { "  \($0.line)\n      \($0.what)" }.joined(separator: "\n")
    }

    private static func section(_ title: String, _ entries: [(name: String, what: String)]) -> String {
        let column = (entries.map(\.name.count).max() ?? 0) + 4
        let lines = entries.map { entry in
            let padding = String(repeating: " ", count: column - 2 - entry.name.count)
            return "  " + entry.name + padding + wrap(entry.what, indent: column).joined(separator: "\n")
        }
        return "\(title):\n" + lines.joined(separator: "\n")
    }

    /// Breaks text between words; every line but the first starts with the indent, and none is wider with it.
    private static func wrap(_ text: String, indent: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, indent + line.count + 1 + word.count > width {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        lines.append(line)
        let space = String(repeating: " ", count: indent)
        return lines.enumerated().map { $0.offset == 0 ? $0.element : space + $0.element }
    }
}
