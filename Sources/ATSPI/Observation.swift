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
    case childRemoved(parent: ObjectReference, child: ObjectReference)
    case nameChanged(ObjectReference)
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
