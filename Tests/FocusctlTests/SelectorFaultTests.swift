import FocusProtocol
import Foundation
import Testing

@Suite struct SelectorFaultTests {
    /// What is said where the service refuses a selector at a place.
    private func complaint(
        _ selector: String, _ position: Int, expected: String = "a name", command: [String] = ["find"]
    ) throws -> [String] {
        let name = try JSONEncoder().encode(expected)
        let error = Samples.error(
            "io.focusd.Focus.InvalidSelector",
            #"{"position":\#(position),"expected":\#(String(decoding: name, as: UTF8.self))}"#)
        let desktop = try Desktop(replies: ["Find": [error], "GetTree": [error], "Wait": [error], "MoveFocus": [error]])
        defer { desktop.end() }
        let result = try Focusctl(command + [selector], runtimeFolder: desktop.folder.path).finish()
        #expect(result.output == "")
        #expect(result.exitCode == 2)
        return result.errors.components(separatedBy: "\n")
    }

    @Test(arguments: ["find", "tree", "wait", "focus"])
    func everyCommandShowsTheSelectorWithACaretUnderThePlace(command: String) throws {
        #expect(
            try complaint("push-button[name=]", 17, expected: "a string", command: [command]) == [
                "focusctl: the selector cannot be read: expected a string",
                "  push-button[name=]",
                "                   ^",
                "'focusctl help find' shows what selectors look like.",
                "",
            ])
    }

    /// Positions are bytes of UTF-8; the caret's column is cells of a terminal.
    @Test(
        arguments: [
            ("[name=é]x", 8, 7),  // é is two bytes and one cell.
            ("[name=e\u{301}]x", 9, 7),  // A letter and a combining mark are three bytes and one cell.
            ("[name=漢字]x", 12, 10),  // Three bytes and two cells each.
            ("[name=👩‍👩‍👧]x", 24, 8),  // Five scalars, two cells.
            ("[name=漢字]x", 7, 6),  // Inside of a character: under its beginning.
            ("[name=e\u{301}]", 8, 6),  // Under the letter whose mark it is.
            ("a\u{7}b", 2, 4),  // A control byte is shown as `\7 `.
            ("a\nb", 2, 4),
            ("abc", 3, 3),  // At the end.
            ("abc", 99, 3),  // What is not in the selector is its end.
            ("abc", -1, 0),
            ("", 0, 0),
            ("אבג", 2, 1),  // In the selector's order.
        ])
    func caretIsInTheRightColumn(selector: String, position: Int, column: Int) throws {
        let lines = try complaint(selector, position)
        try #require(lines.count == 5)
        #expect(lines[2] == String(repeating: " ", count: 2 + column) + "^")
    }

    @Test func controlBytesAreShownAndNotObeyed() throws {
        let lines = try complaint("a\u{1B}[31m\r\n\u{202E}b", 1, expected: "x\u{1B}[2J")
        #expect(lines[0] == "focusctl: the selector cannot be read: expected x\\1b [2J")
        #expect(lines[1] == #"  a\1b [31m\d \a \202e b"#)
        #expect(lines[2] == "   ^")
    }

    @Test func writingFromRightToLeftKeepsItsOrder() throws {
        let lines = try complaint("אב", 2)
        #expect(lines[1] == "  \u{202D}אב\u{202C}")
    }

    @Test(arguments: [0, 1, 60, 500, 999, 1000], ["x", "漢"])
    func longSelectorsAreShownAroundThePlace(place: Int, letter: String) throws {
        let before = String(repeating: letter, count: place)
        let selector = before + "!" + String(repeating: letter, count: 1000 - place)
        let lines = try complaint(selector, before.utf8.count)
        func cells(_ text: some StringProtocol) -> Int { text.reduce(0) { $0 + ($1 == "漢" ? 2 : 1) } }
        #expect(cells(lines[1]) <= 80)
        #expect(cells(lines[1]) >= 70)
        let shown = try #require(lines[1].firstIndex(of: "!"))
        #expect(lines[2] == String(repeating: " ", count: cells(lines[1][..<shown])) + "^")
        #expect(lines[1].hasPrefix("  …") == (place >= 60))
        #expect(lines[1].hasSuffix("…") == (place < 999))
    }

    @Test func aServiceThatSaysNoPlaceIsNoCrash() throws {
        for parameters in ["{}", #"{"position":"x","expected":3}"#, #"{"position":1e300,"expected":null}"#] {
            let desktop = try Desktop(replies: ["Find": [Samples.error("io.focusd.Focus.InvalidSelector", parameters)]])
            defer { desktop.end() }
            let result = try Focusctl.run("find", "abc", in: desktop.folder)
            #expect(result.errors.contains("  abc\n  ^\n"))
            #expect(result.exitCode == 2)
        }
    }
}
