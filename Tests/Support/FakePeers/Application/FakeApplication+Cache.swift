/// The path of every application's cache.
private let cachePath = "/org/a11y/atspi/cache"
private let cacheInterface = "org.a11y.atspi.Cache"
private let modernSignature = "((so)(so)(so)iiassusau)"
private let legacySignature = "((so)(so)(so)a(so)assusau)"

extension FakeApplication {
    /// What `Cache.GetItems` answers. Which nodes it lists is said by their `isInCache`.
    package var cache: CacheStyle {
        get { state.withLock { $0.cache } }
        set { edit { $0.cache = newValue } }
    }

    /// Changes what `Cache.GetItems` lists: leaves out, repeats, reorders, adds what belongs to others, lies.
    ///
    /// Nil: the truth, the nodes in the order in which they were added.
    package func editCache(_ change: (@Sendable ([FakeCacheItem]) -> [FakeCacheItem])?) {
        edit { $0.cacheEdit = change }
    }

    /// The line that tells the truth about a node.
    package func cacheItem(_ node: FakeNode) -> FakeCacheItem {
        cacheItem(node, node.snapshot, index: indexInParent(node))
    }

    /// A line as a value; in the old signature unless told otherwise where the toolkit uses that.
    package func value(_ item: FakeCacheItem, body: EventBody? = nil) -> DBusValue {
        let head = [item.reference, item.application, item.parent].map(value)
        let tail: [DBusValue] = [
            .strings(item.interfaces), .string(item.name), .uint32(item.role), .string(item.description),
            item.states.words,
        ]
        switch body ?? eventBody {
        case .modern, .bare: return .structure(head + [.int32(item.indexInParent), .int32(item.childCount)] + tail)
        case .legacy: return .structure(head + [.array("(so)", item.children.map(value))] + tail)
        }
    }

    /// Sends `AddAccessible` of the cache for a node, in the toolkit's signature unless told otherwise.
    package func emitCacheAddition(of node: FakeNode, body: EventBody? = nil) throws {
        try emitCacheAddition(cacheItem(node), body: body)
    }

    /// Sends `AddAccessible` of the cache with anything at all.
    package func emitCacheAddition(_ item: FakeCacheItem, body: EventBody? = nil) throws {
        try emitRaw(
            path: cachePath, interface: cacheInterface, member: "AddAccessible", [value(item, body: body)])
    }

    /// Sends `RemoveAccessible` of the cache.
    package func emitCacheRemoval(of reference: FakeReference) throws {
        try emitRaw(path: cachePath, interface: cacheInterface, member: "RemoveAccessible", [value(reference)])
    }

    func cacheTruth(_ call: FakeCall) throws -> Truth {
        guard call.member == "GetItems", call.interface == nil || call.interface == cacheInterface else {
            return .unknownMethod(call)
        }
        switch cache {
        case .modern, .legacy: return .message(try cacheReply())
        case .modernEmpty: return .value(.array(modernSignature, []))
        case .legacyEmpty: return .value(.array(legacySignature, []))
        case .missing: return .unknownMethod(call)
        case .values(let values): return .values(values)
        }
    }

    /// The answer to `GetItems`, which is made once and used again until something changes.
    private func cacheReply() throws -> FakeMessage {
        // ORDER: first the version, so that what changes meanwhile makes the answer out of date.
        let version = changes.value
        if let known = state.withLock({ $0.cacheReply }), known.version == version { return known.message }
        let body: EventBody = cache == .legacy ? .legacy : .modern
        let values = cacheItems().map { value($0, body: body) }
        let signature = body == .legacy ? legacySignature : modernSignature
        let message = try FakeMessage.reply(trustedArray: values, of: signature)
        state.withLock { $0.cacheReply = (version, message) }
        return message
    }

    private func cacheItems() -> [FakeCacheItem] {
        let all = nodes
        // Where each node stands in its parent, without a search for every child of a long list.
        var places: [String: Int32] = [:]
        places.reserveCapacity(all.count)
        for parent in all {
            for (place, child) in parent.children.enumerated() {
                if find(child.path)?.parent.path == parent.path, places[child.path] == nil {
                    places[child.path] = Int32(place)
                }
            }
        }
        let items = all.compactMap { node -> FakeCacheItem? in
            let content = node.snapshot
            guard content.isInCache else { return nil }
            return cacheItem(node, content, index: content.indexInParent ?? places[node.path] ?? -1)
        }
        let edit = state.withLock { $0.cacheEdit }
        return edit?(items) ?? items
    }

    private func cacheItem(_ node: FakeNode, _ content: FakeNode.Content, index: Int32) -> FakeCacheItem {
        FakeCacheItem(
            reference: node.reference, application: FakeReference(path: node.applicationPath), parent: content.parent,
            indexInParent: index, childCount: content.count, children: content.children,
            interfaces: content.interfaces.map { "org.a11y.atspi." + $0 }, name: content.name,
            role: content.role.rawValue, description: content.description, states: content.states)
    }

    private func edit(_ change: (inout State) -> Void) {
        state.withLock { change(&$0) }
        changes.increase()
    }
}
