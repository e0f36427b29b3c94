import Testing

@testable import AccessibilityTree

/// What single signals change in a tree, also when they come twice, late or with nonsense.
struct ApplicationTreeEventTests {
    private func family() -> TreeUnderTest { TreeUnderTest(["/r": ["/a", "/b"], "/a": ["/c"]]) }

    private func questions(_ questions: [ApplicationTree.Question], _ subject: TreeUnderTest) -> [String] {
        questions.map { question in
            switch question {
            case .item(let slot): "item \(subject.tree.path(of: slot))"
            case .children(let slot): "children \(subject.tree.path(of: slot))"
            }
        }
    }

    @Test("A new child is in its place, and is asked about")
    func added() {
        let subject = family()
        let asked = subject.tree.childAdded(to: "/r", at: 1, "/n")
        #expect(questions(asked, subject) == ["item /n"])
        #expect(subject.children("/r") == ["/a", "/n", "/b"])
        #expect(subject.tree.slot(at: "/b").flatMap { subject.tree.position(of: $0) } == 2)
        #expect(subject.tree.slot(at: "/r").flatMap { subject.tree.statedChildCount(of: $0) } == 3)
        #expect(subject.violation() == nil)
    }

    @Test("The same signal again changes nothing and asks nothing")
    func addedTwice() {
        let subject = family()
        #expect(subject.childAdded(to: "/r", at: 1, "/b") == [])
        #expect(subject.children("/r") == ["/a", "/b"])
        #expect(questions(subject.childAdded(to: "/r", at: 0, "/b"), subject) == ["children /r"])
        #expect(questions(subject.childAdded(to: "/r", at: nil, "/b"), subject) == ["children /r"])
        #expect(subject.violation() == nil)
    }

    @Test("A place that cannot be makes the list be asked for", arguments: [nil, -1, 3, 1 << 31, Int.max, Int.min])
    func impossiblePlace(index: Int?) {
        let subject = family()
        #expect(questions(subject.childAdded(to: "/r", at: index, "/n"), subject) == ["children /r"])
        #expect(subject.tree.slot(at: "/n") == nil)
        #expect(subject.violation() == nil)
    }

    @Test("Signals of unknown nodes, and of lists that have not come, change nothing")
    func unknown() {
        let subject = family()
        #expect(subject.childAdded(to: "/unknown", at: 0, "/n") == [])
        #expect(!subject.childRemoved(from: "/unknown", "/a"))
        #expect(!subject.childRemoved(from: "/r", "/unknown"))
        #expect(!subject.childRemoved(from: "/r", "/c"))
        _ = subject.tree.childAdded(to: "/r", at: 0, "/new")
        #expect(subject.childAdded(to: "/new", at: 0, "/m") == [])
        #expect(subject.violation() == nil)
    }

    @Test("A first child of one that had none is taken")
    func firstChild() {
        let subject = TreeUnderTest()
        _ = subject.tree.insertRoot("/r")
        subject.take("/r", count: 0)
        #expect(questions(subject.childAdded(to: "/r", at: 0, "/n"), subject) == ["item /n"])
        #expect(subject.violation() == nil)
    }

    @Test("A move told as added before removed keeps the node")
    func addedBeforeRemoved() {
        let subject = family()
        #expect(subject.childAdded(to: "/b", at: 0, "/c") == [])
        #expect(subject.parent("/c") == "/a")
        #expect(subject.childAdded(to: "/b", at: 0, "/c") == [])
        subject.tree.childRemoved(from: "/a", "/c")
        #expect(subject.parent("/c") == "/b")
        #expect(subject.walk == ["/r", "/a", "/b", "/c"])
        #expect(!subject.childRemoved(from: "/a", "/c"))
        #expect(subject.violation() == nil)
    }

    @Test("A node moved below its own child is not lost track of")
    func movedBelowItself() {
        let subject = family()
        _ = subject.tree.childAdded(to: "/c", at: 0, "/a")
        #expect(subject.parent("/a") == "/r")
        #expect(subject.tree.oddities.cycles == 1)
        subject.tree.childRemoved(from: "/r", "/a")
        #expect(subject.walk == ["/r", "/b"])
        #expect(subject.violation() == nil)
    }

    @Test("An item that comes before its list hangs nowhere until it is listed")
    func itemBeforeList() {
        let subject = family()
        let parent = subject.tree.itemAdded(TreeUnderTest.item("/n", parent: "/b", index: 0, count: 0))
        #expect(parent.map { subject.tree.path(of: $0) } == "/b")
        #expect(subject.tree.unattachedCount == 1)
        #expect(subject.violation() == nil)
        #expect(subject.childAdded(to: "/b", at: 0, "/n") == [])
        #expect(subject.tree.unattachedCount == 0)
        #expect(subject.walk == ["/r", "/a", "/c", "/b", "/n"])
        #expect(subject.violation() == nil)
    }

    @Test("An item of a node that hangs somewhere changes what it says of itself alone")
    func itemAgain() {
        let subject = family()
        #expect(subject.itemAdded(TreeUnderTest.item("/c", parent: "/b", count: 0, role: .frame)) == nil)
        #expect(subject.parent("/c") == "/a")
        #expect(subject.tree.slots(withRole: .frame).map { subject.tree.path(of: $0) } == ["/c"])
        #expect(subject.violation() == nil)
    }

    @Test("One that begins to manage its descendants keeps none, and has no list when it ends")
    func managing() {
        let subject = family()
        guard let slot = subject.tree.slot(at: "/a") else { return }
        subject.tree.setState(.managesDescendants, true, of: slot)
        #expect(subject.walk == ["/r", "/a", "/b"])
        #expect(subject.childAdded(to: "/a", at: 0, "/c") == [])
        #expect(!subject.setChildren(of: slot, ["/c"]))
        #expect(subject.violation() == nil)
        // What focus is on is kept.
        #expect(subject.insertUnlisted(TreeUnderTest.item("/cell"), below: slot) != nil)
        #expect(subject.walk == ["/r", "/a", "/cell", "/b"])
        subject.tree.setState(.managesDescendants, false, of: slot)
        #expect(!subject.tree.isListed(slot))
        #expect(subject.setChildren(of: slot, ["/cell", "/c"]))
        #expect(subject.walk == ["/r", "/a", "/cell", "/c", "/b"])
        #expect(subject.tree.unlistedChildren(of: slot) == [])
        #expect(subject.violation() == nil)
    }

    @Test("What focus is on below a node that does not list it goes when that says so, or goes itself")
    func unlisted() {
        let subject = family()
        guard let slot = subject.tree.slot(at: "/b") else { return }
        for path in ["/x", "/y"] { _ = subject.tree.insertUnlisted(TreeUnderTest.item(path), below: slot) }
        #expect(subject.tree.slot(at: "/x").map { subject.tree.isUnlisted($0) } == true)
        #expect(subject.tree.slot(at: "/x").flatMap { subject.tree.position(of: $0) } == nil)
        #expect(subject.childRemoved(from: "/b", "/x"))
        #expect(subject.tree.slot(at: "/x") == nil)
        #expect(subject.violation() == nil)
        subject.tree.remove(slot)
        #expect(subject.walk == ["/r", "/a", "/c"])
        #expect(subject.violation() == nil)
    }

    @Test("A freed place is another node's, without anything of the one before")
    func reuse() {
        let subject = family()
        guard let slot = subject.tree.slot(at: "/b") else { return }
        subject.tree.setName("before", of: slot)
        subject.tree.setDescription("before", of: slot)
        subject.tree.setID("before", of: slot)
        subject.tree.setAttributes(["be": "fore"], of: slot)
        subject.tree.remove(slot)
        _ = subject.tree.childAdded(to: "/r", at: 1, "/n")
        #expect(subject.tree.slot(at: "/n") == slot)
        #expect(subject.tree.name(of: slot) == "")
        #expect(subject.tree.description(of: slot) == "")
        #expect(subject.tree.id(of: slot) == nil)
        #expect(subject.tree.attributes(of: slot) == nil)
        #expect(!subject.tree.isRead(slot))
        #expect(subject.tree.slots(named: "before") == [])
        #expect(subject.tree.slots(withID: "before") == [])
        #expect(subject.violation() == nil)
    }

    @Test("Names, ids and roles are found as they are now, names as people read them")
    func indexes() {
        let subject = family()
        guard let a = subject.tree.slot(at: "/a"), let b = subject.tree.slot(at: "/b") else { return }
        subject.tree.setName("caf\u{E9}  au\u{A0}lait", of: a)
        subject.tree.setName("cafe\u{301} au lait", of: b)
        #expect(Set(subject.tree.slots(named: "caf\u{E9} au lait")) == [a, b])
        #expect(subject.setName("tea", of: a))
        #expect(!subject.setName("tea", of: a))
        #expect(subject.tree.slots(named: "caf\u{E9} au lait") == [b])
        subject.tree.setID("one", of: a)
        subject.tree.setID("one", of: b)
        subject.tree.setID("two", of: a)
        #expect(subject.tree.slots(withID: "one") == [b])
        subject.tree.setID("", of: b)
        #expect(subject.tree.slots(withID: "one") == [])
        #expect(subject.tree.id(of: b) == "")
        subject.tree.setRole(.frame, of: a)
        #expect(subject.tree.slots(withRole: .frame) == [a])
        #expect(subject.violation() == nil)
    }

    @Test("A node is in no index of roles before it is read")
    func unread() {
        let subject = family()
        _ = subject.tree.childAdded(to: "/r", at: 0, "/n")
        guard let slot = subject.tree.slot(at: "/n") else { return }
        subject.tree.setRole(.frame, of: slot)
        #expect(subject.tree.slots(withRole: .frame) == [])
        #expect(subject.tree.slots(withRole: .invalid) == [])
        subject.take("/n", count: 0, role: .frame)
        #expect(subject.tree.slots(withRole: .frame) == [slot])
        #expect(subject.violation() == nil)
    }

    @Test("Every node is met in turn, round and round")
    func rounds() {
        let subject = family()
        var next = 0
        let first = subject.tree.slots(from: &next, count: 3)
        let second = subject.tree.slots(from: &next, count: 3)
        #expect(Set(first + second) == Set(subject.tree.allSlots))
        let all = subject.tree.slots(from: &next, count: 100)
        #expect(all.count == 4)
    }

    @Test("10,000 children go one by one from either end and keep their places", arguments: [true, false])
    func longList(fromTheFront: Bool) {
        let all = (0..<10_000).map { "/\($0)" }
        let subject = TreeUnderTest(["/r": all])
        for path in fromTheFront ? Array(all.prefix(2_000)) : all.suffix(2_000).reversed() {
            subject.tree.childRemoved(from: "/r", path)
        }
        let middle = subject.tree.slot(at: "/5000")
        #expect(middle.flatMap { subject.tree.position(of: $0) } == (fromTheFront ? 3_000 : 5_000))
        #expect(subject.tree.nodeCount == 8_001)
    }
}
