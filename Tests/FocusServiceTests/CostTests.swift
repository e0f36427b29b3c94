import AccessibilityFocus
import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

extension FocusdTests {
    /// What one client asks for may be dear: everybody else is served in between.
    @Suite(.enabled(if: hasRegistry)) struct Costs {
        @Test func `while a dear answer is made everybody else is answered`() async throws {
            try await withScene(registry: true) { scene in
                let app = scene.adopt(try FakeApplication.large(bus: scene.bus.address, nodes: 3_000))
                let client = try scene.client()
                #expect(try client.find("application", limit: 1).elements.count == 1)
                let socket = try FocusSocket(
                    at: SocketLocation(runtimeFolder: scene.runtimeFolder), deadline: .after(.seconds(10)))
                var dear = try socket.stream(
                    Find.self, parameters: .init(selector: "*", limit: 3_000, fields: [Find.Field.selector]),
                    deadline: .after(.seconds(10)))
                // Once all ids are known, the selectors are written, which needs nobody any more.
                try scene.wait(within: 60, "all ids are asked for") { app.count("AccessibleId") >= 3_000 }
                for _ in 0..<20 { _ = try client.focus() }
                var watched = pollfd(fd: socket.pollable, events: Int16(POLLIN), revents: 0)
                #expect(poll(&watched, 1, 0) == 0, "the dear answer came first")
                let reply = try #require(try dear.next(deadline: .after(.seconds(60))))
                #expect(reply.elements.count == 3_000)
                #expect(reply.elements.first { $0.name == "Node 7" }?.selector != nil)
            }
        }

        @Test(arguments: [
            String(repeating: "*:has(~ ", count: 30) + "label" + String(repeating: ")", count: 30),
            "*" + (0..<60).map { ":has(~ *:nth-child(\($0 + 2)n) [name='\($0)'])" }.joined(),
            "*" + String(repeating: ":not(:has(~ * ~ * label[name*=zz]))", count: 60),
        ])
        func `a selector that costs too much is given up, and the answer says so or is whole`(
            _ selector: String
        ) async throws {
            try await withScene(registry: true) { scene in
                _ = scene.adopt(try FakeApplication.large(bus: scene.bus.address, nodes: 3_000, shape: .flat))
                let client = try scene.client()
                let found = try client.find(selector, limit: 10_000)
                #expect(found.complete || found.stale.isEmpty)
                #expect(try client.find("label", limit: 1).elements.count == 1)
            }
        }
    }
}
