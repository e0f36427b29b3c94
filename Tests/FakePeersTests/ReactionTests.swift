import FakePeers
import Testing

private let component = "org.a11y.atspi.Component"

@Suite struct ReactionTests {
    @Test func `an answer that is held comes when the gate opens, with the truth of then`() async throws {
        try await Stage.run { stage in
            let gate = Gate()
            stage.app.script("Name", on: "ok", .truth.held(by: gate))
            async let late = stage.property("Name", of: "ok")
            _ = try await stage.app.waitForCall("Name", on: "ok")
            #expect(try await stage.property("Name", of: "help") == "Help")
            #expect(gate.waiting == 1)
            stage.app.node("ok").name = "New"
            gate.open()
            #expect(try await late == "New")
            #expect(try await stage.property("Name", of: "ok") == "New")
        }
    }

    @Test func `an answer that was decided on arrival is old when it comes`() async throws {
        try await Stage.run { stage in
            let gate = Gate()
            stage.app.script("GetChildren", on: "panel", times: 1, .truth.decidedOnArrival().held(by: gate))
            stage.app.script("GetItems", times: 1, .truth.decidedOnArrival().held(by: gate))
            async let children = stage.children("panel")
            async let items = stage.items()
            _ = try await stage.app.waitForCall("GetChildren")
            _ = try await stage.app.waitForCall("GetItems")
            try await stage.app.connection.settled()
            try stage.app.remove("ok")
            gate.open()
            #expect(try await children.count == 7)
            #expect(try await items.count == 10)
            #expect(try await stage.children("panel").count == 6)
            #expect(try await stage.items().count == 9)
        }
    }

    @Test func `a script can begin after some calls and end after some more`() async throws {
        try await Stage.run { stage in
            stage.app.script("GetRole", after: 2, times: 1, .unknownObject)
            var failures: [String?] = []
            for _ in 0..<4 { failures.append(try await stage.failure(of: "GetRole", of: "ok")) }
            #expect(failures == [nil, nil, "UnknownObject", nil])
            stage.app.script("*", on: "help", .notSupported)
            #expect(try await stage.failure(of: "GetState", of: "help") == "NotSupported")
            #expect(try await stage.failure(of: "GetState", of: "ok") == nil)
        }
    }

    @Test func `an application can die in the middle of a walk`() async throws {
        try await Stage.run { stage in
            stage.app.script("GetChildAtIndex", after: 1, .disconnect)
            let first = try await stage.ask("GetChildAtIndex", of: "panel", accessible, [0])
            #expect(first.first?.referenced == stage.app.reference("ok"))
            await #expect(throws: FakePeerError.self) {
                try await stage.ask("GetChildAtIndex", of: "panel", accessible, [1])
            }
            _ = try await stage.app.connection.ended.wait()
        }
    }

    @Test func `GrabFocus answers what it is told, late, with something else done before or after`() async throws {
        try await Stage.run { stage in
            stage.app.script("GrabFocus", on: "ok", .values(true))
            #expect(try await stage.ask("GrabFocus", of: "ok", component) == [true])
            #expect(try await stage.heard().isEmpty)
            stage.app.script(
                "GrabFocus", on: "help",
                .values(false).delayed(by: .milliseconds(20)).first { try $0.moveFocus(to: "help") }.then {
                    try $0.moveFocus(to: "entry")
                })
            #expect(try await stage.ask("GrabFocus", of: "help", component) == [false])
            _ = try await stage.client.signals.wait { [path = stage.app.node("entry").path] in $0.path == path }
            #expect(stage.app.node("entry").states.contains(.focused))
            stage.app.script("GrabFocus", on: "cancel", .never)
            await #expect(throws: FakePeerError.timedOut("answer to a call")) {
                try await stage.ask("GrabFocus", of: "cancel", component, within: .milliseconds(50))
            }
        }
    }

    @Test func `calls are counted, and kept only where that is wanted`() async throws {
        try await Stage.run { stage in
            _ = try await stage.ask("GetRole", of: "ok")
            stage.app.keepsCalls = false
            _ = try await stage.ask("GetRole", of: "help")
            _ = try await stage.property("Name", of: "help")
            #expect(stage.app.count("GetRole") == 2)
            #expect(stage.app.tally == ["GetRole": 2, "Name": 1])
            #expect(stage.app.calls.count == 1)
            #expect(stage.app.count("GetAll") == 0)
            #expect(stage.app.calls(below: "panel").map(\.member) == ["GetRole"])
        }
    }

    @Test func `a bus can have narrow limits`() async throws {
        let bus = try PrivateBus(limits: ["max_match_rules_per_connection": 2])
        defer { bus.stop() }
        let client = try FakeConnection(bus: bus.address)
        for member in ["A", "B"] { try client.listen("type='signal',member='\(member)'") }
        do {
            try client.listen("type='signal',member='C'")
            Issue.record("a third rule was taken")
        } catch FakePeerError.replied(let name, _) {
            #expect(name == "org.freedesktop.DBus.Error.LimitsExceeded")
        }
    }
}
