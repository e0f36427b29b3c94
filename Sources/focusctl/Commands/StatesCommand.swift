import AccessibilityFocus
import FocusProtocol

/// `focusctl states`: what is bound.
enum StatesCommand {
    static let command = Command(
        name: "states",
        summary: "List the bound states of all programs, and their values.",
        details: [
            "A line for each state: its name, or its id where it has none; its value, or - where the focus is in none of "
                + "its elements; what it follows, where that is restricted; the processes that bind it; the sets that "
                + "are under way; and each value with its selector. Once a state's last process has ended, it is gone."
        ],
        examples: [
            Example("focusctl states", "What is bound, and what is the value?"),
            Example("focusctl states --json | jq -r 'select(.value).state'", "The states that have a value."),
            Example(
                "focusctl states --json | jq -r 'select(.state == \"message\").value'", "The value of one, asked once."),
        ],
        run: { _, session throws(CommandFailure) in
            let states = try all(session)
            if session.isJSON {
                for state in states { try session.json(state) }
            } else {
                try show(states, session.output)
            }
            return .done
        })

    /// In parts, as many as it takes.
    private static func all(_ session: Session) throws(CommandFailure) -> [FocusState] {
        let connection = try session.connect()
        var stream = try connection.stream(ListStates.self, NoParameters())
        var states: [FocusState] = []
        do {
            while let part = try stream.next(deadline: .after(session.timeout)) { states += part.states }
        } catch {
            throw connection.failure(error)
        }
        return states
    }

    private static func show(_ states: [FocusState], _ output: Output) throws(CommandFailure) {
        guard output.isTerminal else {
            return try output.table(
                states.map { state in StateWords.row(state) + state.prototypes.map { Cell([StateWords.piece($0)]) } })
        }
        guard !states.isEmpty else { return try output.line(output.paint("no state is bound", .faint)) }
        let heading = ["state", "value", "", "technologies", "modes", "bound by", "sets"].map {
            Cell($0, style: .faint)
        }
        let rows = states.map { StateWords.row($0) }
        var columns = output.columns()
        for row in [heading] + rows { columns.measure(row) }
        try output.row(heading, in: &columns)
        for (state, row) in zip(states, rows) {
            try output.row(row, in: &columns)
            // Whole, on lines of their own: cut, a selector would be of no use.
            for prototype in state.prototypes {
                let text = "    " + Cell([StateWords.piece(prototype)]).whole
                try output.line(prototype.value == state.value ? output.paint(text, .good) : text)
            }
        }
    }
}
