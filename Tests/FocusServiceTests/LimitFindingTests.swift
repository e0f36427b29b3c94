import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

extension FocusdTests {
    /// Limits of trees, of the bus and of the process, as the doctor tells of them while they are met.
    @Suite(.enabled(if: hasRegistry, "needs at-spi2-core")) struct LimitFindings {
        @Test func `limitReached.nodesPerApplication, childrenPerObject, depth and nameBytes`() async throws {
            let settings = """
                max-nodes-per-application = 1000
                max-children-per-object = 100
                max-depth = 10
                max-name-bytes = 64

                """
            try await withScene(registry: true, configuration: settings) { scene in
                let bus = scene.bus.address
                let many = scene.adopt(try FakeApplication.large(bus: bus, nodes: 1_500, name: "many"))
                let flat = scene.adopt(try FakeApplication.large(bus: bus, nodes: 150, shape: .flat, name: "flat"))
                let deep = scene.adopt(try FakeApplication.large(bus: bus, nodes: 20, shape: .chain, name: "deep"))
                let wordy = try scene.application("wordy")
                wordy.node("ok").name = String(repeating: "a", count: 1_000)
                _ = try scene.loadedTree()
                let met: [(FindingCode, FakeApplication, setting: String)] = [
                    (.limitNodesPerApplication, many, "max-nodes-per-application"),
                    (.limitChildrenPerObject, flat, "max-children-per-object"), (.limitDepth, deep, "max-depth"),
                    (.limitNameBytes, wordy, "max-name-bytes"),
                ]
                for (code, app, setting) in met {
                    #expect(try scene.expectFound(code, app.busName).whatToDo.contains("`\(setting)`"))
                }
                for (code, app, _) in met {
                    app.disconnect()
                    try scene.expectGone(code)
                }
            }
        }

        @Test func `limitReached.nodesInAll`() async throws {
            try await withScene(registry: true, configuration: "max-nodes = 1000\n") { scene in
                let larges = try ["first", "second"].map {
                    scene.adopt(try FakeApplication.large(bus: scene.bus.address, nodes: 700, name: $0))
                }
                _ = try scene.loadedTree()
                #expect(try scene.expectFound(.limitNodesInAll).whatToDo.contains("`max-nodes`"))
                for app in larges { app.disconnect() }
                try scene.expectGone(.limitNodesInAll)
            }
        }

        @Test func `limitReached.matchRules`() async throws {
            try await withScene(registry: true, limits: ["max_match_rules_per_connection": 64]) { scene in
                let apps = try (0..<20).map { try scene.application("app\($0)") }
                #expect(try scene.client().find("push-button[name=OK]").elements.count == apps.count)
                try scene.expectFound(.limitMatchRules)
                // The bus comes back with the limits that it usually has.
                scene.stopBus()
                try scene.startBusAgain()
                try scene.waitUntilOnBus()
                try scene.expectGone(.limitMatchRules)
            }
        }

        @Test func `limitReached.descriptors`() async throws {
            try await withScene { scene in
                #expect(try scene.found(.limitDescriptors) == nil)
                let client = try scene.client()
                try limitDescriptors(of: scene.focusd, to: "12:")
                try scene.expectTold(.limitDescriptors, "of 12 ", to: client)
                try limitDescriptors(of: scene.focusd, to: "1024:")
                try scene.expectGone(.limitDescriptors)
            }
        }

        private func limitDescriptors(of focusd: FocusdProcess, to limits: String) throws {
            let prlimit = try TestDesktop.ChildProcess(
                "/usr/bin/prlimit", ["--pid", "\(focusd.process.pid)", "--nofile=\(limits)"], environment: [:])
            #expect(try prlimit.wait() == 0)
        }
    }
}
