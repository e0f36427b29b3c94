import AccessibilityFocus
import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

extension FocusdTests {
    /// However an application's cache is, the tree is what the application is.
    @Suite(.enabled(if: hasRegistry)) struct CacheTruth {
        private func withRehearsal(
            _ toolkit: FakeToolkit, seed: UInt64, nodes: Int = 60, _ change: (FakeApplication) throws -> Void,
            _ body: (FocusdScene, inout TreeRehearsal) throws -> Void
        ) async throws {
            try await withScene(registry: true) { scene in
                let app = scene.adopt(
                    try FakeApplication(bus: scene.bus.address, name: "model", toolkit: toolkit, registration: .never))
                var rehearsal = try TreeRehearsal(seed: seed, application: app, nodes: nodes)
                try change(app)
                try app.register(.required)
                try body(scene, &rehearsal)
                #expect(app.count("GetAll") == 0 && app.count("GetChildAtIndex") == 0)
            }
        }

        @Test(
            arguments: [CacheStyle.modern, .legacy, .modernEmpty, .legacyEmpty, .missing],
            [FakeToolkit.gtk3, .gtk4, .qt])
        func `with a cache in any form or none`(_ cache: CacheStyle, _ toolkit: FakeToolkit) async throws {
            try await withRehearsal(toolkit, seed: 21) {
                $0.cache = cache
            } _: { scene, rehearsal in
                try scene.expectTree(of: rehearsal.application, rehearsal.description)
                for _ in 0..<10 { try rehearsal.step() }
                try scene.expectTree(of: rehearsal.application, rehearsal.description)
            }
        }

        @Test func `with an answer that no cache gives`() async throws {
            for values in [[], ["x"], [.array("(so)", [.reference(":1.1", "/x")])], [.int32(1), .int32(2)]]
                as [[DBusValue]]
            {
                try await withRehearsal(.gtk3, seed: 22, nodes: 20) {
                    $0.cache = .values(values)
                } _: { scene, rehearsal in
                    try scene.expectTree(of: rehearsal.application, rehearsal.description)
                }
            }
        }

        @Test(arguments: [CacheStyle.modern, .legacy], [UInt64](31...35))
        func `with a cache that lists a random half`(_ cache: CacheStyle, _ seed: UInt64) async throws {
            try await withRehearsal(.gtk3, seed: seed) { app in
                app.cache = cache
                var generator = SeededGenerator(seed: seed)
                for node in app.nodes { node.isInCache = Bool.random(using: &generator) }
            } _: { scene, rehearsal in
                try scene.expectTree(of: rehearsal.application, rehearsal.description)
                for _ in 0..<10 { try rehearsal.step() }
                try scene.expectTree(of: rehearsal.application, rehearsal.description)
            }
        }

        @Test(arguments: [CacheStyle.modern, .legacy], [UInt64](41...45))
        func `with a cache that lies, after the next look`(_ cache: CacheStyle, _ seed: UInt64) async throws {
            try await withRehearsal(.gtk3, seed: seed) { app in
                app.cache = cache
                app.editCache { Self.lies($0, seed: seed) }
            } _: { scene, rehearsal in
                let app = rehearsal.application
                let tree = try scene.loadedTree()
                ToldTree.expectSound(tree)
                try app.emit(.stateChanged("active", 1), from: "root")
                try scene.expectTree(of: app, within: 60, rehearsal.description)
            }
        }

        @Test func `a cache that is wrong altogether is not believed for ever`() async throws {
            try await withScene(registry: true) { scene in
                let app = scene.adopt(try FakeApplication.large(bus: scene.bus.address, nodes: 1_200))
                app.editCache { items in
                    items.map { item in
                        var item = item
                        item.name = "lie"
                        return item
                    }
                }
                #expect(try scene.client().find("[name=lie]").elements.count == 100)
                try app.emit(.stateChanged("busy", 0), from: "n0")
                try scene.expectTree(of: app, within: 90)
                #expect(app.count("GetItems") <= 2)
                // And stays so.
                try app.rename("n7", to: "Truth")
                #expect(try scene.client().waitFor("[name=Truth]") != nil)
                try scene.expectTree(of: app)
            }
        }

        /// About half of the lines wrong, some twice, some missing, in any order.
        private static func lies(_ items: [FakeCacheItem], seed: UInt64) -> [FakeCacheItem] {
            var generator = SeededGenerator(seed: seed)
            var lies: [FakeCacheItem] = []
            for item in items {
                var item = item
                switch Int.random(in: 0..<16, using: &generator) {
                case 0: item.parent = items.randomElement(using: &generator)?.reference ?? .null
                case 1: item.indexInParent = [-1, 0, 3, 1_000_000].randomElement(using: &generator) ?? 0
                case 2: item.childCount = [-1, 0, 1, 1 << 30].randomElement(using: &generator) ?? 0
                case 3: item.parent = .null
                case 4: item.reference = FakeReference(bus: ":9.9", path: item.reference.path)
                case 5: item.name = "lie"
                case 6: item.children.append(items.randomElement(using: &generator)?.reference ?? .null)
                case 7: item.children = []
                case 8: lies.append(item)
                case 9: continue
                default: break
                }
                lies.append(item)
            }
            return lies.shuffled(using: &generator)
        }
    }
}
