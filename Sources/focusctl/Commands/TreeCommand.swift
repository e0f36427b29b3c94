import AccessibilityFocus
import FocusProtocol

/// `focusctl tree`: elements with what is in them.
enum TreeCommand {
    static let command = Command(
        name: "tree",
        summary: "Show the tree of elements, of all applications or below one element.",
        arguments: [
            Argument(
                placeholder: "SELECTOR",
                summary: "Matches the one element to begin with, as 'focusctl help find' explains. Without it: all "
                    + "applications.")
        ],
        options: [
            Option("depth", value: Value("N"), summary: "How many levels below that are shown; all where not given.")
        ],
        details: [
            "A line for each element, below its parent: role, id and name, the states that matter, and in brackets "
                + "what is not shown below it and why. '◀ orca' marks the element that a technology is on, "
                + "'◁ keyboard' the one that typed keys go to.",
            "On a terminal, a tree that is longer than it is shown by the pager that PAGER names.",
            "--timeout is for each part of a large tree. Ends with 1 where the selector matches no element, or "
                + "several.",
        ],
        examples: [
            Example("focusctl tree 'application[name=\"gedit\"]'", "All of an application."),
            Example("focusctl tree 'frame:active' --depth 3", "The upper levels of the active window."),
            Example("focusctl tree | grep -n '[◀◁]'", "Where both kinds of focus are."),
            Example(
                "focusctl tree --json | jq -r 'select(.role == \"push-button\" and .name == \"\") | .busName + .path'",
                "Buttons that have no name: a screen reader has nothing to say there."),
        ],
        run: run)

    /// Deeper than any tree that is kept.
    private static let maximumDepth = 100_000

    private static func run(_ invocation: Invocation, _ session: Session) throws(CommandFailure) -> ExitCode {
        let depth = try invocation.number("depth", in: 0...maximumDepth)
        let selector = invocation.words.first
        let connection = try session.connect()
        var stream = try connection.stream(GetTree.self, .init(selector: selector, depth: depth))
        let lines = LongOutput(session.output)
        var stale: [StaleApplication] = []
        var isComplete = false
        do {
            while let part = try next(of: &stream, for: lines.destination, connection, session) {
                for node in part.nodes {
                    if session.isJSON {
                        try session.json(node)
                    } else {
                        try lines.line(TreeWords.line(node, on: session.output))
                    }
                }
                stale += part.stale
                isComplete = part.complete
            }
        } catch {
            // What came is shown, also where the rest does not come.
            if case .outputClosed = error { throw error }
            try lines.end()
            throw selector.map { error.about($0) } ?? error
        }
        try lines.end()
        StaleWords.tell(stale)
        if !isComplete, stale.isEmpty { StaleWords.note("this is not all of the tree") }
        return .done
    }

    private static func next(
        of stream: inout ReplyStream<GetTree>, for reader: Int32, _ connection: Connection, _ session: Session
    ) throws(CommandFailure) -> GetTree.Reply? {
        do {
            return try stream.next(deadline: .after(session.timeout), interruptedBy: reader)
        } catch {
            throw connection.failure(error)
        }
    }
}
