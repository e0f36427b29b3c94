import EventLoop
import FakePeers
import Glibc
import Testing

@testable import ATSPI

extension ATSPITests {
    /// What is asked of the bus and the registry for what somebody needs to hear.
    @Suite struct InterestTests {
        private func interest(_ change: (inout Interest) -> Void) -> Interest {
            var interest = Interest()
            change(&interest)
            return interest
        }

        @Test func `nobody needs anything: nothing is asked for`() {
            #expect(Listening(Interest()) == Listening())
            // Focus in an application is heard by rules; nothing is registered for it.
            let focused = Listening(interest { $0.focusApplications = [":1.5"] })
            #expect(focused.events.isEmpty && focused.rules.count == 6)
        }

        @Test func `focus registers what it always did`() {
            let listening = Listening(interest { $0.followsFocus = true })
            #expect(
                listening.events == [
                    "object:state-changed:focused", "object:active-descendant-changed", "focus:", "window:activate",
                    "window:deactivate", "object:state-changed:defunct", "object:state-changed:showing",
                    "object:state-changed:visible", "object:children-changed:remove",
                    "object:property-change:accessible-name", "object:property-change:accessible-role",
                ])
            #expect(listening.rules.count == 7 && listening.rules.allSatisfy { !$0.contains("sender") })
        }

        @Test func `states and descriptions are registered where somebody needs them of the focused applications`() {
            let plain = Listening(
                interest {
                    $0.followsFocus = true
                    $0.focusApplications = [":1.5"]
                })
            let states = Listening(
                interest {
                    $0.followsFocus = true
                    $0.focusApplications = [":1.5"]
                    $0.followsStates = true
                })
            #expect(states.events.subtracting(plain.events) == ["object:state-changed"])
            // Their rule is there in any case.
            #expect(states.rules == plain.rules)
            let descriptions = Listening(
                interest {
                    $0.followsFocus = true
                    $0.focusApplications = [":1.5"]
                    $0.followsDescriptions = true
                })
            #expect(
                descriptions.events.subtracting(plain.events) == ["object:property-change:accessible-description"])
            let more = descriptions.rules.subtracting(plain.rules)
            #expect(more.count == 1 && more.allSatisfy { $0.contains("sender=':1.5'") })
        }

        @Test func `a mirrored application has rules of its own, up to a number of them`() {
            let few = Listening(interest { $0.mirroredApplications = [":1.5", ":1.6"] })
            #expect(few.rules.allSatisfy { $0.contains("sender=':1.5'") || $0.contains("sender=':1.6'") })
            let names = Set((0..<Interest.maximumMirrorsApart).map { ":1.\($0)" })
            #expect(Listening(interest { $0.mirroredApplications = names }).rules.count == 32 * few.rules.count / 2)
            let many = Listening(interest { $0.mirroredApplications = names.union([":1.32"]) })
            #expect(many == Listening(interest { $0.mirrorsAll = true }))
            #expect(many.rules.count == few.rules.count / 2 && many.rules.allSatisfy { !$0.contains("sender") })
            #expect(few.events == many.events)
        }

        @Test func `nothing is heard twice where an application is mirrored and has the focus`() {
            let both = Listening(
                interest {
                    $0.focusApplications = [":1.5", ":1.7"]
                    $0.mirroredApplications = [":1.5"]
                })
            #expect(both.rules.count { $0.contains("':1.5'") } == Listening.mirrorRules.count)
            #expect(both.rules.count { $0.contains("':1.7'") } == 6)
        }

        @Test func `neither text nor bounds are ever registered or heard`() {
            let all = Listening(
                interest {
                    $0.followsFocus = true
                    $0.mirrorsAll = true
                    $0.followsApplicationList = true
                })
            for text in all.events.union(all.rules).map({ $0.lowercased() }) {
                #expect(!text.contains("text") && !text.contains("bounds") && !text.contains("caret"))
                #expect(text != "object:" && text != "object" && text != "window:")
            }
        }

        @Test(arguments: [
            ("object:state-changed:focused", "object:state-changed", true),
            ("object:state-changed", "object:state-changed", true),
            ("object:state-changed", "object:state-changed:focused", false),
            ("focus:", "focus", true), ("window:create", "window:destroy", false),
            ("object:children-changed", "object:state-changed", false),
        ])
        func `what the registry takes away with an event is known`(event: String, kind: String, isPart: Bool) {
            #expect(Listening.isPart(event, of: kind) == isPart)
        }

        // MARK: - On a bus

        /// A registry that keeps lists as the real one does, and notes what is asked of it.
        private final class Registry: Sendable {
            let connection: FakeConnection
            let calls = Observations<FakeCall>()
            let events = Observations<String>()

            /// A deaf one deregisters nothing but everything at once.
            init(_ bus: PrivateBus, isDeaf: Bool = false) throws {
                connection = try FakeConnection(bus: bus.address)
                connection.serve { [calls, events] call in
                    calls.append(call)
                    let event = call.arguments.first?.text ?? ""
                    switch call.member {
                    case "RegisterEvent": events.append(event)
                    case "GetRegisteredEvents":
                        let pairs = events.all.map { DBusValue.structure([.string(call.sender), .string($0)]) }
                        return call.reply([.array("(ss)", pairs)])
                    case "DeregisterEvent" where !isDeaf || event.isEmpty:
                        let kept = events.all.filter { !Self.begins($0, with: event) }
                        events.removeAll()
                        for event in kept { events.append(event) }
                    default: break
                    }
                    call.reply([])
                }
                try connection.requestName("org.a11y.atspi.Registry")
            }

            private static func begins(_ event: String, with kind: String) -> Bool {
                var kinds = kind.split(separator: ":", omittingEmptySubsequences: true)[...]
                for part in event.split(separator: ":") {
                    guard let next = kinds.popFirst() else { return true }
                    if next != part { return false }
                }
                return kinds.isEmpty
            }

            var registered: Set<String> { Set(events.all) }
        }

        /// focusd's side, on the bus that the environment does not name.
        @Loop private func withBus(
            _ address: String, _ body: @Loop (AccessibilityBus) async throws -> Void
        ) async throws {
            setenv("AT_SPI_BUS_ADDRESS", address, 1)
            defer { unsetenv("AT_SPI_BUS_ADDRESS") }
            let bus = AccessibilityBus()
            bus.start()
            try await until("the bus") { bus.live != nil }
            try await body(bus)
            bus.live?.close()
        }

        /// All that was sent to the bus and the registry has arrived.
        @Loop private func settle(_ bus: AccessibilityBus) async {
            guard let connection = bus.live else { return }
            _ = await answer { connection.readListeners($0) } as Result<Set<String>, CallFailure>
        }

        private func listening(_ change: (inout Interest) -> Void) -> Set<String> { Listening(interest(change)).events }

        @Test func `only the difference is sent, and what is kept survives what goes`() async throws {
            let daemon = try PrivateBus()
            defer { daemon.stop() }
            let registry = try Registry(daemon)
            defer { registry.connection.disconnect() }
            try await onLoop {
                try await withBus(daemon.address) { bus in
                    await settle(bus)
                    #expect(registry.registered == [])
                    bus.setInterest(interest { $0.followsFocus = true })
                    await settle(bus)
                    #expect(registry.registered == listening { $0.followsFocus = true })
                    let sent = registry.calls.count
                    bus.setInterest(interest { $0.followsFocus = true })
                    bus.setInterest(
                        interest {
                            $0.followsFocus = true
                            $0.focusApplications = [":1.77"]
                        })
                    await settle(bus)
                    // Only the question of `settle`.
                    #expect(registry.calls.count == sent + 1)
                    bus.setInterest(
                        interest {
                            $0.followsFocus = true
                            $0.mirroredApplications = [":1.77"]
                        })
                    await settle(bus)
                    let both = listening {
                        $0.followsFocus = true
                        $0.mirrorsAll = true
                    }
                    #expect(registry.registered == both)
                    #expect(registry.events.count == both.count)
                    bus.setInterest(interest { $0.followsFocus = true })
                    await settle(bus)
                    #expect(registry.registered == listening { $0.followsFocus = true })
                    bus.setInterest(Interest())
                    await settle(bus)
                    #expect(registry.registered == [])
                }
            }
        }

        @Test func `a registry that keeps what it should forget is told to forget everything`() async throws {
            let daemon = try PrivateBus()
            defer { daemon.stop() }
            let registry = try Registry(daemon, isDeaf: true)
            defer { registry.connection.disconnect() }
            try await onLoop {
                try await withBus(daemon.address) { bus in
                    bus.setInterest(
                        interest {
                            $0.followsFocus = true
                            $0.mirrorsAll = true
                        })
                    await settle(bus)
                    bus.setInterest(interest { $0.followsFocus = true })
                    let focus = listening { $0.followsFocus = true }
                    try await until("only what focus needs") {
                        registry.registered == focus && registry.events.count == focus.count
                    }
                    bus.setInterest(Interest())
                    try await until("nothing") { registry.registered == [] }
                }
            }
        }

        @Test func `a new registry is told everything again`() async throws {
            let daemon = try PrivateBus()
            defer { daemon.stop() }
            let first = try Registry(daemon)
            try await onLoop {
                try await withBus(daemon.address) { bus in
                    bus.setInterest(interest { $0.mirrorsAll = true })
                    await settle(bus)
                    first.connection.disconnect()
                    let second = try Registry(daemon)
                    try await until("the new registry's list") {
                        second.registered == listening { $0.mirrorsAll = true }
                    }
                    second.connection.disconnect()
                }
            }
        }

        @Test func `what is needed outlives the bus, but for names of applications`() async throws {
            let daemon = try PrivateBus()
            let first = try Registry(daemon)
            try await onLoop {
                try await withBus(daemon.address) { bus in
                    bus.setInterest(
                        interest {
                            $0.mirrorsAll = true
                            $0.mirroredApplications = [":1.5"]
                            $0.focusApplications = [":1.6"]
                        })
                    await settle(bus)
                    daemon.stop()
                    try await until("the loss of the bus") { bus.live == nil }
                    #expect(bus.interest == interest { $0.mirrorsAll = true })
                    let again = try PrivateBus(inPlaceOf: daemon)
                    defer { again.stop() }
                    let second = try Registry(again)
                    try await until("the list of the new bus's registry") {
                        second.registered == listening { $0.mirrorsAll = true }
                    }
                    second.connection.disconnect()
                }
            }
            first.connection.disconnect()
        }

        @Test func `rules are taken back: what nobody needs is not heard`() async throws {
            let daemon = try PrivateBus()
            defer { daemon.stop() }
            let registry = try Registry(daemon)
            defer { registry.connection.disconnect() }
            let app = try FakeApplication.sample(bus: daemon.address, registration: .never)
            defer { app.connection.disconnect() }
            try await onLoop {
                try await withBus(daemon.address) { bus in
                    var heard: [Observation] = []
                    bus.onObservation = { observation in
                        switch observation {
                        case .connectionJoined, .connectionLeft, .listenerRegistered: break
                        default: heard.append(observation)
                        }
                    }
                    func change() async throws -> [Observation] {
                        await settle(bus)
                        heard = []
                        try app.emit(.stateChanged("checked", 1), from: "ok")
                        try app.rename("ok", to: "Yes")
                        try app.emit(FakeEvent("Object", "TextChanged", detail: "insert"), from: "entry")
                        try app.connection.settle()
                        await settle(bus)
                        return heard
                    }
                    var counts: [Int] = []
                    counts.append(try await change().count)
                    bus.setInterest(interest { $0.mirroredApplications = [app.busName] })
                    counts.append(try await change().count)
                    bus.setInterest(interest { $0.mirroredApplications = [":1.4000"] })
                    counts.append(try await change().count)
                    bus.setInterest(interest { $0.mirrorsAll = true })
                    counts.append(try await change().count)
                    bus.setInterest(interest { $0.followsFocus = true })
                    counts.append(try await change().count)
                    #expect(counts == [0, 2, 0, 2, 0])
                }
            }
        }
    }
}
