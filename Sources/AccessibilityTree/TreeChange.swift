/// One thing that changed in an ``ApplicationTree``. A slot may be free, or another node's, when it is looked at later.
package enum TreeChange: Hashable, Sendable {
    /// A node is in the tree and says what it is.
    case inserted(ApplicationTree.Slot)
    case removed(ApplicationTree.Slot)
    /// These states differ from before.
    case states(ApplicationTree.Slot, StateSet)
    case name(ApplicationTree.Slot)
    case role(ApplicationTree.Slot)
    case description(ApplicationTree.Slot)
    case id(ApplicationTree.Slot)
    case attributes(ApplicationTree.Slot)
    /// The list of its children changed, or their order.
    case children(ApplicationTree.Slot)
    /// So much changed that nothing known before counts.
    case everything
}
