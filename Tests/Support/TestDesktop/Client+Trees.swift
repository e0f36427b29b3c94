import AccessibilityFocus
import FocusProtocol

extension Client {
    package func find(_ selector: String, limit: Int? = nil, fields: [String]? = nil) throws -> Find.Reply {
        try call(Find.self, .init(selector: selector, limit: limit, fields: fields))
    }

    package func waitFor(
        _ selector: String, _ condition: Wait.Condition = .present, technology: String? = nil,
        milliseconds: Int = 60_000
    ) throws -> FocusProtocol.Element? {
        try call(
            Wait.self,
            .init(
                selector: selector, condition: condition.rawValue, technology: technology,
                timeoutMilliseconds: milliseconds)
        ).element
    }

    /// A small tree in one reply.
    package func tree(_ selector: String? = nil, depth: Int? = nil) throws -> GetTree.Reply {
        try call(GetTree.self, .init(selector: selector, depth: depth))
    }

    /// A tree of any size, all its parts together.
    package func wholeTree(_ selector: String? = nil, depth: Int? = nil) throws -> GetTree.Reply {
        var stream = try stream(GetTree.self, .init(selector: selector, depth: depth))
        var whole = GetTree.Reply(nodes: [], complete: false)
        while let part = try stream.next(deadline: .after(.seconds(60))) {
            whole.nodes += part.nodes
            whole.complete = part.complete
            whole.stale = part.stale
            whole.instance = whole.instance ?? part.instance
        }
        return whole
    }

    package func move(
        selector: String, technologies: [String]? = nil, routes: [String]? = nil, milliseconds: Int = 60_000
    ) throws -> Outcome {
        try call(
            MoveFocus.self,
            .init(
                selector: selector, technologies: technologies, routes: routes, timeoutMilliseconds: milliseconds)
        ).outcome
    }
}
