/// What is known of one accessible: what its application last said.
package struct Node: Hashable, Sendable {
    package var reference: ObjectReference
    package var role: Role
    package var name: String
    package var description: String
    /// The accessible id that the application gave it, empty where it gave none.
    package var id: String
    package var states: StateSet
    /// Short names of its AT-SPI interfaces, like `Component`.
    package var interfaces: [String]
    /// Nil at the top, and where the application names nothing usable.
    package var parent: ObjectReference?

    package init(
        reference: ObjectReference, role: Role, name: String = "", description: String = "", id: String = "",
        states: StateSet = StateSet(), interfaces: [String] = [], parent: ObjectReference? = nil
    ) {
        self.reference = reference
        self.role = role
        self.name = name
        self.description = description
        self.id = id
        self.states = states
        self.interfaces = interfaces
        self.parent = parent
    }

    /// The same without what it says.
    package var concealed: Node {
        guard !name.isEmpty || !description.isEmpty else { return self }
        var node = self
        (node.name, node.description) = ("", "")
        return node
    }
}

/// An application as the top of its own tree shows it.
package struct ApplicationNode: Hashable, Sendable {
    package var busName: String
    package var name: String
    package var toolkit: String
    package var pid: Int

    package init(busName: String, name: String, toolkit: String, pid: Int) {
        self.busName = busName
        self.name = name
        self.toolkit = toolkit
        self.pid = pid
    }

    /// GTK 4 sets neither SHOWING nor ENABLED on widgets, so their absence means nothing there.
    package var setsShowing: Bool { toolkit != "GTK" }
}
