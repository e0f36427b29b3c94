/// The nodes of an application, found by key or path at once, however many there are, and in the order of their coming.
struct NodeTable: Sendable {
    private var places: [String: Int] = [:]
    private var pathsByKey: [String: String] = [:]
    private var slots: [FakeNode?] = []

    /// All nodes, in the order in which they were added.
    var all: [FakeNode] { slots.compactMap { $0 } }

    var count: Int { places.count }

    subscript(path path: String) -> FakeNode? { places[path].flatMap { slots[$0] } }

    subscript(key key: String) -> FakeNode? { pathsByKey[key].flatMap { self[path: $0] } }

    mutating func reserve(_ count: Int) {
        places.reserveCapacity(places.count + count)
        pathsByKey.reserveCapacity(pathsByKey.count + count)
        slots.reserveCapacity(slots.count + count)
    }

    mutating func insert(_ node: FakeNode, at path: String) {
        precondition(pathsByKey.updateValue(path, forKey: node.key) == nil, "two nodes “\(node.key)”")
        precondition(places.updateValue(slots.count, forKey: path) == nil, "two nodes at \(path)")
        slots.append(node)
    }

    mutating func remove(_ node: FakeNode) {
        guard let place = places.removeValue(forKey: node.path) else { return }
        pathsByKey[node.key] = nil
        slots[place] = nil
        guard slots.count > 64, slots.count > 2 * places.count else { return }
        slots = slots.filter { $0 != nil }
        for (place, node) in slots.enumerated() { if let node { places[node.path] = place } }
    }
}
