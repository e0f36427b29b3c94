import AccessibilityTree

/// One thing that was seen on the accessibility bus, as a value. Who may say it was checked.
package enum Observation: Hashable, Sendable {
    /// A connection says it is a screen reader, and which mode it enters. The sender is not recognised yet.
    case screenReaderMode(sender: String, mode: String)
    /// A screen reader says where it is.
    case screenReaderRegion(sender: String, target: ObjectReference, start: Int, end: Int)
    case stateChanged(ObjectReference, State, isOn: Bool)
    /// The deprecated `focus:` event.
    case legacyFocus(ObjectReference)
    case activeDescendantChanged(container: ObjectReference, descendant: ObjectReference)
    case windowActivated(ObjectReference)
    case windowDeactivated(ObjectReference)
    case windowDestroyed(ObjectReference)
    case windowCreated(ObjectReference)
    /// `index` is nil where the application does not know, or cannot mean it.
    case childAdded(parent: ObjectReference, index: Int?, child: ObjectReference)
    case childRemoved(parent: ObjectReference, child: ObjectReference)
    /// Something below it came or went, but the event names nothing: only its children, read again, tell.
    case childrenUnclear(parent: ObjectReference)
    /// With the new name where the event carries it.
    case nameChanged(ObjectReference, name: String?)
    case descriptionChanged(ObjectReference, description: String?)
    case roleChanged(ObjectReference, role: Role?)
    /// Nil where the event does not carry it, or names nothing. May be of another application, which does not count.
    case parentChanged(ObjectReference, parent: ObjectReference?)
    /// Some attribute or its accessible id.
    case attributesChanged(ObjectReference)
    /// An application's cache has a new item. Some send it without a change of children.
    case itemAdded(busName: String, TreeItem)
    case itemRemoved(ObjectReference)
    /// An application is new in the registry's list; `root` is the top of its tree.
    case applicationAdded(root: ObjectReference)
    case applicationRemoved(root: ObjectReference)
    case connectionJoined(busName: String)
    /// A connection left the bus.
    case connectionLeft(busName: String)
    /// A connection registered for events: assistive technologies do, sometimes before they say anything.
    case listenerRegistered(busName: String)
}

/// Why a message was not taken.
package enum Refusal: String, Sendable {
    /// Its arguments are not what the interface says.
    case malformed
    /// It speaks for somebody else: another application's object, or the bus daemon.
    case forged
}
