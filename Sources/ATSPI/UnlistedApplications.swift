import AccessibilityTree
import EventLoop

/// Applications that no registry lists: GTK 4 tells the registry of itself once, and not the one that takes its place.
///
/// Who is on the bus without being listed is asked once, when the connection or the registry is new; who comes later
/// will tell the registry itself.
@Loop
final class UnlistedApplications {
    /// How long a connection may take to say whether it is an application.
    private static let patienceMilliseconds: Int32 = 300
    /// Connections asked in one go.
    private static let maximumAsked = 256

    private var roots: [ObjectReference] = []
    /// Whether who is there must be looked at before a list is whole.
    private var isOutdated = true
    private var isAsking = false
    private var waiting: [@Loop () -> Void] = []

    /// There is another registry: those that the former listed may be missing from its list.
    func registryReplaced() { isOutdated = true }

    func connectionLeft(_ busName: String) { roots.removeAll { $0.busName == busName } }

    /// Adds to the registry's list who is missing from it.
    func complete(
        _ listed: [ObjectReference], over connection: BusConnection,
        _ completion: @escaping @Loop ([ObjectReference]) -> Void
    ) {
        let names = Set(listed.map(\.busName))
        roots.removeAll { names.contains($0.busName) }
        waiting.append { [weak self] in completion(listed + (self?.roots(besides: names) ?? [])) }
        // Who asks while strangers are being asked waits for their answers too.
        if !isAsking { look(besides: names, over: connection) }
    }

    private func look(besides names: Set<String>, over connection: BusConnection?) {
        guard isOutdated, let connection else {
            isAsking = false
            let all = waiting
            waiting = []
            for one in all { one() }
            return
        }
        isOutdated = false
        isAsking = true
        connection.call(
            BusNames.daemon, BusNames.daemonPath, BusNames.daemon, "ListNames",
            milliseconds: UnlistedApplications.patienceMilliseconds
        ) { [weak connection] reply in
            // ORDER: whoever waits is answered also where the connection ends, so that this lives until then.
            let present = BusConnection.decode(reply, UnlistedApplications.uniqueNames)
            guard let connection, case .success(let present) = present else {
                return self.look(besides: names, over: connection)
            }
            let strangers = present.filter { !names.contains($0) && $0 != connection.uniqueName }
            self.ask(strangers.prefix(UnlistedApplications.maximumAsked), connection) { [weak connection] in
                // There may be yet another registry by now.
                self.look(besides: names, over: connection)
            }
        }
    }

    private func roots(besides names: Set<String>) -> [ObjectReference] { roots.filter { !names.contains($0.busName) } }

    private func ask(
        _ names: ArraySlice<String>, _ connection: BusConnection, _ completion: @escaping @Loop () -> Void
    ) {
        var awaited = names.count
        guard awaited > 0 else { return completion() }
        for name in names {
            let root = ObjectReference(busName: name, path: BusNames.registryRoot)
            connection.call(
                name, root.path, BusNames.accessible, "GetRole",
                milliseconds: UnlistedApplications.patienceMilliseconds
            ) { [weak self] reply in
                let role = BusConnection.decode(reply) { (reader) throws(MalformedMessage) in try reader.uint32() }
                if case .success(Role.application.rawValue) = role, let self, !self.roots.contains(root) {
                    self.roots.append(root)
                }
                awaited -= 1
                if awaited == 0 { completion() }
            }
        }
    }

    private static func uniqueNames(_ reader: inout MessageReader) throws(MalformedMessage) -> [String] {
        var names: [String] = []
        try reader.array { (element) throws(MalformedMessage) in
            let name = try element.string()
            if name.hasPrefix(":") { names.append(name) }
        }
        return names
    }
}
