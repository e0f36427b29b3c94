import AccessibilityTree

/// An accessible with what is below it, as tests write it down.
struct Sample {
    var role: String
    var name = ""
    var states = StateSet(.visible, .showing, .sensitive)
    var id: String? = ""
    var attributes: [String: String]? = [:]
    var hasText = false
    var children: [Sample] = []
    var unlisted: [Sample] = []

    init(
        _ role: String, _ name: String = "", id: String? = "", attributes: [String: String]? = [:],
        without: State? = nil,
        with: State? = nil, hasText: Bool = false, unlisted: [Sample] = [], _ children: [Sample] = []
    ) {
        self.role = role
        self.name = name
        self.id = id
        self.attributes = attributes
        self.hasText = hasText
        self.children = children
        self.unlisted = unlisted
        if let without { states.remove(without) }
        if let with { states.insert(with) }
    }
}

/// A tree made of samples. Paths are `/0`, `/0/1`: the places on the way.
struct SampleTree {
    var tree: ApplicationTree

    init(_ root: Sample, toolkit: String = "gtk", pid: Int = 100) {
        tree = ApplicationTree(busName: ":1.5")
        tree.application = ApplicationNode(busName: ":1.5", name: root.name, toolkit: toolkit, pid: pid)
        _ = tree.insertRoot("/0")
        take(root, "/0")
    }

    private mutating func take(_ sample: Sample, _ path: String) {
        let children = sample.children.indices.map { "\(path)/\($0)" }
        let item = SampleTree.item(sample, path, children)
        guard let slot = tree.take(item) else { return }
        facts(sample, slot)
        for (child, path) in zip(sample.children, children) { take(child, path) }
        for (index, child) in sample.unlisted.enumerated() {
            let path = "\(path)/u\(index)"
            guard let added = tree.insertUnlisted(SampleTree.item(child, path, []), below: slot) else { continue }
            facts(child, added)
        }
    }

    private mutating func facts(_ sample: Sample, _ slot: ApplicationTree.Slot) {
        if let id = sample.id { tree.setID(id, of: slot) }
        if let attributes = sample.attributes { tree.setAttributes(attributes, of: slot) }
    }

    static func item(_ sample: Sample, _ path: String, _ children: [String]) -> TreeItem {
        TreeItem(
            path: path, childCount: children.count, children: children, role: role(sample.role), name: sample.name,
            description: "", states: sample.states, interfaces: sample.hasText ? .text : [])
    }

    static func role(_ name: String) -> Role {
        (UInt32(0)..<200).map(Role.init(rawValue:)).first { $0.name == name } ?? .unknown
    }

    func slot(_ path: String) -> ApplicationTree.Slot? { tree.slot(at: path) }

    func path(_ slot: ApplicationTree.Slot) -> String { tree.reference(of: slot).path }
}
