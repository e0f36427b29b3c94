import AccessibilityTree
import CDBus
import Glibc

/// Reads items as `Cache.GetItems` and `Cache.AddAccessible` send them, in both forms.
///
/// `((so)(so)(so)iiassusau)`: reference, application, parent, index in parent, child count, interfaces, name, role,
/// description, states. Qt and others send the older `((so)(so)(so)a(so)assusau)` with the children listed.
/// Made for a hundred thousand of them: text is compared where it lies in the message, and only what is kept is copied.
struct CacheItemDecoder {
    enum Item {
        case item(TreeItem)
        /// Its own reference says "nothing".
        case null
        /// It belongs to another connection than the one that lists it.
        case foreign
    }

    static let itemSignature = "((so)(so)(so)iiassusau)"
    static let legacyItemSignature = "((so)(so)(so)a(so)assusau)"

    /// The connection that lists the items.
    private let busName: String
    private let busNameBytes: [CChar]
    /// The parent of the item before, whose path is usually this one's too. Lies in the message.
    private var lastParentPath: UnsafePointer<CChar>?
    private var lastParent: ObjectReference?

    init(busName: String) {
        self.busName = busName
        busNameBytes = busName.utf8CString.map { $0 }
    }

    /// Reads the structure that the iterator stands at; the iterator stays. All items must lie in one live message.
    mutating func item(at iterator: inout DBusMessageIter) throws(MalformedMessage) -> Item {
        guard dbus_message_iter_get_arg_type(&iterator) == WireType.structure else { throw MalformedMessage() }
        var fields = DBusMessageIter()
        dbus_message_iter_recurse(&iterator, &fields)
        let own = try CacheItemDecoder.reference(&fields)
        guard !own.isNull else { return .null }
        guard strcmp(own.busName, busNameBytes) == 0 else { return .foreign }
        // The application: known from who answers.
        try CacheItemDecoder.check(&fields, WireType.structure)
        dbus_message_iter_next(&fields)
        var item = TreeItem(path: String(cString: own.path), role: .invalid)
        item.parent = parent(try CacheItemDecoder.reference(&fields))
        if dbus_message_iter_get_arg_type(&fields) == WireType.array {
            let children = try childPaths(&fields)
            item.children = children.own
            item.childCount = children.count
        } else {
            item.index = CacheItemDecoder.count(try CacheItemDecoder.int32(&fields))
            item.childCount = CacheItemDecoder.count(try CacheItemDecoder.int32(&fields))
        }
        item.interfaces = try CacheItemDecoder.interfaces(&fields)
        item.name = String(cString: try CacheItemDecoder.text(&fields, WireType.string))
        item.role = Role(rawValue: try CacheItemDecoder.uint32(&fields))
        item.description = String(cString: try CacheItemDecoder.text(&fields, WireType.string))
        item.states = try CacheItemDecoder.states(&fields)
        return .item(item)
    }

    /// Forgets what lies in the message, which is about to go.
    mutating func messageEnds() {
        lastParentPath = nil
        lastParent = nil
    }

    // MARK: - Fields

    private struct RawReference {
        let busName: UnsafePointer<CChar>
        let path: UnsafePointer<CChar>

        var isNull: Bool {
            busName[0] == 0 || path[0] == 0 || path[1] == 0 || strcmp(path, "/org/a11y/atspi/null") == 0
        }
    }

    private static func reference(_ fields: inout DBusMessageIter) throws(MalformedMessage) -> RawReference {
        try check(&fields, WireType.structure)
        var inner = DBusMessageIter()
        dbus_message_iter_recurse(&fields, &inner)
        let busName = try text(&inner, WireType.string)
        let path = try text(&inner, WireType.objectPath)
        dbus_message_iter_next(&fields)
        return RawReference(busName: busName, path: path)
    }

    private mutating func parent(_ raw: RawReference) -> ObjectReference? {
        guard !raw.isNull else { return nil }
        let isOwn = strcmp(raw.busName, busNameBytes) == 0
        guard isOwn else {
            return ObjectReference(busName: String(cString: raw.busName), path: String(cString: raw.path))
        }
        if let lastParentPath, strcmp(lastParentPath, raw.path) == 0 { return lastParent }
        let reference = ObjectReference(busName: busName, path: String(cString: raw.path))
        lastParentPath = raw.path
        lastParent = reference
        return reference
    }

    /// Children of other connections are counted and not listed, null ones neither.
    private func childPaths(
        _ fields: inout DBusMessageIter
    ) throws(MalformedMessage) -> (own: [String], count: Int) {
        var own: [String] = []
        var count = 0
        var inner = DBusMessageIter()
        dbus_message_iter_recurse(&fields, &inner)
        while dbus_message_iter_get_arg_type(&inner) != WireType.invalid {
            let child = try CacheItemDecoder.reference(&inner)
            guard !child.isNull else { continue }
            count += 1
            if strcmp(child.busName, busNameBytes) == 0 { own.append(String(cString: child.path)) }
        }
        dbus_message_iter_next(&fields)
        return (own, count)
    }

    static func interfaces(_ fields: inout DBusMessageIter) throws(MalformedMessage) -> InterfaceSet {
        try check(&fields, WireType.array)
        var inner = DBusMessageIter()
        dbus_message_iter_recurse(&fields, &inner)
        var found: InterfaceSet = []
        while dbus_message_iter_get_arg_type(&inner) != WireType.invalid {
            found.formUnion(InterfaceNames.set(of: try text(&inner, WireType.string)))
        }
        dbus_message_iter_next(&fields)
        return found
    }

    /// `au` of any length; what is beyond two words no version of AT-SPI has.
    static func states(_ fields: inout DBusMessageIter) throws(MalformedMessage) -> StateSet {
        try check(&fields, WireType.array)
        guard dbus_message_iter_get_element_type(&fields) == WireType.uint32 else { throw MalformedMessage() }
        var inner = DBusMessageIter()
        dbus_message_iter_recurse(&fields, &inner)
        var words: UnsafePointer<UInt32>?
        var count: Int32 = 0
        dbus_message_iter_get_fixed_array(&inner, &words, &count)
        dbus_message_iter_next(&fields)
        guard let words, count > 0 else { return StateSet() }
        return StateSet(low: words[0], high: count > 1 ? words[1] : 0)
    }

    private static func text(
        _ fields: inout DBusMessageIter, _ type: Int32
    ) throws(MalformedMessage) -> UnsafePointer<CChar> {
        try check(&fields, type)
        var pointer: UnsafePointer<CChar>?
        dbus_message_iter_get_basic(&fields, &pointer)
        dbus_message_iter_next(&fields)
        guard let pointer else { throw MalformedMessage() }
        return pointer
    }

    private static func int32(_ fields: inout DBusMessageIter) throws(MalformedMessage) -> Int32 {
        try check(&fields, WireType.int32)
        var value: Int32 = 0
        dbus_message_iter_get_basic(&fields, &value)
        dbus_message_iter_next(&fields)
        return value
    }

    private static func uint32(_ fields: inout DBusMessageIter) throws(MalformedMessage) -> UInt32 {
        try check(&fields, WireType.uint32)
        var value: UInt32 = 0
        dbus_message_iter_get_basic(&fields, &value)
        dbus_message_iter_next(&fields)
        return value
    }

    private static func check(_ fields: inout DBusMessageIter, _ type: Int32) throws(MalformedMessage) {
        guard dbus_message_iter_get_arg_type(&fields) == type else { throw MalformedMessage() }
    }

    /// Applications say −1 where they do not know; every negative number means that here.
    private static func count(_ value: Int32) -> Int? { value < 0 ? nil : Int(value) }
}

/// The names of AT-SPI's interfaces as they come over the bus, compared where they lie.
private enum InterfaceNames {
    private static let prefix: [CChar] = Array("org.a11y.atspi.".utf8CString.dropLast())

    /// Those that every other accessible has stand first.
    private static let known: [(name: [CChar], set: InterfaceSet)] = {
        let common = ["Accessible", "Component", "Action", "Text"]
        let others = InterfaceSet(rawValue: .max).names.filter { !common.contains($0) }
        return (common + others).map { (Array($0.utf8CString), InterfaceSet(name: $0)) }
    }()

    /// Empty for a name that no version of AT-SPI has. The short name alone counts too.
    static func set(of name: UnsafePointer<CChar>) -> InterfaceSet {
        let short = strncmp(name, prefix, prefix.count) == 0 ? name + prefix.count : name
        for known in known where strcmp(known.name, short) == 0 { return known.set }
        return []
    }
}
