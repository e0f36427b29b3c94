import ATSPI
import AccessibilityTree
import EventLoop

/// Reads what is not known of an element's path, and keeps it: the mirror's only source besides events.
@Loop
final class PathLoader {
    typealias Completion = @Loop (Result<FocusPath, CallFailure>) -> Void

    private let bus: AccessibilityBus
    private(set) var paths = FocusPaths()
    private var waiting: [ObjectReference: [Completion]] = [:]
    /// Grows with each change of what is known of an application; rendered elements are made anew then.
    private var versions: [String: UInt64] = [:]
    /// Elements that are being read anew; true where an event told of their states or role meanwhile.
    private var overtaken: [ObjectReference: Bool] = [:]
    private var version: UInt64 = 0

    init(bus: AccessibilityBus) {
        self.bus = bus
    }

    func version(of busName: String) -> UInt64 { versions[busName] ?? 0 }

    /// The path, if all of it is known.
    func known(_ element: ObjectReference) -> FocusPath? { paths.path(of: element) }

    /// Reads what is missing, then hands out the path: at once where nothing is. Loads of one element are shared.
    func load(_ element: ObjectReference, _ completion: @escaping Completion) {
        if let path = paths.path(of: element) { return completion(.success(path)) }
        let isUnderWay = waiting[element] != nil
        waiting[element, default: []].append(completion)
        if !isUnderWay { readNext(for: element) }
    }

    private func readNext(for element: ObjectReference) {
        guard let connection = bus.live else { return finish(element, .failure(.disconnected)) }
        guard let unknown = paths.firstUnknown(from: element) else {
            return readApplication(of: element, connection) { [weak self] failure in
                guard let self else { return }
                if let failure { return self.finish(element, .failure(failure)) }
                self.finish(element, self.paths.path(of: element).map { .success($0) } ?? .failure(.malformed))
            }
        }
        connection.readNode(unknown) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let node): self.insert(node)
            case .failure(let failure):
                // Broken ancestry is survived; an application that does not answer is not waited for again and again.
                guard unknown != element, failure != .notResponding, failure != .disconnected else {
                    return self.finish(element, .failure(failure))
                }
                self.detachChild(of: unknown, below: element)
            }
            self.readNext(for: element)
        }
    }

    private func detachChild(of parent: ObjectReference, below element: ObjectReference) {
        var next = element
        while let node = paths[next] {
            guard let above = node.parent else { return }
            if above == parent { return paths.detach(next) }
            next = above
        }
    }

    private func finish(_ element: ObjectReference, _ result: Result<FocusPath, CallFailure>) {
        for completion in waiting.removeValue(forKey: element) ?? [] { completion(result) }
    }

    /// Reads who the application is, once; what it does not say counts as empty.
    private func readApplication(
        of element: ObjectReference, _ connection: BusConnection,
        _ completion: @escaping @Loop (CallFailure?) -> Void
    ) {
        let busName = element.busName
        guard paths.application(busName) == nil else { return completion(nil) }
        let root = root(of: element)
        connection.readCredentials(of: busName) { [weak self] credentials in
            guard let self else { return }
            if case .failure(let failure) = credentials, failure == .noSuchName || failure == .disconnected {
                return completion(failure)
            }
            var pid = 0
            if case .success(let found) = credentials { pid = found.pid }
            guard let root else {
                self.insert(ApplicationNode(busName: busName, name: "", toolkit: "", pid: pid))
                return completion(nil)
            }
            connection.readToolkit(root.reference) { [weak self] toolkit in
                guard let self else { return }
                var name = ""
                switch toolkit {
                case .success(let said): name = said
                case .failure(.notResponding): return completion(.notResponding)
                // Some roots do not say; then nothing is assumed of the toolkit.
                case .failure: break
                }
                self.insert(ApplicationNode(busName: busName, name: root.name, toolkit: name, pid: pid))
                completion(nil)
            }
        }
    }

    private func root(of element: ObjectReference) -> Node? {
        var next: ObjectReference? = element
        for _ in 0..<paths.limits.maximumDepth {
            guard let reference = next, let node = paths[reference] else { return nil }
            if node.role == .application { return node }
            next = node.parent
        }
        return nil
    }

    /// Reads an element and all its ancestors anew, whatever is known.
    func loadAfresh(_ element: ObjectReference, _ completion: @escaping Completion) {
        guard let path = paths.path(of: element) else {
            return readAfresh(element, from: element, depth: 0, completion)
        }
        readAfresh(element, along: path.nodes.map(\.reference)[...], completion)
    }

    /// Reads an element whose path is known anew, and of what is above it only the states; nil where that is not enough.
    ///
    /// Who stands where is for the caller to see, who asks the parents for their children at the same time.
    func refreshStates(
        along path: FocusPath, _ completion: @escaping @Loop (Result<FocusPath, CallFailure>?) -> Void
    ) {
        guard let connection = bus.live else { return completion(.failure(.disconnected)) }
        let element = path.element
        let reading = Reading(count: path.nodes.count) { [weak self] results in
            guard let self else { return }
            for node in path.nodes {
                switch results[node.reference] {
                case .success(let read) where read.parent == node.parent: self.insert(read)
                // Asking it more would only take more time.
                case .failure(let failure) where failure == .notResponding || failure == .noSuchName:
                    return completion(.failure(failure))
                default: return completion(nil)
                }
            }
            completion(self.paths.path(of: element.reference).map { .success($0) })
        }
        connection.readNode(element.reference) { reading.took($0, of: element.reference) }
        for node in path.nodes.dropFirst() {
            connection.readStates(node.reference) { result in
                reading.took(
                    result.map { states in
                        var read = node
                        read.states = states
                        return read
                    }, of: node.reference)
            }
        }
    }

    /// Nodes asked at once: with more of them an application would have more to answer than it may have.
    private static let nodesAtOnce = 4

    /// Reads anew what was known to be above an element, several at once, as long as it is still the way up.
    private func readAfresh(
        _ element: ObjectReference, along way: ArraySlice<ObjectReference>, _ completion: @escaping Completion
    ) {
        guard let connection = bus.live else { return completion(.failure(.disconnected)) }
        let asked = way.prefix(PathLoader.nodesAtOnce)
        let reading = Reading(count: asked.count) { [weak self] results in
            self?.tookAfresh(element, results, of: asked, rest: way.dropFirst(asked.count), completion)
        }
        for reference in asked { connection.readNode(reference) { reading.took($0, of: reference) } }
    }

    private func tookAfresh(
        _ element: ObjectReference, _ results: [ObjectReference: Result<Node, CallFailure>],
        of asked: ArraySlice<ObjectReference>, rest: ArraySlice<ObjectReference>, _ completion: @escaping Completion
    ) {
        for (index, reference) in zip(asked.indices, asked) {
            switch results[reference] {
            case .success(let node):
                insert(node)
                guard node.role != .application, let parent = node.parent, parent.busName == element.busName else {
                    return load(element, completion)
                }
                let known = index + 1 < asked.endIndex ? asked[index + 1] : rest.first
                // It stands elsewhere now: from there on one is read after the other.
                guard known == parent else { return readAfresh(element, from: parent, depth: index, completion) }
            case .failure(let failure):
                guard reference != element, failure != .notResponding, failure != .disconnected else {
                    return completion(.failure(failure))
                }
                paths.remove(reference)
                return load(element, completion)
            case nil: return load(element, completion)
            }
        }
        readAfresh(element, along: rest, completion)
    }

    private func readAfresh(
        _ element: ObjectReference, from reference: ObjectReference, depth: Int, _ completion: @escaping Completion
    ) {
        guard let connection = bus.live else { return completion(.failure(.disconnected)) }
        connection.readNode(reference) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let node):
                self.insert(node)
                guard node.role != .application, let parent = node.parent, parent.busName == element.busName,
                    depth < self.paths.limits.maximumDepth
                else { return self.load(element, completion) }
                self.readAfresh(element, from: parent, depth: depth + 1, completion)
            case .failure(let failure):
                guard reference != element, failure != .notResponding, failure != .disconnected else {
                    return completion(.failure(failure))
                }
                self.paths.remove(reference)
                self.load(element, completion)
            }
        }
    }

    /// Reads one element anew, without its ancestors; tells whether what is shown of it changed.
    func refresh(_ element: ObjectReference, _ completion: @escaping @Loop (Result<Bool, CallFailure>) -> Void) {
        guard let connection = bus.live else { return completion(.failure(.disconnected)) }
        overtaken[element] = false
        connection.readNode(element) { [weak self] result in
            guard let self else { return }
            let isOvertaken = self.overtaken.removeValue(forKey: element) ?? false
            completion(
                result.map { answered in
                    // As it is kept, which may be cut: an overlong name is no change each time.
                    let before = self.paths[element]
                    var node = answered
                    if isOvertaken, let before { (node.role, node.states) = (before.role, before.states) }
                    self.insert(node)
                    return self.paths[element] != before
                })
        }
    }

    // MARK: - Changes

    /// Stands for an element that could not be read: the technology is there all the same.
    func insertUnreadable(_ element: ObjectReference) -> FocusPath {
        insert(Node(reference: element, role: .unknown))
        if paths.application(element.busName) == nil {
            insert(ApplicationNode(busName: element.busName, name: "", toolkit: "", pid: 0))
        }
        return paths.path(of: element)
            ?? FocusPath(
                nodes: [Node(reference: element, role: .unknown)],
                application: ApplicationNode(busName: element.busName, name: "", toolkit: "", pid: 0), reachesTop: false
            )
    }

    func insert(_ node: Node) {
        let before = paths[node.reference]
        paths.insert(node)
        if paths[node.reference] != before { changed(node.reference.busName) }
    }

    private func insert(_ application: ApplicationNode) {
        paths.insert(application)
        changed(application.busName)
    }

    func setState(_ state: State, _ isOn: Bool, of reference: ObjectReference) -> Bool {
        overtake(reference)
        guard paths.setState(state, isOn, of: reference) else { return false }
        changed(reference.busName)
        return true
    }

    func setRole(_ role: Role, of reference: ObjectReference) {
        overtake(reference)
        if paths.setRole(role, of: reference) { changed(reference.busName) }
    }

    /// What an event says may be newer than what is being read.
    private func overtake(_ reference: ObjectReference) {
        if overtaken[reference] != nil { overtaken[reference] = true }
    }

    func remove(_ reference: ObjectReference) {
        // Most of what an application removes was never near a focus: nothing that is shown changes.
        if paths.remove(reference) { changed(reference.busName) }
    }

    func removeApplication(_ busName: String) {
        paths.removeApplication(busName)
        versions[busName] = nil
    }

    func removeAll() {
        paths.removeAll()
        versions.removeAll()
        overtaken.removeAll()
    }

    private func changed(_ busName: String) {
        version += 1
        versions[busName] = version
    }
}

/// Nodes as they are answered.
@Loop
private final class Reading {
    private var results: [ObjectReference: Result<Node, CallFailure>] = [:]
    private var awaited: Int
    private let completion: @Loop ([ObjectReference: Result<Node, CallFailure>]) -> Void

    init(count: Int, _ completion: @escaping @Loop ([ObjectReference: Result<Node, CallFailure>]) -> Void) {
        awaited = count
        self.completion = completion
    }

    func took(_ result: Result<Node, CallFailure>, of reference: ObjectReference) {
        results[reference] = result
        awaited -= 1
        if awaited == 0 { completion(results) }
    }
}
