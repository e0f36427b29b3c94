/// Arguments that cannot be done: a sentence about them, and where help is.
struct UsageError {
    let what: String
    let hint: String

    private init(_ what: String, _ command: Command?) {
        self.what = what
        hint = "Try 'focusctl \(command.map { $0.name + " " } ?? "")--help'."
    }

    static func unknownCommand(_ name: String) -> UsageError {
        let nearest = NearestName.find(name, among: CommandTable.commands.map(\.name))
        let hint = nearest.map { "; did you mean '\($0)'?" } ?? ""
        return UsageError("there is no command '\(SafeText.escaped(name))'\(hint)", nil)
    }

    static func unknownOption(_ name: String, _ options: [Option], _ command: Command?) -> UsageError {
        let nearest = NearestName.find(name, among: options.map { "--" + $0.name })
        let hint = nearest.map { "; did you mean \($0)?" } ?? ""
        return UsageError("unknown option \(SafeText.escaped(name))\(hint)", command)
    }

    static func needlessValue(_ name: String, _ command: Command?) -> UsageError {
        UsageError("\(name) takes no value", command)
    }

    static func missingValue(_ name: String, _ value: Value, _ command: Command?) -> UsageError {
        UsageError("\(name) needs a value: \(name) \(value.placeholder)", command)
    }

    static func unknownChoice(_ text: String, _ name: String, _ value: Value, _ command: Command?) -> UsageError {
        let choices = value.choices.joined(separator: ", ")
        return UsageError("\(name) cannot be '\(SafeText.escaped(text))'; it is one of: \(choices)", command)
    }

    static func missingWord(_ placeholder: String, _ command: Command) -> UsageError {
        UsageError("\(command.name) needs a \(placeholder)", command)
    }

    static func unexpectedWord(_ word: String, _ command: Command) -> UsageError {
        UsageError("\(command.name) does not take '\(SafeText.escaped(word))'", command)
    }

    static func badDuration(_ text: String) -> UsageError {
        UsageError(
            "--timeout cannot be '\(SafeText.escaped(text))'; it is a time from 1ms to 24h, like 2s, 500ms or 1m; "
                + "a plain number is seconds", nil)
    }

    static func tooLong(_ text: String, maximum: String, _ command: Command) -> UsageError {
        UsageError(
            "--timeout cannot be '\(SafeText.escaped(text))' here: focusd tries for \(maximum) at most", command)
    }

    static func badNumber(_ text: String, _ name: String, _ range: ClosedRange<Int>, _ command: Command) -> UsageError {
        UsageError(
            "\(name) cannot be '\(SafeText.escaped(text))'; it is a number from \(range.lowerBound) to "
                + "\(range.upperBound)", command)
    }

    static func excluding(_ name: String, _ other: String, _ command: Command) -> UsageError {
        UsageError("\(name) and \(other) do not go together", command)
    }

    static func needing(_ name: String, _ other: String, _ command: Command) -> UsageError {
        UsageError("\(name) says something only together with \(other)", command)
    }

    static func noPrototype(_ text: String, _ why: String) -> UsageError {
        UsageError(
            "'\(SafeText.escaped(text))' is no NAME=SELECTOR: \(why), as in \(BindCommand.examplePrototype)",
            BindCommand.command)
    }

    static func noValue() -> UsageError {
        UsageError("set needs a VALUE, or --none", SetCommand.command)
    }

    static func badReference(_ text: String) -> UsageError {
        UsageError(
            "'\(SafeText.escaped(text))' is no reference; one is a bus name directly followed by a path, like "
                + "\(ElementReference.example)", FocusCommand.command)
    }
}
