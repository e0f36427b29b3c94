import AccessibilityFocus
import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

extension FocusdTests {
    /// `GetTree`: a tree of any size in parts, as it was when it was asked for; a small one in one reply.
    @Suite(.enabled(if: hasRegistry)) struct TreeStreams {
        private func withLarge(
            _ nodes: Int, shape: FakeShape = .fan(10),
            _ body: (FocusdScene, _ large: FakeApplication, Client) async throws -> Void
        ) async throws {
            try await withScene(registry: true) { scene in
                let large = scene.adopt(
                    try FakeApplication.large(bus: scene.bus.address, nodes: nodes, shape: shape))
                try await body(scene, large, try scene.client())
            }
        }

        @Test func `a large tree comes whole, in parts`() async throws {
            try await withLarge(20_000) { scene, large, client in
                _ = try scene.loadedTree()
                var stream = try client.stream(GetTree.self, .init())
                var parts: [GetTree.Reply] = []
                while let part = try stream.next(deadline: .after(.seconds(60))) { parts.append(part) }
                #expect(parts.count > 20 && parts.allSatisfy { $0.nodes.count <= 1_000 })
                #expect(parts.map(\.complete) == Array(repeating: false, count: parts.count - 1) + [true])
                #expect(parts.first?.instance != nil && parts.dropFirst().allSatisfy { $0.instance == nil })
                let nodes = parts.flatMap(\.nodes)
                #expect(nodes.count == 20_000)
                #expect(ToldTree.lines(GetTree.Reply(nodes: nodes, complete: true), of: large) == ToldTree.lines(large))
            }
        }

        @Test func `who reads slowly gets all of it, as it was, and holds up nobody`() async throws {
            try await withLarge(20_000) { scene, large, client in
                let other = try scene.application("other")
                let orca = try scene.reader()
                let watch = try await scene.watch(orca, on: "ok", of: other)
                _ = try scene.loadedTree()
                let wanted = ToldTree.lines(large)
                var slow = try scene.client().stream(GetTree.self, .init(selector: "application[name=large]"))
                var whole = try #require(try slow.next(deadline: .after(.seconds(60))))
                // Now it does not read, until its socket is full.
                try scene.wait(within: 30, "its socket is full") {
                    try client.statistics().clients.contains { $0.bytesQueued > 0 }
                }
                // The trees are held for it: that is charged until all was sent.
                #expect(try client.statistics().processes.map(\.searches).max() == 1)
                for key in ["help", "cancel", "ok", "help"] {
                    try await orca.present(key, of: other)
                    try watch.expect(other, key, cause: "moved")
                }
                #expect(try client.statistics().clients.allSatisfy { $0.bytesQueued < 1 << 20 })
                #expect(try client.find("application[name=large] frame").elements.count == 1)
                // What changes meanwhile is not mixed in.
                try large.remove("n5")
                #expect(try client.waitFor("[name='Node 5']", .gone) == nil)
                while let part = try slow.next(deadline: .after(.seconds(60))) {
                    whole.nodes += part.nodes
                    whole.complete = part.complete
                }
                #expect(whole.complete && ToldTree.lines(whole, of: large) == wanted)
                #expect(try scene.counter("subscribersTooSlow") == 0)
                #expect(try client.statistics().processes.map(\.searches).max() == 0)
            }
        }

        @Test func `who goes in the middle of it leaves nothing behind`() async throws {
            try await withLarge(20_000) { scene, _, client in
                _ = try scene.loadedTree()
                for _ in 0..<40 {
                    var stream = try scene.client().stream(GetTree.self, .init())
                    _ = try stream.next(deadline: .after(.seconds(60)))
                }
                try scene.wait(within: 20, "one client is left") { try client.statistics().clients.count <= 2 }
                #expect(try client.wholeTree().nodes.count == 20_000)
            }
        }

        @Test func `in one reply there are a thousand nodes and word that there are more`() async throws {
            try await withLarge(2_000) { scene, _, client in
                _ = try scene.loadedTree()
                let tree = try client.tree()
                #expect(tree.nodes.count == 1_000 && !tree.complete && tree.stale.isEmpty)
                #expect(try client.tree("[name='Node 1']").complete)
            }
        }

        @Test func `a depth ends it there, with a mark on what goes on`() async throws {
            try await withLarge(2_000) { scene, _, client in
                let app = try scene.application()
                _ = try scene.loadedTree()
                let roots = try client.tree(depth: 0)
                #expect(roots.complete && roots.nodes.map(\.name) == ["large", "calc"])
                #expect(roots.nodes.allSatisfy { $0.marks == [Node.Mark.depthCut] && $0.children == 1 })
                let panel = try client.tree("application[name=calc] panel", depth: 1)
                #expect(panel.nodes.map(\.depth) == [0] + Array(repeating: 1, count: 7))
                #expect(panel.nodes.allSatisfy { $0.marks.isEmpty })
                #expect(panel.nodes.dropFirst().map(\.index) == Array(0..<7))
                let frame = try client.tree("application[name=large] frame", depth: 2)
                #expect(frame.nodes.count == 1 + 10 + 100 && frame.complete)
                #expect(frame.nodes.allSatisfy { $0.marks == ($0.depth == 2 ? [Node.Mark.depthCut] : []) })
                #expect(failure { _ = try client.tree(depth: -1) }?.contains("depth") == true)
                _ = app
            }
        }

        @Test func `one element is meant, no other number of them`() async throws {
            try await withLarge(20) { scene, _, client in
                _ = try scene.application()
                _ = try scene.loadedTree()
                let ambiguous = failure { _ = try client.tree("application[name=calc] push-button") }
                #expect(ambiguous?.contains("AmbiguousSelector") == true && ambiguous?.contains("4") == true)
                let missing = failure { _ = try client.tree("push-button[name=Nope]") }
                #expect(missing?.contains("ElementNotFound") == true && missing?.contains("noMatch") == true)
                #expect(
                    failure { _ = try client.tree("application[name=mail]") }?.contains("noSuchApplication") == true)
                #expect(failure { _ = try client.wholeTree("push-button[") }?.contains("InvalidSelector") == true)
            }
        }

        @Test func `the focus of each technology is told on its node`() async throws {
            try await withLarge(20) { scene, _, client in
                let app = try scene.application()
                let orca = try scene.reader()
                _ = try await scene.watch(orca, on: "help", of: app)
                let tree = try scene.loadedTree()
                #expect(tree.nodes.filter { $0.focusedBy.contains("orca") }.map(\.path) == [app.node("help").path])
            }
        }
    }
}
