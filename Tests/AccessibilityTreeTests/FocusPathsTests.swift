import AccessibilityTree
import Testing

/// The bounded memory of nodes: what is known of an element's way up, and what lies may be told about it.
struct FocusPathsTests {
    /// A button (1) in a panel (2) in a frame (3) of an application (4).
    private func small(limits: FocusPaths.Limits = .init()) -> Memory {
        let paths = Memory(limits: limits)
        paths.insert(Trees.application())
        paths.insert(Trees.node(1, .pushButton, parent: 2, name: "OK"))
        paths.insert(Trees.node(2, .panel, parent: 3))
        paths.insert(Trees.node(3, .frame, parent: 4))
        paths.insert(Trees.node(4, .application, parent: nil))
        return paths
    }

    /// A chain of `count` panels, 0 the innermost, each the child of the next; the last names `top` its parent.
    private func chain(_ count: Int, top: Int?, limits: FocusPaths.Limits = .init()) -> Memory {
        let paths = Memory(limits: limits)
        paths.insert(Trees.application())
        for number in 0..<count { paths.insert(Trees.node(number, parent: number == count - 1 ? top : number + 1)) }
        return paths
    }

    // MARK: - Paths

    @Test("a path leads from the element up to the application")
    func path() throws {
        let paths = small()
        let path = try #require(paths.path(of: Trees.reference(1)))
        #expect(path.nodes.map(\.reference) == (1...4).map { Trees.reference($0) })
        #expect(path.reachesTop)
        #expect(path.element.name == "OK")
        #expect(path.window?.reference == Trees.reference(3))
        #expect(path.application.name == "app")
        #expect(paths.firstUnknown(from: Trees.reference(1)) == nil)
    }

    @Test("while anything is unknown there is no path, and what to read next is named", arguments: [1, 2, 3, 4])
    func missing(number: Int) {
        let paths = Memory()
        paths.insert(Trees.application())
        let nodes = [
            Trees.node(1, parent: 2), Trees.node(2, parent: 3), Trees.node(3, .frame, parent: 4),
            Trees.node(4, .application, parent: nil),
        ]
        for node in nodes where node.reference != Trees.reference(number) { paths.insert(node) }
        #expect(paths.path(of: Trees.reference(1)) == nil)
        #expect(paths.firstUnknown(from: Trees.reference(1)) == Trees.reference(number))
        paths.insert(nodes[number - 1])
        #expect(paths.path(of: Trees.reference(1)) != nil)
    }

    @Test("without its application a path is not known yet")
    func unknownApplication() {
        let paths = small()
        paths.removeApplication(Trees.busName)
        #expect(paths.nodeCount == 0)
        #expect(paths.path(of: Trees.reference(1)) == nil)
        #expect(paths.application(Trees.busName) == nil)
        let other = Memory()
        other.insert(Trees.node(4, .application, parent: nil))
        #expect(other.path(of: Trees.reference(4)) == nil)
        #expect(other.firstUnknown(from: Trees.reference(4)) == nil)
        other.insert(Trees.application())
        #expect(other.path(of: Trees.reference(4)) != nil)
    }

    @Test("an element that is its own parent has a path of one, and it does not reach the top")
    func selfParent() throws {
        let paths = chain(1, top: 0)
        #expect(paths.firstUnknown(from: Trees.reference(0)) == nil)
        let path = try #require(paths.path(of: Trees.reference(0)))
        #expect(path.nodes.count == 1)
        #expect(!path.reachesTop)
    }

    @Test("a cycle is walked once", arguments: [2, 3, 17])
    func cycle(length: Int) throws {
        let paths = chain(length, top: 0)
        for start in 0..<length {
            #expect(paths.firstUnknown(from: Trees.reference(start)) == nil)
            let path = try #require(paths.path(of: Trees.reference(start)))
            #expect(path.nodes.count == length)
            #expect(Set(path.nodes.map(\.reference)).count == length)
            #expect(!path.reachesTop)
            #expect(path.window == nil)
        }
    }

    @Test("a way that leads into a cycle ends there")
    func intoACycle() throws {
        let paths = chain(5, top: 3)
        let path = try #require(paths.path(of: Trees.reference(0)))
        #expect(path.nodes.count == 5)
        #expect(!path.reachesTop)
    }

    @Test(
        "a tree deeper than any toolkit's is followed up to the limit, and no further",
        arguments: [999, 1_000, 1_001, 2_000])
    func depth(count: Int) throws {
        let paths = chain(count, top: 9_999)
        paths.insert(Trees.node(9_999, .application, parent: nil))
        #expect(paths.firstUnknown(from: Trees.reference(0)) == nil)
        let path = try #require(paths.path(of: Trees.reference(0)))
        #expect(path.nodes.count == min(count + 1, 1_000))
        #expect(path.reachesTop == (count < 1_000))
    }

    @Test("beyond the limit nothing is unknown: the reader comes to an end")
    func depthWithoutTop() throws {
        let paths = chain(1_200, top: 9_999)
        #expect(paths.firstUnknown(from: Trees.reference(0)) == nil)
        #expect(try #require(paths.path(of: Trees.reference(0))).nodes.count == 1_000)
        let short = chain(900, top: 9_999)
        #expect(short.firstUnknown(from: Trees.reference(0)) == Trees.reference(9_999))
        #expect(short.path(of: Trees.reference(0)) == nil)
    }

    @Test("reading what is unknown, one after the other, always ends in a path", arguments: [1, 5, 99, 100, 200])
    func readingEnds(length: Int) {
        // An application that answers every question with a parent nobody asked for yet.
        var limits = FocusPaths.Limits()
        limits.maximumDepth = 100
        let paths = Memory(limits: limits)
        paths.insert(Trees.application())
        var reads = 0
        while let unknown = paths.firstUnknown(from: Trees.reference(0)) {
            paths.insert(Trees.node(reads, parent: reads + 1 == length ? 0 : reads + 1))
            #expect(unknown == Trees.reference(reads))
            reads += 1
            if reads > limits.maximumDepth { break }
        }
        #expect(reads == min(length, limits.maximumDepth))
        #expect(paths.path(of: Trees.reference(0)) != nil)
    }

    @Test("a parent of another connection is not followed: nobody speaks for another application")
    func foreignParent() throws {
        let paths = small()
        paths.insert(Trees.application(on: ":1.666"))
        paths.insert(
            Node(
                reference: Trees.reference(3), role: .frame, states: Trees.seen,
                parent: Trees.reference(4, on: ":1.666")))
        paths.insert(Node(reference: Trees.reference(4, on: ":1.666"), role: .application))
        let path = try #require(paths.path(of: Trees.reference(1)))
        #expect(path.nodes.map(\.reference) == (1...3).map { Trees.reference($0) })
        #expect(!path.reachesTop)
        #expect(path.window?.reference == Trees.reference(3))
        #expect(paths.firstUnknown(from: Trees.reference(1)) == nil)
    }

    @Test("a node cut off from a parent that cannot be read is where the path ends")
    func detach() throws {
        let paths = Memory()
        paths.insert(Trees.application())
        paths.insert(Trees.node(1, parent: 2))
        #expect(paths.firstUnknown(from: Trees.reference(1)) == Trees.reference(2))
        paths.detach(Trees.reference(1))
        #expect(paths.firstUnknown(from: Trees.reference(1)) == nil)
        let path = try #require(paths.path(of: Trees.reference(1)))
        #expect(path.nodes.count == 1)
        #expect(!path.reachesTop)
        paths.detach(Trees.reference(50))
        #expect(paths.nodeCount == 1)
    }

    // MARK: - Changes

    @Test("a state change is news once")
    func states() {
        let paths = small()
        #expect(paths.setState(.focused, true, of: Trees.reference(1)))
        #expect(!paths.setState(.focused, true, of: Trees.reference(1)))
        #expect(paths[Trees.reference(1)]?.states.contains(.focused) == true)
        #expect(paths.setState(.focused, false, of: Trees.reference(1)))
        #expect(paths[Trees.reference(1)]?.states == Trees.seen)
        #expect(!paths.setState(.focused, false, of: Trees.reference(1)))
    }

    @Test("events about nodes that nobody read leave nothing behind")
    func unknownNodes() {
        let paths = small()
        #expect(!paths.setState(.focused, true, of: Trees.reference(99)))
        #expect(!paths.setName("Cancel", of: Trees.reference(99)))
        #expect(!paths.setState(.focused, true, of: Trees.reference(1, on: ":1.10")))
        paths.remove(Trees.reference(99))
        #expect(paths.nodeCount == 4)
        #expect(paths[Trees.reference(99)] == nil)
    }

    @Test("a new name is news once")
    func newName() {
        let paths = small()
        #expect(!paths.setName("OK", of: Trees.reference(1)))
        #expect(paths.setName("Cancel", of: Trees.reference(1)))
        #expect(paths[Trees.reference(1)]?.name == "Cancel")
        #expect(paths.setName("", of: Trees.reference(1)))
    }

    @Test("removing a node forgets all that is below it, and nothing else")
    func removeSubtree() {
        let paths = small()
        paths.insert(Trees.node(10, parent: 3))
        paths.insert(Trees.node(11, parent: 10))
        paths.insert(Trees.application(on: ":1.10"))
        paths.insert(
            Node(reference: Trees.reference(1, on: ":1.10"), role: .label, parent: Trees.reference(2, on: ":1.10")))
        paths.remove(Trees.reference(2))
        #expect(paths[Trees.reference(1)] == nil)
        #expect(paths[Trees.reference(2)] == nil)
        #expect(paths[Trees.reference(11)] != nil)
        #expect(paths[Trees.reference(1, on: ":1.10")] != nil)
        paths.remove(Trees.reference(4))
        #expect(paths.nodeCount == 1)
        #expect(paths.nodeCount(of: Trees.busName) == 0)
        #expect(paths.nodeCount(of: ":1.10") == 1)
        // The application is known as long as its connection lives.
        #expect(paths.application(Trees.busName) != nil)
    }

    @Test("removing from a cycle ends, and takes the whole cycle")
    func removeFromCycle() {
        let paths = chain(40, top: 0)
        paths.insert(Trees.node(100, parent: 5))
        paths.insert(Trees.node(101, parent: 101))
        paths.remove(Trees.reference(7))
        #expect(paths.nodeCount == 1)
        #expect(paths[Trees.reference(101)] != nil)
        paths.remove(Trees.reference(101))
        #expect(paths.nodeCount == 0)
    }

    @Test("an application that leaves takes its nodes along, and no others")
    func removeApplication() {
        let paths = small()
        paths.insert(Trees.application(on: ":1.90"))
        paths.insert(Node(reference: Trees.reference(1, on: ":1.90"), role: .label))
        paths.removeApplication(Trees.busName)
        #expect(paths.nodeCount == 1)
        #expect(paths.path(of: Trees.reference(1, on: ":1.90")) != nil)
        paths.removeAll()
        #expect(paths.nodeCount == 0)
        #expect(paths.application(":1.90") == nil)
    }

    // MARK: - Limits

    @Test("a text is kept up to 4096 bytes; the rest is cut with a mark")
    func cut() {
        let paths = Memory()
        let whole = String(repeating: "a", count: 4_096)
        paths.insert(Trees.node(1, parent: nil, name: whole))
        #expect(paths[Trees.reference(1)]?.name == whole)
        paths.insert(Trees.node(1, parent: nil, name: whole + "b"))
        #expect(paths[Trees.reference(1)]?.name == whole + "…")
        var node = Trees.node(2, parent: nil)
        node.description = String(repeating: "d", count: 1_000_000)
        node.id = String(repeating: "i", count: 5_000)
        paths.insert(node)
        #expect(paths[Trees.reference(2)]?.description == String(repeating: "d", count: 4_096) + "…")
        #expect(paths[Trees.reference(2)]?.id == String(repeating: "i", count: 4_096) + "…")
    }

    @Test(
        "a cut never splits a character of several bytes",
        arguments: [("é", 2), ("…", 3), ("😀", 4), ("👩‍👩‍👧", 18)], [0, 1, 2, 3])
    func cutOnScalars(scalar: (text: String, bytes: Int), offset: Int) throws {
        let paths = Memory()
        let prefix = String(repeating: "a", count: offset)
        let text = prefix + String(repeating: scalar.text, count: 4_200 / scalar.bytes + 2)
        paths.insert(Trees.node(1, parent: nil, name: text))
        let kept = try #require(paths[Trees.reference(1)]?.name)
        #expect(kept.hasSuffix("…"))
        let body = String(kept.unicodeScalars.dropLast())
        #expect(body.utf8.count <= 4_096)
        // No more is lost than the one scalar that did not fit, and nothing was invented.
        #expect(body.utf8.count > 4_096 - 4)
        #expect(text.utf8.starts(with: body.utf8))
        #expect(!body.unicodeScalars.contains("\u{FFFD}"))
    }

    @Test("a name that was cut is no news when it comes again")
    func cutNameAgain() {
        let paths = Memory()
        let long = String(repeating: "ü", count: 3_000)
        paths.insert(Trees.node(1, parent: nil, name: long))
        #expect(!paths.setName(long, of: Trees.reference(1)))
        #expect(paths.setName(long + "", of: Trees.reference(1)) == false)
        #expect(paths.setName("x" + long, of: Trees.reference(1)))
    }

    @Test("beyond the limit the least recently used are forgotten first")
    func leastRecentlyUsed() {
        var limits = FocusPaths.Limits()
        limits.maximumNodes = 100
        let paths = Memory(limits: limits)
        paths.insert(Trees.application())
        paths.insert(Trees.node(9_000, parent: 9_001))
        paths.insert(Trees.node(9_001, .application, parent: nil))
        for number in 0..<98 { paths.insert(Trees.node(number, parent: nil)) }
        #expect(paths.nodeCount == 100)
        // Asking for a path is using it.
        #expect(paths.path(of: Trees.reference(9_000)) != nil)
        paths.insert(Trees.node(500, parent: nil))
        #expect(paths.nodeCount <= 100)
        #expect(paths.nodeCount >= 85)
        #expect(paths[Trees.reference(500)] != nil)
        #expect(paths.path(of: Trees.reference(9_000)) != nil)
        #expect(paths[Trees.reference(0)] == nil)
        #expect(paths[Trees.reference(97)] != nil)
    }

    @Test("a flood of nodes never passes the limit, and never pushes out the path in use")
    func flood() {
        var limits = FocusPaths.Limits()
        limits.maximumNodes = 200
        let paths = small(limits: limits)
        for number in 1_000..<3_000 {
            paths.insert(Trees.node(number, parent: number + 1))
            #expect(paths.nodeCount <= 200)
            #expect(paths.path(of: Trees.reference(1)) != nil)
        }
    }

    @Test("a limit smaller than one path still ends", arguments: [1, 2, 3])
    func tinyLimit(maximum: Int) {
        var limits = FocusPaths.Limits()
        limits.maximumNodes = maximum
        let paths = small(limits: limits)
        #expect(paths.nodeCount <= maximum)
        #expect(paths.path(of: Trees.reference(1)) == nil)
        #expect(paths[Trees.reference(4)] != nil)
    }
}
