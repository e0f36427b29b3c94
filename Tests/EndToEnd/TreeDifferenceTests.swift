import FocusProtocol
import TestDesktop
import Testing

/// The comparison that the tests of trees rest on finds what is not equal.
@Suite struct TreeDifferenceTests {
    private static let tree = (0..<3).map { place in
        Node(
            busName: ":1.5", path: "/a/\(place)", role: "panel", name: "Name \(place)", description: "Words",
            states: ["enabled", "visible"], interfaces: ["Accessible"], depth: place, index: 0, children: 1, marks: [])
    }

    @Test func equalTreesHaveNoDifference() {
        #expect(TreeDifference.first(walked: Self.tree, told: Self.tree) == nil)
        var told = Self.tree
        told[1].focusedBy = ["orca"]
        told[0].index = nil
        #expect(TreeDifference.first(walked: Self.tree, told: told) == nil)
    }

    /// The second node of the tree, changed in one way.
    private static func changed(_ change: (inout Node) -> Void) -> Node {
        var node = tree[1]
        change(&node)
        return node
    }

    @Test(
        arguments: [
            ("reference", changed { $0.busName = ":1.6" }), ("reference", changed { $0.path = "/b" }),
            ("role", changed { $0.role = "label" }), ("name", changed { $0.name = "Name  1" }),
            ("description", changed { $0.description = nil }), ("states", changed { $0.states = ["enabled"] }),
            ("states", changed { $0.states.append("focused") }), ("interfaces", changed { $0.interfaces = [] }),
            ("depth", changed { $0.depth = 2 }), ("index", changed { $0.index = nil }),
            ("index", changed { $0.index = 1 }), ("children", changed { $0.children = 2 }),
            ("children", changed { $0.children = nil }), ("marks", changed { $0.marks = [Node.Mark.cycle] }),
        ])
    func everythingThatAnAccessibleSaysIsCompared(field: String, node: Node) throws {
        let told = [Self.tree[0], node, Self.tree[2]]
        let difference = try #require(TreeDifference.first(walked: Self.tree, told: told))
        #expect(difference.contains(": \(field) is"), "\(difference)")
    }

    @Test func missingFurtherAndExchangedNodesAreDifferences() {
        #expect(TreeDifference.first(walked: Self.tree, told: Array(Self.tree.dropLast())) != nil)
        #expect(TreeDifference.first(walked: Array(Self.tree.dropLast()), told: Self.tree) != nil)
        #expect(TreeDifference.first(walked: Self.tree, told: [Self.tree[0], Self.tree[2], Self.tree[1]]) != nil)
        #expect(TreeDifference.first(walked: Self.tree, told: []) != nil)
    }
}

/// The walk that trees are held against says the same twice, and sees each change: focusd has no part in it.
@Suite(
    .serialized,
    .enabled(
        if: Requirements.hasToolkits, "needs GTK, Qt, Firefox and a private process-id namespace: run `make test`"))
struct PlainWalkTests {
    @Test(
        "two walks of a window that rests agree, and one after a change does not",
        arguments: TestWindow.Toolkit.allCases)
    func agrees(toolkit: TestWindow.Toolkit) throws {
        let desktop = try PrivateDesktop()
        let window = try TestWindow(toolkit, changes: true, on: desktop)
        func walk() throws -> [Node] { try PlainWalk.run(on: desktop, application: window.application) }
        // A window that has just come still changes by itself.
        let deadline = ContinuousClock.now + .seconds(60)
        var before = try walk()
        while ContinuousClock.now < deadline {
            let again = try walk()
            let difference = TreeDifference.first(walked: before, told: again)
            before = again
            if difference == nil { break }
        }
        #expect(TreeDifference.first(walked: before, told: try walk()) == nil)
        #expect(before.contains { $0.name == "First" && $0.role == "push-button" })
        try window.tell("add Grown")
        let grown = try walk()
        #expect(grown.count >= before.count + 5, "\(before.count) nodes, then \(grown.count)")
        #expect(grown.contains { $0.name == "Grown button" && $0.role == "push-button" })
        try window.tell("remove Grown")
        #expect(try walk().count == before.count)
    }
}
