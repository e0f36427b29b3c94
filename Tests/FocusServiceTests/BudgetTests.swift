import AccessibilityFocus
import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

extension FocusdTests {
    /// Each limit that is met is told: in the answer, on the node, and by `Diagnose`. Nothing else suffers.
    @Suite(.enabled(if: hasRegistry)) struct Budgets {
        /// focusd with this setting, and an application that fits.
        private func withLimit(
            _ setting: String, _ body: (FocusdScene, FakeApplication, Client) async throws -> Void
        ) async throws {
            try await withScene(registry: true, configuration: setting + "\n") { scene in
                try await body(scene, try scene.application("small"), try scene.client())
            }
        }

        private func expectIncomplete(
            _ scene: FocusdScene, _ large: FakeApplication, besides small: FakeApplication, finding: String
        ) throws -> GetTree.Reply {
            let tree = try scene.loadedTree()
            ToldTree.expectSound(tree)
            #expect(!tree.complete)
            #expect(
                tree.stale == [StaleApplication(busName: large.busName, name: large.name, reason: "limitReached")])
            #expect(ToldTree.lines(tree, of: small) == ToldTree.lines(small))
            #expect(try scene.findings().contains(finding))
            let client = try scene.client()
            let everywhere = try client.find("push-button[name=OK]")
            #expect(!everywhere.complete && everywhere.stale == tree.stale)
            #expect(everywhere.elements.contains { $0.busName == small.busName })
            let there = try client.find("application[name=small] push-button")
            #expect(there.complete && there.stale.isEmpty && there.elements.count == 4)
            return tree
        }

        @Test(arguments: [CacheStyle.modern, .missing])
        func `nodes of one application`(_ cache: CacheStyle) async throws {
            try await withLimit("max-nodes-per-application = 1000") { scene, small, client in
                let large = scene.adopt(try FakeApplication.large(bus: scene.bus.address, nodes: 3_000))
                large.cache = cache
                let tree = try expectIncomplete(
                    scene, large, besides: small, finding: "limitReached.nodesPerApplication")
                let told = tree.nodes.filter { $0.busName == large.busName }
                #expect(told.count <= 1_000 && told.count > 500)
                #expect(told.contains { $0.marks.contains(Node.Mark.childrenCut) })
                #expect(try client.applications().allSatisfy { ($0.nodes ?? 0) <= 1_000 })
                // Where there is room again more is found.
                try large.rename("n1", to: "Still here")
                #expect(try client.waitFor("[name='Still here']") != nil)
            }
        }

        @Test func `nodes of all applications`() async throws {
            try await withLimit("max-nodes = 1000") { scene, small, client in
                #expect(try client.find("push-button").elements.count == 4)
                // Both are read at the same time.
                let larges = try ["first", "second"].map {
                    scene.adopt(try FakeApplication.large(bus: scene.bus.address, nodes: 700, name: $0))
                }
                let tree = try scene.loadedTree()
                #expect(!tree.complete && !tree.stale.isEmpty)
                #expect(tree.stale.allSatisfy { $0.reason == "limitReached" })
                #expect(Set(tree.stale.map(\.busName)).isSubset(of: larges.map(\.busName)))
                #expect(ToldTree.lines(tree, of: small) == ToldTree.lines(small))
                #expect(try client.applications().reduce(0) { $0 + ($1.nodes ?? 0) } <= 1_000)
                #expect(tree.nodes.count > 800)
                #expect(try scene.findings().contains("limitReached.nodesInAll"))
                // What goes makes room for what is read next.
                larges[0].disconnect()
                try scene.wait(within: 20, "it has left") { try client.applications().count == 2 }
                let third = scene.adopt(try FakeApplication.large(bus: scene.bus.address, nodes: 200, name: "third"))
                try scene.expectTree(of: third)
                #expect(try client.applications().reduce(0) { $0 + ($1.nodes ?? 0) } <= 1_000)
            }
        }

        @Test(arguments: [CacheStyle.modern, .missing])
        func `children of one object`(_ cache: CacheStyle) async throws {
            try await withLimit("max-children-per-object = 100") { scene, small, client in
                let large = scene.adopt(
                    try FakeApplication.large(bus: scene.bus.address, nodes: 402, shape: .flat))
                large.keepsCalls = true
                large.cache = cache
                let tree = try expectIncomplete(
                    scene, large, besides: small, finding: "limitReached.childrenPerObject")
                let told = tree.nodes.filter { $0.busName == large.busName }
                #expect(told.count == 102)
                let frame = try #require(told.first { $0.role == "frame" })
                #expect(frame.marks == [Node.Mark.childrenCut] && frame.children == 400)
                // What is beyond it is not asked for either.
                if cache == .missing { #expect(large.askedObjects("GetRole") == 102) }
                #expect(large.count("GetChildAtIndex") == 0)
                // One that is added among those that are kept is kept.
                try large.add(FakeNode("new", .pushButton, name: "New"), to: "n0", at: 5, announced: true)
                #expect(try client.waitFor("push-button[name=New]") != nil)
                #expect(try scene.loadedTree().nodes.count { $0.busName == large.busName } == 102)
            }
        }

        @Test(arguments: [CacheStyle.modern, .legacy, .missing])
        func `levels`(_ cache: CacheStyle) async throws {
            try await withLimit("max-depth = 10") { scene, small, client in
                let large = scene.adopt(
                    try FakeApplication.large(bus: scene.bus.address, nodes: 40, shape: .chain))
                large.cache = cache
                let tree = try expectIncomplete(scene, large, besides: small, finding: "limitReached.depth")
                let told = tree.nodes.filter { $0.busName == large.busName }
                #expect(told.map(\.depth) == Array(0...10))
                #expect(
                    told.map { $0.marks.contains(Node.Mark.depthCut) } == Array(repeating: false, count: 10) + [true])
                // What changes below that is nobody's business, what changes above is.
                try large.add(FakeNode("low", .pushButton, name: "Low"), to: "n20", announced: true)
                try large.add(FakeNode("high", .pushButton, name: "High"), to: "n3", announced: true)
                #expect(try client.waitFor("push-button[name=High]") != nil)
                #expect(try client.find("push-button[name=Low]").elements.isEmpty)
            }
        }

        @Test(arguments: [CacheStyle.modern, .missing])
        func `bytes of a name`(_ cache: CacheStyle) async throws {
            try await withLimit("max-name-bytes = 64") { scene, small, client in
                small.cache = cache
                small.node("ok").name = String(repeating: "a", count: 64)
                small.node("cancel").name = String(repeating: "b", count: 63) + "ü"
                small.node("help").description = String(repeating: "c", count: 1_000)
                small.node("entry").accessibleID = String(repeating: "d", count: 1_000)
                let tree = try scene.loadedTree()
                let told = Dictionary(uniqueKeysWithValues: tree.nodes.map { ($0.path, $0) })
                #expect(told[small.node("ok").path]?.marks == [])
                let cut = try #require(told[small.node("cancel").path])
                #expect(cut.marks == [Node.Mark.nameCut] && cut.name.hasSuffix("…") && cut.name.utf8.count < 68)
                #expect(cut.name.hasPrefix(String(repeating: "b", count: 50)))
                #expect((told[small.node("help").path]?.description?.utf8.count ?? 1_000) < 68)
                // A name is cut for who reads it; that it is there is not in question.
                #expect(tree.complete && tree.nodes.count == small.nodes.count)
                #expect(try client.find("push-button").complete)
                #expect(try scene.findings().contains("limitReached.nameBytes"))
            }
        }

        @Test(arguments: [8, 20])
        func `questions that one application has to answer at once`(_ limit: Int) async throws {
            try await withLimit("max-calls-in-flight = \(limit)") { scene, _, client in
                let busy = scene.adopt(try FakeApplication.large(bus: scene.bus.address, nodes: 150))
                busy.cache = .missing
                let before = busy.callCount
                let unanswered = Observations<Int>()
                busy.script(
                    "*",
                    .truth.delayed(by: .milliseconds(5)).first { busy in
                        unanswered.append(busy.callCount - before - unanswered.count)
                    })
                try scene.expectTree(of: busy, "with \(limit) calls")
                // Beside the mirror's questions: who it is, and whether it still answers.
                #expect(unanswered.all.allSatisfy { $0 <= limit + 4 })
                #expect(unanswered.all.contains { $0 >= 6 })
                #expect(try client.find("frame").complete)
                #expect(try scene.counter("callsRefused") == 0)
            }
        }

        @Test(arguments: [64, 128])
        func `a bus that takes few match rules`(_ rules: Int) async throws {
            try await withScene(registry: true, limits: ["max_match_rules_per_connection": rules]) { scene in
                let apps = try (0..<20).map { try scene.application("app\($0)") }
                let client = try scene.client()
                #expect(try client.find("push-button[name=OK]").elements.count == apps.count)
                // Each is heard, and none stands for another.
                for app in [apps[0], apps[9], apps[19]] {
                    try app.rename("help", to: "Go \(app.name)")
                    #expect(
                        try client.waitFor("push-button[name='Go \(app.name)']", milliseconds: 10_000)?.busName
                            == app.busName)
                }
                #expect(try scene.findings().contains("limitReached.matchRules"))
            }
        }

        @Test func `a bus that takes few unanswered calls`() async throws {
            try await withScene(
                registry: true, configuration: "max-calls-in-flight = 8\n", limits: ["max_replies_per_connection": 32]
            ) { scene in
                let apps = try [CacheStyle.missing, .modern].map { cache in
                    let app = try scene.application("app\(cache)")
                    app.cache = cache
                    return app
                }
                for app in apps { try scene.expectTree(of: app) }
            }
        }
    }
}
