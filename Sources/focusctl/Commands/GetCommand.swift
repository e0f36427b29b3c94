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
        options: [
            Option(
                "selector",
                summary: "Show instead the shortest selector that matches only that element, and will after its "
                    + "application was started anew.")
        ],
        details: [
            "Prints a line for each active assistive technology, where its focus is, and one for the keyboard, where "
                + "typed keys go. These are two kinds of focus, and often not in the same place.",
            "A line shows the technology, the element's role and name, its window and application, what the "
                + "technology is doing, and since when. '(assumed)' marks what focusd concluded and the technology has "
                + "not said. In names, what would break the line is shown as in CSS, like \\a for a line break.",
            "Ends with 1 where the technology asked for is unknown or not active, and with --selector where there is no "
                + "selector to show.",
        ],
        examples: [
            Example("focusctl", "Where is everybody?"),
            Example("focusctl get orca", "Where is Orca?"),
            Example("focusctl get keyboard --json | jq -r .element.name", "The name of what has the keyboard focus."),
            Example("focusctl get orca --selector", "How can what Orca is on be named in a script?"),
        ],
        run: run)

    private static func run(_ invocation: Invocation, _ session: Session) throws(CommandFailure) -> ExitCode {
        let connection = try session.connect()
        guard let asked = invocation.words.first else {
            return try printAll(connection, session, withSelectors: invocation.has("selector"))
        }
        let known =
            asked == keyboardTechnology ? [] : try connection.call(ListTechnologies.self, NoParameters()).technologies
        let focus = try connection.call(GetFocus.self, .init(technology: asked)).focus
        let isActive = known.first { $0.id == asked }?.active ?? true
        if isActive, invocation.has("selector") { return try printSelectors(of: [(asked, focus)], connection, session) }
        if session.isJSON {
            try session.json(focus)
        } else if isActive {
            try session.output.table([FocusWords.row(focus, of: asked, now: monotonicMicrosecondsNow())])
        } else {
            try session.output.table([[Cell(asked, style: .technology), Cell("not active", style: .warning)]])
        }
        return isActive ? .done : .notFoundOrRefused
    }

    private static func printAll(
        _ connection: Connection, _ session: Session, withSelectors: Bool
    ) throws(CommandFailure) -> ExitCode {
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
        if withSelectors { return try printSelectors(of: found, connection, session) }
        if session.isJSON {
            for (_, focus) in found { try session.json(focus) }
            return .done
        }
        if active.isEmpty, session.output.isTerminal {
            try session.output.line(session.output.paint("no assistive technology is active", .faint))
        }
        let now = monotonicMicrosecondsNow()
        try session.output.table(found.map { FocusWords.row($0.focus, of: $0.asked, now: now) })
        return .done
    }

    // MARK: - Selectors

    /// Prints the technologies with the selectors of what they are on; in JSON, the focus with the selector in it.
    private static func printSelectors(
        of found: [(asked: String, focus: Focus)], _ connection: Connection, _ session: Session
    ) throws(CommandFailure) -> ExitCode {
        var isWhole = true
        for (asked, focus) in found {
            var focus = focus
            if let element = focus.element {
                let isKeyboard = (focus.technology ?? asked) == keyboardTechnology
                focus.element?.selector = try selector(for: element, isKeyboard: isKeyboard, connection)
            }
            let selector = focus.element?.selector
            isWhole = isWhole && selector != nil
            if session.isJSON {
                try session.json(focus)
                continue
            }
            let technology = Cell(focus.technology ?? asked, style: .technology)
            let words = focus.element == nil ? "nowhere" : "(no selector: it has gone, or nothing tells it apart)"
            // On one line whole, however long: cut, it would be of no use.
            let cells = [technology.whole, selector.map(SafeText.escaped) ?? words]
            try session.output.line(cells.joined(separator: "  "))
        }
        return isWhole ? .done : .notFoundOrRefused
    }

    /// Finds the selector among what has that focus; only the element's own application is asked, where it has a name.
    private static func selector(
        for element: Element, isKeyboard: Bool, _ connection: Connection
    ) throws(CommandFailure) -> String? {
        let name = element.application.name
        let scope = name.isEmpty ? "" : "application[name==\"\(SafeText.escapedForQuotes(name))\"] "
        let query = scope + (isKeyboard ? ":focused" : ":accessibility-focused")
        let reply = try connection.call(
            Find.self, .init(selector: query, limit: 10_000, fields: [Find.Field.selector]), about: query)
        return reply.elements.first { $0.busName == element.busName && $0.path == element.path }?.selector
    }
}

/// The built-in technology that is the keyboard focus.
let keyboardTechnology = "keyboard"
