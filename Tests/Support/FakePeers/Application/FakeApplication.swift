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

    struct State: Sendable {
        var nodes = NodeTable()
        var nextNumber: Int
        /// Children that were made on demand: by path of the parent, then index.
        var made: [String: [Int: FakeNode]] = [:]
        var scripts: [Script] = []
        var isStopped = false
        var backlog: [FakeCall] = []
        var cache: CacheStyle
        var cacheEdit: (@Sendable ([FakeCacheItem]) -> [FakeCacheItem])?
        var cacheReply: (version: Int, message: FakeMessage)?
        var applicationID: Int32 = 0
        var keepsCalls = true
        var tally: [String: Int] = [:]
        /// What is announced while `collect` runs; nil: it goes out at once.
        var collected: [FakeMessage]?
    }

    /// The path that most toolkits give their root.
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

    let address: String
    let state: Locked<State>
    let changes = ChangeCounter()
    private let pathPrefix: String

    /// Connects, serves the tree and, unless told not to, registers.
    ///
    /// The paths of its accessibles are numbered from `firstNumber` on; an application that was restarted has others.
    package init(
        bus address: String, name: String, toolkit: FakeToolkit = .gtk3, registration: Registration = .ifPresent,
        rootPath: String = FakeApplication.rootPath, firstNumber: Int = 1, windows: [FakeNode] = []
    ) throws {
        self.name = name
        self.toolkit = toolkit
        self.address = address
        connection = try FakeConnection(bus: address)
        root = FakeNode("root", .application, name: name, states: [], path: rootPath, children: windows)
        pathPrefix = toolkit.pathPrefix(application: name)
        state = Locked(State(nextNumber: firstNumber, cache: toolkit == .qt ? .legacyEmpty : .modern))
        adopt(root, below: Self.registry)
        if toolkit == .qt { script("GetAll", .disconnect) }
        connection.serve { self.receive($0) }
        try register(registration)
    }

    /// Its unique name on the bus.
    package var busName: String { connection.uniqueName }

    /// Announces one of its accessibles, its root unless told otherwise, to the registry as an application.
    package func embed(_ path: String? = nil) throws {
        let path = path ?? root.path
        let answer = try connection.callBlocking(
            Self.registry.bus, Self.registry.path, "org.a11y.atspi.Socket", "Embed", [.reference(busName, path)])
        if let socket = answer.first?.referenced { find(path)?.parent = socket }
    }

    /// Takes one of its accessibles, its root unless told otherwise, from the registry.
    package func unembed(_ path: String? = nil) throws {
        _ = try connection.callBlocking(
            Self.registry.bus, Self.registry.path, "org.a11y.atspi.Socket", "Unembed",
            [.reference(busName, path ?? root.path)])
    }

    /// Makes the application known, perhaps late; leaves the bus when that is required and fails.
    package func register(_ registration: Registration) throws {
        do {
            if registration != .never { try embed() }
        } catch FakePeerError.replied where registration == .ifPresent {
            // There is no registry on this bus.
        } catch {
            connection.disconnect()
            throw error
        }
    }

    /// Gives the connection one more accessible of role application, with what is below it, and registers that too.
    ///
    /// The registry then lists the process twice.
    package func addRoot(_ node: FakeNode, registration: Registration = .ifPresent) throws {
        adopt(node, below: Self.registry)
        do {
            if registration != .never { try embed(node.path) }
        } catch FakePeerError.replied where registration == .ifPresent {
            // There is no registry on this bus.
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

    func path(numbered number: Int) -> String {
        switch toolkit {
        case .gtk3: return pathPrefix + String(number)
        case .qt: return pathPrefix + String(2_147_483_647 + number)
        case .gtk4:
            let digits = String(number)
            return pathPrefix + String(repeating: "0", count: max(0, 12 - digits.count)) + digits
        }
    }
}

extension FakeToolkit {
    fileprivate func pathPrefix(application: String) -> String {
        guard self == .gtk4 else { return "/org/a11y/atspi/accessible/" }
        let program = application.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return "/org/example/\(program.isEmpty ? "unknown" : program)/a11y/7c1fd9e2_5a0b_4c52_9a52_"
    }
}
