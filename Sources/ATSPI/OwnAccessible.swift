import AccessibilityTree
import EventLoop

/// The accessibles that focusd itself shows a screen reader: a focused list whose "active descendant" is the target,
/// and notifications, whose names are what is to be said.
///
/// It is not embedded in the registry, so it shows up in no list of applications. It answers everything that a screen
/// reader or a cache asks of it; a question left open would make Orca wait.
@Loop
final class OwnAccessible {
    var busName = "" {
        // What was said on a bus before stays there.
        didSet { _ = notifications.removeOldest(leaving: 0) }
    }
    /// What the blank accessible says its parent is: without it Orca 43 speaks the window again.
    var blankParent: ObjectReference?

    private static let rootPath = BusNames.registryRoot
    private static let hostPath = "/org/a11y/atspi/accessible/1"
    private static let blankPath = "/org/a11y/atspi/accessible/2"
    private static let cachePath = "/org/a11y/atspi/cache"

    var blank: ObjectReference { ObjectReference(busName: busName, path: OwnAccessible.blankPath) }

    private enum Object: Equatable {
        case root, host, blank
        case notification(OwnNotifications.Notification)
    }

    private let notificationMilliseconds: Int64
    private var notifications = OwnNotifications()
    private var forgetting: LoopTimer?

    init(notificationMilliseconds: Int64 = OwnNotifications.milliseconds) {
        self.notificationMilliseconds = notificationMilliseconds
    }

    func emitActiveDescendant(_ target: ObjectReference, to technology: String, over connection: BusConnection) {
        guard
            let message = OutgoingMessage.signal(
                OwnAccessible.hostPath, "org.a11y.atspi.Event.Object", "ActiveDescendantChanged")
        else { return }
        message.setDestination(technology)
        message.write {
            $0.string("")
            $0.int32(0)
            $0.int32(0)
            $0.variant("(so)") { $0.reference(target) }
            $0.array(of: "{sv}") { _ in }
        }
        connection.send(message)
    }

    /// Shows a text as a notification and sends a technology the event that makes it say so.
    ///
    /// Politeness is 1, or 2 where it is urgent, for those that listen to announcements; the others are told that a
    /// notification shows.
    func announce(_ text: String, politeness: Int32?, to technology: String, over connection: BusConnection) {
        let notification = notifications.add(text, for: technology)
        forgetNotifications(leaving: OwnNotifications.maximumCount, over: connection)
        let member = politeness == nil ? "StateChanged" : "Announcement"
        guard let message = OutgoingMessage.signal(notification.path, "org.a11y.atspi.Event.Object", member) else {
            return
        }
        message.setDestination(technology)
        message.write {
            $0.string(politeness == nil ? "showing" : "")
            $0.int32(politeness ?? 1)
            $0.int32(0)
            if politeness == nil { $0.variant("i") { $0.int32(0) } } else { $0.variant("s") { $0.string(text) } }
            $0.array(of: "{sv}") { _ in }
        }
        connection.send(message)
        forgetting = LoopTimer(milliseconds: notificationMilliseconds) { [weak self, weak connection] in
            guard let self, let connection else { return }
            self.forgetNotifications(leaving: 0, over: connection)
        }
    }

    /// Takes old texts off the bus, and out of the memory of those who were told of them.
    private func forgetNotifications(leaving count: Int, over connection: BusConnection) {
        for notification in notifications.removeOldest(leaving: count) {
            guard let message = OutgoingMessage.signal(OwnAccessible.cachePath, BusNames.cache, "RemoveAccessible")
            else { return }
            message.setDestination(notification.technology)
            message.write { $0.reference(self.reference(.notification(notification))) }
            connection.send(message)
        }
    }

    /// Answers a call; false where it is for none of these accessibles.
    func answer(_ message: IncomingMessage) -> Bool {
        let path = message.path
        if path == OwnAccessible.cachePath {
            guard message.isInterface("org.a11y.atspi.Cache"), message.isMember("GetItems") else { return false }
            message.reply { self.writeItems(&$0) }
            return true
        }
        let object: Object
        switch path {
        case OwnAccessible.rootPath: object = .root
        case OwnAccessible.hostPath: object = .host
        case OwnAccessible.blankPath: object = .blank
        default:
            guard let notification = notifications[path] else { return false }
            object = .notification(notification)
        }
        switch message.interface {
        case BusNames.accessible: return answerAccessible(message, object)
        case BusNames.properties: return answerProperties(message, object)
        case BusNames.application where object == .root:
            message.reply { $0.string(message.isMember("GetLocale") ? "C" : "") }
            return true
        case BusNames.introspectable:
            message.reply { $0.string("<node/>") }
            return true
        default: return false
        }
    }

    private func answerAccessible(_ message: IncomingMessage, _ object: Object) -> Bool {
        switch message.member {
        case "GetRole": message.reply { $0.uint32(self.role(object).rawValue) }
        case "GetRoleName", "GetLocalizedRoleName":
            message.reply { $0.string(self.role(object).name.split(separator: "-").joined(separator: " ")) }
        case "GetState":
            message.reply { writer in
                writer.array(of: "u") { self.writeStates(object, &$0) }
            }
        case "GetAttributes":
            message.reply { writer in
                writer.array(of: "{ss}") { entries in
                    // Orca 43 to 48 hands an event of a known toolkit to that toolkit's script. Without it, it asks
                    // every application of the desktop who it is, for this one is not listed: 8 s where one is stopped.
                    entries.dictionaryEntry {
                        $0.string("toolkit")
                        $0.string("clutter")
                    }
                }
            }
        case "GetRelationSet": message.reply { $0.array(of: "(ua(so))") { _ in } }
        case "GetInterfaces":
            message.reply { writer in
                writer.array(of: "s") {
                    $0.string(BusNames.accessible)
                    if object == .root { $0.string(BusNames.application) }
                }
            }
        case "GetIndexInParent": message.reply { $0.int32(self.index(object)) }
        case "GetChildren":
            message.reply { writer in
                writer.array(of: "(so)") {
                    for child in self.children(object) { $0.reference(child) }
                }
            }
        case "GetChildAtIndex":
            let children = children(object)
            let index = argument(of: message) { (reader) throws(MalformedMessage) in Int(try reader.int32()) } ?? -1
            message.reply { $0.reference(children.indices.contains(index) ? children[index] : self.null) }
        case "GetApplication": message.reply { $0.reference(self.reference(.root)) }
        default:
            message.replyError("org.freedesktop.DBus.Error.UnknownMethod", "No such method")
        }
        return true
    }

    private func answerProperties(_ message: IncomingMessage, _ object: Object) -> Bool {
        switch message.member {
        case "Get":
            let names = argument(of: message) { (reader) throws(MalformedMessage) in
                (try reader.string(), try reader.string())
            }
            guard let names, let write = property(names.0, names.1, object) else {
                message.replyError("org.freedesktop.DBus.Error.UnknownProperty", "No such property")
                return true
            }
            message.reply { write(&$0) }
        case "GetAll":
            let interface =
                argument(of: message) { (reader) throws(MalformedMessage) in try reader.string() }
                ?? BusNames.accessible
            message.reply { writer in
                writer.array(of: "{sv}") { entries in
                    for name in OwnAccessible.propertyNames {
                        guard let write = self.property(interface, name, object) else { continue }
                        entries.dictionaryEntry {
                            $0.string(name)
                            write(&$0)
                        }
                    }
                }
            }
        default:
            message.replyError("org.freedesktop.DBus.Error.PropertyReadOnly", "These properties cannot be set")
        }
        return true
    }

    private static let propertyNames = [
        "Name", "Description", "Parent", "ChildCount", "Locale", "AccessibleId", "HelpText", "ToolkitName", "Version",
        "ToolkitVersion", "AtspiVersion", "Id", "version",
    ]

    /// Writes a property's variant; nil where there is no such property.
    private func property(
        _ interface: String, _ name: String, _ object: Object
    ) -> ((inout MessageWriter) -> Void)? {
        func text(_ value: String) -> (inout MessageWriter) -> Void {
            { $0.variant("s") { $0.string(value) } }
        }
        switch (interface, name) {
        case (BusNames.accessible, "Name"): return text(self.name(object))
        case (BusNames.accessible, "Description"), (BusNames.accessible, "AccessibleId"),
            (BusNames.accessible, "HelpText"):
            return text("")
        case (BusNames.accessible, "Locale"): return text("C")
        case (BusNames.accessible, "Parent"):
            let parent = parent(object)
            return { $0.variant("(so)") { $0.reference(parent) } }
        case (BusNames.accessible, "ChildCount"):
            let count = Int32(children(object).count)
            return { $0.variant("i") { $0.int32(count) } }
        case (BusNames.application, "ToolkitName") where object == .root: return text("focusd")
        case (BusNames.application, "Version") where object == .root,
            (BusNames.application, "ToolkitVersion") where object == .root:
            return text("1")
        case (BusNames.application, "AtspiVersion") where object == .root: return text("2.1")
        case (BusNames.application, "Id") where object == .root: return { $0.variant("i") { $0.int32(0) } }
        case (BusNames.accessible, "version"), (BusNames.application, "version"):
            return { $0.variant("u") { $0.uint32(1) } }
        default: return nil
        }
    }

    /// `a((so)(so)(so)iiassusau)`: the accessibles of this connection but for the blank one.
    ///
    /// Its parent is another one each time: who has it from here does not ask, and Orca 43 speaks the window then.
    private func writeItems(_ writer: inout MessageWriter) {
        writer.array(of: "((so)(so)(so)iiassusau)") { items in
            for object in [Object.root] + self.parts where object != .blank {
                items.structure {
                    $0.reference(self.reference(object))
                    $0.reference(self.reference(.root))
                    $0.reference(self.parent(object))
                    $0.int32(self.index(object))
                    $0.int32(Int32(self.children(object).count))
                    $0.array(of: "s") { $0.string(BusNames.accessible) }
                    $0.string(self.name(object))
                    $0.uint32(self.role(object).rawValue)
                    $0.string("")
                    $0.array(of: "u") { self.writeStates(object, &$0) }
                }
            }
        }
    }

    /// Reads a call's arguments; nil where they are not what the interface says, which the answer then takes into account.
    private func argument<Value>(
        of message: IncomingMessage, _ read: (inout MessageReader) throws(MalformedMessage) -> Value
    ) -> Value? {
        var reader = message.reader
        do { return try read(&reader) } catch { return nil }
    }

    private func writeStates(_ object: Object, _ writer: inout MessageWriter) {
        var states = StateSet(.enabled, .sensitive, .showing, .visible)
        if object == .host || object == .blank {
            states.insert(.focusable)
            states.insert(.focused)
        }
        writer.uint32(UInt32(truncatingIfNeeded: states.bits))
        writer.uint32(UInt32(truncatingIfNeeded: states.bits >> 32))
    }

    private func role(_ object: Object) -> Role {
        switch object {
        case .root: .application
        case .host: .list
        // Nothing worth saying.
        case .blank: .unknown
        case .notification: .notification
        }
    }

    private func name(_ object: Object) -> String {
        switch object {
        case .root: "focusd"
        case .host, .blank: ""
        case .notification(let notification): notification.text
        }
    }

    private func reference(_ object: Object) -> ObjectReference {
        switch object {
        case .root: ObjectReference(busName: busName, path: OwnAccessible.rootPath)
        case .host: ObjectReference(busName: busName, path: OwnAccessible.hostPath)
        case .blank: blank
        case .notification(let notification): ObjectReference(busName: busName, path: notification.path)
        }
    }

    private func parent(_ object: Object) -> ObjectReference {
        switch object {
        case .root: null
        case .host, .notification: reference(.root)
        case .blank: blankParent ?? reference(.root)
        }
    }

    private func children(_ object: Object) -> [ObjectReference] {
        object == .root ? parts.map { reference($0) } : []
    }

    /// What is below the root.
    private var parts: [Object] { [.host, .blank] + notifications.all.map { .notification($0) } }

    private func index(_ object: Object) -> Int32 { parts.firstIndex(of: object).map { Int32($0) } ?? -1 }

    private var null: ObjectReference { ObjectReference(busName: "", path: "/org/a11y/atspi/null") }
}
