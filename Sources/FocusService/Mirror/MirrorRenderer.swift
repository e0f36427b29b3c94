import AccessibilityTree
import EventLoop
import FocusProtocol

/// Elements and nodes of mirrors as clients see them.
@Loop
struct MirrorRenderer {
    let application: DesktopApplication
    let tree: ApplicationTree

    init(_ application: DesktopApplication, _ tree: ApplicationTree) {
        self.application = application
        self.tree = tree
    }

    func element(of slot: ApplicationTree.Slot) -> Element {
        let id = tree.id(of: slot) ?? ""
        let description = tree.description(of: slot)
        return Element(
            busName: tree.busName, path: tree.path(of: slot), role: tree.role(of: slot).name, name: tree.name(of: slot),
            description: description.isEmpty ? nil : description, id: id.isEmpty ? nil : id,
            states: tree.states(of: slot).names, interfaces: tree.interfaces(of: slot).names, window: window(of: slot),
            application: shownApplication(above: slot))
    }

    /// The application, with the name of the root that an element is below.
    private func shownApplication(above slot: ApplicationTree.Slot) -> Application {
        var top = slot
        while let parent = tree.parent(of: top) { top = parent }
        let name = tree.isRoot(top) ? tree.name(of: top) : application.node.name
        return Application(
            name: name, pid: application.node.pid, toolkit: application.node.toolkit, busName: application.busName,
            responding: application.mirror?.life != .unresponsive)
    }

    private func window(of slot: ApplicationTree.Slot) -> Window? {
        var found: ApplicationTree.Slot?
        var below: ApplicationTree.Slot?
        var next: ApplicationTree.Slot? = slot
        while let current = next {
            if tree.role(of: current).isWindow { found = current }
            if !tree.isRoot(current) { below = current }
            next = tree.parent(of: current)
        }
        return (found ?? below).map {
            Window(busName: tree.busName, path: tree.path(of: $0), name: tree.name(of: $0))
        }
    }

    func node(
        of slot: ApplicationTree.Slot, depth: Int, index: Int?, isRepeated: Bool, isCutOff: Bool, focusedBy: [String]
    ) -> FocusProtocol.Node {
        let id = tree.id(of: slot) ?? ""
        let description = tree.description(of: slot)
        let states = tree.states(of: slot)
        var marks: [String] = []
        if isRepeated { marks.append(FocusProtocol.Node.Mark.cycle) }
        if tree.isUnlisted(slot) { marks.append(FocusProtocol.Node.Mark.unlisted) }
        if states.contains(.managesDescendants) { marks.append(FocusProtocol.Node.Mark.managesDescendants) }
        if tree.hasChildrenCut(slot) { marks.append(FocusProtocol.Node.Mark.childrenCut) }
        if tree.hasDepthCut(slot) || isCutOff { marks.append(FocusProtocol.Node.Mark.depthCut) }
        if tree.hasNameCut(slot) { marks.append(FocusProtocol.Node.Mark.nameCut) }
        if !tree.isRead(slot) { marks.append(FocusProtocol.Node.Mark.unread) }
        return FocusProtocol.Node(
            busName: tree.busName, path: tree.path(of: slot), role: tree.role(of: slot).name, name: tree.name(of: slot),
            description: description.isEmpty ? nil : description, id: id.isEmpty ? nil : id, states: states.names,
            interfaces: tree.interfaces(of: slot).names, depth: depth, index: index,
            children: tree.statedChildCount(of: slot), focusedBy: focusedBy, marks: marks)
    }
}
