import Foundation
import TestDesktop
import Testing

/// What the tests of the documentation would overlook, they would not be needed for: wrong blocks of each kind are noticed.
@Suite(.serialized, .enabled(if: Requirements.hasDesktop, "needs a private process-id namespace: run `make test`"))
struct WrongBlockTests {
    private func page(_ text: String) -> Page { Page(path: "page.md", text: text) }

    @Test(
        "a page whose blocks do not say what they are is noticed",
        arguments: [
            ("```\nls\n```", "has to say what is in it"),
            ("```perl\n1\n```", "has to say what is in it"),
            ("```sh\nls", "the fence has no end"),
            ("text\n\n    ls\n", "an indented block"),
            ("<!-- not run: -->\n```sh\nls\n```", "say why"),
            ("<!-- run: unitl=x -->\n```sh\nls\n```", "there is no `unitl`"),
            ("<!-- scene: circus -->", "there is no scene"),
            ("<!-- run: at=x -->\ntext", "no block follows"),
        ])
    func marks(text: String, problem: String) {
        #expect(page(text).problems.contains { $0.contains(problem) }, "\(page(text).problems)")
    }

    @Test(
        "a wrong block that needs no desktop is noticed",
        arguments: [
            ("css", "label >", "is no selector"),
            ("json", "{\"a\": }", "no JSON"),
            ("yaml", "a: [1", "while parsing"),
            ("python", "def f(:\n    pass", "SyntaxError"),
            ("sh", "if true; then", "end of file"),
            ("conf", "mirror = always", "`demand` or `desktop`"),
            ("swift", "import AccessibilityFocus\nlet x: Int = \"a\"", "does not compile"),
            ("varlink", "→ {\"method\":}␀", "no JSON"),
        ])
    func still(language: String, text: String, problem: String) throws {
        let folder = try Places.makeTemporaryFolder()
        let page = page("```\(language)\n\(text)\n```")
        #expect(page.problems.isEmpty)
        let block = try #require(page.blocks.first)
        let problems = try StillBlocks(folder: folder).problems(block)
        #expect(problems.contains { $0.contains(problem) }, "\(problems)")
        try FileManager.default.removeItem(atPath: folder)
    }

    @Test(
        "a program, a recording or an exchange that goes otherwise than shown is noticed, and one that does not is right"
    )
    func programs() throws {
        let wrong = page(
            """
            <!-- scene: notes -->
            ```sh
            exit 3
            ```
            <!-- run: prints="hallo" -->
            ```sh
            echo hello
            ```
            ```python
            raise SystemExit(1)
            ```
            ```console
            $ echo 1 apple
            2 pears
            ```
            <!-- run: at="Search notes" keys="Tab" -->
            ```console
            $ focusctl watch
            orca  text         "Search notes"  in "Notes" of notes  focus-tracking  just now
            orca  push-button  "Save"          in "Notes" of notes  focus-tracking
            ^C
            ```
            ```varlink
            → {"method":"io.focusd.Focus.GetFocus","parameters":{"technology":"jaws"}}␀
            ← {"error":"io.focusd.Focus.UnknownState","parameters":{"id":"jaws"}}␀
            ```
            """)
        let problems = try PageTests.problems(of: wrong)
        for line in [2, 6, 9, 12, 17, 23] {
            #expect(problems.contains { $0.hasPrefix("page.md:\(line): ") }, "line \(line): \(problems)")
        }
        let right = page(
            """
            <!-- scene: notes -->
            <!-- run: exit=3 prints="hallo" -->
            ```sh
            echo hallo; exit 3
            ```
            ```console
            $ echo 1 apple; echo; echo and more
            2   apple
            …
            ```
            <!-- run: at="Search notes" keys="Tab" -->
            ```console
            $ focusctl watch
            orca  text         "Search notes"  in "Notes" of notes  focus-tracking  just now
            orca  push-button  "New"           in "Notes" of notes  focus-tracking
            ^C
            ```
            ```varlink
            → {"method":"io.focusd.Focus.GetFocus","parameters":{"technology":"jaws"}}␀
            ← {"error":"io.focusd.Focus.UnknownTechnology","parameters":{"id":"jaws"}}␀
            ```
            """)
        #expect(try PageTests.problems(of: right) == [])
    }
}
