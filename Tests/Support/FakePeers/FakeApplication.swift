/// A scripted AT-SPI application: a tree that can lie, served as a toolkit would, with every answer open to change.
///
/// It stays on its bus until `disconnect`, a scripted disconnection, or the end of the bus.
package final class FakeApplication: Sendable {
    /// Whether the application makes itself known to the registry of the bus.
    package enum Registration: Sendable, Hashable {
        /// If there is a registry, or one can be started.
        case ifPresent
        /// It stays unknown, as an application that registers too late.
        case never
        /// Without a registry the initializer throws.
        case required
    }

    struct Script: Sendable {
        let path: String?
        let member: String
        let interface: String?
        var timesLeft: Int?
        let reaction: Reaction
    }

    struct State: Sendable {
        var nodesByPath: [String: FakeNode] = [:]
        var pathsByKey: [String: String] = [:]
        var order: [String] = []
        var nextNumber = 1
        var scripts: [Script] = []
        var isStopped = false
        var backlog: [FakeCall] = []
        var cache: CacheStyle
        var applicationID: Int32 = 0
    }

    /// The path of every application's root.
    package static let rootPath = "/org/a11y/atspi/accessible/root"
    /// The name and path of the registry's root.
    package static let registry = FakeReference(bus: "org.a11y.atspi.Registry", path: rootPath)

    /// Its connection, for anything that is not foreseen here.
    package let connection: FakeConnection
    package let toolkit: FakeToolkit
    package let name: String
    /// The application's own accessible, key `root`.
    package let root: FakeNode
    /// Every call that came in, in order, also those that are never answered.
    package let calls = Observations<FakeCall>()

    let state: Locked<State>

    /// Connects, serves the tree and, unless told not to, registers.
    package init(
        bus address: String, name: String, toolkit: FakeToolkit = .gtk3, registration: Registration = .ifPresent,
        windows: [FakeNode] = []
    ) throws {
        self.name = name
        self.toolkit = toolkit
        connection = try FakeConnection(bus: address)
        root = FakeNode("root", .application, name: name, states: [], path: Self.rootPath, children: windows)
        let cache: CacheStyle = toolkit == .qt ? .legacyEmpty : .modern
        state = Locked(State(cache: cache))
        adopt(root, below: Self.registry)
        if toolkit == .qt { script("GetAll", .disconnect) }
        connection.serve { self.receive($0) }
        try register(registration)
    }

    /// Its unique name on the bus.
    package var busName: String { connection.uniqueName }

    /// What `Cache.GetItems` answers.
    package var cache: CacheStyle {
        get { state.withLock { $0.cache } }
        set { state.withLock { $0.cache = newValue } }
    }

    /// Announces one of its accessibles, its root unless told otherwise, to the registry as an application.
    package func embed(_ path: String = FakeApplication.rootPath) throws {
        let answer = try connection.callBlocking(
            Self.registry.bus, Self.registry.path, "org.a11y.atspi.Socket", "Embed", [.reference(busName, path)])
        if let socket = answer.first?.referenced, path == Self.rootPath { root.parent = socket }
    }

    /// Makes the application known, or leaves the bus when that is required and fails.
    func register(_ registration: Registration) throws {
        do {
            if registration != .never { try embed() }
        } catch FakePeerError.replied where registration == .ifPresent {
            // There is no registry on this bus.
        } catch {
            connection.disconnect()
            throw error
        }
    }

    /// Leaves the bus, as by a crash: nothing is announced.
    package func disconnect() { connection.disconnect() }

    /// Answers nothing from now on, as a stopped process; what comes in is kept.
    package func stop() { state.withLock { $0.isStopped = true } }

    /// Answers what came in meanwhile, in order, and everything from now on.
    package func resume() {
        connection.perform {
            let backlog = self.state.withLock { state in
                defer { (state.isStopped, state.backlog) = (false, []) }
                return state.backlog
            }
            for call in backlog { self.answer(call) }
        }
    }
}

// MARK: - The tree

extension FakeApplication {
    /// The node of a key, or of a path. Only for nodes that the test itself made: a wrong key ends the test.
    package func node(_ key: String) -> FakeNode {
        guard let node = find(key) else { preconditionFailure("the fake application \(name) has no node “\(key)”") }
        return node
    }

    /// The node of a key or path, if it is there.
    package func find(_ key: String) -> FakeNode? {
        state.withLock { $0.nodesByPath[$0.pathsByKey[key] ?? key] }
    }

    /// All nodes in the order in which they were added, the root first.
    package var nodes: [FakeNode] { state.withLock { state in state.order.compactMap { state.nodesByPath[$0] } } }

    /// Bus name and path of a node, as others name it.
    package func reference(_ key: String) -> FakeReference { FakeReference(bus: busName, path: node(key).path) }

    /// The same as a value for a message.
    package func referenceValue(_ key: String) -> DBusValue { .reference(busName, node(key).path) }

    /// The same in the notation of the command line: bus name directly followed by path.
    package func referenceText(_ key: String) -> String { busName + node(key).path }

    /// Adds a node and what is below it, as the last child or at an index. Announces it only if asked.
    package func add(_ node: FakeNode, to parent: String = "root", at index: Int? = nil, announced: Bool = false) throws
    {
        let parentNode = self.node(parent)
        adopt(node, below: parentNode.reference)
        let place = min(index ?? Int.max, parentNode.children.count)
        parentNode.children.insert(node.reference, at: place)
        if announced {
            try emit(.childrenChanged("add", index: Int32(place), child: referenceValue(node.key)), from: parent)
        }
    }

    /// Removes a node and what is below it. Announced as the toolkit would unless told not to.
    package func remove(_ key: String, announced: Bool = true) throws {
        let removed = node(key)
        let parent = find(removed.parent.path)
        let place = parent?.children.firstIndex(of: removed.reference)
        if let parent, let place {
            parent.children.remove(at: place)
            if announced {
                let value = DBusValue.reference(busName, removed.path)
                try emit(.childrenChanged("remove", index: Int32(place), child: value), from: parent.path)
            }
        }
        if announced, toolkit != .qt {
            removed.states.insert(.defunct)
            try emit(.stateChanged("defunct", 1), from: key)
        }
        forget(removed)
    }

    private func adopt(_ node: FakeNode, below parent: FakeReference) {
        let path = state.withLock { state -> String in
            let number = state.nextNumber
            state.nextNumber += 1
            let path = node.wantedPath ?? toolkit.path(number, application: name)
            state.nodesByPath[path] = node
            precondition(state.pathsByKey.updateValue(path, forKey: node.key) == nil, "two nodes “\(node.key)”")
            state.order.append(path)
            return path
        }
        node.place(at: path, parent: parent)
        for child in node.below { adopt(child, below: node.reference) }
        node.children = node.below.map(\.reference)
    }

    private func forget(_ node: FakeNode) {
        for child in node.children where child.bus.isEmpty { find(child.path).map(forget) }
        state.withLock { state in
            state.nodesByPath[node.path] = nil
            state.pathsByKey[node.key] = nil
            state.order.removeAll { $0 == node.path }
        }
    }
}

extension FakeToolkit {
    fileprivate func path(_ number: Int, application: String) -> String {
        switch self {
        case .gtk3: return "/org/a11y/atspi/accessible/\(number)"
        case .qt: return "/org/a11y/atspi/accessible/\(2_147_483_647 + number)"
        case .gtk4:
            let program = application.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
            let digits = String(number)
            let padded = String(repeating: "0", count: max(0, 12 - digits.count)) + digits
            return "/org/example/\(program.isEmpty ? "unknown" : program)/a11y/7c1fd9e2_5a0b_4c52_9a52_\(padded)"
        }
    }
}

// MARK: - Scripting and watching calls

extension FakeApplication {
    /// From now on reacts so to this method, or to the reading of this property (`Name`); the latest script wins.
    ///
    /// Without a key it holds for every node, with `times` only for the next few calls.
    package func script(
        _ member: String, on key: String? = nil, interface: String? = nil, times: Int? = nil, _ reaction: Reaction
    ) {
        let path = key.map(pathOf)
        state.withLock {
            $0.scripts.append(
                Script(path: path, member: member, interface: interface, timesLeft: times, reaction: reaction))
        }
    }

    /// Forgets all scripts: the truth again.
    package func unscript() { state.withLock { $0.scripts = [] } }

    /// How often a method was called, or a property read, on a node or on all of them.
    package func count(_ member: String, on key: String? = nil, interface: String? = nil) -> Int {
        let path = key.map(pathOf)
        return calls.count { $0.concerns(path: path, interface: interface, member: member) }
    }

    /// Waits for the `number`th such call since place `start` in `calls`; all since the beginning unless told.
    package func waitForCall(
        _ member: String, on key: String? = nil, interface: String? = nil, number: Int = 1, from start: Int = 0,
        within deadline: Duration = .seconds(10)
    ) async throws -> FakeCall {
        let path = key.map(pathOf)
        return try await calls.wait(number, from: start, within: deadline, for: "call of \(member)") {
            $0.concerns(path: path, interface: interface, member: member)
        }
    }

    /// As `waitForCall`, holding up the calling thread.
    package func waitForCallBlocking(
        _ member: String, on key: String? = nil, interface: String? = nil, number: Int = 1, from start: Int = 0,
        within deadline: Duration = .seconds(10)
    ) throws -> FakeCall {
        let path = key.map(pathOf)
        return try calls.waitBlocking(number, from: start, within: deadline, for: "call of \(member)") {
            $0.concerns(path: path, interface: interface, member: member)
        }
    }

    /// Keys are names of nodes; anything that begins with a slash is a path, also of a node that is not there.
    private func pathOf(_ key: String) -> String { key.hasPrefix("/") ? key : node(key).path }
}

extension FakeCall {
    /// Whether this is a call of the method, or a reading of the property, on that path and interface.
    package func concerns(path: String? = nil, interface: String? = nil, member: String) -> Bool {
        guard path == nil || path == self.path, self.member == member || property == member else { return false }
        guard let interface else { return true }
        let meant: Set<String> = [interface, "org.a11y.atspi." + interface]
        return [self.interface, subject].contains { $0.map(meant.contains) ?? false }
    }
}
