/// Makes fish's completion from the table of commands.
enum FishCompletion {
    static func text() -> String {
        var lines = [
            "# fish completion for focusctl, made by 'focusctl completions fish'", "complete -c focusctl -f",
        ]
        lines += CommandTable.commonOptions.map { line($0, condition: nil) }
        for command in CommandTable.commands {
            lines.append(
                "complete -c focusctl -n __fish_use_subcommand -a \(command.name) "
                    + "-d \(quoted(CompletionWords.brief(command.summary)))")
        }
        for command in CommandTable.commands {
            let condition = "__fish_seen_subcommand_from \(command.name)"
            lines += command.options.map { line($0, condition: condition) }
            for argument in command.arguments {
                let words = CompletionWords.of(argument)
                guard !words.isEmpty else { continue }
                lines.append(
                    "complete -c focusctl -n \(quoted(condition)) -a \(quoted(words.joined(separator: " "))) "
                        + "-d \(quoted(argument.placeholder))")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func line(_ option: Option, condition: String?) -> String {
        var words = ["complete", "-c", "focusctl"]
        if let condition { words += ["-n", quoted(condition)] }
        if let short = option.short { words += ["-s", String(short)] }
        words += ["-l", option.name]
        if let value = option.value {
            words.append("-x")
            let offered = CompletionWords.of(value)
            if option.name == ChangeCommand.option.name {
                words += ["-a", quoted("(__fish_complete_command)")]
            } else if !offered.isEmpty {
                words += ["-a", quoted(offered.joined(separator: " "))]
            }
        }
        words += ["-d", quoted(CompletionWords.brief(option.summary))]
        return words.joined(separator: " ")
    }

    /// A word of fish, to which a backslash means something between single quotes too.
    private static func quoted(_ text: String) -> String {
        let escaped = text.reduce(into: "") { result, character in
            if character == "'" || character == "\\" { result += "\\" }
            result.append(character)
        }
        return "'\(escaped)'"
    }
}
