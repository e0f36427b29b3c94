import FocusProtocol

/// `focusctl apps`: the applications on the accessibility bus.
enum AppsCommand {
    static let command = Command(
        name: "apps",
        summary: "List the applications that show themselves to assistive technologies.",
        details: [
            "An application that is missing here is one that no screen reader can see: its toolkit's accessibility "
                + "is off, or it has none."
        ],
        examples: [
            Example("focusctl apps", "Which applications are there, and do they respond?"),
            Example("focusctl apps --json | jq -r 'select(.responding | not).name'", "Those that do not respond."),
        ],
        run: { _, session throws(CommandFailure) in
            let applications = try session.connect().call(ListApplications.self, NoParameters()).applications
            if session.isJSON {
                for application in applications { try session.json(application) }
            } else {
                try session.output.table(
                    applications.map(row),
                    heading: ["application", "toolkit", "process", "bus name", "state", "known"])
            }
            return .done
        })

    private static func row(_ application: Application) -> [Cell] {
        [
            Cell(
                [application.name.isEmpty ? .text("(no name)") : .name(application.name)], style: .strong,
                isFlexible: true),
            Cell(application.toolkit),
            Cell(application.pid > 0 ? "pid \(application.pid)" : ""),
            Cell(application.busName, style: .faint),
            application.responding ? Cell("responding", style: .good) : Cell("not responding", style: .bad),
            Cell(application.nodes.map { $0 == 1 ? "1 node" : "\($0) nodes" } ?? "", style: .faint),
        ]
    }
}
