import AccessibilityTree
import EventLoop
import FakePeers
import Testing

@testable import ATSPI

extension ATSPITests {
    /// Questions about single accessibles.
    @Suite struct Questions {
        private func withSample(
            _ body: @escaping @Loop @Sendable (FakeApplication, BusConnection) async throws -> Void
        ) async throws {
            let bus = try PrivateBus()
            defer { bus.stop() }
            let app = try FakeApplication.sample(bus: bus.address, registration: .never)
            defer { app.connection.disconnect() }
            try await onLoop {
                let connection = try await connect(bus)
                defer { connection.close() }
                try await body(app, connection)
            }
        }

        private func reference(_ app: FakeApplication, _ key: String) -> ObjectReference {
            ObjectReference(busName: app.busName, path: app.node(key).path)
        }

        @Test func `an item that is asked for is as a cache would list it`() async throws {
            try await withSample { app, connection in
                app.node("ok").description = "does it"
                let item = try await answer { connection.readItem(reference(app, "ok"), $0) }.get()
                #expect(item.path == app.node("ok").path && item.parent == reference(app, "panel"))
                #expect(item.name == "OK" && item.description == "does it" && item.role == .pushButton)
                #expect(
                    item.states.contains(.focused) && item.interfaces.names == ["Accessible", "Action", "Component"])
                #expect(item.childCount == 0 && item.index == nil && item.children == nil)
                #expect(app.count("GetAll") == 0)
                var listed: [TreeItem] = []
                _ = try await answer {
                    connection.readCache(of: app.busName, step: { listed += $0 }, completion: $0)
                }.get()
                var twin = try #require(listed.first { $0.path == item.path })
                twin.index = nil
                #expect(twin == item)
            }
        }

        @Test func `only what is wanted is asked`() async throws {
            try await withSample { app, connection in
                let item = try await answer {
                    connection.readItem(reference(app, "panel"), asking: [.role, .children], $0)
                }.get()
                #expect(item.role == .panel && item.childCount == 7)
                #expect(item.children?.first == app.node("ok").path)
                #expect(app.count("GetRole") == 1 && app.count("GetChildren") == 1)
                #expect(app.calls.all.filter { $0.path == app.node("panel").path }.count == 2)
            }
        }

        @Test func `what an object does not know is empty, but role and states it must say`() async throws {
            try await withSample { app, connection in
                app.script("Description", .error("org.freedesktop.DBus.Error.UnknownInterface", "no"))
                app.script("ChildCount", .values(.int32(-1)))
                app.script("Parent", .values(.reference("", "/org/a11y/atspi/null")))
                let item = try await answer { connection.readItem(reference(app, "ok"), $0) }.get()
                #expect(item.description.isEmpty && item.childCount == nil && item.parent == nil)
                app.script("GetState", .error("org.freedesktop.DBus.Error.UnknownObject", "no"))
                let failed = await answer { connection.readItem(reference(app, "ok"), $0) }
                #expect(failed == .failure(.unknownObject))
                app.script("GetRole", .values("no number"))
                app.unscript()
                app.script("GetRole", .values("no number"))
                #expect(await answer { connection.readItem(reference(app, "ok"), $0) } == .failure(.malformed))
            }
        }

        @Test func `children, ids, attributes, extents and text`() async throws {
            try await withSample { app, connection in
                app.node("ok").accessibleID = "send-button"
                app.node("ok").attributes = ["tag": "BUTTON", "level": "2"]
                (app.node("ok").extents.x, app.node("ok").extents.y) = (-5, 6)
                let ok = reference(app, "ok")
                #expect(try await answer { connection.readID(ok, $0) }.get() == "send-button")
                let attributes = try await answer { connection.readAttributes(ok, $0) }.get()
                #expect(attributes == ["tag": "BUTTON", "level": "2"])
                let extents = try await answer { connection.readExtents(ok, $0) }.get()
                #expect(extents == Extents(x: -5, y: 6, width: 100, height: 30))
                let panel = reference(app, "panel")
                #expect(
                    try await answer { connection.readChild(of: panel, at: 1, $0) }.get() == reference(app, "cancel"))
                let asked = app.calls.count
                #expect(try await answer { connection.readChild(of: panel, at: -1, $0) }.get() == nil)
                #expect(app.calls.count == asked)
                app.node("entry").text = "zwölf 12"
                let entry = reference(app, "entry")
                #expect(
                    try await answer { connection.readTextContent(entry, maximumCharacters: 5, $0) }.get()
                        == .text("zwölf"))
                #expect(
                    try await answer { connection.readTextContent(entry, maximumCharacters: 500, $0) }.get()
                        == .text("zwölf 12"))
                let last = try #require(app.calls.all.last { $0.member == "GetText" })
                #expect(last.arguments.compactMap(\.number) == [0, 8])
                #expect(
                    await answer { connection.readTextContent(ok, maximumCharacters: 5, $0) } != .success(.text("")))
            }
        }

        @Test(arguments: ["password", "entry"])
        func `what is a password field now is not asked for its text, nor how long that is`(
            _ key: String
        ) async throws {
            try await withSample { app, connection in
                // Also where it was another kind of field when it was last looked at.
                app.node("entry").role = .terminal
                let field = reference(app, key)
                let content = try await answer { connection.readTextContent(field, maximumCharacters: 5, $0) }.get()
                #expect(content == .secret(key == "entry" ? .terminal : .passwordText))
                #expect(!app.calls.all.contains { $0.member == "GetText" })
                #expect(!app.calls.all.contains { $0.arguments.last?.text == "CharacterCount" })
            }
        }

        @Test func `more attributes than the limit are left out`() async throws {
            try await withSample { app, connection in
                let many = Dictionary(uniqueKeysWithValues: (0..<1_000).map { ("key \($0)", "value") })
                app.node("ok").attributes = many
                let kept = try await answer { connection.readAttributes(reference(app, "ok"), $0) }.get()
                #expect(kept.count == BusConnection.maximumAttributes)
            }
        }

        @Test(arguments: ["GetExtents", "GetAttributes", "GetChildAtIndex", "AccessibleId", "GetText"])
        func `an answer of a wrong form is malformed`(member: String) async throws {
            try await withSample { app, connection in
                app.script(member, .values(.array("v", [.variant("what?")])))
                let ok = reference(app, "ok")
                switch member {
                case "GetExtents": #expect(await answer { connection.readExtents(ok, $0) } == .failure(.malformed))
                case "GetAttributes":
                    #expect(await answer { connection.readAttributes(ok, $0) } == .failure(.malformed))
                case "GetChildAtIndex":
                    #expect(await answer { connection.readChild(of: ok, at: 0, $0) } == .failure(.malformed))
                case "AccessibleId": #expect(await answer { connection.readID(ok, $0) } == .failure(.malformed))
                default:
                    let entry = reference(app, "entry")
                    let text = await answer { connection.readTextContent(entry, maximumCharacters: 9, $0) }
                    #expect(text == .failure(.malformed))
                }
            }
        }

        @Test func `who an application is`() async throws {
            try await withSample { app, connection in
                let root = ObjectReference(busName: app.busName, path: app.root.path)
                let facts = try await answer { connection.readApplicationFacts(root, $0) }.get()
                #expect(facts.name == "calc" && facts.busName == app.busName && !facts.toolkit.isEmpty)
                #expect(facts.pid > 0)
                let nobody = ObjectReference(busName: ":1.4000", path: "/root")
                #expect(await answer { connection.readApplicationFacts(nobody, $0) } == .failure(.noSuchName))
            }
        }
    }

    /// Many questions to one application.
    @Suite struct Queue {
        /// A peer that answers a question only when a test lets it.
        private final class Holding: Sendable {
            let connection: FakeConnection
            let held = Observations<FakeCall>()

            init(_ bus: PrivateBus) throws {
                connection = try FakeConnection(bus: bus.address)
                connection.serve { [held] in held.append($0) }
            }

            func release(_ range: Range<Int>) { for call in held.all[range] { call.reply([.uint32(43)]) } }
        }

        private func withPeer(
            _ body: @escaping @Loop @Sendable (Holding, BusConnection) async throws -> Void
        ) async throws {
            let bus = try PrivateBus()
            defer { bus.stop() }
            let peer = try Holding(bus)
            defer { peer.connection.disconnect() }
            try await onLoop {
                var limits = BusConnection.Limits()
                limits.callMilliseconds = 30_000
                let connection = try await connect(bus, limits: limits)
                defer { connection.close() }
                try await body(peer, connection)
            }
        }

        /// Everything that was sent has arrived at the peer, which answers no ping that is not of libdbus: by the bus.
        @Loop private func settle(_ peer: Holding, _ connection: BusConnection) async throws {
            _ = await answer { connection.readCredentials(of: peer.connection.uniqueName, $0) }
            try await peer.connection.settled()
        }

        @Test func `so many are unanswered and no more, in order, and focus gets through`() async throws {
            try await withPeer { peer, connection in
                let queue = CallQueue(connection)
                var answered: [Int] = []
                for number in 0..<1_000 {
                    let reference = ObjectReference(busName: peer.connection.uniqueName, path: "/it/\(number)")
                    queue.ask {
                        $0.readRole(reference, $1)
                    } completion: { _ in
                        answered.append(number)
                    }
                }
                #expect(queue.callsInFlight == 48 && queue.waiting == 952)
                try await settle(peer, connection)
                #expect(peer.held.all.map(\.path) == (0..<48).map { "/it/\($0)" })
                // Sixteen are left for who asks at once.
                let focus = ObjectReference(busName: peer.connection.uniqueName, path: "/focus")
                var roles = 0
                for _ in 0..<16 { connection.readRole(focus) { _ in roles += 1 } }
                _ = try await peer.held.wait(16, where: { $0.path == "/focus" })
                peer.release(48..<64)
                try await until("answers about focus") { roles == 16 }
                #expect(answered.isEmpty)
                peer.release(0..<10)
                try await until("ten answers") { answered.count == 10 }
                _ = try await peer.held.wait { $0.path == "/it/57" }
                #expect(queue.callsInFlight == 48)
                peer.release(10..<48)
                var replied = 64
                while answered.count < 1_000 {
                    let before = answered.count
                    // What was asked anew may still be on its way to the peer.
                    try await until("more answers") {
                        let all = peer.held.all
                        for call in all[replied...] { call.reply([.uint32(43)]) }
                        replied = all.count
                        return answered.count > before
                    }
                    let paths = peer.held.all.map(\.path).filter { $0 != "/focus" }
                    #expect(paths == (0..<paths.count).map { "/it/\($0)" })
                    #expect(queue.callsInFlight <= 48)
                }
                #expect(answered == Array(0..<1_000) && queue.isIdle)
            }
        }

        @Test func `what is cancelled is answered no more, and its calls still count`() async throws {
            try await withPeer { peer, connection in
                let queue = CallQueue(connection)
                let reference = ObjectReference(busName: peer.connection.uniqueName, path: "/it")
                for _ in 0..<100 {
                    queue.ask {
                        $0.readRole(reference, $1)
                    } completion: { _ in
                        Issue.record("answered")
                    }
                }
                queue.cancelAll()
                #expect(queue.waiting == 0 && queue.callsInFlight == 48)
                var later: [Result<Role, CallFailure>] = []
                queue.ask {
                    $0.readRole(reference, $1)
                } completion: {
                    later.append($0)
                }
                #expect(queue.waiting == 1)
                try await settle(peer, connection)
                #expect(peer.held.count == 48)
                peer.release(0..<48)
                _ = try await peer.held.wait(49)
                peer.release(48..<49)
                try await until("the later answer") { !later.isEmpty }
                #expect(later == [.success(.pushButton)] && queue.isIdle)
            }
        }

        @Test func `questions of several calls count as many`() async throws {
            try await withPeer { peer, connection in
                var limits = CallQueue.Limits()
                limits.maximumCallsInFlight = 10
                let queue = CallQueue(connection, limits: limits)
                let reference = ObjectReference(busName: peer.connection.uniqueName, path: "/it")
                let fields: ItemFields = [.role, .states, .name, .parent]
                for _ in 0..<5 {
                    queue.ask(calls: fields.calls) {
                        $0.readItem(reference, asking: fields, $1)
                    } completion: { _ in
                    }
                }
                #expect(queue.callsInFlight == 8 && queue.waiting == 3)
                queue.cancelAll()
                let alone = CallQueue(connection, limits: limits)
                alone.ask(calls: 20) { (_: BusConnection, _: @Loop (Result<Int, CallFailure>) -> Void) in
                } completion: { _ in
                }
                #expect(alone.callsInFlight == 20)
            }
        }

        @Test func `an end of the connection answers everything that waits`() async throws {
            try await withPeer { peer, connection in
                var limits = CallQueue.Limits()
                limits.maximumWaiting = 5_000
                let queue = CallQueue(connection, limits: limits)
                let reference = ObjectReference(busName: peer.connection.uniqueName, path: "/it")
                var failures: [CallFailure: Int] = [:]
                for _ in 0..<5_100 {
                    queue.ask {
                        $0.readRole(reference, $1)
                    } completion: { result in
                        if case .failure(let failure) = result { failures[failure, default: 0] += 1 }
                    }
                }
                // Those for which there was no room.
                #expect(failures == [.notResponding: 52])
                connection.close()
                try await until("all answers") { queue.isIdle }
                #expect(failures == [.notResponding: 52, .disconnected: 5_048])
            }
        }
    }
}
