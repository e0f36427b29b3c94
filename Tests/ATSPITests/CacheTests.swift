import AccessibilityTree
import EventLoop
import FakePeers
import Testing

@testable import ATSPI

extension ATSPITests {
    /// The reading of an application's cache.
    @Suite struct Cache {
        private struct Outcome: Sendable {
            var slices: [[TreeItem]] = []
            var result: Result<CacheReading.Summary, CallFailure>
            var items: [TreeItem] { slices.flatMap { $0 } }
            var summary: CacheReading.Summary? { if case .success(let summary) = result { summary } else { nil } }
            var failure: CallFailure? { if case .failure(let failure) = result { failure } else { nil } }
        }

        /// Reads a cache that is answered so; the lister's name is known only once it is connected.
        private func read(
            limits: CacheReading.Limits = CacheReading.Limits(),
            _ values: @escaping @Sendable (String) -> [DBusValue]
        ) async throws -> Outcome {
            let bus = try PrivateBus()
            defer { bus.stop() }
            let lister = try Lister(bus) { $0.reply(values($1)) }
            defer { lister.connection.disconnect() }
            let name = lister.connection.uniqueName
            return try await onLoop {
                let connection = try await connect(bus)
                defer { connection.close() }
                return await Self.read(connection, name, limits)
            }
        }

        @Loop private static func read(
            _ connection: BusConnection, _ name: String, _ limits: CacheReading.Limits = CacheReading.Limits()
        ) async -> Outcome {
            var slices: [[TreeItem]] = []
            let result = await answer {
                connection.readCache(of: name, limits: limits, step: { slices.append($0) }, completion: $0)
            }
            return Outcome(slices: slices, result: result)
        }

        @Test func `an item of the usual form is read whole`() async throws {
            let outcome = try await read { name in
                var item = Item(name, 17)
                item.count = 3
                item.description = "what it does"
                item.interfaces += ["org.a11y.atspi.Text", "org.example.Unknown", "org.a11y.atspi.TableCell"]
                return [.array(Item.modernSignature, [item.modern])]
            }
            let item = try #require(outcome.items.first)
            #expect(item.path == "/it/17" && item.parent?.path == "/it/1" && item.parent?.busName.first == ":")
            #expect(item.index == 7 && item.childCount == 3 && item.children == nil)
            #expect(item.role == .pushButton && item.name == "item 17" && item.description == "what it does")
            #expect(item.states == StateSet(low: 1 << 8, high: 1))
            #expect(item.interfaces.names == ["Accessible", "Component", "TableCell", "Text"])
            #expect(outcome.summary?.items == 1 && outcome.summary?.isLegacy == false)
        }

        @Test func `an item of the older form lists its children`() async throws {
            let outcome = try await read { name in
                var item = Item(name, 17)
                item.children = [
                    .reference(name, "/it/18"), Item.null, .reference(":1.999", "/it/19"), .reference(name, "/it/20"),
                ]
                return [.array(Item.legacySignature, [item.legacy])]
            }
            let item = try #require(outcome.items.first)
            #expect(item.children == ["/it/18", "/it/20"] && item.childCount == 3 && item.index == nil)
            #expect(item.name == "item 17" && item.interfaces == [.component, InterfaceSet(name: "Accessible")])
            #expect(outcome.summary?.isLegacy == true)
        }

        @Test func `negative places and counts mean that nobody knows`() async throws {
            let outcome = try await read { name in
                var item = Item(name, 1)
                (item.index, item.count) = (-1, -1)
                var other = Item(name, 2)
                (other.index, other.count) = (.min, .max)
                return [.array(Item.modernSignature, [item.modern, other.modern])]
            }
            #expect(
                outcome.items.map(\.index) == [nil, nil] && outcome.items.map(\.childCount) == [nil, 2_147_483_647])
        }

        @Test func `null references are absent, and what belongs to others is left out and counted`() async throws {
            let outcome = try await read { name in
                var top = Item(name, 1)
                top.parent = Item.null
                var other = Item(name, 2)
                other.parent = .reference(name, "/org/a11y/atspi/null")
                var plugged = Item(name, 3)
                plugged.parent = .reference(":1.998", "/socket")
                var (null, root, foreign, anonymous) = (Item(name, 4), Item(name, 5), Item(name, 6), Item(name, 7))
                null.own = Item.null
                root.own = .reference(name, "/")
                foreign.own = .reference(":1.999", "/it/6")
                anonymous.own = .reference("org.a11y.atspi.Registry", "/it/7")
                let items = [null, top, root, other, foreign, plugged, anonymous]
                return [.array(Item.modernSignature, items.map(\.modern))]
            }
            #expect(outcome.items.map(\.path) == ["/it/1", "/it/2", "/it/3"])
            #expect(outcome.items[0].parent == nil && outcome.items[1].parent == nil)
            #expect(outcome.items[2].parent == ObjectReference(busName: ":1.998", path: "/socket"))
            #expect(outcome.summary?.nullItems == 2 && outcome.summary?.foreignItems == 2)
        }

        @Test func `states may have no, one or many words`() async throws {
            let outcome = try await read { name in
                let all: [[UInt32]] = [[], [5], [5, 6, 7, 8]]
                let items = all.map { words in
                    var item = Item(name, 1)
                    item.states = words
                    return item.modern
                }
                return [.array(Item.modernSignature, items)]
            }
            #expect(outcome.items.map(\.states) == [StateSet(), StateSet(bits: 5), StateSet(low: 5, high: 6)])
        }

        @Test(arguments: [
            "nothing", "string", "strings", "short", "references", "array of variants", "other states", "numbers",
        ])
        func `a reply of any other form is malformed`(form: String) async throws {
            let outcome = try await read { name in
                switch form {
                case "nothing": []
                case "string": ["a text"]
                case "strings": [.strings(["a", "b"])]
                case "short": [.array("((so)(so))", [])]
                case "references": [.array("(so)", [.reference(name, "/it/1")])]
                case "array of variants": [.array("v", [.variant(Item(name, 1).modern)])]
                case "other states": [.array("((so)(so)(so)iiassusas)", [])]
                default: [.array("((so)(so)(so)iiassusau)", []), 5]
                }
            }
            #expect(outcome.failure == .malformed && outcome.slices.isEmpty)
        }

        @Test func `an empty cache and a missing one are told apart`() async throws {
            let outcome = try await read { _ in [.array(Item.legacySignature, [])] }
            #expect(outcome.summary?.items == 0 && outcome.slices.isEmpty)
            let bus = try PrivateBus()
            defer { bus.stop() }
            let lister = try Lister(bus) { call, _ in call.fail("org.freedesktop.DBus.Error.UnknownObject") }
            defer { lister.connection.disconnect() }
            let name = lister.connection.uniqueName
            let failures = try await onLoop {
                let connection = try await connect(bus)
                defer { connection.close() }
                return [
                    await Self.read(connection, name).failure, await Self.read(connection, ":1.4000").failure,
                ]
            }
            #expect(failures == [.unknownObject, .noSuchName])
        }

        @Test func `many items come in slices, in order, and events are heard in between`() async throws {
            let bus = try PrivateBus()
            defer { bus.stop() }
            let lister = try Lister(bus) { call, name in
                call.reply([.array(Item.modernSignature, (0..<5_000).map { Item(name, $0).modern })])
            }
            defer { lister.connection.disconnect() }
            let peer = lister.connection
            try await onLoop {
                let connection = try await connect(bus)
                defer { connection.close() }
                var log: [String] = []
                connection.onSignal = { if $0.isMember("Tick") { log.append("heard Tick") } }
                connection.addMatch("type='signal',interface='org.example.Test'")
                // The rule is in force when a later call is answered.
                _ = await answer { connection.readCredentials(of: peer.uniqueName, $0) }
                var limits = CacheReading.Limits()
                limits.itemsPerSlice = 100
                // A slice waits until the event that it asks for is there.
                limits.patienceMilliseconds = 20_000
                var paths: [String] = []
                var failed: (any Error)?
                let result = await answer {
                    connection.readCache(
                        of: peer.uniqueName, limits: limits,
                        step: { slice in
                            log.append("slice of \(slice.count)")
                            paths += slice.map(\.path)
                            do {
                                try peer.emit(path: "/it", interface: "org.example.Test", member: "Tick", [])
                                try peer.settle()
                            } catch { failed = error }
                        }, completion: $0)
                }
                #expect(failed == nil)
                #expect(paths == (0..<5_000).map { "/it/\($0)" })
                guard case .success(let summary) = result else { throw Missing(what: "the cache") }
                #expect(summary.items == 5_000)
                #expect(log.prefix(4) == ["slice of 100", "heard Tick", "slice of 100", "heard Tick"])
                #expect(log.count { $0 == "slice of 100" } == 50)
            }
        }

        @Test func `a cancelled reading hands out nothing more`() async throws {
            let bus = try PrivateBus()
            defer { bus.stop() }
            let lister = try Lister(bus) { call, name in
                call.reply([.array(Item.modernSignature, (0..<1_000).map { Item(name, $0).modern })])
            }
            defer { lister.connection.disconnect() }
            let name = lister.connection.uniqueName
            try await onLoop {
                let connection = try await connect(bus)
                defer { connection.close() }
                var limits = CacheReading.Limits()
                limits.itemsPerSlice = 10
                var slices = 0
                var reading: CacheReading?
                reading = connection.readCache(
                    of: name, limits: limits,
                    step: { _ in
                        slices += 1
                        if slices == 3 { reading?.cancel() }
                    }, completion: { _ in Issue.record("completed") })
                let early = connection.readCache(
                    of: name, step: { _ in Issue.record("begun") }, completion: { _ in Issue.record("completed") })
                early.cancel()
                try await until("three slices") { slices == 3 }
                // A whole reading later there would have been more.
                _ = await Self.read(connection, name)
                #expect(slices == 3)
            }
        }

        @Test func `an application that does not answer costs a deadline, and its late answer is dropped`() async throws
        {
            let bus = try PrivateBus()
            defer { bus.stop() }
            let held = Observations<FakeCall>()
            let lister = try Lister(bus) { call, _ in held.append(call) }
            defer { lister.connection.disconnect() }
            let peer = lister.connection
            try await onLoop {
                let connection = try await connect(bus)
                defer { connection.close() }
                var limits = CacheReading.Limits()
                limits.milliseconds = 100
                let outcome = await Self.read(connection, peer.uniqueName, limits)
                #expect(outcome.failure == .notResponding)
                let call = try await held.wait()
                call.reply([.array(Item.modernSignature, [Item(peer.uniqueName, 1).modern])])
                try await peer.settled()
                _ = await answer { connection.readCredentials(of: peer.uniqueName, $0) }
                #expect(outcome.slices.isEmpty)
            }
        }

        @Test func `texts of any length and kind come as they are`() async throws {
            let long = String(repeating: "ä", count: 500_000)
            let outcome = try await read { name in
                var item = Item(name, 1)
                item.name = long
                item.description = "a\u{1}b\n\u{202e}c\u{fffd}"
                item.interfaces = ["", "org.a11y.atspi.", long, "Text"]
                item.role = 4_000_000_000
                return [.array(Item.modernSignature, [item.modern])]
            }
            let item = try #require(outcome.items.first)
            #expect(item.name == long && item.description == "a\u{1}b\n\u{202e}c\u{fffd}")
            #expect(item.interfaces == .text && item.role.rawValue == 4_000_000_000)
        }
    }
}
