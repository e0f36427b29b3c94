/// How the signals of a change reach those who listen.
package enum SignalDelivery: Sendable, Hashable, CaseIterable {
    /// As the toolkit sends them.
    case faithful
    /// In any order.
    case shuffled
    /// Each of them twice.
    case repeated
    /// About half of them not at all.
    case lossy
    /// None.
    case silent
}

/// A random life of a tree: each change is made in a model and in a fake application, and announced as wanted.
///
/// Its description has the seed and all changes so far: what a test prints when it fails.
package struct TreeRehearsal: CustomStringConvertible {
    package let seed: UInt64
    package let application: FakeApplication
    package private(set) var model: TreeModel
    /// Every change so far, with the way its signals went.
    package private(set) var history: [(operation: TreeOperation, delivery: SignalDelivery)] = []
    private var generator: SeededGenerator

    /// A tree of about so many nodes in an application that has none but its root so far.
    package init(seed: UInt64, application: FakeApplication, nodes: Int = 20) throws {
        self.seed = seed
        self.application = application
        generator = SeededGenerator(seed: seed)
        model = TreeModel(rootName: application.root.name)
        while model.nodes.count < nodes {
            let operation = model.randomOperation(using: &generator)
            if case .insert = operation { try perform(operation, .silent) }
        }
    }

    /// Makes one random change; answers what it was.
    @discardableResult
    package mutating func step(_ delivery: SignalDelivery = .faithful) throws -> TreeOperation {
        let operation = model.randomOperation(using: &generator)
        try perform(operation, delivery)
        return operation
    }

    /// Makes one certain change.
    package mutating func perform(_ operation: TreeOperation, _ delivery: SignalDelivery = .faithful) throws {
        history.append((operation, delivery))
        model.apply(operation)
        let application = application
        var messages = try application.collect { try application.perform(operation) }
        switch delivery {
        case .faithful: break
        case .shuffled: messages.shuffle(using: &generator)
        case .repeated: messages = messages.flatMap { [$0, $0] }
        case .lossy: messages = messages.filter { _ in Bool.random(using: &generator) }
        case .silent: messages = []
        }
        application.announce(messages)
    }

    /// What the tree should look like to whoever reads it now.
    package func walk() -> [TreeModel.Line] { model.walk(in: application) }

    package var description: String {
        let lines = history.enumerated().map { "\($0). \($1.operation) (\($1.delivery))" }
        return "seed \(seed), \(application.toolkit)\n" + lines.joined(separator: "\n")
    }
}

extension FakeApplication {
    /// Makes a change and announces it as the toolkit would.
    package func perform(_ operation: TreeOperation) throws {
        switch operation {
        case .insert(let branch, let parent, let index):
            try add(branch.fakeNode, to: parent, at: index, announced: true)
        case .remove(let key): try remove(key)
        case .move(let key, let parent, let index): try move(key, to: parent, at: index)
        case .rename(let key, let name): try rename(key, to: name)
        case .changeRole(let key, let role): try changeRole(key, to: role)
        case .setState(let key, let state, let isSet):
            try setState(state.states, named: state.name, isSet, on: key)
        case .replaceChildren(let key, let branches):
            try replaceChildren(of: key, with: branches.map(\.fakeNode))
        case .recreate(let key): try recreate(key)
        }
    }
}
