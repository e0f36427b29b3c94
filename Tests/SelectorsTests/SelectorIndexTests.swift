import AccessibilityTree
import Selectors
import Testing

private let hostileTexts = [
    String(repeating: ":not(* ", count: 32) + "label" + String(repeating: ")", count: 32),
    String(repeating: ":is(* * ", count: 32) + "label" + String(repeating: ")", count: 32),
    ":is(label " + Array(repeating: "*", count: 250).joined(separator: " ") + ")",
    ":is(label > " + Array(repeating: "*", count: 100).joined(separator: " > ") + ")",
]

/// Many selectors asked of one path, against the matcher on a tree that holds the path.
struct SelectorIndexTests {
    private func depths<Key>(
        _ index: SelectorIndex<Key>, _ path: FocusPath, _ focused: Set<ObjectReference> = []
    ) -> [Key: Int] {
        let matches = index.matches(path) { focused.contains($0) }
        let depths = Dictionary(matches.map { ($0.key, $0.depth) }, uniquingKeysWith: { min($0, $1) })
        #expect(depths.count == matches.count, "each key once")
        return depths
    }

    private func path(_ nodes: [(role: Role, name: String)], pid: Int = 7) -> FocusPath {
        let nodes = nodes.enumerated().map { place, node in
            Node(
                reference: ObjectReference(busName: ":1.7", path: "/\(place)"), role: node.role, name: node.name,
                states: StateSet(.visible, .showing))
        }
        let application = ApplicationNode(busName: ":1.7", name: "other", toolkit: "gtk", pid: pid)
        return FocusPath(nodes: nodes, application: application, reachesTop: nodes.last?.role == .application)
    }

    // MARK: - Properties

    @Test("what an index says of a path is what matching says of a tree that holds it", arguments: 0..<UInt64(20))
    func likeMatching(seed: UInt64) {
        var selectors = RandomSelectors(seed: seed)
        selectors.isDecidedByPath = true
        var paths = RandomPath(seed: seed)
        var index = SelectorIndex<Int>()
        let all = (0..<60).map { _ in selectors.selector() }
        let pids = all.map { _ in paths.random.pick([12, 13]) }
        for key in all.indices { index.insert(all[key], ownPID: pids[key], as: key) }
        let matchers = all.map { SelectorMatcher($0) }
        for round in 0..<15 {
            let path = paths.path()
            let tree = PathTree(path)
            let focused = Set(path.nodes.map(\.reference).filter { _ in paths.random.chance(1, in: 3) })
            let found = depths(index, path, focused)
            // What is inside a node decides nothing about it, so each node is asked as an element.
            let fromEach = path.nodes.indices.map { depth in
                depths(
                    index,
                    FocusPath(
                        nodes: Array(path.nodes[depth...]), application: path.application, reachesTop: path.reachesTop),
                    focused)
            }
            for key in all.indices {
                let answers = tree.answers(matchers[key], ownPID: pids[key], focused: focused)
                func what() -> String { "seed \(seed), round \(round): \(all[key]) of \(path)" }
                #expect(!answers.contains(.unknown), "\(what())")
                #expect(found[key] == answers.firstIndex(of: .yes), "\(what())")
                for depth in answers.indices {
                    #expect((fromEach[depth][key] == 0) == (answers[depth] == .yes), "\(what()), \(depth)")
                }
            }
        }
    }

    @Test("after any that came and went an index says what one does that was made anew", arguments: 0..<UInt64(20))
    func changing(seed: UInt64) {
        var selectors = RandomSelectors(seed: seed)
        selectors.isDecidedByPath = true
        var paths = RandomPath(seed: seed)
        var index = SelectorIndex<Int>()
        var kept: [Int: Selector] = [:]
        for round in 0..<300 {
            let key = Int.random(in: 0..<40, using: &paths.random)
            if paths.random.chance(2, in: 5) {
                index.remove(key)
                kept[key] = nil
            } else {
                let selector = selectors.selector()
                index.insert(selector, ownPID: 12, as: key)
                kept[key] = selector
            }
            #expect(index.count == kept.count && index.isEmpty == kept.isEmpty)
            guard round % 10 == 0 else { continue }
            var anew = SelectorIndex<Int>()
            for (key, selector) in kept { anew.insert(selector, ownPID: 12, as: key) }
            #expect(index.sensitivity == anew.sensitivity, "seed \(seed), round \(round)")
            for _ in 0..<4 {
                let path = paths.path()
                let focused: Set = [path.nodes[0].reference]
                #expect(depths(index, path, focused) == depths(anew, path, focused), "seed \(seed), round \(round)")
            }
        }
        for key in 0..<40 { index.remove(key) }
        #expect(index.isEmpty && index.count == 0 && index.bucketCount == 0)
        #expect(index.sensitivity == PathSensitivity())
        #expect(index.matches(paths.path()) { _ in true }.isEmpty)
    }

    @Test("a change of what no selector looks at changes no match", arguments: 0..<UInt64(20))
    func insensitive(seed: UInt64) {
        var selectors = RandomSelectors(seed: seed)
        selectors.isDecidedByPath = true
        var paths = RandomPath(seed: seed)
        var unchanged = 0
        for round in 0..<300 {
            var index = SelectorIndex<Int>()
            for key in 0..<2 { index.insert(selectors.selector(), ownPID: 12, as: key) }
            let before = paths.path()
            let after = paths.changed(before)
            guard !matters(before, after, index.sensitivity) else { continue }
            unchanged += 1
            #expect(depths(index, before) == depths(index, after), "seed \(seed), round \(round)")
        }
        #expect(unchanged > 30)
    }

    private func matters(_ before: FocusPath, _ after: FocusPath, _ sensitivity: PathSensitivity) -> Bool {
        let facts = sensitivity.facts
        for (one, other) in zip(before.nodes, after.nodes) {
            if facts.contains(.names), one.name != other.name { return true }
            if facts.contains(.descriptions), one.description != other.description { return true }
            if facts.contains(.ids), one.id != other.id { return true }
            if facts.contains(.roles), one.role != other.role { return true }
            if (one.states.bits ^ other.states.bits) & sensitivity.states.bits != 0 { return true }
        }
        return facts.contains(.applicationName) && before.nodes.last?.name != after.nodes.last?.name
    }

    @Test(
        "text of any kind that reads as a selector is answered as by matching, whatever the path",
        arguments: 0..<UInt64(8))
    func anyText(seed: UInt64) {
        let parts = [
            "label", "*", "window", "application", "#a", "[name=\"a\"]", "[name*='' i]", "[name~=a]", "[id]",
            "[id='é']",
            "[app=a]", "[pid|='12']", "[toolkit^=g i]", "[role$=ton]", "[description]", "[name==\"\"]", ":not(", ":is(",
            ")", ")", ">", " ", " ", ",", "[name='e\u{301}']", "[name='\u{200E}a']", "[name=\"a\\a b\"]", ":focused",
            ":self",
            ":accessibility-focused", ":state-63", "role-4294967295", ":hidden", "+",
        ]
        var random = SeededGenerator(seed: seed)
        var paths = RandomPath(seed: seed)
        paths.names += ["\u{0}", "\u{202E}", String(repeating: " a", count: 3_000), "👩‍👧", "a\u{301}\u{301}"]
        var decided = 0
        for round in 0..<2_500 {
            let text = (0..<Int.random(in: 1..<9, using: &random)).map { _ in random.pick(parts) }.joined()
            guard let selector = try? Selector(parsing: text), selector.isDecidedByPath else { continue }
            decided += 1
            var index = SelectorIndex<String>()
            index.insert(selector, ownPID: 12, as: text)
            let path = paths.path(maximumNodes: 6)
            let focused: Set = [path.nodes[path.nodes.count / 2].reference]
            let answers = PathTree(path).answers(SelectorMatcher(selector), ownPID: 12, focused: focused)
            #expect(
                depths(index, path, focused)[text] == answers.firstIndex(of: .yes),
                "seed \(seed), round \(round): \(text)")
            index.remove(text)
            #expect(index.bucketCount == 0)
        }
        #expect(decided > 200)
    }

    // MARK: - What is decided

    @Test(
        "what stands beside or below an element, and what no path holds, is not decided by a path",
        arguments: [
            ("push-button", true), ("dialog > * #a", true), (":not(label, :is(frame *)):self", true),
            ("[name*=a][description][role=entry][id=x][app=a][pid='1'][toolkit=a]", true),
            (":accessibility-focused", true),
            ("window:active", true), ("label + entry", false), ("label ~ entry", false), ("label:hidden", false),
            (":has(label)", false), (":nth-child(2)", false), ("label:first-child", false), (":last-child", false),
            ("[text*=a]", false), ("[tag]", false), ("label, [level='2']", false), (":not(label + entry)", false),
            (":is(alert *, label:hidden)", false), ("panel:first-child label", false),
            (":not(:is(:has(label)))", false),
        ])
    func isDecided(text: String, isDecided: Bool) throws {
        #expect(try Selector(parsing: text).isDecidedByPath == isDecided)
    }

    // MARK: - Keys

    @Test("the innermost node that any alternative matches counts, and a key has one selector")
    func keys() throws {
        var index = SelectorIndex<String>()
        let path = path([(.pushButton, "OK"), (.panel, ""), (.dialog, "Save"), (.application, "app")])
        index.insert(try Selector(parsing: "dialog, [name=OK], *:not(application) > panel"), ownPID: 1, as: "a")
        index.insert(try Selector(parsing: "dialog[name=Save] > *"), ownPID: 1, as: "b")
        index.insert(try Selector(parsing: "dialog[name=Save] *"), ownPID: 1, as: "c")
        index.insert(try Selector(parsing: "dialog dialog, application"), ownPID: 1, as: "d")
        index.insert(try Selector(parsing: "application > panel"), ownPID: 1, as: "e")
        index.insert(try Selector(parsing: "[app=app] window"), ownPID: 1, as: "f")
        #expect(depths(index, path) == ["a": 0, "b": 1, "c": 0, "d": 3, "f": 2])
        index.insert(try Selector(parsing: "panel"), ownPID: 1, as: "a")
        index.remove("c")
        index.remove("unknown")
        #expect(depths(index, path) == ["a": 1, "b": 1, "d": 3, "f": 2])
    }

    @Test("each selector has the process of its own that :self means")
    func ownProcesses() throws {
        var index = SelectorIndex<Int>()
        let selector = try Selector(parsing: ":self label, label:not(:self)")
        for pid in 1..<4 { index.insert(try Selector(parsing: "label:self"), ownPID: pid, as: pid) }
        index.insert(selector, ownPID: 2, as: 4)
        let nodes: [(role: Role, name: String)] = [(.label, ""), (.application, "a")]
        #expect(depths(index, path(nodes, pid: 2)) == [2: 0, 4: 0])
        #expect(depths(index, path(nodes, pid: 3)) == [3: 0, 4: 0])
    }

    @Test("selectors that share all but one thing are kept by that")
    func distinguished() throws {
        var index = SelectorIndex<Int>()
        for key in 0..<50 {
            index.insert(try Selector(parsing: "dialog[name=\"D \(key)\"] push-button[name=OK]"), ownPID: 1, as: key)
        }
        #expect(index.bucketCount >= 50)
        let path = path([(.pushButton, "OK"), (.dialog, "D 7"), (.application, "a")])
        #expect(depths(index, path) == [7: 0])
    }

    @Test("it is known what the selectors look at")
    func sensitivity() throws {
        var index = SelectorIndex<Int>()
        #expect(index.sensitivity == PathSensitivity())
        index.insert(try Selector(parsing: "*[pid='1'][toolkit=a]:self"), ownPID: 1, as: 0)
        #expect(index.sensitivity == PathSensitivity())
        index.insert(try Selector(parsing: ":not(label:focused > #a)"), ownPID: 1, as: 1)
        #expect(index.sensitivity == PathSensitivity(facts: [.roles, .ids], states: StateSet(.focused)))
        index.insert(try Selector(parsing: "label, [name=a] :checked"), ownPID: 1, as: 2)
        index.insert(try Selector(parsing: "[app=a][description]:is(:accessibility-focused)"), ownPID: 1, as: 3)
        index.remove(1)
        var states = StateSet()
        if let checked = State(name: "checked") { states.insert(checked) }
        #expect(
            index.sensitivity
                == PathSensitivity(facts: [.roles, .names, .descriptions, .focus, .applicationName], states: states))
    }

    @Test("whether a technology is on a node is asked only where a selector looks at that")
    func asksForFocus() throws {
        var index = SelectorIndex<Int>()
        let path = path([(.label, ""), (.panel, ""), (.application, "a")])
        index.insert(try Selector(parsing: "label"), ownPID: 1, as: 0)
        var asked = 0
        _ = index.matches(path) { _ in
            asked += 1
            return true
        }
        #expect(asked == 0)
        index.insert(try Selector(parsing: "panel:accessibility-focused"), ownPID: 1, as: 1)
        #expect(depths(index, path, [path.nodes[1].reference]) == [0: 0, 1: 1])
        #expect(depths(index, path, [path.nodes[0].reference]) == [0: 0])
    }

    // MARK: - Bounds

    @Test("a hostile selector on a deep path is given up, and the others are answered", arguments: hostileTexts)
    func hostile(text: String) throws {
        let deep = path((0..<1_000).map { ($0 == 999 ? .application : .panel, "\($0)") })
        var index = SelectorIndex<Int>()
        for key in 0..<20 { index.insert(try Selector(parsing: text), ownPID: 1, as: key) }
        index.insert(try Selector(parsing: "panel[name='17']"), ownPID: 1, as: 100)
        index.insert(try Selector(parsing: "application"), ownPID: 1, as: 101)
        // One that needs more than each has, and not much.
        index.insert(try Selector(parsing: "[name='998'] *:not(panel panel panel panel)"), ownPID: 1, as: 102)
        let findings = index.findings(in: deep) { _ in false }
        let found = Dictionary(uniqueKeysWithValues: findings.matches.map { ($0.key, $0.depth) })
        #expect(found == [100: 17, 101: 999, 102: 996])
        #expect(findings.givenUp == Array(0..<20))
        #expect(depths(index, deep) == found)
    }

    @Test("where all work is spent the rest is given up, what has an id or a name last")
    func allWork() throws {
        var limits = SelectorIndexLimits()
        limits.allWork = 500
        var index = SelectorIndex<Int>(limits: limits)
        let path = path((0..<10).map { ($0 == 9 ? .application : .panel, "\($0)") })
        for key in 0..<100 { index.insert(try Selector(parsing: ":focused"), ownPID: 1, as: key) }
        index.insert(try Selector(parsing: "[name='3']"), ownPID: 1, as: 100)
        let findings = index.findings(in: path) { _ in false }
        #expect(findings.matches.map(\.key) == [100] && findings.matches.map(\.depth) == [3])
        #expect((50..<60).contains(findings.givenUp.count))
    }

    @Test("a selector that is given up in part matches nothing")
    func givenUpInPart() throws {
        var limits = SelectorIndexLimits()
        limits.ownWork = 5
        limits.sharedWork = 0
        var index = SelectorIndex<Int>(limits: limits)
        let path = path((0..<10).map { ($0 == 9 ? .application : .panel, "\($0)") })
        index.insert(try Selector(parsing: "panel, :focused"), ownPID: 1, as: 0)
        index.insert(try Selector(parsing: "panel"), ownPID: 1, as: 1)
        let findings = index.findings(in: path) { _ in false }
        #expect(findings.matches.map(\.key) == [1] && findings.givenUp == [0])
    }
}
