/// Everything focusctl can be told: what the parser accepts and what the help says are made from this.
enum CommandTable {
    /// Options that every command takes, before its name or after it.
    static let commonOptions = [
        Option("json", summary: "Print JSON, one object a line, in the shapes of the interface io.focusd.Focus."),
        Option(
            "timeout", value: Value("DURATION"),
            summary: "How long to wait for focusd: 2s, 500ms, 1m; a plain number is seconds. Default: 5s."),
        Option("help", short: "h", summary: "Show what a command does, with examples."),
        Option("version", summary: "Print the version of focusctl."),
    ]

    /// The commands, in the order in which help lists them.
    static let commands = [
        GetCommand.command, WatchCommand.command, FindCommand.command, TreeCommand.command, WaitCommand.command,
        FocusCommand.command, BindCommand.command, SetCommand.command, StatesCommand.command, UnbindCommand.command,
        AnnounceCommand.command, TechnologiesCommand.command, AppsCommand.command, StatsCommand.command,
        DoctorCommand.command, HelpCommand.command, CompletionsCommand.command, ManualCommand.command,
    ]

    /// What focusctl does where no command is named.
    static let defaultCommand = GetCommand.command

    /// The command of this name.
    static func command(named name: String) -> Command? {
        commands.first { $0.name == name }
    }

    /// Exit codes, for the help.
    static let exitCodes = [
        ("0", "done"), ("1", "not found or refused"), ("2", "wrong usage"), ("3", "timed out"), ("4", "no service"),
    ]

    /// Environment variables, for the help.
    static let environment = [
        ("XDG_RUNTIME_DIR", "The folder of the session in which focusd's socket is."),
        ("NO_COLOR", "Where set, no colours are used."),
        ("COLUMNS", "The width of the terminal, where the terminal does not say it."),
        ("LINES", "Its height, in the same way."),
        ("PAGER", "What shows a tree that is longer than the terminal; less where unset, nothing where empty."),
    ]
}

/// One command of focusctl.
struct Command: Sendable {
    let name: String
    /// What it does, in one line.
    let summary: String
    var arguments: [Argument] = []
    var options: [Option] = []
    /// Paragraphs of help.
    var details: [String] = []
    var examples: [Example] = []
    let run: @Sendable (Invocation, Session) throws(CommandFailure) -> ExitCode

    /// The options it takes, its own first.
    var allOptions: [Option] { options + CommandTable.commonOptions }
}

/// A word that a command takes in a certain place.
struct Argument: Sendable {
    let placeholder: String
    var isRequired = false
    /// Whether further words are taken for the same; only the last argument's may be.
    var repeats = false
    let summary: String
    /// The only words there are, or none where any is taken.
    var choices: [String] = []
}

/// A word that starts with dashes.
struct Option: Sendable {
    let name: String
    let short: Character?
    let value: Value?
    let repeats: Bool
    let summary: String

    init(_ name: String, short: Character? = nil, value: Value? = nil, repeats: Bool = false, summary: String) {
        self.name = name
        self.short = short
        self.value = value
        self.repeats = repeats
        self.summary = summary
    }
}

/// What an option is followed by.
struct Value: Sendable {
    let placeholder: String
    /// The only values there are, or none where any is taken.
    let choices: [String]

    init(_ placeholder: String, choices: [String] = []) {
        self.placeholder = placeholder
        self.choices = choices
    }
}

/// A command line that does something useful, and what.
struct Example: Sendable {
    let line: String
    let what: String

    init(_ line: String, _ what: String) {
        self.line = line
        self.what = what
    }
}
