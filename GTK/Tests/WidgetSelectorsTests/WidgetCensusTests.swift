import Testing
import WidgetSelectors

/// What tells one widget from all others.
struct WidgetCensusTests {
    private let label = WidgetRole("label")
    private let button = WidgetRole("push-button")
    private let field = WidgetRole("text", "entry")

    /// A window with a box in it, in which the test puts its widgets.
    private func window(_ title: String = "Window", in census: inout WidgetCensus) -> Int {
        let windows = census.entries.count { $0.parent == nil }
        let window = census.add(WidgetRole("frame"), name: WidgetName(title), parent: nil, place: windows + 1)
        return census.add(.unknown, name: nil, parent: window, place: 1)
    }

    @Test("a name that no other of the role has is enough")
    func uniqueName() {
        var census = WidgetCensus()
        let box = window(in: &census)
        let main = census.add(label, name: WidgetName("Main text"), parent: box, place: 1)
        census.add(label, name: WidgetName("Other"), parent: box, place: 2)
        census.add(button, name: WidgetName("Main text"), parent: box, place: 3)
        #expect(census.selector(of: main) == #"label:self[name^="Main text"]"#)
    }

    @Test("the same name in another place makes the place count, and only where the ways part")
    func sameName() {
        var census = WidgetCensus()
        let box = window(in: &census)
        let rows = (1...2).map { census.add(.unknown, name: nil, parent: box, place: $0) }
        let labels = rows.map { census.add(label, name: WidgetName("Delete"), parent: $0, place: 1) }
        #expect(census.selector(of: labels[1]) == #"window:self > * > *:nth-child(2) > label[name^="Delete"]"#)
    }

    @Test("a name that begins another one is not taken to be enough")
    func beginningOfAnother() {
        var census = WidgetCensus()
        let box = window(in: &census)
        let short = census.add(label, name: WidgetName("Save"), parent: box, place: 1)
        let long = census.add(label, name: WidgetName("Save as"), parent: box, place: 2)
        #expect(census.selector(of: short) == #"window:self > * > label:nth-child(1)[name^="Save"]"#)
        #expect(census.selector(of: long) == #"label:self[name^="Save as"]"#)
    }

    @Test("without a name it is the way from the window")
    func nameless() {
        var census = WidgetCensus()
        let box = window(in: &census)
        let only = census.add(field, name: nil, parent: box, place: 1)
        census.add(label, name: nil, parent: box, place: 2)
        #expect(census.selector(of: only) == "window:self > * > :is(text, entry)")
        let second = census.add(field, name: nil, parent: box, place: 3)
        #expect(census.selector(of: second) == "window:self > * > :is(text, entry):nth-child(3)")
    }

    @Test("where two windows are alike inside, the title counts, and where that is alike too, their order")
    func twoWindows() {
        var census = WidgetCensus()
        let first = census.add(field, name: nil, parent: window("Letter", in: &census), place: 1)
        let second = census.add(field, name: nil, parent: window("Invoice", in: &census), place: 1)
        #expect(census.selector(of: first) == #"window:self[name^="Letter"] > * > :is(text, entry)"#)
        let third = census.add(field, name: nil, parent: window("Letter", in: &census), place: 1)
        #expect(census.selector(of: first) == "window:self:nth-child(1) > * > :is(text, entry)")
        #expect(census.selector(of: second) == #"window:self[name^="Invoice"] > * > :is(text, entry)"#)
        #expect(census.selector(of: third) == "window:self:nth-child(3) > * > :is(text, entry)")
    }

    @Test("what can stand between a widget and its parent is left open")
    func looseLevels() {
        var census = WidgetCensus()
        let page = census.add(.unknown, name: nil, parent: window(in: &census), place: 1, isLoose: true)
        let entry = census.add(field, name: nil, parent: page, place: 1)
        #expect(census.selector(of: entry) == "window:self > * * > :is(text, entry)")
    }

    @Test("what is in no window yet has a selector for its name alone")
    func absent() {
        var census = WidgetCensus()
        let box = window(in: &census)
        census.add(label, name: WidgetName("Main text"), parent: box, place: 1)
        #expect(census.selector(ofAbsent: label, name: WidgetName("Mail came")) == #"label:self[name^="Mail came"]"#)
        #expect(census.selector(ofAbsent: label, name: WidgetName("Main")) == nil)
        #expect(census.selector(ofAbsent: label, name: nil) == nil)
    }

    @Test("an id is enough")
    func ids() {
        #expect(WidgetCensus.selector(button, id: "send \"now\"") == #"push-button:self[id="send \"now\""]"#)
    }

    @Test("a name is one line, its quotes are escaped, and a long one is cut")
    func names() {
        #expect(WidgetName("  two\n\tlines\u{a0}here ")?.text == "two lines here")
        #expect(WidgetName(" \n ") == nil)
        #expect(WidgetName("")?.text == nil)
        var census = WidgetCensus()
        let box = window(in: &census)
        let quoted = census.add(label, name: WidgetName("say \"a\\b\"\u{1}"), parent: box, place: 1)
        #expect(census.selector(of: quoted) == #"label:self[name^="say \"a\\b\"\1 "]"#)
        #expect(WidgetName(String(repeating: "ä", count: 999))?.text.count == WidgetName.maximumCharacters)
        let accents = WidgetName(String(repeating: "e" + String(repeating: "\u{301}", count: 400), count: 9))
        #expect((accents?.text.utf8.count ?? 0) <= WidgetName.maximumBytes)
    }
}
