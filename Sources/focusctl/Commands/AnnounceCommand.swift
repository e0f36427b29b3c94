import FocusProtocol

/// `focusctl announce`: something for the screen reader to say.
enum AnnounceCommand {
    static let command = Command(
        name: "announce",
        summary: "Send the screen reader something to say, without moving it.",
        arguments: [Argument(placeholder: "TEXT", isRequired: true, summary: "What to say: one word, or in quotes.")],
        options: [Option("urgent", summary: "Interrupt what it says now.")],
        details: [
            "Says how it was sent: by the screen reader's remoteController, as an announcement event, or as a "
                + "notification, whatever the first is that this screen reader listens to. Whether it was spoken, no "
                + "screen reader tells, and so neither does this.",
            "Ends with 1 where there is no screen reader that listens to any of these. A program may announce a few times "
                + "a second at most.",
        ],
        examples: [
            Example("focusctl announce 'The backup is done'", "Have it said after what is being said now."),
            Example("make && focusctl announce 'built' || focusctl announce --urgent 'failed'", "Hear how it ended."),
            Example("focusctl announce -- \"$TEXT\"", "Whatever the text begins with."),
        ],
        run: run)

    private static func run(_ invocation: Invocation, _ session: Session) throws(CommandFailure) -> ExitCode {
        let text = invocation.words[0]
        guard !text.isEmpty else { throw .usage(.missingWord("TEXT", command)) }
        let reply = try session.connect().call(
            Announce.self, Announce.Parameters(text: text, urgent: invocation.has("urgent") ? true : nil))
        if session.isJSON { try session.json(reply) }
        guard reply.delivered else {
            Output.complain("focusctl: not sent: no screen reader is there that listens to announcements")
            Output.complain("'focusctl technologies' shows what is running.")
            return .notFoundOrRefused
        }
        if !session.isJSON {
            let route = reply.route.map { "route \(SafeText.escaped($0)); " } ?? ""
            try session.output.line(
                session.output.paint("sent (\(route)whether it was spoken, no screen reader tells)", .good))
        }
        return .done
    }
}
