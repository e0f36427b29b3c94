import AccessibilityTree
import CDBus

/// What is wrong with a message that came over the bus: somebody sent another type than the interface says.
package struct MalformedMessage: Error {}

/// D-Bus's type codes; the C macros carry casts that Swift does not import.
enum WireType {
    static let invalid: Int32 = 0
    static let string = Int32(UInt8(ascii: "s"))
    static let objectPath = Int32(UInt8(ascii: "o"))
    static let signature = Int32(UInt8(ascii: "g"))
    static let int32 = Int32(UInt8(ascii: "i"))
    static let uint32 = Int32(UInt8(ascii: "u"))
    static let boolean = Int32(UInt8(ascii: "b"))
    static let array = Int32(UInt8(ascii: "a"))
    static let variant = Int32(UInt8(ascii: "v"))
    static let structure = Int32(UInt8(ascii: "r"))
    static let dictionaryEntry = Int32(UInt8(ascii: "e"))
}

/// Reads a message's arguments in order, checking every type. Valid only inside the callback that got the message.
package struct MessageReader {
    private var iterator = DBusMessageIter()
    /// Nil for what reads inside of a container.
    private let message: OpaquePointer?

    init(_ message: OpaquePointer) {
        self.message = message
        // Without arguments it reports failure and leaves an iterator whose next type is "invalid".
        _ = dbus_message_iter_init(message, &iterator)
    }

    private init(inside outer: inout DBusMessageIter) {
        message = nil
        dbus_message_iter_recurse(&outer, &iterator)
    }

    /// The whole message's arguments, to be kept beyond the callback; nil inside of a container.
    func marshalled() -> MarshalledMessage? { message.flatMap { MarshalledMessage($0) } }

    /// `as` of interface names.
    package mutating func interfaces() throws(MalformedMessage) -> InterfaceSet {
        var found: InterfaceSet = []
        try array { (element) throws(MalformedMessage) in
            let name = try element.string()
            found.formUnion(name.utf8CString.withUnsafeBytes { InterfaceNames.set(of: .init(rebasing: $0.dropLast())) })
        }
        return found
    }

    /// The one item of an application's cache that is all this message carries, in either form.
    func cacheItem(of busName: String) throws(MalformedMessage) -> CacheItemDecoder.Item {
        guard let message = marshalled(), let form = CacheItemDecoder.Form(item: message.signature) else {
            throw MalformedMessage()
        }
        var decoder = CacheItemDecoder(busName: busName, form: form)
        var body = message.body
        return try decoder.item(&body)
    }

    private mutating func nextType() -> Int32 { dbus_message_iter_get_arg_type(&iterator) }

    package var isAtEnd: Bool {
        var copy = iterator
        return dbus_message_iter_get_arg_type(&copy) == WireType.invalid
    }

    /// A string, object path or signature. libdbus has checked that it is UTF-8.
    package mutating func string() throws(MalformedMessage) -> String {
        switch nextType() {
        case WireType.string, WireType.objectPath, WireType.signature: break
        default: throw MalformedMessage()
        }
        var pointer: UnsafePointer<CChar>?
        dbus_message_iter_get_basic(&iterator, &pointer)
        dbus_message_iter_next(&iterator)
        guard let pointer else { throw MalformedMessage() }
        return String(cString: pointer)
    }

    package mutating func int32() throws(MalformedMessage) -> Int32 {
        guard nextType() == WireType.int32 else { throw MalformedMessage() }
        var value: Int32 = 0
        dbus_message_iter_get_basic(&iterator, &value)
        dbus_message_iter_next(&iterator)
        return value
    }

    package mutating func uint32() throws(MalformedMessage) -> UInt32 {
        guard nextType() == WireType.uint32 else { throw MalformedMessage() }
        var value: UInt32 = 0
        dbus_message_iter_get_basic(&iterator, &value)
        dbus_message_iter_next(&iterator)
        return value
    }

    package mutating func boolean() throws(MalformedMessage) -> Bool {
        guard nextType() == WireType.boolean else { throw MalformedMessage() }
        var value: dbus_bool_t = 0
        dbus_message_iter_get_basic(&iterator, &value)
        dbus_message_iter_next(&iterator)
        return value != 0
    }

    /// `(so)`; nil for AT-SPI's ways to say "nothing".
    package mutating func reference() throws(MalformedMessage) -> ObjectReference? {
        try inside(WireType.structure) { (reader) throws(MalformedMessage) in
            let reference = ObjectReference(busName: try reader.string(), path: try reader.string())
            return reference.isNull ? nil : reference
        }
    }

    package mutating func variant<Value>(
        _ body: (inout MessageReader) throws(MalformedMessage) -> Value
    ) throws(MalformedMessage) -> Value {
        try inside(WireType.variant, body)
    }

    /// Calls `element` once for each; an element it cannot read ends the reading.
    package mutating func array(
        _ element: (inout MessageReader) throws(MalformedMessage) -> Void
    ) throws(MalformedMessage) {
        try inside(WireType.array) { (reader) throws(MalformedMessage) in
            while reader.nextType() != WireType.invalid { try element(&reader) }
        }
    }

    /// `a{sv}`: calls `entry` with each key and a reader of its variant's inside.
    package mutating func dictionary(
        _ entry: (String, inout MessageReader) throws(MalformedMessage) -> Void
    ) throws(MalformedMessage) {
        try array { (reader) throws(MalformedMessage) in
            try reader.inside(WireType.dictionaryEntry) { (pair) throws(MalformedMessage) in
                let key = try pair.string()
                try pair.variant { (value) throws(MalformedMessage) in try entry(key, &value) }
            }
        }
    }

    /// `a{ss}`: calls `entry` with each name and value.
    package mutating func stringPairs(_ entry: (String, String) -> Void) throws(MalformedMessage) {
        try array { (reader) throws(MalformedMessage) in
            try reader.inside(WireType.dictionaryEntry) { (pair) throws(MalformedMessage) in
                let name = try pair.string()
                entry(name, try pair.string())
            }
        }
    }

    /// What comes next is a variant, and in it a structure: as `(so)` is.
    var variantHoldsStructure: Bool {
        var copy = iterator
        guard dbus_message_iter_get_arg_type(&copy) == WireType.variant else { return false }
        var inner = DBusMessageIter()
        dbus_message_iter_recurse(&copy, &inner)
        return dbus_message_iter_get_arg_type(&inner) == WireType.structure
    }

    var holdsVariant: Bool {
        var copy = iterator
        return dbus_message_iter_get_arg_type(&copy) == WireType.variant
    }

    var holdsString: Bool {
        var copy = iterator
        return dbus_message_iter_get_arg_type(&copy) == WireType.string
    }

    /// `u`, or `i` that is not negative; nil for anything else.
    mutating func number() throws(MalformedMessage) -> UInt32? {
        switch nextType() {
        case WireType.uint32: try uint32()
        case WireType.int32: UInt32(exactly: try int32())
        default: nil
        }
    }

    /// Reads the members of a structure.
    package mutating func structure<Value>(
        _ body: (inout MessageReader) throws(MalformedMessage) -> Value
    ) throws(MalformedMessage) -> Value {
        try inside(WireType.structure, body)
    }

    private mutating func inside<Value>(
        _ type: Int32, _ body: (inout MessageReader) throws(MalformedMessage) -> Value
    ) throws(MalformedMessage) -> Value {
        guard nextType() == type else { throw MalformedMessage() }
        var inner = MessageReader(inside: &iterator)
        let value = try body(&inner)
        dbus_message_iter_next(&iterator)
        return value
    }
}
