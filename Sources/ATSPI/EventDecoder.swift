import AccessibilityTree
import EventLoop

/// Turns signals into observations. Whatever does not fit is refused with a reason and changes nothing.
@Loop
struct EventDecoder {
    enum Outcome {
        case observation(Observation)
        case refused(Refusal)
        /// The registry came, went, or was replaced.
        case registry(owner: String?)
        case irrelevant
    }

    /// The registry's unique name, once known.
    var registryName: String?

    func decode(_ message: IncomingMessage) -> Outcome {
        do {
            return try decodeChecked(message)
        } catch {
            return .refused(.malformed)
        }
    }

    private func decodeChecked(_ message: IncomingMessage) throws(MalformedMessage) -> Outcome {
        if message.isInterface("org.a11y.atspi.Event.ScreenReader") { return try screenReader(message) }
        if message.isInterface("org.a11y.atspi.Event.Object") { return try object(message) }
        if message.isInterface("org.a11y.atspi.Event.Window") { return window(message) }
        if message.isInterface("org.a11y.atspi.Event.Focus") {
            guard let source = source(message) else { return .refused(.malformed) }
            return .observation(.legacyFocus(source))
        }
        if message.isInterface("org.a11y.atspi.Cache") { return try cache(message) }
        if message.isInterface("org.freedesktop.DBus") { return try daemon(message) }
        if message.isInterface("org.a11y.atspi.Registry") { return try registry(message) }
        return .irrelevant
    }

    /// `siiva{sv}`: a word, two numbers, the target as `(so)` in the variant.
    private func screenReader(_ message: IncomingMessage) throws(MalformedMessage) -> Outcome {
        var reader = message.reader
        let detail = try reader.string()
        let first = try reader.int32()
        let second = try reader.int32()
        if message.isMember("ModeChanged") {
            return .observation(.screenReaderMode(sender: message.sender, mode: detail))
        }
        guard message.isMember("RegionChanged") else { return .irrelevant }
        guard let target = try reader.variant({ (value) throws(MalformedMessage) in try value.reference() }) else {
            return .refused(.malformed)
        }
        return .observation(
            .screenReaderRegion(sender: message.sender, target: target, start: Int(first), end: Int(second)))
    }

    private func object(_ message: IncomingMessage) throws(MalformedMessage) -> Outcome {
        guard let source = source(message) else { return .refused(.malformed) }
        var reader = message.reader
        let detail = try reader.string()
        let first = try reader.int32()
        _ = try reader.int32()
        if message.isMember("StateChanged") {
            guard let state = State(name: detail) else { return .irrelevant }
            return .observation(.stateChanged(source, state, isOn: first != 0))
        }
        if message.isMember("PropertyChange") { return try propertyChange(detail, of: source, &reader) }
        if message.isMember("ChildrenChanged") { return try childrenChanged(detail, first, of: source, &reader) }
        if message.isMember("AttributesChanged") { return .observation(.attributesChanged(source)) }
        if message.isMember("ActiveDescendantChanged") {
            guard let child = try child(&reader) else { return .refused(.malformed) }
            guard child.busName == source.busName else { return .refused(.forged) }
            return .observation(.activeDescendantChanged(container: source, descendant: child))
        }
        return .irrelevant
    }

    private func window(_ message: IncomingMessage) -> Outcome {
        guard let source = source(message) else { return .refused(.malformed) }
        // GTK 4.8 writes these members in lower case.
        switch message.member.lowercased() {
        case "create": return .observation(.windowCreated(source))
        case "activate": return .observation(.windowActivated(source))
        case "deactivate": return .observation(.windowDeactivated(source))
        case "destroy": return .observation(.windowDestroyed(source))
        default: return .irrelevant
        }
    }

    private func daemon(_ message: IncomingMessage) throws(MalformedMessage) -> Outcome {
        guard message.isSender(BusNames.daemon) else { return .refused(.forged) }
        guard message.isMember("NameOwnerChanged") else { return .irrelevant }
        var reader = message.reader
        let name = try reader.string()
        _ = try reader.string()
        let newOwner = try reader.string()
        if name == BusNames.registry { return .registry(owner: newOwner.isEmpty ? nil : newOwner) }
        guard name.hasPrefix(":") else { return .irrelevant }
        return .observation(newOwner.isEmpty ? .connectionLeft(busName: name) : .connectionJoined(busName: name))
    }

    private func registry(_ message: IncomingMessage) throws(MalformedMessage) -> Outcome {
        guard message.isMember("EventListenerRegistered") else { return .irrelevant }
        guard let registryName, message.isSender(registryName) else { return .refused(.forged) }
        var reader = message.reader
        let name = try reader.string()
        guard name.hasPrefix(":") else { return .irrelevant }
        return .observation(.listenerRegistered(busName: name))
    }

    /// An object speaks for itself only: the sender's own object at the message's path.
    private func source(_ message: IncomingMessage) -> ObjectReference? {
        let reference = ObjectReference(busName: message.sender, path: message.path)
        return reference.isNull ? nil : reference
    }
}
