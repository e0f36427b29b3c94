extension FakeApplication {
    /// The node of a key, or of a path. Only for nodes that the test itself made: a wrong key ends the test.
    package func node(_ key: String) -> FakeNode {
        guard let node = find(key) else { preconditionFailure("the fake application \(name) has no node “\(key)”") }
        return node
    }

    /// The node of a key or path, if it is there.
    package func find(_ key: String) -> FakeNode? { state.withLock { $0.nodes[key: key] ?? $0.nodes[path: key] } }

    /// All nodes in the order in which they were added, the root first.
    package var nodes: [FakeNode] { state.withLock { $0.nodes.all } }

    /// Bus name and path of a node, as others name it.
    package func reference(_ key: String) -> FakeReference { FakeReference(bus: busName, path: node(key).path) }

    /// The same as a value for a message.
    package func referenceValue(_ key: String) -> DBusValue { .reference(busName, node(key).path) }

    /// The same in the notation of the command line: bus name directly followed by path.
    package func referenceText(_ key: String) -> String { busName + node(key).path }

    /// A node and all nodes that are really below it, in document order, each once, whatever the children lists say.
    package func subtree(_ key: String) -> [FakeNode] { subtree(node(key)) }

    func subtree(_ top: FakeNode) -> [FakeNode] {
        var found: [FakeNode] = []
        var seen: Set<String> = []
        var waiting = [top]
        while let node = waiting.popLast() {
            guard seen.insert(node.path).inserted else { continue }
            found.append(node)
            for child in node.children.reversed() where child.bus.isEmpty || child.bus == busName {
                if let child = find(child.path) { waiting.append(child) }
            }
        }
        return found
    }

    /// Adds a node and what is below it, as the last child or at an index. Announces it only if asked.
    package func add(_ node: FakeNode, to parent: String = "root", at index: Int? = nil, announced: Bool = false) throws
    {
        let parentNode = self.node(parent)
        adopt(node, below: parentNode.reference, application: parentNode.applicationPath)
        let place = parentNode.update { content in
            let place = max(0, min(index ?? Int.max, content.children.count))
            content.children.insert(node.reference, at: place)
            return place
        }
        if announced { try announceArrival(of: node, at: place, in: parentNode) }
    }

    /// Removes a node and what is below it. Announced as the toolkit would unless told not to.
    package func remove(_ key: String, announced: Bool = true) throws {
        let removed = node(key)
        let parent = find(removed.parent.path)
        let place = parent.flatMap { take(removed, from: $0) }
        let gone = subtree(removed)
        if announced {
            if let parent, let place {
                let value = DBusValue.reference(busName, removed.path)
                try emit(.childrenChanged("remove", index: Int32(place), child: value), from: parent.path)
            }
            if toolkit != .qt {
                removed.states.insert(.defunct)
                try emit(.stateChanged("defunct", 1), from: removed.path)
            }
            if toolkit == .gtk3 { for node in gone { try emitCacheRemoval(of: node.reference) } }
        }
        forget(gone)
    }

    /// Moves a node with what is below it to another parent, or to another index of its own. It keeps its path.
    package func move(_ key: String, to parent: String, at index: Int? = nil, announced: Bool = true) throws {
        let moved = node(key)
        let (old, new) = (find(moved.parent.path), node(parent))
        let from = old.flatMap { take(moved, from: $0) }
        moved.parent = new.reference
        let place = new.update { content in
            let place = max(0, min(index ?? Int.max, content.children.count))
            content.children.insert(moved.reference, at: place)
            return place
        }
        guard announced else { return }
        let value = DBusValue.reference(busName, moved.path)
        if let old, let from {
            try emit(.childrenChanged("remove", index: Int32(from), child: value), from: old.path)
        }
        if old?.path != new.path { try emit(.propertyChange("accessible-parent", value), from: key) }
        try emit(.childrenChanged("add", index: Int32(place), child: value), from: new.path)
    }

    /// Removes a node and puts its copy, with copies of all below it, in its place: all of them with new paths.
    package func recreate(_ key: String, announced: Bool = true) throws {
        let old = node(key)
        let parent = old.parent.path
        let place = find(parent)?.children.firstIndex(of: old.reference)
        let copy = copy(of: old)
        try remove(key, announced: announced)
        try add(copy, to: parent, at: place, announced: announced)
    }

    /// Gives a node all new children.
    package func replaceChildren(of key: String, with children: [FakeNode], announced: Bool = true) throws {
        for child in node(key).children.reversed() {
            if let child = find(child.path) { try remove(child.key, announced: announced) }
        }
        for child in children { try add(child, to: key, announced: announced) }
    }

    /// The same application after a restart: a new connection, and a copy of the tree under other paths.
    ///
    /// This one has left the bus by then. Scripts are not taken over.
    package func restarted(registration: Registration = .ifPresent) throws -> FakeApplication {
        disconnect()
        let windows = root.children.compactMap { find($0.path) }.map(copy)
        let others = nodes.filter { $0.role == .application && $0 !== root }.map(copy)
        let (number, cache) = state.withLock { ($0.nextNumber, $0.cache) }
        let again = try FakeApplication(
            bus: address, name: name, toolkit: toolkit, registration: .never, rootPath: root.wantedPath ?? root.path,
            firstNumber: number + 1000, windows: windows)
        again.cache = cache
        try again.register(registration)
        for other in others { try again.addRoot(other, registration: registration) }
        return again
    }

    private func announceArrival(of node: FakeNode, at place: Int, in parent: FakeNode) throws {
        let child = DBusValue.reference(busName, node.path)
        // The cache of GTK3 tells of new objects too; GTK4 before 4.24 and Qt do not.
        if toolkit == .gtk3 { for node in subtree(node) where node.isInCache { try emitCacheAddition(of: node) } }
        try emit(.childrenChanged("add", index: Int32(place), child: child), from: parent.path)
    }

    private func take(_ node: FakeNode, from parent: FakeNode) -> Int? {
        let reference = node.reference
        return parent.update { content in
            let place = content.children.firstIndex(of: reference)
            if let place { content.children.remove(at: place) }
            return place
        }
    }

    /// Makes a node and everything below it part of the application, with paths numbered in document order.
    func adopt(_ top: FakeNode, below parent: FakeReference, application: String? = nil) {
        var placed: [(FakeNode, [FakeNode])] = []
        var application = application
        var waiting = [(top, parent)]
        while let (node, parent) = waiting.popLast() {
            let below = node.takeBelow()
            let number = state.withLock { state in
                state.nextNumber += 1
                return state.nextNumber - 1
            }
            let path = node.wantedPath ?? path(numbered: number)
            node.place(at: path, parent: parent, application: application ?? path, changes: changes)
            application = application ?? path
            state.withLock { $0.nodes.insert(node, at: path) }
            let here = FakeReference(path: path)
            for child in below.reversed() { waiting.append((child, here)) }
            placed.append((node, below))
        }
        for (node, below) in placed { node.children = below.map(\.reference) }
    }

    func forget(_ nodes: [FakeNode]) {
        state.withLock { state in
            for node in nodes {
                state.nodes.remove(node)
                for made in (state.made.removeValue(forKey: node.path) ?? [:]).values { state.nodes.remove(made) }
            }
        }
        changes.increase()
    }

    /// A copy with the same keys that belongs to no application yet, with copies of everything really below it.
    private func copy(of top: FakeNode) -> FakeNode {
        let all = subtree(top)
        var copies: [String: FakeNode] = [:]
        for node in all { copies[node.path] = FakeNode(node.key, node.snapshot) }
        var hung: Set<String> = [top.path]
        for node in all {
            for child in node.children where hung.insert(child.path).inserted {
                if let copy = copies[child.path] { copies[node.path]?.append(below: copy) }
            }
        }
        guard let copy = copies[top.path] else { preconditionFailure("a subtree has its top") }
        return copy
    }
}

// MARK: - Trees that lie

extension FakeApplication {
    /// Makes each of these nodes a child of every one of them, itself included.
    package func makeClique(_ keys: [String]) {
        let all = keys.map { node($0).reference }
        for key in keys { node(key).children = all }
    }

    /// Adds nodes below a parent, each the only child of the one before: `key0`, `key1` and so on.
    package func addChain(_ key: String, depth: Int, to parent: String = "root", role: FakeRole = .panel) throws {
        let chain = (0..<depth).map { FakeNode("\(key)\($0)", role) }
        for (upper, lower) in zip(chain, chain.dropFirst()) { upper.append(below: lower) }
        if let top = chain.first { try add(top, to: parent) }
    }
}
