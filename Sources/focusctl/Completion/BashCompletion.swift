/// Makes bash's completion from the table of commands. It needs nothing but bash.
enum BashCompletion {
    static func text() -> String {
        let valued = CompletionWords.optionsWithValues().map { "--\($0.name)" }.joined(separator: "|")
        return """
            # bash completion for focusctl, made by 'focusctl completions bash'
            _focusctl() {
                local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command= word i
                # To bash, the sign in --option=value is a word.
                if [[ $current == = ]]; then
                    current=
                elif [[ $previous == = ]]; then
                    previous=${COMP_WORDS[COMP_CWORD - 2]}
                fi
                for ((i = 1; i < COMP_CWORD; i++)); do
                    word=${COMP_WORDS[i]}
                    case $word in
                        \(valued))
                            i=$((i + 1))
                            if [[ ${COMP_WORDS[i]} == = ]]; then i=$((i + 1)); fi
                            ;;
                        -*) ;;
                        *)
                            command=$word
                            break
                            ;;
                    esac
                done
                COMPREPLY=()
                case $command:$previous in
            \(valueCases())
                    *:\(valued.split(separator: "|").joined(separator: "|*:"))) return ;;
                esac
                local options=\(CompletionWords.quoted(optionWords(CommandTable.commonOptions))) words=
                case $command in
                    '') words=\(CompletionWords.quoted(CommandTable.commands.map(\.name).joined(separator: " "))) ;;
            \(commandCases())
                esac
                if [[ $current == -* ]]; then words=$options; fi
                COMPREPLY=($(compgen -W "$words" -- "$current"))
            }
            complete -F _focusctl focusctl

            """
    }

    private static func optionWords(_ options: [Option]) -> String {
        options.map { "--\($0.name)" }.joined(separator: " ")
    }

    /// What is offered as the value of an option, where that is known.
    private static func valueCases() -> String {
        var lines: [String] = []
        for command in CommandTable.commands {
            for option in command.options {
                guard let value = option.value else { continue }
                let words = CompletionWords.of(value)
                let offered =
                    option.name == ChangeCommand.option.name
                    ? "compgen -c" : "compgen -W \(CompletionWords.quoted(words.joined(separator: " ")))"
                guard !words.isEmpty || option.name == ChangeCommand.option.name else { continue }
                lines.append("        \(command.name):--\(option.name))")
                lines.append("            COMPREPLY=($(\(offered) -- \"$current\"))")
                lines.append("            return")
                lines.append("            ;;")
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func commandCases() -> String {
        CommandTable.commands.map { command in
            let words = command.arguments.flatMap(CompletionWords.of).joined(separator: " ")
            let lines = [
                "        \(command.name))",
                "            options+=\(CompletionWords.quoted(command.options.isEmpty ? "" : " " + optionWords(command.options)))",
                "            words=\(CompletionWords.quoted(words))", "            ;;",
            ]
            return lines.joined(separator: "\n")
        }.joined(separator: "\n")
    }
}
