import AccessibilityTree
import Selectors
import Testing

/// Rules of matching, each on a tree that one can see.
struct MatchingTests {
    private func matches(_ text: String, _ sample: SampleTree, _ context: MatchContext = MatchContext()) throws
        -> [String]
    {
        try Selector(parsing: text).matches(in: sample.tree, context).matches.map { sample.path($0) }
    }

    private func named(_ name: String) -> SampleTree {
        SampleTree(Sample("application", "app", [Sample("label", name)]))
    }

    // MARK: - Names

    @Test(
        "a name with anything in it can be said in both kinds of quotes, and is said so by the writer",
        arguments: [
            "it's", "say \"hi\"", "a'b\"c", "]", "a\\b", ">", "#x", ",", " a ", "line\nbreak", "a\r\nb", "a\tb", "שלום",
            "👩‍👧",
        ])
    func quoting(name: String) throws {
        let tree = named(name)
        func escaped(_ quote: Character) -> String {
            let inside = name.map { $0 == quote || $0 == "\\" ? "\\\($0)" : $0.isNewline ? "\\a " : String($0) }
            return "\(quote)\(inside.joined())\(quote)"
        }
        #expect(try matches("label[name=\(escaped("'"))]", tree) == ["/0/0"])
        #expect(try matches("label[name=\(escaped("\""))]", tree) == ["/0/0"])
        let slot = try #require(tree.slot("/0/0"))
        let written = try #require(SelectorWriter(tree: tree.tree).selector(for: slot)).description
        #expect(!written.contains { $0.isNewline })
        #expect(try matches(written, tree) == ["/0/0"])
    }

    @Test(
        "what people cannot see makes no difference to a name, and what they can does",
        arguments: [
            ("line\nbreak", "[name=\"line\\a break\"]", true), ("line\nbreak", "[name=\"line break\"]", true),
            ("a\r\nb", "[name='a b']", true), ("a\u{A0}b", "[name='a b']", true), ("a b", "[name==\"a\\a0 b\"]", false),
            ("line\nbreak", "[name$='e break']", true), ("line\nbreak", "[name^='line b']", true),
            ("line\nbreak", "[name*='e b']", true), ("line\nbreak", "[name=='line break']", false),
            ("line\nbreak", "[name==\"line\\a break\"]", true), ("\u{200E}סגור\u{202C}", "[name='סגור']", true),
            ("סגור", "[name='\u{2067}סגור\u{2069}']", true), ("\u{200E}סגור", "[name=='סגור']", false),
            ("می\u{200C}خواهم", "[name='می\u{200C}خواهم']", true), ("می\u{200C}خواهم", "[name='میخواهم']", false),
            ("می\u{200C}خواهم", "[name^='می']", true), ("é", "[name='e\u{301}']", true),
            ("e\u{301}x", "[name*='é']", true),
            ("e\u{301}x", "[name^='e']", false), ("éx", "[name^='e']", false), ("é", "[name=='e\u{301}']", false),
            ("İstanbul", "[name='istanbul' i]", true), ("ISTANBUL", "[name='ıstanbul' i]", true),
            ("STRASSE", "[name='straße' i]", true), ("Save", "[name=save]", false), ("Save", "[name=save i]", true),
            ("Save All", "[name~=All]", true), ("Save All", "[name~='Save All']", false), ("en-GB", "[name|=en]", true),
            ("english", "[name|=en]", false), ("Save", "[name*='']", false), ("", "[name='']", true),
            ("", "[name]", false),
        ])
    func names(name: String, text: String, isMatch: Bool) throws {
        #expect(try matches("label\(text)", named(name)) == (isMatch ? ["/0/0"] : []))
    }

    // MARK: - Structure and visibility

    @Test("hidden is what is not seen and not only scrolled out; unlisted elements are")
    func hidden() throws {
        let tree = SampleTree(
            Sample(
                "application", "app",
                [
                    Sample(
                        "frame", "",
                        [
                            Sample("label", without: .showing), Sample("label"),
                            Sample("panel", without: .visible, [Sample("label")]),
                            Sample("scroll-pane", "", [Sample("label", without: .showing)]),
                            Sample("panel", unlisted: [Sample("label")]),
                            Sample("list", with: .managesDescendants, unlisted: [Sample("label")]),
                        ])
                ]))
        #expect(try matches("label:hidden", tree) == ["/0/0/0", "/0/0/2/0", "/0/0/4/u0"])
        #expect(try matches("label:not(:hidden)", tree) == ["/0/0/1", "/0/0/3/0", "/0/0/5/u0"])
    }

    @Test("in GTK 4, which never says what is showing, that hides nothing")
    func hiddenInGTK4() throws {
        let sample = Sample("application", "app", [Sample("label", without: .showing)])
        #expect(try matches("label:hidden", SampleTree(sample, toolkit: "GTK")).isEmpty)
        #expect(try matches("label:hidden", SampleTree(sample)) == ["/0/0"])
    }

    @Test("the application is the top of the tree, and :self the one that asks")
    func application() throws {
        let tree = SampleTree(Sample("application", "app", [Sample("application", "app")]), pid: 7)
        #expect(try matches("application", tree) == ["/0"])
        #expect(try matches("[role=application]", tree) == ["/0", "/0/0"])
        #expect(try matches("application:self", tree, MatchContext(ownPID: 7)) == ["/0"])
        #expect(try matches("application:self", tree, MatchContext(ownPID: 8)).isEmpty)
    }

    // MARK: - What must be fetched

    @Test("what is not known is asked for only where nothing else decides")
    func needs() throws {
        let tree = SampleTree(
            Sample(
                "application", "app", id: nil,
                [
                    Sample("panel", "a", id: nil, [Sample("label", id: nil), Sample("push-button", id: nil)]),
                    Sample("panel", "b", id: nil, [Sample("label", id: nil, attributes: nil)]),
                ]))
        let first = try #require(tree.slot("/0/0/0"))
        let second = try #require(tree.slot("/0/1/0"))
        func needs(_ text: String) throws -> [Need] {
            try Selector(parsing: text).matches(in: tree.tree, MatchContext()).needs
        }
        #expect(try needs("panel[name=a] > label#x") == [.id(first)])
        #expect(try needs("label#x[tag]") == [.id(second), .attributes(second)])
        #expect(try needs("label:is(#x, :first-child)").isEmpty)
        #expect(try Selector(parsing: "label#x").matches(in: tree.tree, MatchContext()).undecided.count == 2)
    }

    @Test("the text of password fields and terminals, and of all in them, is not asked for and matches nothing")
    func secrets() throws {
        let tree = SampleTree(
            Sample(
                "application", "app",
                [
                    Sample("password-text", hasText: true, [Sample("label", hasText: true)]),
                    Sample("terminal", hasText: true), Sample("label", hasText: true), Sample("label"),
                ]))
        var context = MatchContext()
        let selector = try Selector(parsing: "*[text*=a]")
        let plain = try #require(tree.slot("/0/2"))
        #expect(selector.matches(in: tree.tree, context).needs == [.text(plain)])
        for slot in tree.tree.allSlots { context.texts[slot] = "a" }
        #expect(selector.matches(in: tree.tree, context).matches == [plain])
    }

    // MARK: - Bounds

    @Test("matching that costs more than its budget says so")
    func budget() throws {
        let tree = SampleTree(Sample("application", "app", (0..<100).map { _ in Sample("label") }))
        var context = MatchContext()
        context.budget = 50
        #expect(try Selector(parsing: "label:has(label)").matches(in: tree.tree, context).isBudgetExceeded)
        var query = LiveQuery(try Selector(parsing: "label"))
        query.update([], in: tree.tree, context)
        #expect(query.isBudgetExceeded)
        context.budget = 1_000
        query.update([], in: tree.tree, context)
        #expect(!query.isBudgetExceeded && query.count == 100)
    }

    @Test(
        "a hostile selector on a deep tree ends",
        arguments: [
            String(repeating: ":has(", count: 32) + "label" + String(repeating: ")", count: 32),
            String(repeating: ":not(* ", count: 32) + "label" + String(repeating: ")", count: 32),
            Array(repeating: "*", count: 256).joined(separator: " "),
            Array(repeating: "*", count: 256).joined(separator: " ~ "),
            ":has(" + Array(repeating: "*", count: 200).joined(separator: " ") + ")",
            Array(repeating: "*", count: 128).joined(separator: " > * ~ "),
        ])
    func hostile(text: String) throws {
        var tree = ApplicationTree(busName: ":1.5")
        _ = tree.insertRoot("/0")
        for level in 0..<900 {
            let children = level < 899 ? ["/x\(level)", "/\(level + 1)", "/y\(level)"] : []
            tree.take(TreeItem(path: "/\(level)", children: children, role: level == 0 ? .application : .panel))
        }
        _ = try Selector(parsing: text).matches(in: tree, MatchContext())
    }

    // MARK: - Applications

    @Test(
        "which applications can match is known before they are read",
        arguments: [
            ("application[name=foo] button", false), ("application[name=Foo] button", nil),
            ("application[name=foo i]", nil),
            ("[app=foo]", false), ("[app=Foo]", true), ("button[pid='7']", nil), ("button[pid='8']", false),
            ("[toolkit=gtk]", true), ("button[toolkit=Qt]", false), ("button", nil), ("*", true),
            (":not([app=Foo])", false),
            ("button:self", nil), ("button[app=x], button[pid='8']", false), (":has([app=x])", false),
            ("label[name=foo]", nil),
        ] as [(String, Bool?)])
    func admits(text: String, expected: Bool?) throws {
        let facts = ApplicationFacts(name: "Foo", pid: 7, toolkit: "gtk")
        #expect(try Selector(parsing: text).admits(facts) == expected)
        #expect(try Selector(parsing: text + ":self").admits(facts, ownPID: 8) == false || text.contains(","))
    }

    // MARK: - Writing

    @Test("a selector for an element is its id, else its name, else its place in what has a name")
    func writing() throws {
        let tree = SampleTree(
            Sample(
                "application", "app",
                [
                    Sample(
                        "dialog", "Save",
                        [
                            Sample("push-button", "OK", id: "ok"), Sample("push-button", "Cancel"), Sample("label"),
                            Sample("label"),
                        ]),
                    Sample("dialog", "Load", [Sample("push-button", "Cancel"), Sample("entry")]),
                ]))
        func written(_ path: String) throws -> String? {
            SelectorWriter(tree: tree.tree).selector(for: try #require(tree.slot(path)))?.description
        }
        #expect(try written("/0") == "application[name=\"app\"]")
        #expect(try written("/0/0/0") == "application[name=\"app\"] #ok")
        #expect(try written("/0/0/1") == "application[name=\"app\"] dialog[name=\"Save\"] push-button[name=\"Cancel\"]")
        #expect(try written("/0/0/3") == "application[name=\"app\"] dialog[name=\"Save\"] > label:nth-child(4)")
        #expect(try written("/0/1/1") == "application[name=\"app\"] entry")
    }
}
