/// One accessible of a fake application. Everything it says can be changed at any time, from any thread, also to lies.
///
/// What is in `Content` is reached on the node itself: `node.name`, `node.states.insert(.focused)`.
@dynamicMemberLookup
package final class FakeNode: Sendable {
    /// What the node says when it is asked.
    package struct Content: Sendable {
        package var role: FakeRole
        /// Nil: the usual name of the role.
        package var roleName: String?
        /// Nil: as `roleName`.
        package var localizedRoleName: String?
        package var name = ""
        package var description = ""
        /// Nil: the property does not exist, which asks for an error.
        package var accessibleID: String? = ""
        package var helpText = ""
        package var locale = "C"
        package var states: FakeStates = .shown
        /// Short names: `Accessible`, `Component`. What is not among them is not served either.
        package var interfaces = ["Accessible", "Component"]
        package var attributes: [String: String] = [:]
        package var extents = Extents()
        package var parent = FakeReference.null
        package var children: [FakeReference] = []
        /// Nil: the place where the parent really has it, −1 where it has not.
        package var indexInParent: Int32?
        /// Nil: as many as there are.
        package var childCount: Int32?
        /// Relation number and targets.
        package var relations: [(UInt32, [FakeReference])] = []
        /// What the Text interface reads, where `interfaces` has it.
        package var text = ""
        package var caretOffset: Int32 = 0
        /// Whether `Cache.GetItems` lists it.
        package var isInCache = true
    }

    /// Where the node is on the screen.
    package struct Extents: Sendable, Hashable {
        package var x: Int32 = 0, y: Int32 = 0, width: Int32 = 100, height: Int32 = 30
    }

    /// The name by which tests call it; unique in its application.
    package let key: String
    /// The object path that was asked for; nil: the application gives it one.
    let wantedPath: String?
    /// The nodes below it at first. `children` is what it says.
    let below: [FakeNode]
    private let content: Locked<Content>
    private let placed = Locked("")

    /// A node for the tree of a fake application, with its children. Its interfaces follow from its role and states
    /// unless given.
    package init(
        _ key: String, _ role: FakeRole, name: String = "", states: FakeStates = .shown, interfaces: [String]? = nil,
        path: String? = nil, children: [FakeNode] = []
    ) {
        self.key = key
        wantedPath = path
        below = children
        var content = Content(role: role)
        content.name = name
        content.states = states
        switch role {
        case .application: content.interfaces = ["Accessible", "Application"]
        case .entry, .passwordText, .text, .terminal, .paragraph:
            content.interfaces = ["Accessible", "Component", "EditableText", "Text"]
        case .label: content.interfaces = ["Accessible", "Component", "Text"]
        case .list, .listBox, .pageTabList, .menu, .menuBar, .comboBox, .table, .tree, .treeTable:
            content.interfaces = ["Accessible", "Component", "Selection"]
        case .pushButton, .checkBox, .radioButton, .toggleButton, .link:
            content.interfaces = ["Accessible", "Action", "Component"]
        default: break
        }
        if let interfaces { content.interfaces = interfaces }
        self.content = Locked(content)
    }

    /// The object path; empty until the node is part of an application.
    package var path: String { placed.withLock { $0 } }

    /// Its reference within its application.
    package var reference: FakeReference { FakeReference(path: path) }

    /// Anything of its content.
    package subscript<Value: Sendable>(dynamicMember member: WritableKeyPath<Content, Value>) -> Value {
        get { content.withLock { $0[keyPath: member] } }
        set { content.withLock { $0[keyPath: member] = newValue } }
    }

    /// Everything it says, at one moment.
    package var snapshot: Content { content.withLock { $0 } }

    func place(at path: String, parent: FakeReference) {
        placed.withLock { $0 = path }
        content.withLock { $0.parent = parent }
    }
}
