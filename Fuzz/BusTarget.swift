import AccessibilityTree
import CDBus
import CGLib
import EventLoop

@testable import ATSPI

/// The bytes of one run, as choices. When they are used up every choice is 0.
struct Choices {
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        self.bytes = bytes[...]
    }

    var isAtEnd: Bool { bytes.isEmpty }

    var rest: [UInt8] { Array(bytes) }

    mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

    mutating func below(_ limit: Int) -> Int { Int(byte()) % limit }

    mutating func word() -> UInt32 { (0..<4).reduce(0) { word, _ in word << 8 | UInt32(byte()) } }

    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in byte() } }
}

/// Writes a body that has nearly the signature that is expected: now and then a type is another one.
struct BodyWriter {
    private var choices: Choices
    private let own: String
    /// Types that are others than expected: a signature has at most 255 letters and nests at most 32 deep, and libdbus's
    /// writer, unlike its reader, trusts that it is asked for no more.
    private static let maximumReplaced = 12
    private var replaced = 0
    /// Variants in variants; D-Bus admits not many.
    private var depth = 0

    init(_ choices: Choices, own: String) {
        self.choices = choices
        self.own = own
    }

    mutating func write(_ signature: String, to message: OpaquePointer) {
        var iterator = DBusMessageIter()
        dbus_message_iter_init_append(message, &iterator)
        var rest = Array(signature.utf8)[...]
        while !rest.isEmpty {
            // A body may end early.
            if choices.byte() == 255 { return }
            value(&rest, &iterator)
        }
    }

    /// Takes one complete type off the signature and writes a value of it, or of another.
    private mutating func value(_ signature: inout ArraySlice<UInt8>, _ iterator: inout DBusMessageIter) {
        let type = BodyWriter.takeType(&signature)
        if choices.byte() >= 250, replaced < BodyWriter.maximumReplaced {
            replaced += 1
            let others = ["s", "i", "u", "b", "v", "(so)", "as", "au", "a{sv}", "(ss)", "o", "d", "a(so)", "t"]
            write(Array(others[choices.below(others.count)].utf8)[...], &iterator)
        } else {
            write(type, &iterator)
        }
    }

    private mutating func write(_ type: ArraySlice<UInt8>, _ iterator: inout DBusMessageIter) {
        switch type.first {
        case UInt8(ascii: "s"): text(text(), WireType.string, &iterator)
        case UInt8(ascii: "o"): text(path(), WireType.objectPath, &iterator)
        case UInt8(ascii: "i"), UInt8(ascii: "u"), UInt8(ascii: "b"):
            var word = type.first == UInt8(ascii: "b") ? choices.word() & 1 : choices.word()
            dbus_message_iter_append_basic(&iterator, Int32(type[type.startIndex]), &word)
        case UInt8(ascii: "d"), UInt8(ascii: "t"):
            var word = UInt64(choices.word())
            dbus_message_iter_append_basic(&iterator, Int32(type[type.startIndex]), &word)
        case UInt8(ascii: "v"):
            depth += 1
            let inside =
                depth > 4 ? "i" : ["s", "i", "u", "(so)", "v", "as", "(ii)", "(s)", "(sos)", "b"][choices.below(10)]
            container(WireType.variant, inside, Array(inside.utf8)[...], 1, &iterator)
            depth -= 1
        case UInt8(ascii: "a"):
            let element = type.dropFirst()
            let signature = String(decoding: element, as: UTF8.self)
            container(WireType.array, signature, element, choices.below(6), &iterator)
        case UInt8(ascii: "("): structure(WireType.structure, type, &iterator)
        case UInt8(ascii: "{"): structure(WireType.dictionaryEntry, type, &iterator)
        default: break
        }
    }

    /// Elements have the type that their array says: libdbus writes no others, and no message with others arrives.
    private mutating func container(
        _ type: Int32, _ signature: String, _ element: ArraySlice<UInt8>, _ count: Int,
        _ iterator: inout DBusMessageIter
    ) {
        var inner = DBusMessageIter()
        guard dbus_message_iter_open_container(&iterator, type, signature, &inner) != 0 else { return }
        for _ in 0..<count { exact(element, &inner) }
        dbus_message_iter_close_container(&iterator, &inner)
    }

    private mutating func exact(_ type: ArraySlice<UInt8>, _ iterator: inout DBusMessageIter) {
        guard type.first == UInt8(ascii: "(") || type.first == UInt8(ascii: "{") else { return write(type, &iterator) }
        var inner = DBusMessageIter()
        let kind = type.first == UInt8(ascii: "(") ? WireType.structure : WireType.dictionaryEntry
        guard dbus_message_iter_open_container(&iterator, kind, nil, &inner) != 0 else { return }
        var members = type.dropFirst().dropLast()
        while !members.isEmpty { exact(BodyWriter.takeType(&members), &inner) }
        dbus_message_iter_close_container(&iterator, &inner)
    }

    /// A structure that no array holds may have other members, too few of them or more.
    private mutating func structure(
        _ kind: Int32, _ type: ArraySlice<UInt8>, _ iterator: inout DBusMessageIter
    ) {
        guard kind == WireType.structure else { return exact(type, &iterator) }
        var inner = DBusMessageIter()
        guard dbus_message_iter_open_container(&iterator, kind, nil, &inner) != 0 else { return }
        var members = type.dropFirst().dropLast()
        value(&members, &inner)
        while !members.isEmpty && choices.byte() < 250 { value(&members, &inner) }
        dbus_message_iter_close_container(&iterator, &inner)
    }

    private static func takeType(_ signature: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let whole = signature
        var depth = 0
        while let byte = signature.popFirst() {
            if byte == UInt8(ascii: "(") || byte == UInt8(ascii: "{") { depth += 1 }
            if byte == UInt8(ascii: ")") || byte == UInt8(ascii: "}") { depth -= 1 }
            if depth == 0 && byte != UInt8(ascii: "a") { break }
        }
        return whole[..<signature.startIndex]
    }

    private mutating func text() -> String {
        switch choices.below(12) {
        case 0...3: own
        case 4: ""
        case 5: "org.a11y.atspi.Component"
        case 6: "org.a11y.atspi." + raw()
        case 7: ["add", "remove", "add/system", "remove/system", "focused", "showing"][choices.below(6)]
        case 8:
            ["accessible-name", "accessible-role", "accessible-parent", "accessible-description"][choices.below(4)]
        case 9: ":1.99"
        default: raw()
        }
    }

    private mutating func raw() -> String {
        String(decoding: choices.bytes(choices.below(24)).filter { $0 != 0 }, as: UTF8.self)
    }

    private mutating func path() -> String {
        switch choices.below(6) {
        case 0: "/org/a11y/atspi/null"
        case 1: "/"
        case 2: "/org/a11y/atspi/accessible/root"
        default: "/it/\(choices.byte())"
        }
    }

    private mutating func text(_ text: String, _ type: Int32, _ iterator: inout DBusMessageIter) {
        // An array or structure without one of its members would be no message at all.
        let isValid = text.withCString { dbus_validate_utf8($0, nil) != 0 }
        (isValid ? text : "?").withCString { pointer in
            var pointer: UnsafePointer<CChar>? = pointer
            _ = dbus_message_iter_append_basic(&iterator, type, &pointer)
        }
    }
}

/// A message as it arrives: libdbus has looked at its bytes. Nil for one that it refuses, which nobody gets to read.
private func arrived(_ message: OpaquePointer) -> OpaquePointer? {
    dbus_message_set_serial(message, 1)
    var bytes: UnsafeMutablePointer<CChar>?
    var count: Int32 = 0
    guard dbus_message_marshal(message, &bytes, &count) != 0, let bytes else { return nil }
    defer { dbus_free(bytes) }
    return dbus_message_demarshal(bytes, count, nil)
}

private let own = ":1.7"

private let items = ["a((so)(so)(so)iiassusau)", "a((so)(so)(so)a(so)assusau)"]

private let signals: [(interface: String, member: String, signature: String)] = [
    ("Event.Object", "ChildrenChanged", "siiva{sv}"), ("Event.Object", "ChildrenChanged", "siiv(so)"),
    ("Event.Object", "PropertyChange", "siiva{sv}"), ("Event.Object", "PropertyChange", "siiv"),
    ("Event.Object", "StateChanged", "siiva{sv}"), ("Event.Object", "AttributesChanged", "siiva{sv}"),
    ("Event.Object", "ActiveDescendantChanged", "siiva{sv}"), ("Event.Window", "Create", "siiva{sv}"),
    ("Event.ScreenReader", "RegionChanged", "siiva{sv}"), ("Event.ScreenReader", "ModeChanged", "siiva{sv}"),
    ("Cache", "AddAccessible", "((so)(so)(so)iiassusau)"), ("Cache", "AddAccessible", "((so)(so)(so)a(so)assusau)"),
    ("Cache", "RemoveAccessible", "(so)"), ("Registry", "EventListenerRegistered", "ssas"),
]

/// One run: the first byte says what is read, the rest is what it reads.
@Loop
private func run(_ bytes: [UInt8]) {
    var choices = Choices(bytes)
    let kind = choices.below(signals.count + 3 * items.count)
    guard kind < signals.count + 2 * items.count else { return readRaw(choices.byte(), choices.rest) }
    guard kind < signals.count else { return readItems(items[kind % items.count], choices) }
    let (interface, member, signature) = signals[kind]
    let path = choices.byte() == 1 ? BusNames.registryRoot : "/it/1"
    guard let message = dbus_message_new_signal(path, "org.a11y.atspi." + interface, member) else { return }
    defer { dbus_message_unref(message) }
    dbus_message_set_sender(message, own)
    var writer = BodyWriter(choices, own: own)
    writer.write(signature, to: message)
    guard let arrived = arrived(message) else { return }
    defer { dbus_message_unref(arrived) }
    var decoder = EventDecoder()
    decoder.registryName = choices.byte() == 1 ? own : nil
    check(decoder.decode(IncomingMessage(arrived, nil)))
}

/// Nothing that is taken speaks for somebody else.
private func check(_ outcome: EventDecoder.Outcome) {
    guard case .observation(let observation) = outcome else { return }
    switch observation {
    case .childAdded(let parent, let index, let child):
        precondition(parent.busName == child.busName && !child.isNull && (index ?? 0) >= 0)
    case .childRemoved(let parent, let child): precondition(parent.busName == child.busName && !child.isNull)
    case .itemAdded(let busName, let item): check(item, of: busName)
    case .itemRemoved(let reference): precondition(reference.busName == own && !reference.isNull)
    default: break
    }
}

private func check(_ item: TreeItem, of busName: String) {
    precondition(busName == own && item.path.hasPrefix("/") && item.path != "/")
    precondition((item.index ?? 0) >= 0 && (item.childCount ?? 0) >= (item.children?.count ?? 0))
    precondition(item.parent?.isNull != true)
}

/// Bytes that no libdbus has checked.
private func readRaw(_ kind: UInt8, _ bytes: [UInt8]) {
    // Memory of its own and no more: the address sanitizer sees a byte too many.
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { memory.deallocate() }
    memory.copyBytes(from: bytes)
    var reader = WireReader(body: UnsafeRawBufferPointer(memory), isSwapped: kind & 1 == 1)
    var decoder = CacheItemDecoder(busName: own, form: kind & 2 == 0 ? .usual : .legacy)
    do {
        while !reader.isAtEnd {
            if case .item(let item) = try decoder.item(&reader) { precondition((item.index ?? 0) >= 0) }
        }
    } catch {
        // As it should be with nearly all bytes.
        precondition(reader.offset <= bytes.count)
    }
}

@Loop
private func readItems(_ signature: String, _ choices: Choices) {
    guard let message = dbus_message_new(DBUS_MESSAGE_TYPE_METHOD_RETURN) else { return }
    defer { dbus_message_unref(message) }
    var writer = BodyWriter(choices, own: own)
    writer.write(signature, to: message)
    dbus_message_set_reply_serial(message, 1)
    guard let arrived = arrived(message) else { return }
    defer { dbus_message_unref(arrived) }
    var limits = CacheReading.Limits()
    limits.itemsPerSlice = 3
    limits.patienceMilliseconds = 0
    var handedOut = 0
    var result: Result<CacheReading.Summary, CallFailure>?
    let reading = CacheReading(
        own, limits,
        { slice in
            handedOut += slice.count
            for item in slice { check(item, of: own) }
        }, { result = $0 })
    reading.begin(.success(MessageReader(arrived)))
    while result == nil { g_main_context_iteration(nil, 1) }
    guard case .success(let summary) = result else { return }
    precondition(summary.items == handedOut && summary.malformedItems >= 0)
}

@_cdecl("LLVMFuzzerInitialize")
func initialize(_: UnsafeMutableRawPointer, _: UnsafeMutableRawPointer) -> CInt {
    // This thread is the loop's.
    precondition(g_main_context_acquire(g_main_context_default()) != 0)
    return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let copy = Array(UnsafeBufferPointer(start: bytes, count: count))
    Loop.assumeIsolated { run(copy) }
    return 0
}
