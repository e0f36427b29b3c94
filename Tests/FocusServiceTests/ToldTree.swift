import AccessibilityFocus
import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

/// Trees as focusd tells them and as they are, in a form that tests compare: depth, path, role, name and some states.
enum ToldTree {
    static func lines(_ tree: GetTree.Reply, of app: FakeApplication) -> [String] {
        tree.nodes.filter { $0.busName == app.busName }.map { node in
            let states = node.states.filter { name in shown.contains { $0.name == name } }
            return "\(node.depth) \(node.path) \(node.role) \(node.name.debugDescription) \(states.sorted())"
        }
    }

    /// What whoever reads the application meets, each node once, all its roots in the order of their coming.
    static func lines(_ app: FakeApplication) -> [String] {
        var waiting = app.nodes.filter { $0.role == .application }.reversed().map { (node: $0, depth: 0) }
        var seen: Set<String> = []
        var lines: [String] = []
        while let (node, depth) = waiting.popLast() {
            guard seen.insert(node.path).inserted else { continue }
            let states = shown.filter { node.states.contains($0.state) }.map(\.name)
            let role = node.role.name.replacing(" ", with: "-")
            lines.append("\(depth) \(node.path) \(role) \(node.name.debugDescription) \(states.sorted())")
            guard !node.states.contains(.managesDescendants) else { continue }
            for child in node.children.reversed() where child.bus.isEmpty || child.bus == app.busName {
                if let child = app.find(child.path) { waiting.append((child, depth + 1)) }
            }
        }
        return lines
    }

    private static let shown: [(name: String, state: FakeStates)] = [
        ("checked", .checked), ("enabled", .enabled), ("focusable", .focusable), ("sensitive", .sensitive),
        ("showing", .showing), ("visible", .visible),
    ]

    /// Each element stands in it once, and where it stands again it is marked and has nothing below it.
    static func expectSound(_ tree: GetTree.Reply, at location: SourceLocation = #_sourceLocation) {
        var seen: Set<String> = []
        for (node, next) in zip(tree.nodes, Array(tree.nodes.dropFirst().map(\.depth)) + [0]) {
            if node.marks.contains(Node.Mark.cycle) {
                #expect(next <= node.depth, "below a repetition", sourceLocation: location)
            } else {
                #expect(seen.insert(node.busName + node.path).inserted, "\(node) twice", sourceLocation: location)
            }
            #expect(next <= node.depth + 1, sourceLocation: location)
        }
    }
}

extension FocusdScene {
    /// Waits until the tree that focusd tells of an application is what it is; else says where they first differ.
    @discardableResult
    func expectTree(
        of app: FakeApplication, within seconds: Double = 40, _ note: String = "",
        at location: SourceLocation = #_sourceLocation
    ) throws -> GetTree.Reply {
        let deadline = Date(timeIntervalSinceNow: seconds)
        while true {
            let tree = try client().wholeTree()
            let (told, wanted) = (ToldTree.lines(tree, of: app), ToldTree.lines(app))
            if told == wanted { return tree }
            guard Date() < deadline else {
                let place =
                    zip(told, wanted).enumerated().first { $1.0 != $1.1 }?.offset ?? min(told.count, wanted.count)
                Issue.record(
                    """
                    \(told.count) nodes are told of \(wanted.count); line \(place):
                    told \(place < told.count ? told[place] : "nothing")
                    is   \(place < wanted.count ? wanted[place] : "nothing")
                    \(tree.stale) \(note)
                    """, sourceLocation: location)
                throw Missing(what: "the tree of \(app.name)")
            }
        }
    }

    /// The whole desktop, once nothing of it is still being read.
    func loadedTree(within seconds: Double = 60) throws -> GetTree.Reply {
        var tree = try client().wholeTree()
        try wait(within: seconds, "everything is read") {
            guard tree.stale.contains(where: { $0.reason == "loading" }) else { return true }
            tree = try client().wholeTree()
            return false
        }
        return tree
    }

    /// The codes of what `Diagnose` finds.
    func findings() throws -> Set<String> { Set(try client().diagnose().map(\.code)) }

    /// What focusd has registered with the registry, in lower case and without hyphens.
    func registeredEvents(_ peer: FakeConnection) throws -> Set<String> {
        let focusd = try focusdName(peer)
        let answer = try peer.callBlocking(
            FakeApplication.registry.bus, "/org/a11y/atspi/registry", "org.a11y.atspi.Registry", "GetRegisteredEvents")
        let pairs = answer.first?.elements?.compactMap(\.elements) ?? []
        return Set(pairs.filter { $0.first?.text == focusd }.compactMap { $0.last?.text }.map(Self.plain))
    }

    /// An event's name as ``registeredEvents(_:)`` has it.
    static func plain(_ event: String) -> String {
        event.lowercased().replacing("-", with: "").split(separator: ":").joined(separator: ":")
    }

    /// focusd's name on the bus: the one that belongs to its process.
    func focusdName(_ peer: FakeConnection) throws -> String {
        let names = try peer.busBlocking("ListNames").first?.elements?.compactMap(\.text) ?? []
        for name in names where name.hasPrefix(":") {
            let pid = try peer.busBlocking("GetConnectionUnixProcessID", [.string(name)]).first?.number
            if pid == Int64(focusd.process.pid) { return name }
        }
        throw Missing(what: "focusd on the bus")
    }
}

extension FakeApplication {
    /// All calls that came in so far.
    var callCount: Int { tally.values.reduce(0, +) }

    /// How many different objects were asked this.
    func askedObjects(_ member: String) -> Int {
        Set(calls.all.lazy.filter { $0.concerns(member: member) }.map(\.path)).count
    }
}

/// What a call that must fail says; nil where it did not fail.
func failure(_ body: () throws -> Void) -> String? {
    do {
        try body()
        return nil
    } catch {
        return "\(error)"
    }
}
