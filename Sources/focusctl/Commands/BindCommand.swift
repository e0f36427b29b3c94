import AccessibilityFocus
import FocusProtocol

/// `focusctl bind`: a value that follows the focus, as long as it runs.
enum BindCommand {
    /// One that shows what it looks like.
    static let examplePrototype = "save='push-button[name=\"Save\"]'"

    static let command = Command(
        name: "bind",
        summary: "Bind names to elements, and print the name of the one that the focus is in, at each change.",
        arguments: [
            Argument(
                placeholder: "NAME=SELECTOR", isRequired: true, repeats: true,
                summary:
                    "What the value is while the focus is on such an element or inside of it. 'focusctl help find' "
                    + "explains selectors. Where elements are nested, the innermost counts.")
        ],
        options: [
            Option(
                "name", value: Value("STATE"),
                summary: "Give the state a name. Whoever binds the same under that name shares it."),
            Option(
                "technology", value: Value("ID"), repeats: true,
                summary:
                    "Follow only this one, like orca, or keyboard. Without it: the assistive technology that moved "
                    + "last."),
            Option(
                "mode", value: Value("MODE"), repeats: true,
                summary: "Count only moves in this mode, like focus-tracking. Without it: in every mode but "
                    + "mouse-review."),
            ChangeCommand.option,
        ],
        details: [
            "Prints the value now, then a line at each change, until it is ended with Ctrl-C, nobody reads the output any "
                + "more, or the state is ended by 'focusctl unbind'.",
            "A line has four fields with a tab between them: the value, or - where the focus is in none of the elements; "
                + "why it changed, in a word like moved or windowDeactivated; 'said' where the technology said so, "
                + "'assumed' where focusd concluded it; and the element, or -. On a terminal it is set in columns "
                + "instead.",
            "As long as it runs, 'focusctl set STATE NAME' moves the screen reader to the element of a name. STATE is what "
                + "--name says. A state without a name has an id, which is told on standard error, and is in each "
                + "line with --json.",
            ChangeCommand.help,
            "--timeout is for the first answer only. Ends with 0 when the state was ended, with 4 when focusd ends.",
        ],
        examples: [
            Example(
                "focusctl bind \(examplePrototype) dialog='dialog[name^=\"Save\"]'",
                "Is the focus on the button, elsewhere in the dialog, or outside?"),
            Example(
                "focusctl bind --name message alert=alert | while read -r value rest; do echo \"$value\"; done",
                "Follow it in a script. Where names contain spaces, set IFS to a tab for 'read'."),
            Example(
                "focusctl bind total='label[name^=\"Total\"]' --exec 'jq -r .value >>totals.log'",
                "Run a command at each change."),
            Example("focusctl set message alert", "Move the screen reader to the alert, while the second one runs."),
        ],
        run: run)

    private static func run(_ invocation: Invocation, _ session: Session) throws(CommandFailure) -> ExitCode {
        var prototypes: [Prototype] = []
        for word in invocation.words { prototypes.append(try prototype(word)) }
        let name = invocation.value("name")
        let connection = try session.connect()
        var changes = try Changes(
            Bind.self,
            Bind.Parameters(
                prototypes: prototypes, technologies: invocation.values("technology"),
                modes: invocation.values("mode"), name: name),
            connection, command: invocation.value("exec"))
        var columns = session.output.columns()
        var last: StateChange?
        while let reply = try next(of: &changes, prototypes) {
            if let state = reply.state, name == nil, !session.isJSON || changes.command != nil {
                StaleWords.note("this state is '\(SafeText.escaped(state))' for 'focusctl set', as long as this runs")
            }
            // The last reply repeats the value that the state had when it was ended.
            guard let change = reply.change, !isRepetition(change, of: last) else { continue }
            last = change
            if let command = changes.command {
                command.take(Session.jsonLine(change))
            } else if session.isJSON {
                try session.json(change)
            } else if session.output.isTerminal {
                try session.output.row(StateWords.row(change), in: &columns)
            } else {
                try session.output.line(StateWords.line(change))
            }
        }
        StaleWords.note("the state was ended from elsewhere")
        return .done
    }

    private static func isRepetition(_ change: StateChange, of last: StateChange?) -> Bool {
        guard let last else { return false }
        return (change.value, change.assumed) == (last.value, last.assumed)
            && (change.cause == "unbound" || change.revision == last.revision)
    }

    /// Waits for the next reply; where a selector cannot be read, the failure says which.
    private static func next(
        of changes: inout Changes<Bind>, _ prototypes: [Prototype]
    ) throws(CommandFailure) -> Bind.Reply? {
        do {
            return try changes.next()
        } catch {
            guard let answer = error.answer, case .integer(let place) = answer.parameters["prototype"],
                let index = Int(exactly: place), prototypes.indices.contains(index),
                var fault = SelectorFault(answer, in: prototypes[index].selector)
            else { throw error }
            // The only one needs no name.
            if prototypes.count > 1 { fault.value = prototypes[index].value }
            throw .selector(fault)
        }
    }

    private static func prototype(_ word: String) throws(CommandFailure) -> Prototype {
        guard let sign = word.firstIndex(of: "=") else {
            throw .usage(.noPrototype(word, "a name of your choice goes before the selector"))
        }
        let name = String(word[..<sign])
        if name.contains("[") {
            throw .usage(.noPrototype(word, "a name of your choice goes before the selector"))
        }
        if name.isEmpty { throw .usage(.noPrototype(word, "the name is missing")) }
        if name == StateWords.none { throw .usage(.noPrototype(word, "'-' is what is printed for no value")) }
        return Prototype(value: name, selector: String(word[word.index(after: sign)...]))
    }
}
