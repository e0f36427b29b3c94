import AccessibilityTree
import Selectors

/// Focus paths over few words, and the trees that hold the same nodes.
struct RandomPath {
    var random: SeededGenerator
    var names = ["", "a", "A", "b", "a b", "a\u{A0}\nb", "é", "e\u{301}", "ab", "a-b", "\u{200E}a", "שלום", "12"]

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    mutating func path(maximumNodes: Int = 9) -> FocusPath {
        let count = Int.random(in: 1...maximumNodes, using: &random)
        let reachesTop = !random.chance(1, in: 4)
        let nodes = (0..<count).map { node($0, isTop: reachesTop && $0 == count - 1, isCut: $0 == count - 1) }
        let application = ApplicationNode(
            busName: ":1.7", name: reachesTop ? "another" : random.pick(names),
            toolkit: random.pick(["gtk", "GTK", "a", ""]), pid: random.pick([12, 13]))
        return FocusPath(nodes: nodes, application: application, reachesTop: reachesTop)
    }

    private mutating func node(_ number: Int, isTop: Bool, isCut: Bool) -> Node {
        let roles: [Role] = [
            .label, .label, .pushButton, .panel, .panel, .list, .frame, .window, .dialog, Role(rawValue: 250),
        ]
        var states = StateSet()
        for state in [State.visible, .showing, .focused] where !random.chance(1, in: 3) { states.insert(state) }
        // A path ends at the first node of an application's role; what embeds others may have one further in.
        let mayBeApplication = !isCut && random.chance(1, in: 12)
        return Node(
            reference: ObjectReference(busName: ":1.7", path: "/n\(number)"),
            role: isTop || mayBeApplication ? .application : random.pick(roles), name: random.pick(names),
            description: random.pick(["", "a", "b"]), id: random.pick(["", "", "a", "b", "é"]), states: states,
            parent: isCut ? nil : ObjectReference(busName: ":1.7", path: "/n\(number + 1)"))
    }

    /// One thing changed of a path's node.
    mutating func changed(_ path: FocusPath) -> FocusPath {
        var nodes = path.nodes
        let place = Int.random(in: 0..<nodes.count, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: nodes[place].name = random.pick(names)
        case 1: nodes[place].description = random.pick(["", "a", "b"])
        case 2: nodes[place].id = random.pick(["", "a", "b", "é"])
        case 3 where nodes[place].role != .application:
            nodes[place].role = random.pick([.label, .pushButton, .panel, .dialog])
        default: nodes[place].states.bits ^= StateSet(random.pick([.visible, .showing, .focused, .active])).bits
        }
        return FocusPath(nodes: nodes, application: path.application, reachesTop: path.reachesTop)
    }
}

/// A tree that holds the nodes of a path, each the only child of the next.
struct PathTree {
    let tree: ApplicationTree
    let path: FocusPath

    init(_ path: FocusPath) {
        var tree = ApplicationTree(busName: path.element.reference.busName)
        tree.limits.maximumDepth = 2_000
        tree.application = path.application
        var parent: String?
        if !path.reachesTop {
            // What is further out is not known: nothing is said of it, so nothing matches it, but the application's name.
            if let top = tree.insertRoot("/unknown") { _ = tree.setName(path.application.name, of: top) }
            parent = "/unknown"
        }
        for node in path.nodes.reversed() {
            let place = node.reference.path
            if let parent {
                if let slot = tree.slot(at: parent) { tree.setChildren(of: slot, [place]) }
            } else {
                _ = tree.insertRoot(place)
            }
            let item = TreeItem(
                path: place, role: node.role, name: node.name, description: node.description, states: node.states)
            if let slot = tree.take(item) { tree.setID(node.id, of: slot) }
            parent = place
        }
        self.tree = tree
        self.path = path
    }

    /// Whether a selector matches each node, the element first.
    func answers(_ matcher: SelectorMatcher, ownPID: Int, focused: Set<ObjectReference>) -> [Answer] {
        var context = MatchContext(ownPID: ownPID)
        context.focused = Set(focused.compactMap { tree.slot(at: $0.path) })
        return path.nodes.map { node in
            tree.slot(at: node.reference.path).map { matcher.answer($0, in: tree, context) } ?? .unknown
        }
    }
}
