import AccessibilityTree
import Selectors

/// A tree that changes at random, as applications change theirs.
struct RandomTree {
    typealias Slot = ApplicationTree.Slot

    var random: SeededGenerator
    var tree = ApplicationTree(busName: ":1.7")
    var context = MatchContext(ownPID: 12)
    private var paths: [String] = ["/a"]
    private var next = 0

    init(seed: UInt64, size: Int) {
        random = SeededGenerator(seed: seed)
        let pid = random.pick([12, 13])
        tree.application = ApplicationNode(
            busName: ":1.7", name: "a", toolkit: random.pick(["gtk", "GTK", "a"]), pid: pid)
        _ = tree.insertRoot("/a")
        tree.take(item("/a", role: .application, children: []))
        for _ in 0..<size { change() }
        _ = tree.takeChanges()
        tree.recordsChanges = true
        settle()
    }

    /// Fetches all facts, as somebody does who was told that they are needed.
    mutating func settle() {
        for slot in tree.allSlots where tree.isRead(slot) {
            if tree.id(of: slot) == nil { tree.setID(random.pick(["", "a", "b", "é"]), of: slot) }
            if tree.attributes(of: slot) == nil {
                tree.setAttributes(random.pick([[:], ["tag": "a"], ["tag": "b-a", "5 x-é": "12"]]), of: slot)
            }
            if context.texts[slot] == nil { context.texts[slot] = random.pick(["a", "b a", "é"]) }
        }
    }

    private mutating func item(_ path: String, role: Role? = nil, children: [String]? = nil) -> TreeItem {
        let roles: [Role] = [
            .label, .label, .pushButton, .pushButton, .panel, .panel, .list, .frame, .passwordText, .window,
            .scrollPane,
            .application, Role(rawValue: 250),
        ]
        var states = StateSet()
        for state in [State.visible, .showing] where !random.chance(1, in: 6) { states.insert(state) }
        if random.chance(1, in: 4) { states.insert(.focused) }
        return TreeItem(
            path: path, children: children, role: role ?? random.pick(roles), name: randomName(),
            description: random.pick(["", "a", "b"]), states: states, interfaces: random.chance(1, in: 2) ? .text : [])
    }

    private mutating func randomName() -> String {
        random.pick(["", "a", "A", "b", "a b", "a\u{A0}\nb", "é", "e\u{301}", "ab", "a-b", "\u{200E}a", "שלום"])
    }

    private mutating func newPath() -> String {
        next += 1
        paths.append("/n\(next)")
        return paths[paths.count - 1]
    }

    /// One thing that an application might do.
    mutating func change() {
        let all = tree.allSlots
        guard !all.isEmpty else { return }
        let slot = random.pick(all)
        switch Int.random(in: 0..<20, using: &random) {
        case 0...4:
            let place = Int.random(in: 0...tree.children(of: slot).count, using: &random)
            tree.setChildren(of: slot, tree.children(of: slot).map { tree.reference(of: $0).path })
            let path = newPath()
            _ = tree.childAdded(to: tree.reference(of: slot).path, at: place, path)
            if !random.chance(1, in: 8) { tree.take(item(path)) }
        case 5: tree.take(item(tree.reference(of: slot).path, role: tree.isRoot(slot) ? .application : nil))
        case 6:
            var children = tree.children(of: slot).map { tree.reference(of: $0).path }
            children.shuffle(using: &random)
            tree.setChildren(of: slot, children)
        case 7:
            guard all.count > 20, let child = tree.children(of: slot).first else { return }
            _ = tree.childRemoved(from: tree.reference(of: slot).path, tree.reference(of: child).path)
        case 8: _ = tree.insertUnlisted(item(newPath()), below: slot)
        case 9:
            // Somebody else's child.
            _ = tree.childAdded(to: tree.reference(of: slot).path, at: 0, random.pick(paths))
        case 10: tree.setRole(random.pick([.label, .panel, .list, .passwordText]), of: slot)
        case 11, 12: tree.setName(randomName(), of: slot)
        case 13: tree.setID(random.pick(["", "a", "b"]), of: slot)
        case 14: tree.setAttributes(random.pick([nil, [:], ["tag": "a"]]), of: slot)
        case 15: tree.setDescription(random.pick(["", "a"]), of: slot)
        case 16: context.focused = Set([slot])
        case 17: context.texts[slot] = random.pick(["a", "b"])
        default: tree.setState(random.pick([.visible, .showing, .focused]), random.chance(1, in: 2), of: slot)
        }
        if tree.roots.contains(where: { tree.role(of: $0) != .application }) {
            for root in tree.roots { tree.setRole(.application, of: root) }
        }
    }
}
