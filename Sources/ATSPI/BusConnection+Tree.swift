import AccessibilityTree
import EventLoop

/// Where an accessible is on the screen, in pixels, as its application says; may be nonsense.
package struct Extents: Hashable, Sendable {
    package var x: Int
    package var y: Int
    package var width: Int
    package var height: Int

    package init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }
}

/// What came of asking for a text.
package enum TextContent: Hashable, Sendable {
    case text(String)
    /// It is a password field or a terminal by now: its text was not asked for.
    case secret(Role)
}

/// What is asked of an accessible in one go. Each field is a question of its own.
package struct ItemFields: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let role = ItemFields(rawValue: 1)
    package static let states = ItemFields(rawValue: 2)
    package static let interfaces = ItemFields(rawValue: 4)
    package static let name = ItemFields(rawValue: 8)
    package static let description = ItemFields(rawValue: 16)
    package static let parent = ItemFields(rawValue: 32)
    package static let childCount = ItemFields(rawValue: 64)
    /// `GetChildren`; never to be asked of an object that manages its descendants, nor of one with too many.
    package static let children = ItemFields(rawValue: 128)

    /// As much as a cache says.
    package static let all: ItemFields = [.role, .states, .interfaces, .name, .description, .parent, .childCount]
    /// What somebody does not know who comes down from its parent, whose children are known.
    package static let below: ItemFields = [.role, .states, .interfaces, .name, .description, .childCount]

    /// How many calls this is: what a ``CallQueue`` must be told.
    package var calls: Int { rawValue.nonzeroBitCount }
}

/// Questions for a mirror of the tree: to be asked through a ``CallQueue`` where there are many.
extension BusConnection {
    /// Reads an accessible as its application's cache would list it, in one pipelined batch.
    ///
    /// Fails where the object does not say its role or states, or does not answer; what else it does not know is nil or
    /// empty. Children of other connections are counted and not listed.
    package func readItem(
        _ reference: ObjectReference, asking fields: ItemFields = .all,
        _ completion: @escaping @Loop (Result<TreeItem, CallFailure>) -> Void
    ) {
        guard !fields.isEmpty else { return completion(.success(TreeItem(path: reference.path, role: .invalid))) }
        let reading = ItemReading(reference, fields.calls, completion)
        if fields.contains(.role) {
            readRole(reference) { reading.took($0, isNeeded: true) { $0.role = $1 } }
        }
        if fields.contains(.states) {
            readStates(reference) { reading.took($0, isNeeded: true) { $0.states = $1 } }
        }
        if fields.contains(.interfaces) {
            readInterfaces(reference) { reading.took($0) { $0.interfaces = $1 } }
        }
        if fields.contains(.name) { readText(reference, "Name") { reading.took($0) { $0.name = $1 } } }
        if fields.contains(.description) {
            readText(reference, "Description") { reading.took($0) { $0.description = $1 } }
        }
        if fields.contains(.parent) { readParent(reference) { reading.took($0) { $0.parent = $1 } } }
        if fields.contains(.childCount) {
            readChildCount(reference) {
                reading.took($0) { item, count in
                    // Listed children are counted already.
                    if item.children == nil { item.childCount = count < 0 ? nil : count }
                }
            }
        }
        if fields.contains(.children) {
            readChildren(reference) {
                reading.took($0) { item, children in
                    item.children = children.filter { $0.busName == reference.busName }.map(\.path)
                    item.childCount = children.count
                }
            }
        }
    }

    package func readRole(
        _ reference: ObjectReference, _ completion: @escaping @Loop (Result<Role, CallFailure>) -> Void
    ) {
        ask(
            reference, BusNames.accessible, "GetRole",
            { (reader) throws(MalformedMessage) in Role(rawValue: try reader.uint32()) }, completion)
    }

    package func readInterfaces(
        _ reference: ObjectReference, _ completion: @escaping @Loop (Result<InterfaceSet, CallFailure>) -> Void
    ) {
        ask(
            reference, BusNames.accessible, "GetInterfaces",
            { (reader) throws(MalformedMessage) in try reader.interfaces() }, completion)
    }

    /// Nil at the top, and where the application names nothing.
    package func readParent(
        _ reference: ObjectReference, _ completion: @escaping @Loop (Result<ObjectReference?, CallFailure>) -> Void
    ) {
        readProperty(
            reference, BusNames.accessible, "Parent", { (reader) throws(MalformedMessage) in try reader.reference() },
            completion)
    }

    /// The child at a place, nil where there is none. Never to be asked for a place that the child count does not admit:
    /// some toolkits crash.
    package func readChild(
        of reference: ObjectReference, at index: Int,
        _ completion: @escaping @Loop (Result<ObjectReference?, CallFailure>) -> Void
    ) {
        guard let index = Int32(exactly: index), index >= 0 else { return completion(.success(nil)) }
        ask(
            reference, BusNames.accessible, "GetChildAtIndex", arguments: { $0.int32(index) },
            { (reader) throws(MalformedMessage) in try reader.reference() }, completion)
    }

    /// The accessible id, empty where the application gave none. Qt before 6.8 fails with `notSupported`.
    package func readID(
        _ reference: ObjectReference, _ completion: @escaping @Loop (Result<String, CallFailure>) -> Void
    ) {
        readText(reference, "AccessibleId", completion)
    }

    /// Attributes kept of one object; what it has beyond them is left out.
    package static let maximumAttributes = 256

    /// `a{ss}`; of a name that comes twice the first counts.
    package func readAttributes(
        _ reference: ObjectReference, _ completion: @escaping @Loop (Result<[String: String], CallFailure>) -> Void
    ) {
        ask(
            reference, BusNames.accessible, "GetAttributes",
            { (reader) throws(MalformedMessage) in
                var attributes: [String: String] = [:]
                try reader.stringPairs { (name, value) in
                    guard attributes.count < BusConnection.maximumAttributes, attributes[name] == nil else { return }
                    attributes[name] = value
                }
                return attributes
            }, completion)
    }

    /// Where it is on the screen.
    package func readExtents(
        _ reference: ObjectReference, _ completion: @escaping @Loop (Result<Extents, CallFailure>) -> Void
    ) {
        let screen: UInt32 = 0
        ask(
            reference, BusNames.component, "GetExtents", arguments: { $0.uint32(screen) },
            { (reader) throws(MalformedMessage) in
                try reader.structure { (box) throws(MalformedMessage) in
                    Extents(
                        x: Int(try box.int32()), y: Int(try box.int32()), width: Int(try box.int32()),
                        height: Int(try box.int32()))
                }
            }, completion)
    }

    /// The beginning of what its Text interface holds, asked for in three calls, one after the other.
    ///
    /// The caller has made sure that it is not inside of a password field or a terminal; whether it is one *now*, which a
    /// tree may not know yet, is asked first, and then nothing else. Some applications fail when they are asked for more
    /// characters than there are, so these are counted before.
    package func readTextContent(
        _ reference: ObjectReference, maximumCharacters: Int,
        _ completion: @escaping @Loop (Result<TextContent, CallFailure>) -> Void
    ) {
        readRole(reference) { [weak self] result in
            guard let self else { return completion(.failure(.disconnected)) }
            switch result {
            case .failure(let failure): completion(.failure(failure))
            case .success(let role) where role.isSecret: completion(.success(.secret(role)))
            case .success: self.readPlainText(reference, maximumCharacters: maximumCharacters, completion)
            }
        }
    }

    private func readPlainText(
        _ reference: ObjectReference, maximumCharacters: Int,
        _ completion: @escaping @Loop (Result<TextContent, CallFailure>) -> Void
    ) {
        readProperty(
            reference, BusNames.text, "CharacterCount",
            { (reader) throws(MalformedMessage) in Int(try reader.int32()) }
        ) { [weak self] (result: Result<Int, CallFailure>) in
            guard let self else { return completion(.failure(.disconnected)) }
            switch result {
            case .failure(let failure): completion(.failure(failure))
            case .success(let count):
                let end = Int32(clamping: min(count, maximumCharacters))
                guard end > 0 else { return completion(.success(.text(""))) }
                self.ask(
                    reference, BusNames.text, "GetText",
                    arguments: {
                        $0.int32(0)
                        $0.int32(end)
                    },
                    { (reader) throws(MalformedMessage) in
                        .text(String(try reader.string().unicodeScalars.prefix(maximumCharacters)))
                    }, completion)
            }
        }
    }

    /// Who an application is: its root's name, its toolkit, its process. Three calls, of which one goes to the bus daemon.
    ///
    /// Fails only where it does not answer or is gone; what it does not say counts as empty, or 0.
    package func readApplicationFacts(
        _ root: ObjectReference, _ completion: @escaping @Loop (Result<ApplicationNode, CallFailure>) -> Void
    ) {
        let reading = Gathering(
            ApplicationNode(busName: root.busName, name: "", toolkit: "", pid: 0), awaited: 3, completion)
        readText(root, "Name") { reading.took($0) { $0.name = $1 } }
        readToolkit(root) { reading.took($0) { $0.toolkit = $1 } }
        readCredentials(of: root.busName) { reading.took($0) { $0.pid = $1.pid } }
    }
}

private typealias ItemReading = Gathering<TreeItem>

extension Gathering where Value == TreeItem {
    fileprivate convenience init(
        _ reference: ObjectReference, _ awaited: Int,
        _ completion: @escaping @Loop (Result<TreeItem, CallFailure>) -> Void
    ) {
        self.init(TreeItem(path: reference.path, role: .invalid), awaited: awaited, completion)
    }
}
