import AccessibilityFocus
import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

extension FocusdTests {
    /// Names and counts that cannot be, or cannot be kept whole.
    @Suite(.enabled(if: hasRegistry)) struct HostileValues {
        /// focusd, and one application that is read this way.
        private func withApplication(
            _ cache: CacheStyle = .modern, _ body: (FocusdScene, FakeApplication, Client) async throws -> Void
        ) async throws {
            try await withScene(registry: true) { scene in
                let app = try scene.application()
                app.cache = cache
                try await body(scene, app, try scene.client())
            }
        }

        // MARK: - Names

        @Test(arguments: [CacheStyle.modern, .missing])
        func `names of any text come as they are, and long ones are cut with a mark`(_ cache: CacheStyle) async throws {
            try await withApplication(cache) { scene, app, client in
                let long = String(repeating: "ü", count: 1 << 19)
                let names = [
                    "ok": "\u{1}\u{7}\u{1B}[31m\u{7F}\u{9B}", "cancel": "\u{202E}gnp.exe", "help": "a\u{2028}b\n\t\"\\",
                    "entry": "👩‍👩‍👧\u{FEFF}\u{FFFD}\u{10FFFF}", "hidden": long,
                ]
                for (key, name) in names { app.node(key).name = name }
                let tree = try scene.loadedTree()
                for (key, name) in names where key != "hidden" {
                    #expect(tree.nodes.first { $0.path == app.node(key).path }?.name == name)
                }
                let cut = try #require(tree.nodes.first { $0.path == app.node("hidden").path })
                #expect(
                    cut.marks == [Node.Mark.nameCut] && cut.name.hasSuffix("…") && cut.name.utf8.count < 4_100
                        && cut.name.utf8.count > 4_000)
                #expect(long.hasPrefix(String(cut.name.prefix(1_000))))
                #expect(tree.nodes.count == app.nodes.count)
                #expect(try scene.findings().contains("limitReached.nameBytes"))
                try app.rename("label", to: long)
                try scene.wait(within: 20, "cut too") {
                    try client.tree("label").nodes.first?.marks == [Node.Mark.nameCut]
                }
                try app.rename("label", to: "short")
                #expect(try client.waitFor("label[name=short]") != nil)
                #expect(try client.tree("label").nodes.first?.marks == [])
            }
        }

        // MARK: - Counts

        @Test(arguments: [Int32.max, 1 << 30, -1, 0], [CacheStyle.modern, .missing])
        func `a false count of children neither hides nor invents any`(
            _ count: Int32, _ cache: CacheStyle
        ) async throws {
            try await withApplication(cache) { scene, app, client in
                app.node("panel").childCount = count
                _ = try client.find("push-button")
                // Nobody asks an idle application again: where its first word hid the children, its next event tells.
                try app.rename("frame", to: "Frame")
                try scene.expectTree(of: app)
                #expect(app.count("GetChildAtIndex") == 0 && app.count("GetAll") == 0)
            }
        }

        @Test(arguments: [CacheStyle.modern, .missing])
        func `children that are made when asked for are never enumerated`(_ cache: CacheStyle) async throws {
            try await withApplication(cache) { scene, app, client in
                let sheet = FakeNode("sheet", .table, name: "Sheet", states: .shown.union(.managesDescendants))
                (sheet.rows, sheet.columns, sheet.childCount) = (1 << 21, 1 << 10, .max)
                sheet.makesChildren = { FakeNode("cell \($0)", .tableCell, name: "C\($0)") }
                try app.add(sheet, to: "panel")
                let tree = try scene.expectTree(of: app)
                let told = try #require(tree.nodes.first { $0.path == sheet.path })
                #expect(told.marks.contains(Node.Mark.managesDescendants) && told.children == Int(Int32.max))
                #expect(try client.find("table-cell").elements.isEmpty)
                #expect(app.count("GetChildren", on: "sheet") == 0 && app.count("GetChildAtIndex") == 0)
                #expect(app.calls(below: "sheet").isEmpty)
                let found = try client.find("table > table-cell:nth-child(7)")
                #expect(found.elements.map(\.name) == ["C6"])
                let asked = app.calls.all.filter { $0.member == "GetChildAtIndex" }
                #expect(asked.map { $0.arguments.first?.number } == [6])
                #expect(try client.find("table > table-cell:nth-child(7)").elements.map(\.name) == ["C6"])
                #expect(app.count("GetChildren", on: "sheet") == 0)
            }
        }

        @Test(arguments: [1 << 29, -1, 5] as [Int32])
        func `beyond the number of children nothing is asked for`(_ count: Int32) async throws {
            try await withApplication { scene, app, client in
                let sheet = FakeNode("sheet", .table, states: .shown.union(.managesDescendants))
                sheet.childCount = count
                sheet.makesChildren = { FakeNode("cell \($0)", .tableCell, name: "C\($0)") }
                app.script("GetChildAtIndex", .disconnect)
                try app.add(sheet, to: "panel")
                let place = count == 1 << 29 ? "1000000000" : "7"
                #expect(try client.find("table > table-cell:nth-child(\(place))").elements.isEmpty)
                #expect(app.count("GetChildAtIndex") == 0)
                #expect(try client.find("push-button").elements.count == 4)
            }
        }
    }
}
