import FocusProtocol

/// `focusctl find`: the elements that a selector matches.
enum FindCommand {
    static let command = Command(
        name: "find",
        summary: "List the elements that a selector matches.",
        arguments: [
            Argument(placeholder: "SELECTOR", isRequired: true, summary: "What they are, in the manner of CSS.")
        ],
        options: [
            Option("limit", value: Value("N"), summary: "Not more than this many, 1 to 10000; 100 where not given."),
            Option("attributes", summary: "Also the attributes that their applications give them."),
            Option("extents", summary: "Also where they are on the screen, in pixels."),
            Option(
                "selector",
                summary: "Also the shortest selector for each that matches only it, and will after its application "
                    + "was started anew."),
        ],
        details: [
            "A selector is written as in CSS: a role with '-' for spaces (push-button, check-box, entry, frame), "
                + "[name=\"…\"] and other attributes with = ~= |= ^= $= *=, #id, states as :checked or :focused (which "
                + "is the keyboard's), :hidden, :accessibility-focused, :not(), :is(), :has(), :nth-child(); a space "
                + "for what is anywhere below, > for a child, + and ~ for what follows; a comma for one or the other.",
            "Each line shows role, name, window and application, and the reference, which names the element as long "
                + "as its application runs. Begin with application[name=\"…\"] where you know it: others are not "
                + "asked then.",
            "What may be missing, since an application does not respond or is still being read, is said on standard "
                + "error. Ends with 1 where nothing matches, with 2 where the selector cannot be read.",
        ],
        examples: [
            Example("focusctl find 'push-button[name=\"Save\"]'", "Every button of that name."),
            Example(
                "focusctl find 'application[name=\"gedit\"] dialog:active entry' --selector",
                "The entries of the active dialog, each with a selector that lasts."),
            Example("focusctl find '*:has(> label[name=\"Total\"])' --extents", "What holds that label, and where."),
            Example(
                "focusctl find ':checked' --json | jq -r '.busName + .path'", "The references of all that is checked."),
        ],
        run: run)

    private static func run(_ invocation: Invocation, _ session: Session) throws(CommandFailure) -> ExitCode {
        let selector = invocation.words[0]
        let limit = try invocation.number("limit", in: 1...10_000)
        let fields = [Find.Field.attributes, Find.Field.extents, Find.Field.selector].filter(invocation.has)
        let reply = try session.connect().call(
            Find.self, .init(selector: selector, limit: limit, fields: fields.isEmpty ? nil : fields), about: selector)
        if session.isJSON {
            for element in reply.elements { try session.json(element) }
        } else {
            try show(reply.elements, session.output)
        }
        StaleWords.tell(reply.stale)
        if !reply.complete, reply.stale.isEmpty {
            StaleWords.note("there are more than these \(reply.elements.count); allow more with --limit")
        }
        if reply.elements.isEmpty { Output.complain("focusctl: no element matches") }
        return reply.elements.isEmpty ? .notFoundOrRefused : .done
    }

    private static func show(_ elements: [Element], _ output: Output) throws(CommandFailure) {
        guard let width = output.terminalWidth else {
            var columns = output.columns()
            for element in elements {
                let further = ElementWords.further(element).map { Cell($0) }
                try output.row(ElementWords.row(element) + further, in: &columns)
            }
            return
        }
        // What would be of no use if cut stands on lines of its own: what was asked for, and long references.
        let isReferenceBelow = elements.contains {
            TextWidth.cells(of: ElementWords.reference(of: $0), limit: width) > width / 2
        }
        let rows = elements.map { isReferenceBelow ? Array(ElementWords.row($0).dropLast()) : ElementWords.row($0) }
        var columns = output.columns()
        for row in rows { columns.measure(row) }
        for (element, row) in zip(elements, rows) {
            try output.row(row, in: &columns)
            let below = (isReferenceBelow ? [ElementWords.reference(of: element)] : []) + ElementWords.further(element)
            for text in below { try output.line("    " + SafeText.escaped(text)) }
        }
    }
}
