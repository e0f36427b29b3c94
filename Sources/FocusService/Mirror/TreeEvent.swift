import ATSPI
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
    /// Nil where the event does not say the new one.
    case roleChanged(String, Role?)
    /// Nil where the event does not say the new one.
    case descriptionChanged(String, String?)
    case parentChanged(String)
    case attributesChanged(String)
    case itemAdded(TreeItem)
    case itemRemoved(String)
    /// A window came or went.
    case windowsChanged

    /// What an observation says of a tree, and of whose; nil where it is about something else.
    static func from(_ observation: Observation) -> (busName: String, event: TreeEvent)? {
        switch observation {
        case .stateChanged(let reference, let state, let isOn):
            (reference.busName, .stateChanged(reference.path, state, isOn: isOn))
        case .childAdded(let parent, let index, let child):
            (parent.busName, .childAdded(parent: parent.path, child: child.path, index: index))
        case .childRemoved(let parent, let child):
            (parent.busName, .childRemoved(parent: parent.path, child: child.path))
        case .childrenUnclear(let parent): (parent.busName, .childrenChanged(parent: parent.path))
        case .nameChanged(let reference, let name): (reference.busName, .nameChanged(reference.path, name))
        case .descriptionChanged(let reference, let description):
            (reference.busName, .descriptionChanged(reference.path, description))
        case .roleChanged(let reference, let role): (reference.busName, .roleChanged(reference.path, role))
        case .parentChanged(let reference, _): (reference.busName, .parentChanged(reference.path))
        case .attributesChanged(let reference): (reference.busName, .attributesChanged(reference.path))
        case .itemAdded(let busName, let item): (busName, .itemAdded(item))
        case .itemRemoved(let reference): (reference.busName, .itemRemoved(reference.path))
        // The application says by its children, too, which windows it has; not all do, so its list is read.
        case .windowCreated(let window), .windowDestroyed(let window): (window.busName, .windowsChanged)
        case .screenReaderMode, .screenReaderRegion, .legacyFocus, .activeDescendantChanged, .windowActivated,
            .windowDeactivated, .applicationAdded, .applicationRemoved, .connectionJoined, .connectionLeft,
            .listenerRegistered:
            nil
        }
    }
}
