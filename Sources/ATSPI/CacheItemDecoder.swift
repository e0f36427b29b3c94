import AccessibilityTree
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

    enum Form {
        case usual
        case legacy

        /// The form of one item with this signature, with or without the parentheses around it.
        init?(item signature: some StringProtocol) {
            switch signature {
            case "((so)(so)(so)iiassusau)", "(so)(so)(so)iiassusau": self = .usual
            case "((so)(so)(so)a(so)assusau)", "(so)(so)(so)a(so)assusau": self = .legacy
            default: return nil
            }
        }

        /// The form of the items of a whole cache.
        init?(items signature: String) {
            guard signature.hasPrefix("a(("), let form = Form(item: signature.dropFirst()) else { return nil }
            self = form
        }
    }

    let form: Form
    /// The connection that lists the items.
    private let busName: String
    private let busNameBytes: [UInt8]
    /// The parent of the item before, which is usually this one's too; its path lies in the message.
    private var lastParent: (path: UnsafeRawBufferPointer, reference: ObjectReference)?

    init(busName: String, form: Form) {
        self.busName = busName
        self.form = form
        busNameBytes = Array(busName.utf8)
    }

    /// Reads one item. All items must lie in one live message.
    mutating func item(_ reader: inout WireReader) throws(MalformedMessage) -> Item {
        try reader.align(8)
        let own = try RawReference(&reader)
        // The application: known from who answers.
        _ = try RawReference(&reader)
        let parent = try RawReference(&reader)
        var children: (own: [String], count: Int)?
        var (index, count): (Int32, Int32) = (-1, -1)
        switch form {
        case .usual: (index, count) = (try reader.int32(), try reader.int32())
        case .legacy: children = try childPaths(&reader)
        }
        let interfaces = try CacheItemDecoder.interfaces(&reader)
        let name = try reader.text()
        let role = try reader.uint32()
        let description = try reader.text()
        let states = try CacheItemDecoder.states(&reader)
        guard !own.isNull else { return .null }
        guard isOwn(own) else { return .foreign }
        return .item(
            TreeItem(
                path: String(decoding: own.path, as: UTF8.self), parent: reference(toParent: parent),
                // Applications say −1 where they do not know; every negative number means that here.
                index: index < 0 ? nil : Int(index), childCount: children?.count ?? (count < 0 ? nil : Int(count)),
                children: children?.own, role: Role(rawValue: role), name: String(decoding: name, as: UTF8.self),
                description: String(decoding: description, as: UTF8.self), states: states, interfaces: interfaces))
    }

    // MARK: - Fields

    private struct RawReference {
        let busName: UnsafeRawBufferPointer
        let path: UnsafeRawBufferPointer

        init(_ reader: inout WireReader) throws(MalformedMessage) {
            try reader.align(8)
            busName = try reader.text()
            path = try reader.text()
        }

        var isNull: Bool { busName.isEmpty || path.count < 2 || isSame(path, RawReference.nullPath) }

        private static let nullPath = Array("/org/a11y/atspi/null".utf8)
    }

    private func isOwn(_ reference: RawReference) -> Bool { isSame(reference.busName, busNameBytes) }

    private mutating func reference(toParent raw: RawReference) -> ObjectReference? {
        guard !raw.isNull else { return nil }
        guard isOwn(raw) else {
            return ObjectReference(
                busName: String(decoding: raw.busName, as: UTF8.self), path: String(decoding: raw.path, as: UTF8.self))
        }
        if let lastParent, isSame(lastParent.path, raw.path) { return lastParent.reference }
        let reference = ObjectReference(busName: busName, path: String(decoding: raw.path, as: UTF8.self))
        lastParent = (raw.path, reference)
        return reference
    }

    /// Children of other connections are counted and not listed, null ones neither.
    private func childPaths(_ reader: inout WireReader) throws(MalformedMessage) -> (own: [String], count: Int) {
        var own: [String] = []
        var count = 0
        let end = try reader.arrayEnd(alignment: 8)
        while reader.offset < end {
            let child = try RawReference(&reader)
            guard !child.isNull else { continue }
            count += 1
            if isOwn(child) { own.append(String(decoding: child.path, as: UTF8.self)) }
        }
        try reader.leave(arrayEnd: end)
        return (own, count)
    }

    private static func interfaces(_ reader: inout WireReader) throws(MalformedMessage) -> InterfaceSet {
        var found: InterfaceSet = []
        let end = try reader.arrayEnd(alignment: 4)
        while reader.offset < end { found.formUnion(InterfaceNames.set(of: try reader.text())) }
        try reader.leave(arrayEnd: end)
        return found
    }

    /// `au` of any length; what is beyond two words no version of AT-SPI has.
    private static func states(_ reader: inout WireReader) throws(MalformedMessage) -> StateSet {
        let end = try reader.arrayEnd(alignment: 4)
        let low = end - reader.offset >= 4 ? try reader.uint32() : 0
        let high = end - reader.offset >= 4 ? try reader.uint32() : 0
        try reader.leave(arrayEnd: end)
        return StateSet(low: low, high: high)
    }
}

/// The names of AT-SPI's interfaces as they come over the bus, compared where they lie.
enum InterfaceNames {
    private static let prefix = Array("org.a11y.atspi.".utf8)

    /// Those that every other accessible has stand first.
    private static let known: [(name: [UInt8], set: InterfaceSet)] = {
        let common = ["Accessible", "Component", "Action", "Text"]
        let others = InterfaceSet(rawValue: .max).names.filter { !common.contains($0) }
        return (common + others).map { (Array($0.utf8), InterfaceSet(name: $0)) }
    }()

    /// Empty for a name that no version of AT-SPI has. The short name alone counts too.
    static func set(of name: UnsafeRawBufferPointer) -> InterfaceSet {
        var short = name
        if name.count > prefix.count, isSame(UnsafeRawBufferPointer(rebasing: name[..<prefix.count]), prefix) {
            short = UnsafeRawBufferPointer(rebasing: name[prefix.count...])
        }
        for known in known where isSame(short, known.name) { return known.set }
        return []
    }
}

private func isSame(_ text: UnsafeRawBufferPointer, _ other: [UInt8]) -> Bool {
    guard text.count == other.count, let start = text.baseAddress else { return text.isEmpty && other.isEmpty }
    return memcmp(start, other, text.count) == 0
}

private func isSame(_ text: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
    guard text.count == other.count, let start = text.baseAddress, let otherStart = other.baseAddress else {
        return text.isEmpty && other.isEmpty
    }
    return memcmp(start, otherStart, text.count) == 0
}
