import Testing

@testable import AccessibilityTree

/// What is inside of password fields and terminals is there, without a word of what it says.
struct ConcealingTests {
    private static let busName = ":1.5"

    private func item(_ path: String, _ role: Role, below parent: String?, says text: String = "word") -> TreeItem {
        TreeItem(
            path: path, parent: parent.map { ObjectReference(busName: Self.busName, path: $0) }, index: 0,
            role: role, name: text, description: text)
    }

    /// A root, a field in it, a line in that and a word in the line, read in this order.
    private func tree(_ role: Role, order: [Int] = [0, 1, 2, 3]) -> ApplicationTree {
        var tree = ApplicationTree(busName: Self.busName)
        _ = tree.insertRoot("/r")
        let items = [
            item("/r", .application, below: nil), item("/f", role, below: "/r"), item("/l", .panel, below: "/f"),
            item("/w", .label, below: "/l"),
        ]
        for number in order { tree.take(items[number]) }
        _ = tree.arrange()
        tree.prune()
        return tree
    }

    private func said(_ tree: ApplicationTree, _ path: String) -> String? {
        tree.slot(at: path).map { tree.name(of: $0) + tree.description(of: $0) }
    }

    @Test(
        "names and descriptions inside of a secret are not kept, in whatever order they come",
        arguments: [
            [0, 1, 2, 3], [3, 2, 1, 0], [2, 3, 0, 1],
        ])
    func loading(order: [Int]) {
        for role in [Role.passwordText, .terminal] {
            let tree = tree(role, order: order)
            #expect(said(tree, "/f") == "wordword", "its own is its label")
            #expect(said(tree, "/l") == "" && said(tree, "/w") == "")
            #expect(tree.slots(named: "word").count == 2)
        }
        #expect(said(tree(.entry, order: order), "/w") == "wordword")
    }

    @Test("what becomes a secret forgets what is inside, and what is no longer one is asked again")
    func becoming() throws {
        var tree = tree(.entry)
        let (field, word) = (try #require(tree.slot(at: "/f")), try #require(tree.slot(at: "/w")))
        tree.setAttributes(["a": "word"], of: word)
        tree.setRole(.passwordText, of: field)
        #expect(said(tree, "/w") == "" && tree.attributes(of: word) == [:] && tree.isConcealed(word))
        for _ in 0..<2 {
            tree.setName("word", of: word)
            tree.setDescription("word", of: word)
            tree.setAttributes(["a": "word"], of: word)
        }
        #expect(said(tree, "/w") == "" && tree.attributes(of: word) == [:])
        tree.setRole(.entry, of: field)
        #expect(!tree.isConcealed(word) && tree.attributes(of: word) == nil)
        tree.setName("word", of: word)
        #expect(said(tree, "/w") == "word")
    }

    @Test("what moves into a secret, or hangs below it unlisted, says nothing")
    func moving() throws {
        var tree = tree(.terminal)
        let root = try #require(tree.slot(at: "/r"))
        tree.setChildren(of: root, ["/f", "/x"])
        tree.update(try #require(tree.slot(at: "/x")), item("/x", .label, below: "/r"))
        #expect(said(tree, "/x") == "wordword")
        // Its parent gives it away, and the line in the terminal takes it.
        tree.setChildren(of: try #require(tree.slot(at: "/l")), ["/w", "/x"])
        tree.setChildren(of: root, ["/f"])
        #expect(said(tree, "/x") == "")
        tree.remove(try #require(tree.slot(at: "/x")))
        let unlisted = tree.insertUnlisted(item("/x", .label, below: "/l"), below: try #require(tree.slot(at: "/l")))
        #expect(unlisted != nil && said(tree, "/x") == "")
    }

    @Test("a focus inside of a secret has a path without a word, and no place in a text")
    func paths() throws {
        let memory = Memory()
        let nodes = [
            Trees.node(0, .label, parent: 1, name: "word"), Trees.node(1, .panel, parent: 2, name: "word"),
            Trees.node(2, .passwordText, parent: 3, name: "Password"),
            Trees.node(3, .application, parent: nil, states: StateSet(), name: "app"),
        ]
        for node in nodes { memory.insert(node) }
        memory.insert(Trees.application())
        let path = try #require(memory.path(of: Trees.reference(0)))
        #expect(path.nodes.map(\.name) == ["", "", "Password", "app"] && path.hidesText)
        #expect(memory[Trees.reference(0)]?.name == "" && memory[Trees.reference(1)]?.name == "")
        memory.insert(nodes[0])
        #expect(memory[Trees.reference(0)]?.name == "" && !memory.setName("word", of: Trees.reference(0)))
        #expect(memory.path(of: Trees.reference(2))?.nodes.first?.name == "Password")
    }

    @Test("where it is not known what is around an element, nothing of its text is told")
    func brokenAncestry() {
        let seen = Trees.seen
        #expect(Trees.path([(.entry, seen), (.panel, seen)], reachesTop: false).hidesText)
        #expect(!Trees.path([(.entry, seen), (.panel, seen)]).hidesText)
        #expect(Trees.path([(.terminal, seen), (.panel, seen)]).hidesText)
    }
}
