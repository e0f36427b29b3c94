import AccessibilityTree
import EventLoop
import FakePeers
import Testing

@testable import ATSPI

extension ATSPITests {
    /// What becomes of signals that tell of changes of a tree.
    @Suite struct Events {
        /// The end of an event's body.
        enum Body: CaseIterable, Sendable {
            case modern, qt, bare, none
        }

        private struct Sent: Sendable {
            var interface = "org.a11y.atspi.Event.Object"
            var path = "/it/1"
            let member: String
            let arguments: [DBusValue]

            init(_ member: String, _ detail: String, _ first: Int32, _ value: DBusValue?, _ body: Body = .modern) {
                self.member = member
                var arguments: [DBusValue] = [.string(detail), .int32(first), 0]
                if body != .none { arguments.append(.variant(value ?? 0)) }
                switch body {
                case .modern: arguments.append(.variantDictionary([]))
                case .qt: arguments.append(.reference(":1.0", "/root"))
                case .bare, .none: break
                }
                self.arguments = arguments
            }

            init(cache member: String, _ arguments: [DBusValue]) {
                interface = "org.a11y.atspi.Cache"
                path = "/org/a11y/atspi/cache"
                self.member = member
                self.arguments = arguments
            }
        }

        /// Sends these over a bus and tells what was made of each: an observation, or a refusal's word.
        private func decode(
            registry: Bool = false, _ make: @escaping @Sendable (String) -> [Sent]
        ) async throws -> (name: String, outcomes: [Outcome]) {
            let bus = try PrivateBus()
            defer { bus.stop() }
            let peer = try FakeConnection(bus: bus.address)
            defer { peer.disconnect() }
            let name = peer.uniqueName
            let outcomes = try await onLoop {
                let connection = try await connect(bus)
                defer { connection.close() }
                var decoder = EventDecoder()
                if registry { decoder.registryName = name }
                var outcomes: [Outcome] = []
                connection.onSignal = { message in
                    guard message.sender == name else { return }
                    switch decoder.decode(message) {
                    case .observation(let observation): outcomes.append(.seen(observation))
                    case .refused(let refusal): outcomes.append(.refused(refusal))
                    case .registry, .irrelevant: outcomes.append(.irrelevant)
                    }
                }
                for word in ["Event.Object", "Event.Window", "Cache"] {
                    connection.addMatch("type='signal',interface='org.a11y.atspi.\(word)'")
                }
                _ = await answer { connection.readCredentials(of: name, $0) }
                let sent = make(name)
                for each in sent {
                    try peer.emit(path: each.path, interface: each.interface, member: each.member, each.arguments)
                }
                try await until("all events") { outcomes.count == sent.count }
                return outcomes
            }
            return (name, outcomes)
        }

        enum Outcome: Hashable, Sendable {
            case seen(Observation)
            case refused(Refusal)
            case irrelevant
        }

        private func it(_ name: String, _ path: String = "/it/1") -> ObjectReference {
            ObjectReference(busName: name, path: path)
        }

        @Test(arguments: [Body.modern, .qt, .bare])
        func `children come and go, whatever body the toolkit sends`(body: Body) async throws {
            let (name, outcomes) = try await decode { name in
                let child = DBusValue.reference(name, "/it/2")
                return [
                    Sent("ChildrenChanged", "add", 3, child, body),
                    Sent("ChildrenChanged", "add/system", -1, child, body),
                    Sent("ChildrenChanged", "add", .max, child, body),
                    Sent("ChildrenChanged", "remove", 3, child, body),
                    Sent("ChildrenChanged", "remove/system", 3, child, body),
                    Sent("ChildrenChanged", "reorder", 3, child, body),
                    Sent("ChildrenChanged", "addition", 3, child, body),
                ]
            }
            let (parent, child) = (it(name), it(name, "/it/2"))
            #expect(
                outcomes == [
                    .seen(.childAdded(parent: parent, index: 3, child: child)),
                    .seen(.childAdded(parent: parent, index: nil, child: child)),
                    .seen(.childAdded(parent: parent, index: nil, child: child)),
                    .seen(.childRemoved(parent: parent, child: child)),
                    .seen(.childRemoved(parent: parent, child: child)), .irrelevant, .irrelevant,
                ])
        }

        @Test func `a child that is nothing is unclear, and somebody else's is forged`() async throws {
            let (name, outcomes) = try await decode { name in
                [
                    Sent("ChildrenChanged", "add", 0, Item.null),
                    Sent("ChildrenChanged", "remove", 0, .reference(name, "/org/a11y/atspi/null")),
                    Sent("ChildrenChanged", "add", 0, 0), Sent("ChildrenChanged", "remove", 0, "text"),
                    Sent("ChildrenChanged", "add", 0, nil, .none),
                    Sent("ChildrenChanged", "add", 0, .reference(":1.999", "/it/2")),
                    Sent("ChildrenChanged", "remove", 0, .reference(":1.999", "/it/2")),
                    Sent("ChildrenChanged", "add", 0, .structure([1, 2])),
                ]
            }
            let unclear = Outcome.seen(.childrenUnclear(parent: it(name)))
            #expect(
                outcomes == [
                    unclear, unclear, unclear, unclear, unclear, .refused(.forged), .refused(.forged),
                    .refused(.malformed),
                ])
        }

        @Test(arguments: Body.allCases)
        func `a property that changed is told, with its value where it is carried`(body: Body) async throws {
            let (name, outcomes) = try await decode { name in
                [
                    Sent("PropertyChange", "accessible-name", 0, "Save", body),
                    Sent("PropertyChange", "accessible-name", 0, 5, body),
                    Sent("PropertyChange", "accessible-description", 0, "saves", body),
                    Sent("PropertyChange", "accessible-role", 0, .uint32(43), body),
                    Sent("PropertyChange", "accessible-role", 0, 43, body),
                    Sent("PropertyChange", "accessible-role", 0, "push button", body),
                    Sent("PropertyChange", "accessible-parent", 0, .reference(name, "/it/0"), body),
                    Sent("PropertyChange", "accessible-parent", 0, Item.null, body),
                    Sent("PropertyChange", "accessible-value", 0, .double(0.5), body),
                    Sent("AttributesChanged", "level", 0, 0, body),
                    Sent("PropertyChange", "accessible-id", 0, "save", body),
                ]
            }
            let carries = body != .none
            let it = it(name)
            let seen: [Observation] = [
                .nameChanged(it, name: carries ? "Save" : nil), .nameChanged(it, name: nil),
                .descriptionChanged(it, description: carries ? "saves" : nil),
                .roleChanged(it, role: carries ? .pushButton : nil),
                .roleChanged(it, role: carries ? .pushButton : nil), .roleChanged(it, role: nil),
                .parentChanged(it, parent: carries ? self.it(name, "/it/0") : nil), .parentChanged(it, parent: nil),
            ]
            #expect(Array(outcomes.prefix(8)) == seen.map { .seen($0) })
            #expect(outcomes[8] == .irrelevant && outcomes[9] == .seen(.attributesChanged(it)))
            #expect(outcomes[10] == .seen(.attributesChanged(it)))
        }

        @Test func `what a cache gains and loses is told`() async throws {
            let (name, outcomes) = try await decode { name in
                var (legacy, null, foreign) = (Item(name, 2), Item(name, 3), Item(name, 4))
                legacy.children = [.reference(name, "/it/9")]
                null.own = Item.null
                foreign.own = .reference(":1.999", "/it/4")
                return [
                    Sent(cache: "AddAccessible", [Item(name, 1).modern]), Sent(cache: "AddAccessible", [legacy.legacy]),
                    Sent(cache: "AddAccessible", [null.modern]), Sent(cache: "AddAccessible", [foreign.modern]),
                    Sent(cache: "AddAccessible", []), Sent(cache: "AddAccessible", [.reference(name, "/it/1")]),
                    Sent(cache: "RemoveAccessible", [.reference(name, "/it/1")]),
                    Sent(cache: "RemoveAccessible", [Item.null]),
                    Sent(cache: "RemoveAccessible", [.reference(":1.999", "/it/1")]),
                    Sent(cache: "RemoveAccessible", ["/it/1"]),
                ]
            }
            guard case .seen(.itemAdded(let busName, let item)) = outcomes[0],
                case .seen(.itemAdded(_, let other)) = outcomes[1]
            else { throw Missing(what: "items") }
            #expect(busName == name && item.path == "/it/1" && item.index == 1 && item.name == "item 1")
            #expect(other.children == ["/it/9"] && other.childCount == 1)
            #expect(
                Array(outcomes.dropFirst(2)) == [
                    .refused(.malformed), .refused(.forged), .refused(.malformed), .refused(.malformed),
                    .seen(.itemRemoved(it(name))), .refused(.malformed), .refused(.forged), .refused(.malformed),
                ])
        }

        @Test func `windows are created and destroyed in both cases of letters`() async throws {
            let (name, outcomes) = try await decode { _ in
                ["Create", "create", "Destroy", "destroy"].map { member in
                    var sent = Sent(member, "", 0, "title")
                    sent.interface = "org.a11y.atspi.Event.Window"
                    return sent
                }
            }
            let it = it(name)
            #expect(
                outcomes == [
                    .seen(.windowCreated(it)), .seen(.windowCreated(it)), .seen(.windowDestroyed(it)),
                    .seen(.windowDestroyed(it)),
                ])
        }

        @Test func `only the registry says who is in the list of applications`() async throws {
            let make: @Sendable (String) -> [Sent] = { name in
                ["add", "remove"].map { what in
                    var sent = Sent("ChildrenChanged", what, 0, .reference(":1.77", "/root"))
                    sent.path = BusNames.registryRoot
                    return sent
                }
            }
            let root = ObjectReference(busName: ":1.77", path: "/root")
            #expect(
                try await decode(registry: true, make).outcomes == [
                    .seen(.applicationAdded(root: root)), .seen(.applicationRemoved(root: root)),
                ])
            #expect(try await decode(make).outcomes == [.refused(.forged), .refused(.forged)])
        }
    }
}
