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
        var paths = Array(reader.takeTouched().prefix(limits.checkedNodes))
        let named = Set(paths)
        let all = reader.tree.slots(from: &next, count: limits.checkedNodes)
        paths += all.map { reader.tree.path(of: $0) }.filter { !named.contains($0) }
        awaited = 1
        for path in paths { compare(path, isNamed: named.contains(path)) }
        done()
    }

    private func compare(_ path: String, isNamed: Bool) {
        guard let slot = reader.tree.slot(at: path), reader.tree.isRead(slot) else { return }
        awaited += 1
        questions.readItem(path) { [weak self] in self?.took($0, of: path) }
        let tree = reader.tree
        guard !tree.states(of: slot).contains(.managesDescendants),
            isNamed || tree.children(of: slot).count <= limits.checkedChildren
        else { return }
        awaited += 1
        questions.readChildren(path) { [weak self] in self?.took($0, childrenOf: path) }
    }

    private func took(_ result: Result<TreeItem, CallFailure>, of path: String) {
        if let slot = reader.tree.slot(at: path) {
            switch result {
            case .success(let item):
                let revision = reader.tree.revision
                reader.tree.update(slot, item)
                if reader.tree.revision != revision { differences += 1 }
            case .failure(.unknownObject) where !reader.tree.isRoot(slot):
                // It is gone, and nobody said so: its parent's list tells.
                differences += 1
                if let parent = reader.tree.parent(of: slot) { reader.list(parent) }
            case .failure: break
            }
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
