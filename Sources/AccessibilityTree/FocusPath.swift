/// An element and its ancestors, the element first, up to and with the application.
package struct FocusPath: Hashable, Sendable {
    /// Never empty: the element is first.
    package let nodes: [Node]
    package let application: ApplicationNode
    /// False where the application named no parent before the top was reached (broken ancestry).
    package let reachesTop: Bool

    package init(nodes: [Node], application: ApplicationNode, reachesTop: Bool) {
        precondition(!nodes.isEmpty, "a focus path holds at least its element")
        self.nodes = FocusPath.concealing(nodes)
        self.application = application
        self.reachesTop = reachesTop
    }

    package var element: Node { nodes[0] }

    /// The window the element is in: the outermost node below the application; nil where the ancestry is broken.
    package var window: Node? {
        if let topmost = nodes.last(where: { $0.role.isWindow }) { return topmost }
        return reachesTop ? nodes.last { $0.role != .application } : nil
    }

    package func contains(_ reference: ObjectReference) -> Bool {
        nodes.contains { $0.reference == reference }
    }

    package var isInMenu: Bool { nodes.contains { $0.role.isMenu } }

    /// Whether it or anything around it is a password field or a terminal.
    package var isSecret: Bool { nodes.contains { $0.role.isSecret } }

    /// Whether nothing may be told of where in its text somebody is: what is not known to be above it may be a secret.
    package var hidesText: Bool { isSecret || !reachesTop }

    /// What stands inside of a password field or a terminal is there, without a word of what it says.
    private static func concealing(_ nodes: [Node]) -> [Node] {
        guard let outermost = nodes.lastIndex(where: { $0.role.isSecret }), outermost > 0 else { return nodes }
        return nodes[..<outermost].map { $0.concealed } + nodes[outermost...]
    }

    /// Whether it is web content, which some versions of Orca walk without telling.
    package var isInWebDocument: Bool { nodes.contains { $0.role == .documentWeb } }

    package var isDefunct: Bool { nodes.contains { $0.states.contains(.defunct) } }

    /// How its states say it is seen. What only a parent's list of children can tell is handed in.
    ///
    /// `unlisted` are nodes of the path that their parents do not list: GTK 4 shows by nothing else that one is hidden.
    package func visibility(unlisted: Set<ObjectReference> = []) -> Visibility {
        // The application node itself has no useful states.
        let seen = nodes.filter { $0.role != .application }
        guard let topmost = seen.lastIndex(where: { isUnseen($0) || unlisted.contains($0.reference) }) else {
            return .visible
        }
        let isInsideScroller = seen[(topmost + 1)...].contains { $0.role.scrollsItsContent }
        return isInsideScroller ? .scrolledOut : .hidden
    }

    private func isUnseen(_ node: Node) -> Bool {
        if !node.states.contains(.visible) { return true }
        // GTK 4 gives windows SHOWING, and nothing else.
        return application.setsShowing && !node.states.contains(.showing)
    }
}

/// Whether a person can see an element.
package enum Visibility: Hashable, Sendable {
    case visible
    /// Out of sight inside something that scrolls: a screen reader still reads it.
    case scrolledOut
    case hidden
}
