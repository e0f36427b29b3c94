/// The accessibles around each focus: nodes by identity, kept true by events while their application is watched.
///
/// A node is kept from its first reading until its application leaves or stops being watched, or until newer ones push
/// it out. Reading is done elsewhere: this knows what is known.
package struct FocusPaths: Sendable {
    package struct Limits: Sendable {
        /// Nodes kept for all applications; beyond it the least recently used tenth is forgotten.
        package var maximumNodes = 2_048
        /// Ancestors followed before a path counts as broken: no toolkit nests deeper, a cycle does.
        package var maximumDepth = 1_000
        /// UTF-8 bytes of a name or description that are kept; the rest is cut with a mark.
        package var maximumTextBytes = 4_096
        package init() {}
    }

    package let limits: Limits
    private var nodes: [ObjectReference: Kept] = [:]
    private var applications: [String: ApplicationNode] = [:]
    private var clock: UInt64 = 0

    private struct Kept: Sendable {
        var node: Node
        var lastUse: UInt64
    }

    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    package var nodeCount: Int { nodes.count }

    package func nodeCount(of busName: String) -> Int {
        nodes.keys.count { $0.busName == busName }
    }

    package subscript(reference: ObjectReference) -> Node? { nodes[reference]?.node }

    package func application(_ busName: String) -> ApplicationNode? { applications[busName] }

    package mutating func insert(_ node: Node) {
        var node = isBelowSecret(node) ? node.concealed : node
        node.name = cut(node.name)
        node.description = cut(node.description)
        node.id = cut(node.id)
        clock += 1
        nodes[node.reference] = Kept(node: node, lastUse: clock)
        if nodes.count > limits.maximumNodes { forgetOldest() }
    }

    package mutating func insert(_ application: ApplicationNode) {
        applications[application.busName] = application
    }

    /// The path of an element; nil while anything of it is unknown: see ``firstUnknown(from:)``.
    package mutating func path(of element: ObjectReference) -> FocusPath? {
        guard let application = applications[element.busName] else { return nil }
        var found: [Node] = []
        var next: ObjectReference? = element
        var reachesTop = false
        clock += 1
        while let reference = next {
            guard found.count < limits.maximumDepth else { break }
            if found.contains(where: { $0.reference == reference }) { break }
            guard let kept = nodes[reference] else { return nil }
            nodes[reference]?.lastUse = clock
            found.append(kept.node)
            if kept.node.role == .application {
                reachesTop = true
                break
            }
            next = kept.node.parent.flatMap { $0.busName == element.busName ? $0 : nil }
        }
        let path = FocusPath(nodes: found, application: application, reachesTop: reachesTop)
        // What turned out to be inside of a password field or a terminal is not kept either.
        if path.isSecret {
            for node in path.nodes where nodes[node.reference]?.node != node { nodes[node.reference]?.node = node }
        }
        return path
    }

    /// The first accessible on the way up from an element that was never read; nil where all were, or the way is broken.
    package func firstUnknown(from element: ObjectReference) -> ObjectReference? {
        var next = element
        var seen: Set<ObjectReference> = []
        while let kept = nodes[next] {
            guard kept.node.role != .application, seen.insert(next).inserted, seen.count < limits.maximumDepth,
                let parent = kept.node.parent, parent.busName == element.busName
            else { return nil }
            next = parent
        }
        return next
    }

    /// Cuts a node off from a parent that cannot be read: its path ends there.
    package mutating func detach(_ reference: ObjectReference) {
        nodes[reference]?.node.parent = nil
    }

    /// Takes a change of one state; true where that changed what is known.
    package mutating func setState(_ state: State, _ isOn: Bool, of reference: ObjectReference) -> Bool {
        guard var node = nodes[reference]?.node, node.states.contains(state) != isOn else { return false }
        if isOn { node.states.insert(state) } else { node.states.remove(state) }
        nodes[reference]?.node = node
        return true
    }

    package mutating func setName(_ name: String, of reference: ObjectReference) -> Bool {
        guard let node = nodes[reference]?.node, !isBelowSecret(node) else { return false }
        let name = cut(name)
        guard node.name != name else { return false }
        nodes[reference]?.node.name = name
        return true
    }

    /// Forgets a node and all nodes known to be below it; true where it was known.
    @discardableResult
    package mutating func remove(_ reference: ObjectReference) -> Bool {
        guard nodes[reference] != nil else { return false }
        let below = nodes.keys.filter { isInside($0, reference) }
        for key in below { nodes[key] = nil }
        nodes[reference] = nil
        return true
    }

    /// Forgets all of an application.
    package mutating func removeApplication(_ busName: String) {
        applications[busName] = nil
        nodes = nodes.filter { $0.key.busName != busName }
    }

    package mutating func removeAll() {
        nodes.removeAll()
        applications.removeAll()
    }

    /// Takes another role; true where that changed what is known.
    package mutating func setRole(_ role: Role, of reference: ObjectReference) -> Bool {
        guard let node = nodes[reference]?.node, node.role != role else { return false }
        nodes[reference]?.node.role = role
        return true
    }

    /// Whether it is known to be inside of a password field or a terminal.
    private func isBelowSecret(_ node: Node) -> Bool {
        var next = node.parent
        var steps = 0
        while let current = next, let above = nodes[current]?.node, steps < limits.maximumDepth {
            if above.role.isSecret { return true }
            if above.role == .application { return false }
            next = above.parent
            steps += 1
        }
        return false
    }

    private func isInside(_ reference: ObjectReference, _ ancestor: ObjectReference) -> Bool {
        guard reference.busName == ancestor.busName else { return false }
        var next = nodes[reference]?.node.parent
        var steps = 0
        while let current = next, steps < limits.maximumDepth {
            if current == ancestor { return true }
            next = nodes[current]?.node.parent
            steps += 1
        }
        return false
    }

    private mutating func forgetOldest() {
        let uses = nodes.values.map(\.lastUse).sorted()
        let oldest = uses[uses.count / 10]
        nodes = nodes.filter { $0.value.lastUse > oldest }
    }

    private func cut(_ text: String) -> String { PlainText.cut(text, maximumBytes: limits.maximumTextBytes) }
}
