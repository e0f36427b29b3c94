/// How a large tree is built.
package enum FakeShape: Sendable, Hashable {
    /// All nodes are children of one.
    case flat
    /// Each node is the only child of the one before.
    case chain
    /// Each node has so many children, level by level.
    case fan(Int)
    /// A table with rows of so many cells.
    case table(columns: Int)

    /// The number of the parent of node `number`, which is at least 1.
    func parent(of number: Int) -> Int {
        switch self {
        case .flat: return 0
        case .chain: return number - 1
        case .fan(let width): return (number - 1) / max(1, width)
        case .table(let columns):
            let place = (number - 1) % (columns + 1)
            return place == 0 ? 0 : number - place
        }
    }

    fileprivate func role(of number: Int, hasChildren: Bool) -> FakeRole {
        switch self {
        case .table(let columns): (number - 1) % (columns + 1) == 0 ? .listItem : .tableCell
        default: hasChildren ? .panel : number.isMultiple(of: 2) ? .pushButton : .label
        }
    }
}

extension FakeApplication {
    /// An application with so many nodes in all; below the root there is `n0`, a frame, then come `n1`, `n2` and so on.
    ///
    /// It only counts its calls: set `keepsCalls` to see them one by one.
    package static func large(
        bus address: String, nodes count: Int, shape: FakeShape = .fan(10), name: String = "large",
        toolkit: FakeToolkit = .gtk3, registration: Registration = .ifPresent
    ) throws -> FakeApplication {
        precondition(count >= 2, "a root and a frame at least")
        let below = count - 1
        var hasChildren = [Bool](repeating: false, count: below)
        for number in 1..<max(1, below) { hasChildren[shape.parent(of: number)] = true }
        var all = [FakeNode("n0", .frame, name: "\(name) window", states: .shown.union(.active))]
        all.reserveCapacity(below)
        for number in 1..<max(1, below) {
            let role = shape.role(of: number, hasChildren: hasChildren[number])
            let node = FakeNode(
                "n\(number)", role, name: "Node \(number)",
                states: role == .pushButton ? .shown.union(.focusable) : .shown)
            all[shape.parent(of: number)].append(below: node)
            all.append(node)
        }
        let application = try FakeApplication(
            bus: address, name: name, toolkit: toolkit, registration: .never, windows: [all[0]])
        application.keepsCalls = false
        if toolkit == .qt { application.cache = .legacyEmpty }
        try application.register(registration)
        return application
    }
}
