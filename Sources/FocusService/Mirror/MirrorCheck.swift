import ATSPI
import AccessibilityTree
import EventLoop

/// Compares a sample of a mirror with live state: what events were about, and as much again in turn.
@Loop
final class MirrorCheck {
    private let reader: TreeReader
    private let questions: Questions
    private let limits: MirrorLimits
    private let completion: @Loop (_ differences: Int, _ next: Int) -> Void
    private var awaited = 0
    private var differences = 0
    private var next: Int

    /// `next` is where the part in turn begins; the completion gets where it ended.
    init(
        _ reader: TreeReader, questions: Questions, limits: MirrorLimits, from next: Int,
        _ completion: @escaping @Loop (_ differences: Int, _ next: Int) -> Void
    ) {
        self.reader = reader
        self.questions = questions
        self.limits = limits
        self.next = next
        self.completion = completion
    }

    func begin() {
        var paths: [String] = []
        var named: Set<String> = []
        for path in reader.takeTouched() where paths.count < limits.checkedNodes && named.insert(path).inserted {
            paths.append(path)
            // What came or went moves what is beside it, into sight or out of it, and not all say so.
            guard let slot = reader.tree.slot(at: path) else { continue }
            for child in reader.tree.children(of: slot).prefix(limits.checkedNodes) {
                let path = reader.tree.path(of: child)
                if paths.count < limits.checkedNodes, named.insert(path).inserted { paths.append(path) }
            }
        }
        for slot in reader.tree.slots(from: &next, count: limits.checkedNodes) {
            let path = reader.tree.path(of: slot)
            if !named.contains(path) { paths.append(path) }
        }
        awaited = 1
        for path in paths { compare(path, isNamed: named.contains(path)) }
        done()
    }

    private func compare(_ path: String, isNamed: Bool) {
        let tree = reader.tree
        guard let slot = tree.slot(at: path), tree.isRead(slot) else { return }
        let isManaging = tree.states(of: slot).contains(.managesDescendants)
        awaited += 1
        questions.readMoving(path, countsChildren: isManaging) { [weak self] in self?.took($0, of: path) }
        if tree.id(of: slot) != nil, !tree.keepsIDsInAttributes {
            awaited += 1
            questions.readID(path) { [weak self] in self?.took($0, idOf: path) }
        }
        guard !isManaging, !tree.isUnlisted(slot),
            isNamed || tree.children(of: slot).count <= limits.checkedChildren
        else { return }
        awaited += 1
        questions.readChildren(path) { [weak self] in self?.took($0, childrenOf: path) }
    }

    private func took(_ result: Result<TreeItem, CallFailure>, of path: String) {
        if let slot = reader.tree.slot(at: path) {
            switch result {
            case .success(let item):
                let isRoleOther = reader.tree.setRole(item.role, of: slot)
                let isOther = reader.tree.setStates(item.states, of: slot) || isRoleOther
                let isManaging = item.states.contains(.managesDescendants)
                let isCountOther = isManaging && reader.tree.setStatedChildCount(item.childCount, of: slot)
                if reader.tree.setName(item.name, of: slot) || isOther || isCountOther { differences += 1 }
            case .failure(.unknownObject) where !reader.tree.isRoot(slot):
                // It is gone, and nobody said so: its parent's list tells.
                differences += 1
                if let parent = reader.tree.parent(of: slot), !reader.tree.isUnlisted(slot) {
                    reader.list(parent)
                } else {
                    reader.tree.remove(slot)
                }
            case .failure: break
            }
        }
        done()
    }

    /// Few say that they have another id, and an element may get one long after it was asked. That is no sign of events
    /// that were missed.
    private func took(_ result: Result<String, CallFailure>, idOf path: String) {
        if case .success(let id) = result, let slot = reader.tree.slot(at: path), reader.tree.id(of: slot) != nil {
            reader.tree.setID(id, of: slot)
        }
        done()
    }

    private func took(_ result: Result<[ObjectReference], CallFailure>, childrenOf path: String) {
        if case .success(let references) = result, let slot = reader.tree.slot(at: path),
            reader.setChildren(of: slot, references)
        {
            differences += 1
        }
        done()
    }

    private func done() {
        awaited -= 1
        if awaited == 0 { completion(differences, next) }
    }
}
