import ATSPI
import AccessibilityTree
import EventLoop

extension ApplicationMirror {
    /// Hangs an element that a focus is on, with what is above it, into the tree if it is not there.
    func insert(_ path: FocusPath) {
        guard life == .live else { return }
        for (node, parent) in zip(path.nodes, path.nodes.dropFirst()).reversed() {
            guard tree.slot(at: node.reference.path) == nil, let above = tree.slot(at: parent.reference.path) else {
                continue
            }
            let item = TreeItem(
                path: node.reference.path, parent: parent.reference, role: node.role, name: node.name,
                description: node.description, states: node.states,
                interfaces: InterfaceSet(node.interfaces.map { InterfaceSet(name: $0) }))
            _ = tree.insertUnlisted(item, below: above)
        }
        publish()
    }
}
