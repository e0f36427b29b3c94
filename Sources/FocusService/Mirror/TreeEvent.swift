import AccessibilityTree

/// What an application says of its own tree while it is mirrored. Objects are named by their paths.
enum TreeEvent: Hashable, Sendable {
    case childAdded(parent: String, child: String, index: Int?)
    case childRemoved(parent: String, child: String)
    /// A child was added or removed that the event does not name in a way that can be used.
    case childrenChanged(parent: String)
    case stateChanged(String, State, isOn: Bool)
    /// Nil where the event does not say the new name.
    case nameChanged(String, String?)
    case roleChanged(String)
    case descriptionChanged(String)
    case parentChanged(String)
    case attributesChanged(String)
    case itemAdded(TreeItem)
    case itemRemoved(String)
}
