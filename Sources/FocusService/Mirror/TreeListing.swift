import AccessibilityTree
import EventLoop
import FocusProtocol

/// Goes through trees in their order, a part at a time. It shows them as they were when it began.
@Loop
struct TreeListing {
    private struct Step {
        var tree: Int
        var slot: ApplicationTree.Slot
        var lister: ApplicationTree.Slot?
        var depth: Int
        var index: Int?
    }

    private let renderers: [MirrorRenderer]
    private let maximumDepth: Int
    /// The technologies on an element.
    private let focusedBy: [ObjectReference: [String]]
    private var waiting: [Step] = []

    /// Begins with these elements, each with all below it down to a depth.
    init(
        _ starts: [(renderer: MirrorRenderer, slots: [ApplicationTree.Slot])], maximumDepth: Int,
        focusedBy: [ObjectReference: [String]]
    ) {
        renderers = starts.map(\.renderer)
        self.maximumDepth = maximumDepth
        self.focusedBy = focusedBy
        for (number, start) in starts.enumerated().reversed() {
            for slot in start.slots.reversed() {
                waiting.append(
                    Step(
                        tree: number, slot: slot, lister: start.renderer.tree.parent(of: slot), depth: 0,
                        index: start.renderer.tree.position(of: slot)))
            }
        }
    }

    var isAtEnd: Bool { waiting.isEmpty }

    /// The next nodes, at most `count`.
    mutating func next(_ count: Int) -> [FocusProtocol.Node] {
        var nodes: [FocusProtocol.Node] = []
        while nodes.count < count, let step = waiting.popLast() {
            let renderer = renderers[step.tree]
            let tree = renderer.tree
            // Who is not its parent only names it: below that it would be told twice, or for ever.
            let isRepeated =
                step.depth > 0
                && (tree.parent(of: step.slot) != step.lister
                    || step.index.map { tree.position(of: step.slot) != $0 } == true)
            let children = isRepeated ? [] : tree.children(of: step.slot)
            let isCutOff = step.depth >= maximumDepth && !children.isEmpty
            let reference = tree.reference(of: step.slot)
            nodes.append(
                renderer.node(
                    of: step.slot, depth: step.depth, index: step.index, isRepeated: isRepeated,
                    isCutOff: isCutOff, focusedBy: focusedBy[reference] ?? []))
            guard !isRepeated, step.depth < maximumDepth else { continue }
            for child in tree.unlistedChildren(of: step.slot).reversed() {
                waiting.append(Step(tree: step.tree, slot: child, lister: step.slot, depth: step.depth + 1, index: nil))
            }
            for (index, child) in children.enumerated().reversed() {
                waiting.append(
                    Step(tree: step.tree, slot: child, lister: step.slot, depth: step.depth + 1, index: index))
            }
        }
        return nodes
    }
}
