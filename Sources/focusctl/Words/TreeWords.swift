import FocusProtocol

/// An accessible as a line of its tree.
enum TreeWords {
    /// The line: how deep it is, role, name, whose focus it is, the states that matter, and what is special.
    static func line(_ node: Node, on output: Output) -> String {
        let width = output.terminalWidth
        var pieces: [Cell.Piece] = [.text(indent(of: node, width: width) + role(of: node))]
        if !node.name.isEmpty { pieces += [.text(" "), .name(node.name)] }
        pieces += remarks(on: node).map { .text(" " + $0) }
        let cell = Cell(pieces)
        return output.paint(width.map { cell.fitted(to: $0) } ?? cell.whole, style(of: node))
    }

    /// Two spaces for each level, as long as that leaves half of the terminal; then the level's number.
    private static func indent(of node: Node, width: Int?) -> String {
        let depth = max(0, node.depth)
        let most = width.map { max(8, $0 / 2) } ?? .max
        if depth <= most / 2 { return String(repeating: " ", count: depth * 2) }
        let number = "(\(depth)) "
        return String(repeating: " ", count: max(0, most - number.count)) + number
    }

    private static func role(of node: Node) -> String {
        node.id.map { $0.isEmpty ? node.role : "\(node.role)#\($0)" } ?? node.role
    }

    private static func remarks(on node: Node) -> [String] {
        // Filled where an assistive technology is, hollow where typed keys go: never a colour alone.
        let focuses = node.focusedBy.map { ($0 == keyboardTechnology ? "◁ " : "◀ ") + $0 }
        let states = states(of: node)
        let marks = node.marks.map { words(for: $0, node) }
        return focuses + (states.isEmpty ? [] : [states.joined(separator: ", ")])
            + (marks.isEmpty ? [] : ["(" + marks.joined(separator: "; ") + ")"])
    }

    // MARK: - States

    /// States that are worth a word, in the order in which they are said.
    private static let telling = [
        "active", "modal", "busy", "checked", "indeterminate", "pressed", "selected", "expanded", "collapsed",
        "required",
        "invalid-entry", "read-only", "editable", "defunct",
    ]

    private static func states(of node: Node) -> [String] {
        let states = Set(node.states)
        var words = telling.filter(states.contains)
        // An application has no states of its own in most toolkits, nor has what was not read.
        guard node.role != "application", !states.isEmpty else { return words }
        if states.isDisjoint(with: ["sensitive", "enabled"]) { words.append("disabled") }
        if !states.contains("visible") { words.append("hidden") }
        return words
    }

    private static func style(of node: Node) -> Style {
        if !node.focusedBy.isEmpty { return .technology }
        return states(of: node).contains("hidden") ? .faint : .plain
    }

    // MARK: - Marks

    private static func words(for mark: String, _ node: Node) -> String {
        switch mark {
        case Node.Mark.cycle: "stands elsewhere already"
        case Node.Mark.unlisted: "its parent does not list it"
        case Node.Mark.managesDescendants: "\(children(of: node)), made when needed, not listed"
        case Node.Mark.childrenCut: "\(children(of: node)), more than are kept"
        case Node.Mark.depthCut: "\(children(of: node)) below, not shown"
        case Node.Mark.nameCut: "its name is longer"
        case Node.Mark.unread: "did not say what it is"
        default: mark
        }
    }

    private static func children(of node: Node) -> String {
        switch node.children {
        case nil: "children"
        case 1: "1 child"
        case .some(let count): "\(count) children"
        }
    }
}
