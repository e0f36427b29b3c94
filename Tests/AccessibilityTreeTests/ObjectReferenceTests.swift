import AccessibilityTree
import Testing

struct ObjectReferenceTests {
    @Test(
        "a reference is a unique bus name directly followed by a path",
        arguments: [
            (":1.5/org/a11y/atspi/accessible/17", ":1.5", "/org/a11y/atspi/accessible/17"),
            (":1.5/a", ":1.5", "/a"),
            (":0/a", ":0", "/a"),
            (":not-only_numbers.7/x_1", ":not-only_numbers.7", "/x_1"),
            (
                ":1.42/org/gtk/application/org_example/a11y/0123456789abcdef", ":1.42",
                "/org/gtk/application/org_example/a11y/0123456789abcdef"
            ),
        ])
    func parses(text: String, busName: String, path: String) throws {
        let reference = try #require(ObjectReference(text))
        #expect(reference.busName == busName)
        #expect(reference.path == path)
        #expect(!reference.isNull)
        #expect(reference.description == text)
        #expect(reference == ObjectReference(busName: busName, path: path))
    }

    @Test(
        "anything else is no reference",
        arguments: [
            "", ":", "/", ":1.5", ":1.5/", "/org/a11y/atspi/accessible/17", "org.example.App/a", ":1.5a b/c", ": 1.5/a",
            " :1.5/a", ":1.5/a ", ":1.5/a/", ":1.5//a", ":1.5/a//b", ":1..5/a", ":.5/a", ":1./a", ":./a", "::1/a",
            ":1.5/a-b", ":1.5/a.b", ":1.5/ä", ":ä/a", ":1.5\u{0}/a", ":1.5/a\n", ":1.5/a:1.6/b", ":1/a%20",
        ])
    func refuses(text: String) {
        #expect(ObjectReference(text) == nil)
    }

    @Test(
        "the null path is no reference, whatever the bus name beside it",
        arguments: [":1.5/org/a11y/atspi/null", ":1.0/org/a11y/atspi/null"])
    func refusesNull(text: String) {
        #expect(ObjectReference(text) == nil)
    }

    @Test(
        "every form of null is recognised",
        arguments: [
            ("", ""), ("", "/org/a11y/atspi/null"), (":1.5", "/org/a11y/atspi/null"), (":1.5", "/"), (":1.5", ""),
            ("", "/org/a11y/atspi/accessible/1"),
        ])
    func null(busName: String, path: String) {
        #expect(ObjectReference(busName: busName, path: path).isNull)
    }

    @Test("the root and a path that only begins like the null path are something")
    func notNull() {
        #expect(!ObjectReference(busName: ":1.5", path: "/org/a11y/atspi/accessible/root").isNull)
        #expect(!ObjectReference(busName: ":1.5", path: "/org/a11y/atspi/null/1").isNull)
        #expect(ObjectReference(":1.5/org/a11y/atspi/nullable") != nil)
    }

    @Test("bus names end at 255 bytes and whole references at 4096")
    func limits() {
        let longName = ":" + String(repeating: "1", count: 254)
        #expect(ObjectReference(longName + "/a") != nil)
        #expect(ObjectReference(longName + "1/a") == nil)
        let longPath = "/" + String(repeating: "a", count: 4096 - 5)
        #expect(ObjectReference(":1.5" + longPath) != nil)
        #expect(ObjectReference(":1.5" + longPath + "a") == nil)
        #expect(ObjectReference(String(repeating: "/", count: 1_000_000)) == nil)
    }

    @Test("the same path in two applications is two elements")
    func identityIsBoth() {
        let first = ObjectReference(busName: ":1.5", path: "/a")
        let second = ObjectReference(busName: ":1.6", path: "/a")
        #expect(first != second)
        #expect(Set([first, second, first]).count == 2)
    }
}
