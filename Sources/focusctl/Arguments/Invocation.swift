/// What the arguments ask for: a command, its words and its options.
struct Invocation {
    let command: Command
    /// Whether the command was named, and not just the default.
    let isCommandNamed: Bool
    private(set) var words: [String] = []
    private var values: [String: [String]] = [:]

    /// Reads the arguments by the table. Throws where they do not fit it.
    init(_ arguments: [String]) throws(CommandFailure) {
        let name = try Self.commandName(in: arguments)
        isCommandNamed = name != nil
        if let name {
            guard let named = CommandTable.command(named: name) else { throw .usage(.unknownCommand(name)) }
            command = named
        } else {
            command = CommandTable.defaultCommand
        }
        var tokens = ArgumentTokens(arguments, options: command.allOptions, command: isCommandNamed ? command : nil)
        var isFirstWord = isCommandNamed
        while let token = try tokens.next() {
            switch token {
            case .word(let word):
                if !isFirstWord { words.append(word) }
                isFirstWord = false
            case .option(let option, let value):
                values[option.name, default: []].append(value ?? "")
            }
        }
        // Who asks for help need not know yet what the command takes.
        if !has("help"), !has("version") { try checkWords() }
    }

    /// Whether an option is given.
    func has(_ name: String) -> Bool { values[name] != nil }

    /// The values of an option that may be given more than once, nil where it is not given.
    func values(_ name: String) -> [String]? { values[name] }

    /// The value of an option; the last one where it is given more than once.
    func value(_ name: String) -> String? { values[name]?.last }

    /// How long `--timeout` lets the command wait, nil where it is not given.
    func timeout() throws(CommandFailure) -> Duration? {
        guard let text = value("timeout") else { return nil }
        guard let duration = DurationText.parse(text) else { throw .usage(.badDuration(text)) }
        return duration
    }

    /// The whole number that an option's value is, nil where it is not given.
    func number(_ name: String, in range: ClosedRange<Int>) throws(CommandFailure) -> Int? {
        guard let text = value(name) else { return nil }
        guard text.allSatisfy(\.isASCIIDigit), let number = Int(text), range.contains(number) else {
            throw .usage(.badNumber(text, "--" + name, range, command))
        }
        return number
    }

    /// `--timeout` where focusd itself does the waiting, and not longer than it would.
    func timeout(default usual: Duration, maximum: Duration, called name: String) throws(CommandFailure) -> Duration {
        let timeout = try timeout() ?? usual
        guard timeout <= maximum else {
            throw .usage(.tooLong(value("timeout") ?? "", maximum: name, command))
        }
        return timeout
    }

    private func checkWords() throws(CommandFailure) {
        let required = command.arguments.filter(\.isRequired)
        if words.count < required.count {
            throw .usage(.missingWord(required[words.count].placeholder, command))
        }
        if words.count > command.arguments.count, command.arguments.last?.repeats != true {
            throw .usage(.unexpectedWord(words[command.arguments.count], command))
        }
        for (word, argument) in zip(words, command.arguments) {
            guard argument.choices.isEmpty || argument.choices.contains(word) else {
                let value = Value(argument.placeholder, choices: argument.choices)
                throw .usage(.unknownChoice(word, argument.placeholder, value, command))
            }
        }
    }

    /// The first word, which names the command; nil where there is none. Unknown options are told of in the second reading.
    private static func commandName(in arguments: [String]) throws(CommandFailure) -> String? {
        let known = CommandTable.commonOptions + CommandTable.commands.flatMap(\.options)
        var tokens = ArgumentTokens(arguments, options: known, command: nil)
        while let token = try tokens.next() {
            if case .word(let word) = token { return word }
        }
        return nil
    }
}

/// The arguments one by one, each a word or an option with its value.
struct ArgumentTokens {
    enum Token {
        case word(String)
        case option(Option, value: String?)
    }
    private var rest: ArraySlice<String>
    private let options: [Option]
    private let command: Command?
    private var areOptionsOver = false

    init(_ arguments: [String], options: [Option], command: Command?) {
        rest = arguments[...]
        self.options = options
        self.command = command
    }

    /// The next one, nil after the last.
    mutating func next() throws(CommandFailure) -> Token? {
        guard let argument = rest.popFirst() else { return nil }
        if areOptionsOver || !argument.hasPrefix("-") || argument == "-" { return .word(argument) }
        if argument == "--" {
            areOptionsOver = true
            return try next()
        }
        let (name, attached) = Self.split(argument)
        guard let option = option(spelled: name) else { throw .usage(.unknownOption(name, options, command)) }
        guard let value = option.value else {
            guard attached == nil else { throw .usage(.needlessValue(name, command)) }
            return .option(option, value: nil)
        }
        return .option(option, value: try take(value, of: name, attached: attached))
    }

    private mutating func take(_ value: Value, of name: String, attached: String?) throws(CommandFailure) -> String {
        let text: String
        if let attached {
            text = attached
        } else if let following = rest.first, !following.hasPrefix("--") {
            text = following
            rest.removeFirst()
        } else {
            throw .usage(.missingValue(name, value, command))
        }
        guard value.choices.isEmpty || value.choices.contains(text) else {
            throw .usage(.unknownChoice(text, name, value, command))
        }
        return text
    }

    private func option(spelled name: String) -> Option? {
        options.first { option in
            "--" + option.name == name || option.short.map { "-" + String($0) == name } ?? false
        }
    }

    private static func split(_ argument: String) -> (name: String, value: String?) {
        guard argument.hasPrefix("--"), let sign = argument.firstIndex(of: "=") else { return (argument, nil) }
        return (String(argument[..<sign]), String(argument[argument.index(after: sign)...]))
    }
}
