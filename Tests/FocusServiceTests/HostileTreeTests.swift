import AccessibilityFocus
import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

extension FocusdTests {
    /// Trees that cannot be: each is told as far as it makes sense, and nothing else suffers.
    @Suite(.enabled(if: hasRegistry)) struct HostileTrees {
        /// focusd, and one application that is read this way.
        private func withApplication(
            _ cache: CacheStyle = .modern, toolkit: FakeToolkit = .gtk3,
            _ body: (FocusdScene, FakeApplication, Client) async throws -> Void
        ) async throws {
            try await withScene(registry: true) { scene in
                let app = try scene.application(toolkit: toolkit)
                app.cache = cache
                try await body(scene, app, try scene.client())
            }
        }

        private static let readings: [CacheStyle] = [.modern, .legacy, .missing]

        // MARK: - Cycles

        @Test(arguments: readings)
        func `an object that lists itself is told once, and once as a repetition`(_ cache: CacheStyle) async throws {
            try await withApplication(cache) { scene, app, client in
                app.node("ok").children = [app.node("ok").reference]
                let tree = try scene.loadedTree()
                ToldTree.expectSound(tree)
                #expect(tree.complete)
                let told = tree.nodes.filter { $0.path == app.node("ok").path }
                #expect(told.map { $0.marks.contains(Node.Mark.cycle) } == [false, true])
                #expect(told.map(\.depth) == [3, 4])
                #expect(try client.find("push-button[name=OK]").elements.count == 1)
                #expect(try scene.findings().contains("treeContradicts"))
            }
        }

        @Test(arguments: readings)
        func `two objects that list each other are each told once, and once as a repetition`(
            _ cache: CacheStyle
        ) async throws {
            try await withApplication(cache) { scene, app, client in
                let (ok, cancel) = (app.node("ok"), app.node("cancel"))
                ok.children = [cancel.reference]
                cancel.children = [ok.reference]
                let tree = try scene.loadedTree()
                ToldTree.expectSound(tree)
                let told = tree.nodes.filter { $0.busName == app.busName }
                #expect(told.count { !$0.marks.contains(Node.Mark.cycle) } == app.nodes.count)
                // The panel lists both, and each the other: of four places two are theirs.
                #expect(told.count { $0.marks.contains(Node.Mark.cycle) } == 2)
                #expect(try client.find("*").elements.count == app.nodes.count)
            }
        }

        @Test(arguments: readings)
        func `two objects that hang only on each other are not in the tree`(_ cache: CacheStyle) async throws {
            try await withApplication(cache) { scene, app, client in
                let (first, second) = (FakeNode("first", .panel, name: "A"), FakeNode("second", .panel, name: "B"))
                try app.add(first, to: "panel")
                try app.add(second, to: "panel")
                app.node("panel").children.removeLast(2)
                (first.parent, first.children) = (second.reference, [second.reference])
                (second.parent, second.children) = (first.reference, [first.reference])
                try scene.expectTree(of: app)
                #expect(try client.find("panel").elements.count == 1)
                #expect(try client.applications().first?.nodes == app.nodes.count - 2)
            }
        }

        @Test(arguments: readings)
        func `twenty objects that all list all are each told once with all below it`(_ cache: CacheStyle) async throws {
            try await withApplication(cache) { scene, app, client in
                let keys = (0..<20).map { "k\($0)" }
                for key in keys { try app.add(FakeNode(key, .listItem, name: key), to: "panel") }
                app.makeClique(keys)
                let tree = try scene.loadedTree()
                ToldTree.expectSound(tree)
                let members = tree.nodes.filter { $0.role == "list-item" }
                // The panel lists them, and each of them all twenty.
                #expect(members.count == 20 + 20 * 20)
                #expect(members.count { !$0.marks.contains(Node.Mark.cycle) } == 20)
                #expect(try client.find("list-item").elements.count == 20)
                #expect(try client.find("list-item list-item").complete)
                #expect(try scene.findings().contains("treeContradicts"))
            }
        }

        @Test(arguments: readings)
        func `who lists a child is its parent, whatever the child says`(_ cache: CacheStyle) async throws {
            try await withApplication(cache) { scene, app, _ in
                app.node("ok").parent = app.node("frame").reference
                app.node("cancel").parent = app.node("cancel").reference
                app.node("help").parent = FakeReference(bus: ":9.9", path: "/x")
                app.node("entry").parent = FakeReference(path: "/org/a11y/atspi/accessible/424242")
                let tree = try scene.expectTree(of: app)
                ToldTree.expectSound(tree)
                #expect(tree.complete)
            }
        }

        @Test(arguments: [CacheStyle.modern, .missing])
        func `a chain of five thousand is cut with a mark and a finding`(_ cache: CacheStyle) async throws {
            try await withApplication(cache) { scene, app, client in
                let other = try scene.application("other")
                try app.addChain("deep", depth: 5_000, to: "panel")
                let tree = try scene.loadedTree()
                ToldTree.expectSound(tree)
                let told = tree.nodes.filter { $0.busName == app.busName }
                let deepest = try #require(told.max { $0.depth < $1.depth })
                #expect(deepest.depth == 1_000 && deepest.marks.contains(Node.Mark.depthCut))
                #expect(told.count { $0.marks.contains(Node.Mark.depthCut) } == 1)
                #expect(!tree.complete && tree.stale.map(\.reason) == ["limitReached"])
                #expect(ToldTree.lines(tree, of: other) == ToldTree.lines(other))
                #expect(try scene.findings().contains("limitReached.depth"))
                #expect(try client.find("panel panel panel:nth-child(1)").stale.map(\.reason) == ["limitReached"])
            }
        }

        @Test func `two applications with the same paths are both whole`() async throws {
            try await withApplication { scene, app, client in
                let twin = try scene.application()
                try #require(twin.nodes.map(\.path) == app.nodes.map(\.path))
                twin.node("ok").name = "Other"
                let tree = try scene.loadedTree()
                ToldTree.expectSound(tree)
                for one in [app, twin] { #expect(ToldTree.lines(tree, of: one) == ToldTree.lines(one)) }
                #expect(
                    try client.find("application[name=calc] push-button[name=Other]").elements.map(\.busName) == [
                        twin.busName
                    ])
                #expect(try client.find("#nothing, label").elements.count == 2)
            }
        }

        // MARK: - Applications that go

        @Test func `an application that leaves while it is read leaves the others whole`() async throws {
            try await withApplication { scene, app, client in
                let leaving = try scene.application("leaving")
                leaving.cache = .missing
                leaving.script("GetChildren", after: 2, times: 1, .disconnect)
                let tree = try client.wholeTree()
                #expect(ToldTree.lines(tree, of: app) == ToldTree.lines(app))
                #expect(try client.find("push-button[name=OK]").elements.map(\.busName) == [app.busName])
                try scene.expectTree(of: app)
                #expect(try client.find("application[name=leaving] *").elements.isEmpty)
                #expect(try scene.counter("mirrorLoads") == 2)
            }
        }

        @Test func `an application that sends what is no text leaves alone`() async throws {
            try await withApplication { scene, app, client in
                let leaving = try scene.application("leaving")
                leaving.cache = .missing
                leaving.node("ok").nameBytes = [0x41, 0xC3]
                let tree = try client.wholeTree()
                #expect(ToldTree.lines(tree, of: app) == ToldTree.lines(app))
                _ = try await leaving.connection.ended.wait()
                try scene.wait(within: 20, "it is gone") {
                    let found = try client.find("push-button[name=OK]")
                    return found.complete && found.elements.map(\.busName) == [app.busName]
                }
            }
        }

        // MARK: - References that say nothing

        @Test(arguments: readings)
        func `references that say nothing are left out, and what is beside them is kept`(
            _ cache: CacheStyle
        ) async throws {
            try await withApplication(cache) { scene, app, client in
                let nulls: [FakeReference] = [
                    .null, .nullRoot, FakeReference(bus: ":1.9", path: FakeReference.null.path),
                ]
                app.node("panel").children = nulls + app.node("panel").children + nulls
                app.node("ok").parent = .null
                app.node("help").parent = .nullRoot
                app.editCache { items in
                    var items = items
                    var nothing = items[0]
                    nothing.reference = .null
                    items.append(nothing)
                    nothing.reference = .nullRoot
                    items.insert(nothing, at: 0)
                    for place in items.indices { items[place].application = .null }
                    return items
                }
                try scene.expectTree(of: app)
                for null in nulls {
                    for what in ["add", "remove"] {
                        let child = DBusValue.reference(null.bus, null.path)
                        try app.emit(.childrenChanged(what, index: 0, child: child), from: "panel")
                    }
                }
                try app.add(FakeNode("new", .pushButton, name: "New"), to: "panel", at: 3, announced: true)
                #expect(try client.waitFor("push-button[name=New]") != nil)
                try scene.expectTree(of: app)
                #expect(scene.focusd.process.errors.all.count < 5)
            }
        }

        // MARK: - Roots and paths

        @Test(arguments: [CacheStyle.modern, .missing])
        func `a root and its objects may have any paths`(_ cache: CacheStyle) async throws {
            try await withScene(registry: true) { scene in
                let long = "/org/example/a11y/" + String(repeating: "x", count: 200)
                let app = scene.adopt(
                    try FakeApplication(
                        bus: scene.bus.address, name: "files", toolkit: .gtk4, registration: .never,
                        rootPath: "/org/example/a11y/root",
                        windows: [
                            FakeNode(
                                "frame", .frame, name: "Files", path: "/org/example/a11y/9f3c_A",
                                children: [
                                    FakeNode("lower", .pushButton, name: "a", path: "/org/example/a11y/9f3c_a"),
                                    FakeNode("long", .pushButton, name: "long", path: long),
                                ])
                        ]))
                app.cache = cache
                try app.register(.required)
                try scene.expectTree(of: app)
                let found = try scene.client().find("application[name=files] push-button")
                #expect(found.elements.map(\.path) == ["/org/example/a11y/9f3c_a", long])
            }
        }

        @Test(arguments: ["foo", "Second"])
        func `all roots of a connection are searched and told, the first may be empty`(_ name: String) async throws {
            try await withScene(registry: true) { scene in
                let app = scene.adopt(try FakeApplication(bus: scene.bus.address, name: "foo"))
                let button = FakeNode("go", .pushButton, name: "Go")
                try app.addRoot(
                    FakeNode(
                        "second", .application, name: name, states: [],
                        children: [FakeNode("frame", .frame, name: "W", children: [button])]))
                try scene.expectTree(of: app)
                let client = try scene.client()
                #expect(try client.find("push-button").elements.map(\.name) == ["Go"])
                let named = try client.find("application[name=\(name)] push-button")
                #expect(named.elements.map(\.application.name) == [name])
                // Both are there for whoever asks, also where they are called the same.
                #expect(try client.find("application").elements.map(\.name) == ["foo", name])
                try app.rename("go", to: "Went")
                #expect(try client.waitFor("application[name=\(name)] push-button[name=Went]") != nil)
                #expect(try client.find("application[name=foo] push-button").elements.count == (name == "foo" ? 1 : 0))
            }
        }

        @Test func `a root that comes later on the same connection is found`() async throws {
            try await withApplication { scene, app, client in
                try scene.expectTree(of: app)
                try app.addRoot(
                    FakeNode(
                        "second", .application, name: "late", states: [],
                        children: [FakeNode("late-frame", .frame, name: "Late")]))
                #expect(try client.waitFor("frame[name=Late]")?.application.name == "late")
                try scene.expectTree(of: app)
            }
        }

        @Test(arguments: [FakeToolkit.gtk3, .gtk4, .qt])
        func `a root without children that fills later is found`(_ toolkit: FakeToolkit) async throws {
            try await withScene(registry: true) { scene in
                let app = scene.adopt(try FakeApplication(bus: scene.bus.address, name: "cold", toolkit: toolkit))
                let client = try scene.client()
                #expect(try client.wholeTree().nodes.map(\.children) == [0])
                try app.add(
                    FakeNode("frame", .frame, children: [FakeNode("ok", .pushButton, name: "OK")]), announced: true)
                #expect(try client.waitFor("push-button[name=OK]")?.path == app.node("ok").path)
                try scene.expectTree(of: app)
            }
        }

        @Test func `a root that fills without a word is found at its first event`() async throws {
            try await withScene(registry: true) { scene in
                let app = scene.adopt(try FakeApplication(bus: scene.bus.address, name: "cold"))
                let client = try scene.client()
                #expect(try client.find("frame").elements.isEmpty)
                try app.add(FakeNode("frame", .frame, children: [FakeNode("ok", .pushButton, name: "OK")]))
                try app.emitFocused("ok", 1)
                #expect(try client.waitFor("push-button[name=OK]")?.path == app.node("ok").path)
            }
        }

        // MARK: - Events that cannot be

        @Test(arguments: [FakeToolkit.gtk3, .gtk4, .qt])
        func `children-changed that names what is not there leaves the tree as it is`(
            _ toolkit: FakeToolkit
        ) async throws {
            try await withApplication(toolkit: toolkit) { scene, app, client in
                if toolkit == .qt { app.cache = .legacyEmpty }
                try scene.expectTree(of: app)
                let unknown = DBusValue.reference(app.busName, "/org/a11y/atspi/accessible/424242")
                let foreign = DBusValue.reference(":9.9", app.node("ok").path)
                for child in [unknown, foreign, app.referenceValue("ok")] {
                    for index in [0, -1, 1_000_000] as [Int32] {
                        try app.emit(.childrenChanged("add", index: index, child: child), from: "panel")
                    }
                    if child != app.referenceValue("ok") {
                        try app.emit(.childrenChanged("remove", index: 3, child: child), from: "panel")
                    }
                }
                try app.emit(.childrenChanged("add", index: 0, child: unknown), from: "/no/such/object")
                try app.add(FakeNode("new", .pushButton, name: "New"), to: "panel", at: 1, announced: true)
                try app.emit(.childrenChanged("add", index: 1, child: app.referenceValue("new")), from: "panel")
                #expect(try client.waitFor("push-button[name=New]") != nil)
                try scene.expectTree(of: app)
                #expect(app.count("GetChildAtIndex") == 0)
            }
        }

        @Test(arguments: [FakeToolkit.gtk3, .gtk4])
        func `an object that does not answer at first is found when it does`(_ toolkit: FakeToolkit) async throws {
            try await withApplication(toolkit: toolkit) { scene, app, client in
                try scene.expectTree(of: app)
                let late = FakeNode(
                    "late", .dialog, name: "Late", children: [FakeNode("yes", .pushButton, name: "Yes")])
                try app.add(late)
                // Twice six questions, before the truth.
                app.script("*", on: "late", times: 12, .unknownObject)
                app.script("*", on: "yes", times: 6, .unknownObject)
                try app.emit(.childrenChanged("add", index: 1, child: app.referenceValue("late")), from: "root")
                try app.emit(.stateChanged("showing", 1), from: "late")
                #expect(try client.waitFor("dialog push-button[name=Yes]")?.path == app.node("yes").path)
                try scene.expectTree(of: app)
            }
        }
    }
}
