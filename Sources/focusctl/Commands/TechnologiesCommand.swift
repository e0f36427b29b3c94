import FocusProtocol

/// `focusctl technologies`: who can have an accessibility focus.
enum TechnologiesCommand {
    static let command = Command(
        name: "technologies",
        summary: "List the technologies that focusd knows, and whether they are active.",
        examples: [
            Example("focusctl technologies", "Is a screen reader running?"),
            Example("focusctl technologies --json | jq -r 'select(.active).id'", "The ids of those that are active."),
        ],
        run: { _, session throws(CommandFailure) in
            let technologies = try session.connect().call(ListTechnologies.self, NoParameters()).technologies
            if session.isJSON {
                for technology in technologies { try session.json(technology) }
            } else {
                try session.output.table(
                    technologies.map(row), heading: ["technology", "state", "version", "process", "bus name"])
            }
            return .done
        })

    private static func row(_ technology: Technology) -> [Cell] {
        [
            Cell(technology.id, style: .technology),
            technology.active ? Cell("active", style: .good) : Cell("not active", style: .faint),
            Cell(technology.version ?? ""),
            Cell(technology.pid.map { "pid \($0)" } ?? ""),
            Cell(technology.busName ?? "", style: .faint),
        ]
    }
}
