import FocusProtocol

/// `focusctl get`: where each technology is now.
enum GetCommand {
    static let command = Command(
        name: "get",
        summary: "Show which element each technology is on.",
        arguments: [
            Argument(
                placeholder: "TECHNOLOGY", summary: "Only this one, like orca, or keyboard for the keyboard focus.")
        ],
        details: [
            "Prints a line for each active assistive technology, where its focus is, and one for the keyboard, where "
                + "typed keys go. These are two kinds of focus, and often not in the same place.",
            "A line shows the technology, the element's role and name, its window and application, what the "
                + "technology is doing, and since when. '(assumed)' marks what focusd concluded and the technology has "
                + "not said. In names, what would break the line is shown as in CSS, like \\a for a line break.",
            "Ends with 1 where the technology asked for is unknown or not active.",
        ],
        examples: [
            Example("focusctl", "Where is everybody?"),
            Example("focusctl get orca", "Where is Orca?"),
            Example("focusctl get keyboard --json | jq -r .element.name", "The name of what has the keyboard focus."),
        ],
        run: run)

    private static func run(_ invocation: Invocation, _ session: Session) throws(CommandFailure) -> ExitCode {
        let connection = try session.connect()
        guard let asked = invocation.words.first else {
            try printAll(connection, session)
            return .done
        }
        let known =
            asked == keyboardTechnology ? [] : try connection.call(ListTechnologies.self, NoParameters()).technologies
        let focus = try connection.call(GetFocus.self, .init(technology: asked)).focus
        let isActive = known.first { $0.id == asked }?.active ?? true
        if session.isJSON {
            try session.json(focus)
        } else if isActive {
            try session.output.table([FocusWords.row(focus, of: asked, now: monotonicMicrosecondsNow())])
        } else {
            try session.output.table([[Cell(asked, style: .technology), Cell("not active", style: .warning)]])
        }
        return isActive ? .done : .notFoundOrRefused
    }

    private static func printAll(_ connection: Connection, _ session: Session) throws(CommandFailure) {
        let technologies = try connection.call(ListTechnologies.self, NoParameters()).technologies
        let active = technologies.filter { $0.active && $0.id != keyboardTechnology }.map(\.id)
        var found: [(asked: String, focus: Focus)] = []
        for id in active + [keyboardTechnology] {
            do {
                found.append((id, try connection.call(GetFocus.self, .init(technology: id)).focus))
            } catch let failure where failure.isUnknownTechnology && id != keyboardTechnology {
                // It has left since it was listed.
                continue
            }
        }
        if session.isJSON {
            for (_, focus) in found { try session.json(focus) }
            return
        }
        if active.isEmpty, session.output.isTerminal {
            try session.output.line(session.output.paint("no assistive technology is active", .faint))
        }
        let now = monotonicMicrosecondsNow()
        try session.output.table(found.map { FocusWords.row($0.focus, of: $0.asked, now: now) })
    }
}

/// The built-in technology that is the keyboard focus.
let keyboardTechnology = "keyboard"
