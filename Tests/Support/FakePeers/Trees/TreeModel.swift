/// What a tree should look like, by a simple rule for each change: the expectation of property tests.
///
/// The nodes are those of a fake application, known by the same keys; the root is `root`.
package struct TreeModel: Sendable, Hashable {
    /// A node and its children, in order.
    package struct Node: Sendable, Hashable {
        package var role: FakeRole
        package var name: String
        package var states: FakeStates
        package var children: [String] = []
    }

    /// A node that is about to come, with what is below it.
    package struct Branch: Sendable, Hashable {
        package var key: String
        package var node: Node
        package var below: [Branch] = []
    }

    /// A node as a walk in document order meets it.
    package struct Line: Sendable, Hashable, CustomStringConvertible {
        package var depth: Int
        package var path: String
        package var role: FakeRole
        package var name: String
        package var states: FakeStates

        /// What a reader of the tree has seen.
        package init(depth: Int, path: String, role: FakeRole, name: String, states: FakeStates) {
            (self.depth, self.path, self.role, self.name, self.states) = (depth, path, role, name, states)
        }

        package var description: String {
            "\(String(repeating: "  ", count: depth))\(role.name) “\(name)” \(path) \(String(states.rawValue, radix: 16))"
        }
    }

    package private(set) var nodes: [String: Node]
    private var nextNumber = 0

    /// A tree that is only a root of this name.
    package init(rootName: String) {
        nodes = ["root": Node(role: .application, name: rootName, states: [])]
    }

    /// The keys in document order, each with its depth.
    package func keys() -> [(key: String, depth: Int)] {
        var found: [(key: String, depth: Int)] = []
        var waiting = [(key: "root", depth: 0)]
        while let (key, depth) = waiting.popLast() {
            guard let node = nodes[key] else { continue }
            found.append((key, depth))
            for child in node.children.reversed() { waiting.append((child, depth + 1)) }
        }
        return found
    }

    /// The whole tree in document order, with the paths that the nodes of these keys have.
    package func walk(paths: (String) -> String) -> [Line] {
        keys().compactMap { key, depth in
            nodes[key].map {
                Line(depth: depth, path: paths(key), role: $0.role, name: $0.name, states: $0.states)
            }
        }
    }

    /// The whole tree in document order, with the paths of this application.
    package func walk(in application: FakeApplication) -> [Line] {
        walk { application.find($0)?.path ?? "" }
    }

    func parent(of key: String) -> String? { nodes.first { $0.value.children.contains(key) }?.key }

    func isWithin(_ key: String, _ top: String) -> Bool {
        var current: String? = key
        while let here = current {
            if here == top { return true }
            current = parent(of: here)
        }
        return false
    }

    mutating func newKey() -> String {
        nextNumber += 1
        return "m\(nextNumber)"
    }

    /// Does to the model what an operation does to the application.
    mutating func apply(_ operation: TreeOperation) {
        switch operation {
        case .insert(let branch, let parent, let index): insert(branch, parent, index)
        case .remove(let key): remove(key)
        case .move(let key, let parent, let index):
            if let old = self.parent(of: key) { nodes[old]?.children.removeAll { $0 == key } }
            place(key, parent, index)
        case .rename(let key, let name): nodes[key]?.name = name
        case .changeRole(let key, let role): nodes[key]?.role = role
        case .setState(let key, let state, let isSet):
            if isSet { nodes[key]?.states.insert(state.states) } else { nodes[key]?.states.remove(state.states) }
        case .replaceChildren(let key, let branches):
            for child in nodes[key]?.children ?? [] { remove(child) }
            for branch in branches { insert(branch, key, .max) }
        case .recreate: break
        }
    }

    private mutating func place(_ key: String, _ parent: String, _ index: Int) {
        let count = nodes[parent]?.children.count ?? 0
        nodes[parent]?.children.insert(key, at: min(index, count))
    }

    private mutating func insert(_ branch: Branch, _ parent: String, _ index: Int) {
        nodes[branch.key] = branch.node
        place(branch.key, parent, index)
        for below in branch.below { insert(below, branch.key, .max) }
    }

    private mutating func remove(_ key: String) {
        if let parent = parent(of: key) { nodes[parent]?.children.removeAll { $0 == key } }
        for child in nodes[key]?.children ?? [] { remove(child) }
        nodes[key] = nil
    }
}
