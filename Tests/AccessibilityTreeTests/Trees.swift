import AccessibilityTree

/// Short words for trees in tests: nodes of one application, named by numbers.
enum Trees {
    static let busName = ":1.9"

    static func reference(_ number: Int, on busName: String = Trees.busName) -> ObjectReference {
        ObjectReference(busName: busName, path: "/org/a11y/atspi/accessible/\(number)")
    }

    static let seen = StateSet(.visible, .showing, .enabled, .sensitive)

    static func node(
        _ number: Int, _ role: Role = .panel, parent: Int?, states: StateSet = seen, name: String = ""
    ) -> Node {
        Node(
            reference: reference(number), role: role, name: name, states: states,
            parent: parent.map { reference($0) })
    }

    static func application(_ toolkit: String = "gtk", on busName: String = Trees.busName) -> ApplicationNode {
        ApplicationNode(busName: busName, name: "app", toolkit: toolkit, pid: 42)
    }

    /// A path from roles and states, the element first; the application is added on top.
    static func path(_ nodes: [(Role, StateSet)], toolkit: String = "gtk", reachesTop: Bool = true) -> FocusPath {
        var all = nodes.enumerated().map { index, node in
            Trees.node(index, node.0, parent: index + 1, states: node.1)
        }
        if reachesTop { all.append(Trees.node(nodes.count, .application, parent: nil, states: StateSet())) }
        return FocusPath(nodes: all, application: application(toolkit), reachesTop: reachesTop)
    }
}

/// What is known of the tree, held by reference, so that an expectation may call what changes it.
final class Memory {
    private var paths: FocusPaths

    init(limits: FocusPaths.Limits = .init()) { paths = FocusPaths(limits: limits) }

    var nodeCount: Int { paths.nodeCount }
    func nodeCount(of busName: String) -> Int { paths.nodeCount(of: busName) }
    subscript(reference: ObjectReference) -> Node? { paths[reference] }
    func application(_ busName: String) -> ApplicationNode? { paths.application(busName) }
    func insert(_ node: Node) { paths.insert(node) }
    func insert(_ application: ApplicationNode) { paths.insert(application) }
    func path(of element: ObjectReference) -> FocusPath? { paths.path(of: element) }
    func firstUnknown(from element: ObjectReference) -> ObjectReference? { paths.firstUnknown(from: element) }
    func detach(_ reference: ObjectReference) { paths.detach(reference) }
    func setState(_ state: State, _ isOn: Bool, of reference: ObjectReference) -> Bool {
        paths.setState(state, isOn, of: reference)
    }
    func setName(_ name: String, of reference: ObjectReference) -> Bool { paths.setName(name, of: reference) }
    func remove(_ reference: ObjectReference) { paths.remove(reference) }
    func removeApplication(_ busName: String) { paths.removeApplication(busName) }
    func removeAll() { paths.removeAll() }
}
