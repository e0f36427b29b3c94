/// Makes zsh's completion from the table of commands.
enum ZshCompletion {
    static func text() -> String {
        let commands = CommandTable.commands.map { command in
            "        " + CompletionWords.quoted("\(command.name):\(CompletionWords.brief(command.summary))")
        }
        return """
            #compdef focusctl
            # zsh completion for focusctl, made by 'focusctl completions zsh'
            _focusctl() {
                local curcontext=$curcontext state line
                local -A opt_args
                local -a commands=(
            \(commands.joined(separator: "\n"))
                )
                local -a common=(
            \(CommandTable.commonOptions.map(specification).joined(separator: "\n"))
                )
                _arguments -C $common '1:command:->command' '*::argument:->argument' && return
                case $state in
                    command) _describe -t commands 'command of focusctl' commands ;;
                    argument)
                        case $words[1] in
            \(CommandTable.commands.map(commandCase).joined(separator: "\n"))
                        esac
                        ;;
                esac
            }
            if [[ $funcstack[1] == _focusctl ]]; then
                _focusctl "$@"
            else
                compdef _focusctl focusctl
            fi

            """
    }

    private static func commandCase(_ command: Command) -> String {
        var specifications = command.options.map(specification)
        for (index, argument) in command.arguments.enumerated() {
            let words = CompletionWords.of(argument)
            let action = words.isEmpty ? " " : "(\(words.joined(separator: " ")))"
            let place = argument.repeats ? "*" : "\(index + 1)"
            specifications.append(
                "        " + CompletionWords.quoted("\(place):\(escaped(argument.placeholder)):\(action)"))
        }
        let arguments = ["                    _arguments -S $common"] + specifications.map { "                " + $0 }
        let lines = [
            "                \(command.name))", arguments.joined(separator: " \\\n"), "                    ;;",
        ]
        return lines.joined(separator: "\n")
    }

    private static func specification(_ option: Option) -> String {
        let spellings = CompletionWords.spellings(option)
        let what = escaped(CompletionWords.brief(option.summary))
        let value = option.value.map { value in
            let words = CompletionWords.of(value)
            let action =
                option.name == ChangeCommand.option.name
                ? "_command_names -e" : words.isEmpty ? " " : "(\(words.joined(separator: " ")))"
            return ":\(escaped(value.placeholder)):\(action)"
        }
        let star = option.repeats ? "*" : ""
        return spellings.map { spelling in
            "        "
                + CompletionWords.quoted(
                    star + spelling + (value != nil && spelling.hasPrefix("--") ? "=" : "") + "[\(what)]"
                        + (value ?? ""))
        }.joined(separator: "\n")
    }

    /// A text in which nothing ends the description it is part of.
    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            if "[]:\\".contains(character) { result += "\\" }
            result.append(character)
        }
    }
}
