import Testing

@testable import AccessibilityTree

/// Lists that cannot all be true, and how far they may go.
struct ApplicationTreeListTests {
    @Test("One that lists itself is below its parent alone")
    func selfChild() {
        let subject = TreeUnderTest(["/r": ["/a"], "/a": ["/a", "/b"]])
        #expect(subject.walk == ["/r", "/a", "/b"])
        #expect(subject.children("/a") == ["/a", "/b"])
        #expect(subject.tree.oddities.cycles == 1)
        #expect(subject.violation() == nil)
    }

    @Test("Two that list each other are below the one that came first")
    func cycle() {
        let subject = TreeUnderTest(["/r": ["/a"], "/a": ["/b"], "/b": ["/a"]])
        #expect(subject.walk == ["/r", "/a", "/b"])
        #expect(subject.children("/b") == ["/a"])
        #expect(subject.parent("/a") == "/r")
        #expect(subject.violation() == nil)
        subject.tree.childRemoved(from: "/r", "/a")
        #expect(subject.walk == ["/r"])
        #expect(subject.tree.nodeCount == 1)
        #expect(subject.violation() == nil)
    }

    @Test("Twenty that all list all are met once each")
    func clique() {
        let all = (0..<20).map { "/\($0)" }
        let subject = TreeUnderTest()
        _ = subject.tree.insertRoot("/r")
        subject.take("/r", children: all)
        for path in all { subject.take(path, children: all) }
        #expect(subject.walk.count == 21)
        #expect(subject.tree.oddities.cycles == 20)
        #expect(subject.tree.oddities.secondParents == 20 * 19)
        #expect(subject.violation() == nil)
        // Each goes on as long as anybody lists it.
        subject.take("/r", children: ["/0"])
        #expect(subject.walk.count == 21)
        #expect(subject.violation() == nil)
        subject.take("/r", children: [])
        #expect(subject.walk == ["/r"])
        #expect(subject.tree.nodeCount == 1)
        #expect(subject.tree.otherListingCount == 0)
        #expect(subject.violation() == nil)
    }

    @Test("A node with two parents stays below the first, and goes to the second when that one lets go")
    func twoParents() {
        let subject = TreeUnderTest(["/r": ["/a", "/b"], "/a": ["/c"], "/b": ["/x", "/c"]])
        #expect(subject.parent("/c") == "/a")
        #expect(subject.walk == ["/r", "/a", "/c", "/b", "/x"])
        #expect(subject.tree.oddities.secondParents == 1)
        subject.tree.childRemoved(from: "/a", "/c")
        #expect(subject.parent("/c") == "/b")
        #expect(subject.tree.slot(at: "/c").flatMap { subject.tree.position(of: $0) } == 1)
        #expect(subject.violation() == nil)
    }

    @Test("A node with two parents goes to the second when the first is gone")
    func firstParentGone() {
        let subject = TreeUnderTest(["/r": ["/a", "/b"], "/a": ["/c"], "/b": ["/c"], "/c": ["/d"]])
        if let slot = subject.tree.slot(at: "/a") { subject.tree.remove(slot) }
        #expect(subject.walk == ["/r", "/b", "/c", "/d"])
        #expect(subject.violation() == nil)
    }

    @Test("A list that names one twice is kept with it once")
    func twiceInAList() {
        let subject = TreeUnderTest(["/r": ["/a", "/b", "/a"]])
        #expect(subject.children("/r") == ["/a", "/b"])
        #expect(subject.tree.oddities.wrongCounts == 1)
        #expect(subject.tree.slot(at: "/r").map { subject.setChildren(of: $0, ["/a", "/b", "/a"]) } == false)
        #expect(subject.violation() == nil)
    }

    @Test("What is no longer listed is gone with all below it, and the rest stays")
    func shorterList() {
        let subject = TreeUnderTest(["/r": ["/a", "/b", "/c"], "/b": ["/d"]])
        #expect(subject.tree.slot(at: "/r").map { subject.setChildren(of: $0, ["/c", "/a"]) } == true)
        #expect(subject.walk == ["/r", "/c", "/a"])
        #expect(subject.tree.nodeCount == 3)
        #expect(subject.violation() == nil)
    }

    @Test("A node listed by one below it is not lost to it when it is hung up where focus found it")
    func listedAbove() {
        let subject = TreeUnderTest(["/r": ["/a"], "/a": ["/b"]])
        let above = subject.tree.slot(at: "/b")
        #expect(above.map { subject.insertUnlisted(TreeUnderTest.item("/x"), below: $0) } != nil)
        subject.take("/x", children: ["/y"])
        // It lists its parent: nobody moves.
        subject.take("/y", children: ["/x"])
        #expect(subject.walk == ["/r", "/a", "/b", "/x", "/y"])
        #expect(subject.violation() == nil)
        // Its parent lists it after all.
        subject.take("/b", children: ["/x"])
        #expect(subject.tree.slot(at: "/x").map { subject.tree.isUnlisted($0) } == false)
        #expect(subject.walk == ["/r", "/a", "/b", "/x", "/y"])
        #expect(subject.violation() == nil)
    }

    @Test("A root that another lists has no parent")
    func listedRoot() {
        let subject = TreeUnderTest(["/r": ["/a"], "/a": ["/r"]])
        #expect(subject.insertRoot("/a") != nil)
        #expect(subject.parent("/a") == nil)
        #expect(subject.children("/r") == ["/a"])
        #expect(subject.walk == ["/a", "/r"] || subject.walk == ["/r", "/a"])
        #expect(subject.violation() == nil)
    }

    // MARK: - Budgets

    @Test("No more nodes than the limit are kept")
    func nodeLimit() {
        var limits = ApplicationTree.Limits()
        limits.maximumNodes = 3
        let subject = TreeUnderTest(["/r": ["/a", "/b", "/c", "/d"]], limits: limits)
        #expect(subject.children("/r") == ["/a", "/b"])
        #expect(subject.tree.nodeCount == 3)
        #expect(subject.tree.slot(at: "/r").map { subject.tree.hasChildrenCut($0) } == true)
        #expect(subject.insertRoot("/e") == nil)
        #expect(subject.tree.isCut)
        #expect(subject.violation() == nil)
    }

    @Test("No more children than the limit are kept, also by events")
    func childLimit() {
        var limits = ApplicationTree.Limits()
        limits.maximumChildren = 2
        let subject = TreeUnderTest(["/r": ["/a", "/b", "/c"]], limits: limits)
        #expect(subject.children("/r") == ["/a", "/b"])
        #expect(subject.childAdded(to: "/r", at: 3, "/d") == [])
        #expect(subject.childAdded(to: "/r", at: 2, "/d") == [])
        #expect(subject.children("/r") == ["/a", "/b"])
        #expect(subject.childAdded(to: "/r", at: 0, "/d").count == 1)
        #expect(subject.children("/r") == ["/d", "/a"])
        #expect(subject.violation() == nil)
    }

    @Test("Nothing is kept below the last level")
    func depthLimit() {
        var limits = ApplicationTree.Limits()
        limits.maximumDepth = 1
        let subject = TreeUnderTest(["/r": ["/a"], "/a": ["/b"]], limits: limits)
        #expect(subject.children("/a") == [])
        #expect(subject.tree.slot(at: "/a").map { subject.tree.hasDepthCut($0) } == true)
        #expect(subject.childAdded(to: "/a", at: 0, "/c") == [])
        #expect(subject.tree.slot(at: "/c") == nil)
        #expect(subject.violation() == nil)
    }

    @Test("Texts are cut between characters, with a mark")
    func textLimit() {
        var limits = ApplicationTree.Limits()
        limits.maximumTextBytes = 4
        let subject = TreeUnderTest(["/r": []], limits: limits)
        guard let slot = subject.tree.slot(at: "/r") else { return }
        subject.tree.setName("abc\u{E9}", of: slot)
        #expect(subject.tree.name(of: slot) == "abc…")
        #expect(subject.tree.hasNameCut(slot))
        subject.tree.setID("123456", of: slot)
        #expect(subject.tree.slots(withID: "1234…") == [slot])
        subject.tree.setAttributes(["abcdef": "ghijkl"], of: slot)
        #expect(subject.tree.attributes(of: slot) == ["abcd…": "ghij…"])
        subject.tree.setName("abcd", of: slot)
        #expect(!subject.tree.hasNameCut(slot))
        #expect(subject.tree.oddities.cutTexts == 3)
        #expect(subject.violation() == nil)
    }

    @Test("No more unattached or unlisted nodes than the limit are kept")
    func looseLimits() {
        var limits = ApplicationTree.Limits()
        limits.maximumUnattached = 2
        limits.maximumUnlisted = 2
        let subject = TreeUnderTest(["/r": []], limits: limits)
        for number in 0..<9 { _ = subject.tree.itemAdded(TreeUnderTest.item("/\(number)", parent: "/r")) }
        #expect(subject.tree.unattachedCount == 2)
        guard let root = subject.tree.slot(at: "/r") else { return }
        for number in 10..<19 { _ = subject.tree.insertUnlisted(TreeUnderTest.item("/\(number)"), below: root) }
        #expect(subject.paths(subject.tree.unlistedChildren(of: root)) == ["/17", "/18"])
        #expect(subject.violation() == nil)
    }

    @Test("Applications where everybody lists everybody do not fill memory")
    func listingLimit() {
        var limits = ApplicationTree.Limits()
        limits.maximumNodes = 100
        let all = (0..<90).map { "/\($0)" }
        let subject = TreeUnderTest(limits: limits)
        _ = subject.tree.insertRoot("/r")
        subject.take("/r", children: all)
        for path in all { subject.take(path, children: all) }
        #expect(subject.tree.otherListingCount <= 100 + 90)
        #expect(subject.walk.count == 91)
        #expect(subject.violation() == nil)
    }
}
