import Synchronization

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
        /// Said as the name instead, whether it is text or not. The bus disconnects whoever sends what is not UTF-8.
        package var nameBytes: [UInt8]?
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
        /// Makes the child at an index that `children` does not have, when it is asked for: cells of a huge sheet.
        package var makesChildren: (@Sendable (Int) -> FakeNode)?
        /// Whether a child that was made once is the same the next time; else it dies and its path with it.
        package var keepsMadeChildren = true
        /// Relation number and targets.
        package var relations: [(UInt32, [FakeReference])] = []
        /// What the Text interface reads, where `interfaces` has it.
        package var text = ""
        package var caretOffset: Int32 = 0
        /// What the Table interface tells, where `interfaces` has it.
        package var rows: Int32 = 0, columns: Int32 = 0
        /// Whether `Cache.GetItems` lists it.
        package var isInCache = true

        var count: Int32 { childCount ?? Int32(children.count) }
    }

    /// Where the node is on the screen.
    package struct Extents: Sendable, Hashable {
        package var x: Int32 = 0, y: Int32 = 0, width: Int32 = 100, height: Int32 = 30
    }

    private struct Record: Sendable {
        var content: Content
        /// The nodes below it until it is part of an application.
        var below: [FakeNode]
    }

    private struct Placement: Sendable {
        var path = ""
        var application = ""
        var changes: ChangeCounter?
    }

    /// The name by which tests call it; unique in its application.
    package let key: String
    /// The object path that was asked for; nil: the application gives it one.
    let wantedPath: String?
    private let record: Locked<Record>
    // Apart from the content, so that a change of the content may ask for it.
    private let placement = Locked(Placement())

    /// A node for the tree of a fake application, with its children. Its interfaces follow from its role and states
    /// unless given.
    package convenience init(
        _ key: String, _ role: FakeRole, name: String = "", states: FakeStates = .shown, interfaces: [String]? = nil,
        path: String? = nil, children: [FakeNode] = []
    ) {
        var content = Content(role: role)
        content.name = name
        content.states = states
        content.interfaces = interfaces ?? role.usualInterfaces
        self.init(key, content, path: path, children: children)
    }

    /// A node that says all this; its references are replaced when it becomes part of an application.
    package init(_ key: String, _ content: Content, path: String? = nil, children: [FakeNode] = []) {
        self.key = key
        wantedPath = path
        record = Locked(Record(content: content, below: children))
    }

    /// The object path; empty until the node is part of an application.
    package var path: String { placement.withLock { $0.path } }

    /// Its reference within its application.
    package var reference: FakeReference { FakeReference(path: path) }

    /// The path of the application's accessible that it belongs to.
    package var applicationPath: String { placement.withLock { $0.application } }

    /// Anything of its content.
    package subscript<Value: Sendable>(dynamicMember member: WritableKeyPath<Content, Value>) -> Value {
        get { record.withLock { $0.content[keyPath: member] } }
        set { update { $0[keyPath: member] = newValue } }
    }

    /// Everything it says, at one moment.
    package var snapshot: Content { record.withLock { $0.content } }

    /// Changes several things at one moment. Of the node itself only its path may be asked meanwhile.
    package func update<Result: Sendable>(_ change: (inout Content) -> Result) -> Result {
        // ORDER: first the change, so that whoever sees the new number sees the change.
        defer { placement.withLock { $0.changes }?.increase() }
        return record.withLock { change(&$0.content) }
    }

    /// Part of the content without a copy of the whole.
    func read<Result: Sendable>(_ body: (Content) -> Result) -> Result { record.withLock { body($0.content) } }

    func place(at path: String, parent: FakeReference, application: String, changes: ChangeCounter) {
        placement.withLock { ($0.path, $0.application, $0.changes) = (path, application, changes) }
        record.withLock { $0.content.parent = parent }
    }

    func append(below child: FakeNode) { record.withLock { $0.below.append(child) } }

    func takeBelow() -> [FakeNode] {
        record.withLock { record in
            defer { record.below = [] }
            return record.below
        }
    }
}

/// How often anything in an application's tree was changed: what was made from the tree is good until the next change.
final class ChangeCounter: Sendable {
    private let number = Atomic<Int>(0)

    var value: Int { number.load(ordering: .acquiring) }

    func increase() { number.add(1, ordering: .acquiringAndReleasing) }
}

extension FakeRole {
    /// The interfaces that widgets of this role usually have.
    package var usualInterfaces: [String] {
        switch self {
        case .application: ["Accessible", "Application"]
        case .entry, .passwordText, .text, .terminal, .paragraph: ["Accessible", "Component", "EditableText", "Text"]
        case .label: ["Accessible", "Component", "Text"]
        case .list, .listBox, .pageTabList, .menu, .menuBar, .comboBox, .tree:
            ["Accessible", "Component", "Selection"]
        case .table, .treeTable: ["Accessible", "Component", "Selection", "Table"]
        case .pushButton, .checkBox, .radioButton, .toggleButton, .link: ["Accessible", "Action", "Component"]
        default: ["Accessible", "Component"]
        }
    }
}
