import FakePeers
import Foundation
import Testing

private let mustHaveAll = ProcessInfo.processInfo.environment["FOCUSD_REQUIRE_ALL"] == "1"

@Suite(.enabled(if: mustHaveAll || PrivateBus.hasRegistry, "needs at-spi2-core"))
struct RegistrationTests {
    private func desktop(_ client: FakeConnection) async throws -> [FakeReference] {
        let registry = FakeApplication.registry
        let children = try await client.call(registry.bus, registry.path, accessible, "GetChildren")
        return children.first?.elements?.compactMap(\.referenced) ?? []
    }

    @Test func `one connection may be two applications, with a root anywhere`() async throws {
        try await withBus(registry: true) { bus in
            let app = try FakeApplication(
                bus: bus.address, name: "foo", registration: .required, rootPath: "/org/example/a11y/root")
            try app.addRoot(
                FakeNode("second", .application, name: "Foo", children: [FakeNode("window", .frame)]),
                registration: .required)
            let client = try FakeConnection(bus: bus.address)
            #expect(try await desktop(client) == [app.reference("root"), app.reference("second")])
            let owner = try await client.call(app.busName, app.node("window").path, accessible, "GetApplication")
            #expect(owner.first?.referenced == app.reference("second"))
            #expect(app.node("root").path == "/org/example/a11y/root")
            try app.unembed()
            #expect(try await desktop(client) == [app.reference("second")])
        }
    }

    @Test func `an application may be there before it registers, own a name, and share its process`() async throws {
        try await withBus(registry: true) { bus in
            let client = try FakeConnection(bus: bus.address)
            let late = try FakeApplication.sample(bus: bus.address, name: "late", registration: .never)
            let other = try FakeApplication.sample(bus: bus.address, name: "other", registration: .required)
            #expect(try await desktop(client) == [other.reference("root")])
            try late.register(.required)
            #expect(try await desktop(client) == [other.reference("root"), late.reference("root")])
            #expect(late.node("ok").path == other.node("ok").path)
            try late.connection.requestName("org.example.Late")
            #expect(try client.busBlocking("GetNameOwner", ["org.example.Late"]) == [.string(late.busName)])
            try late.connection.releaseName("org.example.Late")
            #expect(throws: FakePeerError.self) { try client.busBlocking("GetNameOwner", ["org.example.Late"]) }
            let processes = try [late, other].map { app in
                try client.busBlocking("GetConnectionUnixProcessID", [.string(app.busName)])
            }
            #expect(processes[0] == processes[1])
        }
    }

    @Test func `an application that is restarted has another name, other paths and the same tree`() async throws {
        try await withBus(registry: true) { bus in
            let client = try FakeConnection(bus: bus.address)
            let app = try FakeApplication.sample(bus: bus.address, registration: .required)
            app.node("ok").name = "Changed"
            app.node("ok").children = [app.node("panel").reference]
            let again = try app.restarted(registration: .required)
            #expect(again.busName != app.busName)
            #expect(try await desktop(client) == [again.reference("root")])
            #expect(again.nodes.map(\.key) == app.nodes.map(\.key))
            #expect(again.node("ok").name == "Changed")
            let kept = Set(again.nodes.map(\.path)).intersection(app.nodes.map(\.path))
            #expect(kept == [again.root.path])
        }
    }
}
