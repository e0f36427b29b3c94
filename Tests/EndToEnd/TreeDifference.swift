import FocusProtocol

/// Where a tree is not the one that a plain walk found.
enum TreeDifference {
    /// The first difference in words; nil where there is none.
    ///
    /// Compared is all that an accessible says, and where it stands: not which technology is on it, and not the place
    /// of the first one, whose parent is not walked.
    static func first(walked: [Node], told: [Node]) -> String? {
        for place in 0..<max(walked.count, told.count) {
            guard place < told.count else { return "not told: \(phrase(walked[place])), and what follows it" }
            guard place < walked.count else { return "told, but not there: \(phrase(told[place]))" }
            if let difference = first(walked[place], told[place], isRoot: place == 0) {
                return "node \(place), \(phrase(walked[place])): \(difference)"
            }
        }
        return nil
    }

    private static func first(_ walked: Node, _ told: Node, isRoot: Bool) -> String? {
        let fields: [(name: String, of: (Node) -> String)] = [
            ("reference", { $0.busName + $0.path }),
            ("role", { $0.role }),
            ("name", { $0.name }),
            ("description", { $0.description ?? "" }),
            ("states", { $0.states.joined(separator: " ") }),
            ("interfaces", { $0.interfaces.joined(separator: " ") }),
            ("depth", { String($0.depth) }),
            ("index", { isRoot ? "" : number($0.index) }),
            ("children", { number($0.children) }),
            ("marks", { $0.marks.sorted().joined(separator: " ") }),
        ]
        guard let field = fields.first(where: { $0.of(walked) != $0.of(told) }) else { return nil }
        return "\(field.name) is ‘\(field.of(walked))’, told ‘\(field.of(told))’ of \(phrase(told))"
    }

    private static func number(_ number: Int?) -> String { number.map(String.init) ?? "none" }

    private static func phrase(_ node: Node) -> String {
        "\(node.role) “\(node.name)” \(node.busName)\(node.path) at depth \(node.depth)"
    }
}
