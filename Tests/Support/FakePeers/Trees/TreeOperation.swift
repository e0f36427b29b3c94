/// One change of a tree.
package enum TreeOperation: Sendable, Hashable {
    /// A state that goes on and off, with the name that events give it.
    package struct State: Sendable, Hashable {
        package let name: String
        package let states: FakeStates

        static let all = [
            State(name: "showing", states: .showing), State(name: "visible", states: .visible),
            State(name: "sensitive", states: .sensitive), State(name: "enabled", states: .enabled),
            State(name: "checked", states: .checked), State(name: "expanded", states: .expanded),
            State(name: "selected", states: .selected), State(name: "focusable", states: .focusable),
        ]
    }

    case insert(TreeModel.Branch, parent: String, index: Int)
    case remove(String)
    case move(String, parent: String, index: Int)
    case rename(String, String)
    case changeRole(String, FakeRole)
    case setState(String, State, Bool)
    case replaceChildren(String, [TreeModel.Branch])
    /// The node and all below it come again, the same but for their paths.
    case recreate(String)
}

extension TreeOperation: CustomStringConvertible {
    package var description: String {
        switch self {
        case .insert(let branch, let parent, let index): "insert \(branch) in \(parent) at \(index)"
        case .remove(let key): "remove \(key)"
        case .move(let key, let parent, let index): "move \(key) to \(parent) at \(index)"
        case .rename(let key, let name): "rename \(key) to “\(name)”"
        case .changeRole(let key, let role): "make \(key) a \(role.name)"
        case .setState(let key, let state, let isSet): "set \(state.name) of \(key) to \(isSet)"
        case .replaceChildren(let key, let branches): "give \(key) all new children: \(branches)"
        case .recreate(let key): "recreate \(key)"
        }
    }
}

extension TreeModel.Branch: CustomStringConvertible {
    package var description: String {
        below.isEmpty ? key : "\(key)(\(below.map(\.description).joined(separator: " ")))"
    }

    var fakeNode: FakeNode {
        FakeNode(key, node.role, name: node.name, states: node.states, children: below.map(\.fakeNode))
    }
}

extension TreeModel {
    /// A random change that is possible now.
    mutating func randomOperation(using generator: inout SeededGenerator) -> TreeOperation {
        let all = keys().map(\.key)
        let key = all[Int.random(in: 0..<all.count, using: &generator)]
        guard key != "root", let old = parent(of: key), let node = nodes[key] else {
            return insertion(in: "root", using: &generator)
        }
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<30: return insertion(in: key, using: &generator)
        case 30..<45: return .remove(key)
        case 45..<58:
            let targets = all.filter { !isWithin($0, key) && ($0 != "root" || old == "root") }
            guard let target = targets.randomElement(using: &generator) else { return .recreate(key) }
            let places = (nodes[target]?.children.count ?? 0) - (target == old ? 1 : 0)
            return .move(key, parent: target, index: Int.random(in: 0...places, using: &generator))
        case 58..<70: return .rename(key, Self.name(using: &generator))
        case 70..<76: return .changeRole(key, Self.role(using: &generator))
        case 76..<90:
            let state = TreeOperation.State.all.randomElement(using: &generator) ?? TreeOperation.State.all[0]
            return .setState(key, state, !node.states.contains(state.states))
        case 90..<95:
            let count = Int.random(in: 0...4, using: &generator)
            return .replaceChildren(key, (0..<count).map { _ in branch(depth: 1, using: &generator) })
        default: return .recreate(key)
        }
    }

    private mutating func insertion(in parent: String, using generator: inout SeededGenerator) -> TreeOperation {
        let index = Int.random(in: 0...(nodes[parent]?.children.count ?? 0), using: &generator)
        return .insert(branch(depth: 2, using: &generator), parent: parent, index: index)
    }

    private mutating func branch(depth: Int, using generator: inout SeededGenerator) -> Branch {
        let node = Node(
            role: Self.role(using: &generator), name: Self.name(using: &generator),
            states: Bool.random(using: &generator) ? .shown : .shown.union(.focusable))
        let count = depth == 0 ? 0 : Int.random(in: 0...2, using: &generator)
        let key = newKey()
        return Branch(key: key, node: node, below: (0..<count).map { _ in branch(depth: depth - 1, using: &generator) })
    }

    private static func role(using generator: inout SeededGenerator) -> FakeRole {
        [.panel, .list, .listItem, .pushButton, .label, .checkBox, .table, .tableCell]
            .randomElement(using: &generator) ?? .panel
    }

    private static func name(using generator: inout SeededGenerator) -> String {
        ["", "OK", "Cancel", "Zurück", "two words", "a\nb", "שלום", "\"quoted\""].randomElement(using: &generator) ?? ""
    }
}
