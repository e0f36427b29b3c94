import Testing

@testable import AccessibilityTree

/// How a tree is made of what an application's cache lists, in any order and however wrong.
struct ApplicationTreeLoadingTests {
    private func loaded(_ items: [TreeItem], root: String = "/r") -> (TreeUnderTest, uncertain: [String]) {
        let subject = TreeUnderTest()
        _ = subject.tree.insertRoot(root)
        for item in items { subject.tree.take(item) }
        let uncertain = subject.paths(subject.tree.arrange())
        subject.tree.prune()
        return (subject, uncertain)
    }

    private func family() -> [TreeItem] {
        [
            TreeUnderTest.item("/r", count: 2, role: .frame),
            TreeUnderTest.item("/a", parent: "/r", index: 0, count: 2),
            TreeUnderTest.item("/b", parent: "/r", index: 1, count: 0),
            TreeUnderTest.item("/c", parent: "/a", index: 0, count: 0),
            TreeUnderTest.item("/d", parent: "/a", index: 1, count: 0),
        ]
    }

    @Test("Items make the same tree in any order", arguments: 0..<20)
    func anyOrder(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let (subject, uncertain) = loaded(family().shuffled(using: &random))
        #expect(uncertain == [])
        #expect(subject.walk == ["/r", "/a", "/c", "/d", "/b"])
        #expect(subject.tree.allSlots.allSatisfy { subject.tree.isListed($0) })
        #expect(subject.violation() == nil)
    }

    @Test("Items with lists make the same tree as items with parents")
    func lists() {
        let (subject, uncertain) = loaded([
            TreeUnderTest.item("/b", children: []), TreeUnderTest.item("/a", children: ["/c", "/d"]),
            TreeUnderTest.item("/d", children: []), TreeUnderTest.item("/c", children: []),
            TreeUnderTest.item("/r", children: ["/a", "/b"]),
        ])
        #expect(uncertain == [])
        #expect(subject.walk == ["/r", "/a", "/c", "/d", "/b"])
        #expect(subject.violation() == nil)
    }

    @Test("A list whose number does not fit must be asked for")
    func wrongCount() {
        var items = family()
        items[1].childCount = 3
        #expect(loaded(items).uncertain == ["/a"])
    }

    @Test("A list with a gap, or one place given twice, must be asked for", arguments: [2, 0, -1, 1 << 31])
    func wrongPlaces(index: Int) {
        var items = family()
        items[4].index = index
        let (subject, uncertain) = loaded(items)
        #expect(uncertain == ["/a"])
        #expect(Set(subject.children("/a") ?? []) == ["/c", "/d"])
    }

    @Test("A list that nobody told of must be asked for, and one of no children need not")
    func missingList() {
        let (subject, uncertain) = loaded([
            TreeUnderTest.item("/r", count: 3), TreeUnderTest.item("/a", parent: "/r", index: 0, count: 0),
            TreeUnderTest.item("/b", parent: "/r", index: 1, count: 7),
            TreeUnderTest.item("/c", parent: "/r", index: 2, count: nil),
        ])
        #expect(uncertain == ["/b", "/c"])
        #expect(subject.violation() == nil)
    }

    @Test("Nothing is asked of one that manages its descendants")
    func managing() {
        var items = family()
        items[1].states.insert(.managesDescendants)
        items[1].childCount = 1 << 31
        let (subject, uncertain) = loaded(items)
        #expect(uncertain == [])
        #expect(subject.walk == ["/r", "/a", "/b"])
        #expect(subject.tree.slot(at: "/c") == nil)
        #expect(subject.tree.slot(at: "/a").flatMap { subject.tree.statedChildCount(of: $0) } == Int(Int32.max))
        #expect(subject.violation() == nil)
    }

    @Test("Where an item comes twice, the later one counts")
    func itemTwice() {
        var items = family()
        items.insert(TreeUnderTest.item("/d", parent: "/b", index: 0, count: 9, name: "old"), at: 0)
        let (subject, uncertain) = loaded(items)
        #expect(uncertain == [])
        #expect(subject.walk == ["/r", "/a", "/c", "/d", "/b"])
        #expect(subject.tree.slots(named: "old") == [])
        #expect(subject.violation() == nil)
    }

    @Test("A second loading moves what is elsewhere now, whoever is first in order")
    func again() {
        let (subject, _) = loaded(family())
        subject.take("/r", count: 2)
        subject.take("/a", parent: "/r", index: 0, count: 1)
        subject.take("/b", parent: "/r", index: 1, count: 1)
        subject.take("/c", parent: "/b", index: 0, count: 0)
        subject.take("/d", parent: "/a", index: 0, count: 0)
        #expect(subject.arrange() == [])
        #expect(subject.walk == ["/r", "/a", "/d", "/b", "/c"])
        #expect(subject.violation() == nil)
    }

    @Test("An item whose parent is of another application, itself or nothing hangs nowhere")
    func nowhere() {
        var items = family()
        items[2].parent = ObjectReference(busName: ":1.77", path: "/r")
        items[3].parent = ObjectReference(busName: Trees.busName, path: "/c")
        items[4].parent = nil
        let (subject, uncertain) = loaded(items)
        #expect(uncertain == ["/a", "/r"])
        #expect(subject.walk == ["/r", "/a"])
        #expect(subject.violation() == nil)
    }

    @Test("Two that say they are below each other are forgotten")
    func mutual() {
        let (subject, _) = loaded([
            TreeUnderTest.item("/r", count: 0), TreeUnderTest.item("/a", parent: "/b", index: 0, count: 1),
            TreeUnderTest.item("/b", parent: "/a", index: 0, count: 1),
        ])
        #expect(subject.walk == ["/r"])
        #expect(subject.tree.oddities.cycles == 1)
        #expect(subject.violation() == nil)
    }

    @Test("A chain of 5,000 in any order is cut at the last level", arguments: 0..<4)
    func deepChain(seed: UInt64) {
        var items = [TreeUnderTest.item("/0", count: 1)]
        items += (1..<5_000).map {
            TreeUnderTest.item("/\($0)", parent: "/\($0 - 1)", index: 0, count: $0 == 4_999 ? 0 : 1)
        }
        var random = SeededGenerator(seed: seed)
        if seed == 1 { items.reverse() } else if seed > 1 { items.shuffle(using: &random) }
        let (subject, uncertain) = loaded(items, root: "/0")
        #expect(subject.tree.nodeCount == 1_001)
        #expect(uncertain.allSatisfy { subject.tree.slot(at: $0) == nil })
        #expect(subject.tree.slot(at: "/1000").map { subject.tree.depth(of: $0) } == 1_000)
        #expect(subject.tree.slot(at: "/1000").map { subject.tree.hasDepthCut($0) } == true)
        #expect(subject.tree.isCut)
        #expect(subject.violation() == nil)
    }

    @Test("What was taken and is gone before lists are made is in none")
    func goneBeforeLists() {
        let subject = TreeUnderTest()
        _ = subject.tree.insertRoot("/r")
        for item in family() { subject.tree.take(item) }
        if let slot = subject.tree.slot(at: "/c") { subject.tree.remove(slot) }
        // Its place in memory is another's now.
        subject.take("/z", parent: "/r", index: 2, count: 0)
        #expect(subject.paths(subject.arrange()) == ["/a", "/r"])
        #expect(subject.walk == ["/r", "/a", "/d", "/b", "/z"])
        #expect(subject.violation() == nil)
    }
}
