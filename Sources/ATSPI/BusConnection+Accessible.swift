import AccessibilityTree
import EventLoop

/// Questions to accessibles. Each is asked on its own: `Properties.GetAll` crashes Qt applications (QTBUG-107897).
extension BusConnection {
    /// Reads all that is kept of a node, in one pipelined batch.
    ///
    /// Fails where the object does not say its role and states; what else it does not know counts as empty.
    package func readNode(
        _ reference: ObjectReference, _ completion: @escaping @Loop (Result<Node, CallFailure>) -> Void
    ) {
        let reading = Gathering(Node(reference: reference, role: .invalid), awaited: 7, completion)
        ask(reference, BusNames.accessible, "GetRole", { (reader) throws(MalformedMessage) in try reader.uint32() }) {
            reading.took($0, isNeeded: true) { $0.role = Role(rawValue: $1) }
        }
        readStates(reference) { reading.took($0, isNeeded: true) { $0.states = $1 } }
        ask(reference, BusNames.accessible, "GetInterfaces", BusConnection.interfaceNames) {
            reading.took($0) { $0.interfaces = $1 }
        }
        readText(reference, "Name") { reading.took($0) { $0.name = $1 } }
        readText(reference, "Description") { reading.took($0) { $0.description = $1 } }
        readText(reference, "AccessibleId") { reading.took($0) { $0.id = $1 } }
        readProperty(
            reference, BusNames.accessible, "Parent", { (reader) throws(MalformedMessage) in try reader.reference() }
        ) { reading.took($0) { $0.parent = $1 } }
    }

    package func readStates(
        _ reference: ObjectReference, milliseconds: Int32? = nil,
        _ completion: @escaping @Loop (Result<StateSet, CallFailure>) -> Void
    ) {
        ask(
            reference, BusNames.accessible, "GetState", milliseconds: milliseconds,
            { (reader) throws(MalformedMessage) in
                var words: [UInt32] = []
                try reader.array { (word) throws(MalformedMessage) in words.append(try word.uint32()) }
                return StateSet(low: words.first ?? 0, high: words.count > 1 ? words[1] : 0)
            }, completion)
    }

    package func readChildren(
        _ reference: ObjectReference, _ completion: @escaping @Loop (Result<[ObjectReference], CallFailure>) -> Void
    ) {
        ask(reference, BusNames.accessible, "GetChildren", BusConnection.references, completion)
    }

    /// An object's property `ChildCount`: negative where it does not know.
    package func readChildCount(
        _ reference: ObjectReference, _ completion: @escaping @Loop (Result<Int, CallFailure>) -> Void
    ) {
        readProperty(
            reference, BusNames.accessible, "ChildCount",
            { (reader) throws(MalformedMessage) in Int(try reader.int32()) }, completion)
    }

    package func readText(
        _ reference: ObjectReference, _ property: String,
        _ completion: @escaping @Loop (Result<String, CallFailure>) -> Void
    ) {
        readProperty(
            reference, BusNames.accessible, property, { (reader) throws(MalformedMessage) in try reader.string() },
            completion)
    }

    /// The name that the toolkit gives itself; only application objects have it.
    package func readToolkit(
        _ application: ObjectReference, _ completion: @escaping @Loop (Result<String, CallFailure>) -> Void
    ) {
        readProperty(
            application, BusNames.application, "ToolkitName",
            { (reader) throws(MalformedMessage) in try reader.string() }, completion)
    }

    /// `Component.GrabFocus`. Its answer proves nothing.
    package func grabFocus(
        _ reference: ObjectReference, _ completion: @escaping @Loop (Result<Bool, CallFailure>) -> Void
    ) {
        ask(
            reference, BusNames.component, "GrabFocus", { (reader) throws(MalformedMessage) in try reader.boolean() },
            completion)
    }

    /// `Component.ScrollTo` anywhere in sight; the answer does not matter.
    package func scrollIntoView(_ reference: ObjectReference) {
        let anywhere: UInt32 = 6
        send(reference.busName, reference.path, BusNames.component, "ScrollTo") { $0.uint32(anywhere) }
    }

    // MARK: - The bus and the registry

    package struct Credentials: Hashable, Sendable {
        package let uid: UInt32
        package let pid: Int
    }

    /// Who is behind a connection, as the bus daemon got it from the kernel.
    package func readCredentials(
        of busName: String, _ completion: @escaping @Loop (Result<Credentials, CallFailure>) -> Void
    ) {
        call(
            BusNames.daemon, BusNames.daemonPath, BusNames.daemon, "GetConnectionCredentials", { $0.string(busName) }
        ) { reply in
            completion(
                BusConnection.decode(reply) { (reader) throws(MalformedMessage) in
                    var uid: UInt32?
                    var pid: UInt32 = 0
                    try reader.dictionary { (key, value) throws(MalformedMessage) in
                        switch key {
                        case "UnixUserID": uid = try value.uint32()
                        case "ProcessID": pid = try value.uint32()
                        default: break
                        }
                    }
                    guard let uid else { throw MalformedMessage() }
                    return Credentials(uid: uid, pid: Int(pid))
                })
        }
    }

    /// The connections that registered for events, each once.
    package func readListeners(_ completion: @escaping @Loop (Result<Set<String>, CallFailure>) -> Void) {
        call(BusNames.registry, BusNames.registryPath, BusNames.registry, "GetRegisteredEvents") { reply in
            completion(
                BusConnection.decode(reply) { (reader) throws(MalformedMessage) in
                    var names: Set<String> = []
                    try reader.array { (element) throws(MalformedMessage) in
                        names.insert(try element.structure { (pair) throws(MalformedMessage) in try pair.string() })
                    }
                    return names
                })
        }
    }

    /// What one connection registered for, as the registry spells it; the same thing may be there twice.
    func readRegisteredEvents(
        of busName: String, _ completion: @escaping @Loop (Result<[String], CallFailure>) -> Void
    ) {
        call(BusNames.registry, BusNames.registryPath, BusNames.registry, "GetRegisteredEvents") { reply in
            completion(
                BusConnection.decode(reply) { (reader) throws(MalformedMessage) in
                    var events: [String] = []
                    try reader.array { (element) throws(MalformedMessage) in
                        let (name, event) = try element.structure { (pair) throws(MalformedMessage) in
                            (try pair.string(), try pair.string())
                        }
                        if name == busName { events.append(event) }
                    }
                    return events
                })
        }
    }

    /// The roots of the applications that the registry lists, and of those that it should.
    package func readApplications(
        _ completion: @escaping @Loop (Result<[ObjectReference], CallFailure>) -> Void
    ) {
        call(BusNames.registry, BusNames.registryRoot, BusNames.accessible, "GetChildren") { [weak self] reply in
            let listed = BusConnection.decode(reply, BusConnection.references)
            guard let self, case .success(let roots) = listed else { return completion(listed) }
            self.unlisted.complete(roots, over: self) { completion(.success($0)) }
        }
    }

    // MARK: -

    func readProperty<Value>(
        _ reference: ObjectReference, _ interface: String, _ name: String,
        _ decode: @escaping (inout MessageReader) throws(MalformedMessage) -> Value,
        _ completion: @escaping @Loop (Result<Value, CallFailure>) -> Void
    ) {
        call(
            reference.busName, reference.path, BusNames.properties, "Get",
            {
                $0.string(interface)
                $0.string(name)
            }
        ) { reply in
            completion(
                BusConnection.decode(reply) { (reader) throws(MalformedMessage) in try reader.variant(decode) })
        }
    }

    func ask<Value>(
        _ reference: ObjectReference, _ interface: String, _ method: String, milliseconds: Int32? = nil,
        arguments: ((inout MessageWriter) -> Void)? = nil,
        _ decode: @escaping (inout MessageReader) throws(MalformedMessage) -> Value,
        _ completion: @escaping @Loop (Result<Value, CallFailure>) -> Void
    ) {
        call(reference.busName, reference.path, interface, method, milliseconds: milliseconds, arguments) { reply in
            completion(BusConnection.decode(reply, decode))
        }
    }

    static func decode<Value>(
        _ reply: Result<MessageReader, CallFailure>, _ decode: (inout MessageReader) throws(MalformedMessage) -> Value
    ) -> Result<Value, CallFailure> {
        switch reply {
        case .failure(let failure): return .failure(failure)
        case .success(var reader):
            do { return .success(try decode(&reader)) } catch { return .failure(.malformed) }
        }
    }

    /// Null references are left out, their neighbours kept.
    private static func references(_ reader: inout MessageReader) throws(MalformedMessage) -> [ObjectReference] {
        var found: [ObjectReference] = []
        try reader.array { (element) throws(MalformedMessage) in
            if let reference = try element.reference() { found.append(reference) }
        }
        return found
    }

    private static func interfaceNames(_ reader: inout MessageReader) throws(MalformedMessage) -> [String] {
        var names: [String] = []
        try reader.array { (element) throws(MalformedMessage) in
            let name = try element.string()
            names.append(name.hasPrefix("org.a11y.atspi.") ? String(name.dropFirst(15)) : name)
        }
        return names
    }
}
