@testable import AccessibilityTree

/// An application's tree with paths written as short words, what changed since it began, and what must always hold.
///
/// Held by reference, so that an expectation may call what changes it.
final class TreeUnderTest {
    var tree: ApplicationTree
    /// What somebody knows who heard of every change.
    private(set) var heard: Set<ApplicationTree.Slot> = []

    init(limits: ApplicationTree.Limits = .init()) {
        tree = ApplicationTree(busName: Trees.busName, limits: limits)
        tree.recordsChanges = true
    }

    /// Parents and their children, given as lists; the first parent is the root. Everybody is read.
    convenience init(_ lists: KeyValuePairs<String, [String]>, limits: ApplicationTree.Limits = .init()) {
        self.init(limits: limits)
        if let root = lists.first?.key { _ = tree.insertRoot(root) }
        for (path, children) in lists { take(path, children: children) }
        for path in lists.flatMap(\.value) where !lists.contains(where: { $0.key == path }) {
            take(path, children: [])
        }
    }

    static func item(
        _ path: String, parent: String? = nil, index: Int? = nil, count: Int? = nil, children: [String]? = nil,
        role: Role = .panel, name: String = "", states: StateSet = Trees.seen
    ) -> TreeItem {
        TreeItem(
            path: path, parent: parent.map { ObjectReference(busName: Trees.busName, path: $0) }, index: index,
            childCount: count, children: children, role: role, name: name, states: states)
    }

    func take(
        _ path: String, parent: String? = nil, index: Int? = nil, count: Int? = nil, children: [String]? = nil,
        role: Role = .panel, name: String = "", states: StateSet = Trees.seen
    ) {
        tree.take(
            TreeUnderTest.item(
                path, parent: parent, index: index, count: count, children: children, role: role, name: name,
                states: states))
    }

    func childAdded(to parent: String, at index: Int?, _ child: String) -> [ApplicationTree.Question] {
        tree.childAdded(to: parent, at: index, child)
    }
    func childRemoved(from parent: String, _ child: String) -> Bool { tree.childRemoved(from: parent, child) }
    func itemAdded(_ item: TreeItem) -> ApplicationTree.Slot? { tree.itemAdded(item) }
    func insertRoot(_ path: String) -> ApplicationTree.Slot? { tree.insertRoot(path) }
    func insertUnlisted(_ item: TreeItem, below slot: ApplicationTree.Slot) -> ApplicationTree.Slot? {
        tree.insertUnlisted(item, below: slot)
    }
    func setChildren(of slot: ApplicationTree.Slot, _ paths: [String]) -> Bool {
        tree.setChildren(of: slot, paths)
    }
    func setName(_ name: String, of slot: ApplicationTree.Slot) -> Bool { tree.setName(name, of: slot) }
    func arrange() -> [ApplicationTree.Slot] { tree.arrange() }
    func slots(from next: inout Int, count: Int) -> [ApplicationTree.Slot] { tree.slots(from: &next, count: count) }

    func children(_ path: String) -> [String]? {
        tree.slot(at: path).map { tree.children(of: $0).map { tree.path(of: $0) } }
    }

    func parent(_ path: String) -> String? {
        tree.slot(at: path).flatMap { tree.parent(of: $0) }.map { tree.path(of: $0) }
    }

    func paths(_ slots: [ApplicationTree.Slot]) -> [String] { slots.map { tree.path(of: $0) }.sorted() }

    /// The nodes that a walk down from the roots meets, in order, each entered below its parent alone.
    var walk: [String] {
        var found: [String] = []
        var waiting = tree.roots
        while let slot = waiting.popLast() {
            found.append(tree.path(of: slot))
            let below = tree.children(of: slot).filter { tree.parent(of: $0) == slot }
            waiting += (below + tree.unlistedChildren(of: slot)).reversed()
        }
        return found
    }

    /// The first thing that does not hold, in words.
    func violation() -> String? {
        hear()
        return violationOfNodes() ?? violationOfLinks() ?? violationOfIndexes()
    }

    private func hear() {
        for change in tree.takeChanges() {
            switch change {
            case .inserted(let slot): heard.insert(slot)
            case .removed(let slot): heard.remove(slot)
            default: break
            }
        }
    }

    private func violationOfNodes() -> String? {
        let all = tree.allSlots
        if tree.nodeCount != all.count { return "\(tree.nodeCount) nodes counted, \(all.count) there" }
        let unasked = all.filter { tree.isRead($0) && tree.id(of: $0) == nil }.count
        if tree.unaskedIDCount != unasked { return "\(tree.unaskedIDCount) ids not asked, \(unasked) there" }
        let tops = all.filter { tree.parent(of: $0) == nil && !tree.isRoot($0) }
        if tree.unattachedCount != tops.count { return "\(tree.unattachedCount) unattached, \(tops.count) there" }
        if Set(tree.roots) != Set(all.filter { tree.isRoot($0) }) || Set(tree.roots).count != tree.roots.count {
            return "roots are others"
        }
        let known = Set(all.filter { tree.isRead($0) && (tree.parent(of: $0) != nil || tree.isRoot($0)) })
        if heard != known { return "heard of \(heard.map(\.number)), there are \(known.map(\.number))" }
        if all.contains(where: { tree[$0].isDoomed }) { return "doomed and there" }
        for (index, slot) in all.enumerated() {
            if tree.slot(at: tree.path(of: slot)) != slot { return "\(tree.path(of: slot)) is not found" }
            var next = tree.parent(of: slot)
            var steps = 0
            while let above = next {
                steps += 1
                if !tree.contains(above) { return "\(index) is below nothing" }
                if steps > all.count { return "\(tree.path(of: slot)) is above itself" }
                next = tree.parent(of: above)
            }
        }
        return nil
    }

    private func violationOfLinks() -> String? {
        var listers: [ApplicationTree.Slot: Set<ApplicationTree.Slot>] = [:]
        for slot in tree.allSlots {
            let children = tree.children(of: slot)
            let path = tree.path(of: slot)
            if Set(children).count != children.count { return "\(path) lists one twice" }
            if children.count > tree.limits.maximumChildren { return "\(path) lists too many" }
            for (place, child) in children.enumerated() {
                if !tree.contains(child) { return "\(path) lists nothing" }
                if tree.parent(of: child) == slot {
                    if tree.isUnlisted(child) { return "\(path) lists one that it does not list" }
                    if tree.position(of: child) != place { return "\(tree.path(of: child)) is not at \(place)" }
                } else {
                    listers[child, default: []].insert(slot)
                }
            }
            if tree.states(of: slot).contains(.managesDescendants), tree.isListed(slot) || !children.isEmpty {
                return "\(path) manages its descendants and lists some"
            }
            if let parent = tree.parent(of: slot) {
                if tree.isRoot(slot) { return "\(path) is a root and has a parent" }
                let below = tree.isUnlisted(slot) ? tree.unlistedChildren(of: parent) : tree.children(of: parent)
                if !below.contains(slot) { return "\(path) is not below its parent" }
            } else if tree.isUnlisted(slot) {
                return "\(path) is not listed and has no parent"
            }
            if tree.unlistedChildren(of: slot).contains(where: { tree.parent(of: $0) != slot || !tree.isUnlisted($0) })
            {
                return "\(path) has one unlisted that is not"
            }
        }
        if tree.otherListers != listers { return "other listers are not those" }
        if tree.otherListingCount != listers.values.reduce(0, { $0 + $1.count }) { return "listings miscounted" }
        if tree.unlisted.values.contains(where: \.isEmpty) { return "an empty list is kept" }
        if tree.unlisted.keys.contains(where: { !tree.contains($0) }) { return "unlisted below nothing" }
        return nil
    }

    private func violationOfIndexes() -> String? {
        let all = tree.allSlots
        for name in Set(all.map { PlainText.normal(tree.name(of: $0)) }) {
            let wanted = all.filter { !tree.name(of: $0).isEmpty && PlainText.normal(tree.name(of: $0)) == name }
            let found = tree.slots(named: name)
            if Set(found) != Set(wanted) || found.count != wanted.count { return "names find others for \(name)" }
        }
        for role in Set(all.map { tree.role(of: $0) } + [.invalid]) {
            let found = tree.slots(withRole: role)
            let wanted = all.filter { tree.isRead($0) && tree.role(of: $0) == role }
            if Set(found) != Set(wanted) || found.count != wanted.count { return "roles find others for \(role)" }
        }
        for id in Set(all.compactMap { tree.id(of: $0) }) where !id.isEmpty {
            let found = tree.slots(withID: id)
            if Set(found) != Set(all.filter { tree.id(of: $0) == id }) { return "ids find others for \(id)" }
        }
        if tree.idIndex.values.reduce(0, { $0 + $1.count }) != tree.ids.count { return "ids are kept of nothing" }
        let kept = Array(tree.ids.keys) + Array(tree.descriptions.keys) + Array(tree.attributesOf.keys)
        if kept.contains(where: { !tree.contains($0) }) { return "texts are kept of nothing" }
        return nil
    }
}
