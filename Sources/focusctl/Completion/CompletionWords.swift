/// What is offered where a word of a command or the value of an option stands.
enum CompletionWords {
    /// The technologies that focusd knows without settings, and the other kind of focus.
    private static let technologies = ["orca", "odilia", "keyboard"]

    /// The words that are offered for an argument; none where only its user knows.
    static func of(_ argument: Argument) -> [String] {
        switch argument.placeholder {
        case "COMMAND": CommandTable.commands.map(\.name)
        case "TECHNOLOGY": technologies
        default: argument.choices
        }
    }

    /// The words that are offered for an option's value.
    static func of(_ value: Value) -> [String] { value.placeholder == "ID" ? technologies : value.choices }

    /// The first sentence of what is said of something, without its end: as much as a list has room for.
    static func brief(_ summary: String) -> String {
        let sentence = summary.firstRange(of: ". ").map { String(summary[..<$0.lowerBound]) } ?? summary
        return sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
    }

    /// A word of a shell that stands for this text, whatever is in it.
    static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    /// How an option is written: with its short form, where it has one.
    static func spellings(_ option: Option) -> [String] {
        (option.short.map { ["-\($0)"] } ?? []) + ["--\(option.name)"]
    }

    /// Every option whose value is a word of its own, once.
    static func optionsWithValues() -> [Option] {
        var known: Set<String> = []
        return (CommandTable.commonOptions + CommandTable.commands.flatMap(\.options)).filter {
            $0.value != nil && known.insert($0.name).inserted
        }
    }
}
