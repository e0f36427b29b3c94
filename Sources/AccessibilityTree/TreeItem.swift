/// What an application says of one accessible when it lists many at once, as its cache does.
package struct TreeItem: Hashable, Sendable {
    package var path: String
    /// Nil where it names none; may be of another application, which does not count.
    package var parent: ObjectReference?
    /// Its place among its parent's children; nil where its application does not know.
    package var index: Int?
    /// How many children it has; nil where its application does not know.
    package var childCount: Int?
    /// The paths of its children, where they were listed with it.
    package var children: [String]?
    package var role: Role
    package var name: String
    package var description: String
    package var states: StateSet
    package var interfaces: InterfaceSet

    package init(
        path: String, parent: ObjectReference? = nil, index: Int? = nil, childCount: Int? = nil,
        children: [String]? = nil, role: Role, name: String = "", description: String = "",
        states: StateSet = StateSet(), interfaces: InterfaceSet = []
    ) {
        self.path = path
        self.parent = parent
        self.index = index
        self.childCount = childCount
        self.children = children
        self.role = role
        self.name = name
        self.description = description
        self.states = states
        self.interfaces = interfaces
    }
}
