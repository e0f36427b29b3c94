import Testing

@testable import AccessibilityTree

/// Whatever an application claims in whatever order, the tree agrees with itself.
struct ApplicationTreePropertyTests {
    private enum Operation {
        case root(String)
        case take(TreeItem)
        case arrange
        case prune
        case children(String, [String])
        case childAdded(String, Int?, String)
        case childRemoved(String, String)
        case itemAdded(TreeItem)
        case unlisted(TreeItem, below: String)
        case state(String, State, Bool)
        case name(String, String)
        case role(String, Role)
        case description(String, String)
        case id(String, String)
        case attributes(String, [String: String]?)
        case remove(String)
    }

    @Test("A tree agrees with itself after any operations", arguments: 0..<30)
    func anyOperations(group: UInt64) {
        for run in 0..<50 {
            let seed = group * 1_000 + UInt64(run)
            var random = SeededGenerator(seed: seed)
            var limits = ApplicationTree.Limits()
            if random.chance(50) {
                limits.maximumNodes = random.pick([1, 6, 20])
                limits.maximumChildren = random.pick([0, 1, 3])
                limits.maximumDepth = random.pick([0, 1, 2, 4])
                limits.maximumTextBytes = random.pick([0, 3, 20])
                limits.maximumUnattached = random.pick([0, 2])
                limits.maximumUnlisted = random.pick([1, 2])
                limits.maximumAttributes = 1
            }
            let names = (0..<random.pick([4, 8, 14])).map { "/\($0)" }
            var operations = (0..<40).map { _ in randomOperation(&random, names) }
            guard var violation = violation(operations, limits) else { continue }
            // What is not needed for a violation only hides it.
            for index in operations.indices.reversed() {
                var fewer = operations
                fewer.remove(at: index)
                if let still = self.violation(fewer, limits) { (operations, violation) = (fewer, still) }
            }
            Issue.record("seed \(seed): \(violation) after \(operations) with \(limits)")
        }
    }

    private func violation(_ operations: [Operation], _ limits: ApplicationTree.Limits) -> String? {
        let subject = TreeUnderTest(limits: limits)
        for operation in operations {
            perform(operation, subject)
            if let violation = subject.violation() { return violation }
            if case .prune = operation, let violation = violationAfterPruning(subject) { return violation }
        }
        return nil
    }

    private func violationAfterPruning(_ subject: TreeUnderTest) -> String? {
        let walk = subject.walk
        if walk.count != subject.tree.nodeCount { return "\(walk.count) met, \(subject.tree.nodeCount) there" }
        let deepest = subject.tree.allSlots.map { subject.tree.depth(of: $0) }.max() ?? 0
        return deepest > subject.tree.limits.maximumDepth ? "\(deepest) levels" : nil
    }

    private func randomOperation(_ random: inout SeededGenerator, _ names: [String]) -> Operation {
        let path = random.pick(names)
        let other = random.pick(names)
        switch random.next() % 100 {
        case 0..<6: return .root(path)
        case 6..<22: return .take(randomItem(&random, names))
        case 22..<27: return .arrange
        case 27..<31: return .prune
        case 31..<45: return .children(path, randomList(&random, names))
        case 45..<57: return .childAdded(path, randomNumber(&random), other)
        case 57..<65: return .childRemoved(path, other)
        case 65..<73: return .itemAdded(randomItem(&random, names))
        case 73..<78: return .unlisted(randomItem(&random, names), below: path)
        case 78..<82: return .state(path, random.pick([.managesDescendants, .focused]), random.chance(50))
        case 82..<86: return .name(path, randomText(&random))
        case 86..<89: return .role(path, random.pick([.panel, .invalid, .frame]))
        case 89..<91: return .description(path, randomText(&random))
        case 91..<93: return .id(path, randomText(&random))
        case 93..<95: return .attributes(path, random.pick([nil, [:], ["a": randomText(&random), "b": "c"]]))
        default: return .remove(path)
        }
    }

    private func randomNumber(_ random: inout SeededGenerator) -> Int? {
        random.pick([nil, 0, 0, 1, 1, 2, 3, -1, -7, 1 << 31, Int.max, Int.min])
    }

    private func randomText(_ random: inout SeededGenerator) -> String {
        random.pick(["", "a", "a  b", "a b", "e\u{301}", "\u{E9}", "\u{200E}", "a long text with words in it", " "])
    }

    private func randomList(_ random: inout SeededGenerator, _ names: [String]) -> [String] {
        (0..<random.pick([0, 1, 2, 3, 5])).map { _ in random.pick(names) }
    }

    private func randomItem(_ random: inout SeededGenerator, _ names: [String]) -> TreeItem {
        var states = StateSet(.showing)
        if random.chance(10) { states.insert(.managesDescendants) }
        let parent = ObjectReference(busName: random.chance(95) ? Trees.busName : ":1.77", path: random.pick(names))
        return TreeItem(
            path: random.pick(names), parent: random.chance(85) ? parent : nil, index: randomNumber(&random),
            childCount: randomNumber(&random), children: random.chance(25) ? randomList(&random, names) : nil,
            role: random.pick([.panel, .frame, .invalid]), name: randomText(&random),
            description: randomText(&random), states: states)
    }

    private func perform(_ operation: Operation, _ subject: TreeUnderTest) {
        switch operation {
        case .root(let path): _ = subject.tree.insertRoot(path)
        case .take(let item): subject.tree.take(item)
        case .arrange: _ = subject.tree.arrange()
        case .prune: subject.tree.prune()
        case .childAdded(let parent, let index, let child): _ = subject.tree.childAdded(to: parent, at: index, child)
        case .childRemoved(let parent, let child): subject.tree.childRemoved(from: parent, child)
        case .itemAdded(let item): _ = subject.tree.itemAdded(item)
        case .children(let path, _), .unlisted(_, let path), .state(let path, _, _), .name(let path, _),
            .role(let path, _), .description(let path, _), .id(let path, _), .attributes(let path, _),
            .remove(let path):
            guard let slot = subject.tree.slot(at: path) else { return }
            perform(operation, on: slot, &subject.tree)
        }
    }

    private func perform(_ operation: Operation, on slot: ApplicationTree.Slot, _ tree: inout ApplicationTree) {
        switch operation {
        case .children(_, let list): tree.setChildren(of: slot, list)
        case .unlisted(let item, _): _ = tree.insertUnlisted(item, below: slot)
        case .state(_, let state, let isOn): tree.setState(state, isOn, of: slot)
        case .name(_, let name): tree.setName(name, of: slot)
        case .role(_, let role): tree.setRole(role, of: slot)
        case .description(_, let text): tree.setDescription(text, of: slot)
        case .id(_, let id): tree.setID(id, of: slot)
        case .attributes(_, let attributes): tree.setAttributes(attributes, of: slot)
        case .remove: tree.remove(slot)
        default: break
        }
    }
}

/// The same numbers for the same seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        // SplitMix64.
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func pick<Choice>(_ choices: [Choice]) -> Choice { choices[Int(next() % UInt64(choices.count))] }

    mutating func chance(_ percent: UInt64) -> Bool { next() % 100 < percent }
}
