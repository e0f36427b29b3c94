import FocusProtocol
import Foundation
import Testing

@Suite struct FindTests {
    private static let slow = StaleApplication(busName: ":1.8", name: "fire\nfox", reason: "notResponding")

    private func desktop(_ elements: [Element], complete: Bool = true, stale: [StaleApplication] = []) throws -> Desktop
    {
        let reply = Find.Reply(elements: elements, complete: complete, stale: stale)
        return try Desktop(replies: ["Find": [try Samples.reply(reply)]])
    }

    private static var full: Element {
        var element = Samples.button()
        element.extents = Extents(x: 10, y: -5, width: 120, height: 30)
        element.attributes = ["tag": "BUTTON", "class": #"a "b""#]
        element.selector = #"dialog[name="Save changes?"] > #save"#
        return element
    }

    @Test func elementsAreALineEachWithTheirReference() throws {
        let desktop = try desktop([Samples.button(), Samples.entry])
        defer { desktop.end() }
        let result = try Focusctl.run("find", #"push-button[name="Save"]"#, in: desktop.folder)
        #expect(
            result.output == """
                push-button  "Save"  in "Save changes?" of gedit  :1.5/org/a11y/atspi/accessible/17
                entry  (no name)  of "LibreOffice Writer"  :1.9/org/a11y/atspi/accessible/3

                """)
        #expect(result.errors == "")
        #expect(result.exitCode == 0)
        #expect(
            desktop.service.calls == [
                #"{"method":"io.focusd.Focus.Find","parameters":{"selector":"push-button[name=\"Save\"]"}}"#
            ])
    }

    @Test func whatIsAskedForIsAskedAndShown() throws {
        let desktop = try desktop([Self.full])
        defer { desktop.end() }
        let result = try Focusctl.run(
            "find", "--limit", "7", "--selector", "--extents", "--attributes", "#save", in: desktop.folder)
        #expect(
            result.output == """
                push-button  "Save"  in "Save changes?" of gedit  :1.5/org/a11y/atspi/accessible/17  120×30 at 10,-5  \
                class="a \\"b\\"" tag="BUTTON"  dialog[name="Save changes?"] > #save

                """)
        #expect(
            desktop.service.calls == [
                ##"{"method":"io.focusd.Focus.Find","parameters":{"fields":["attributes","extents","selector"],"limit":7,"selector":"#save"}}"##
            ])
    }

    @Test func onATerminalNothingIsCutThatIsOfNoUseThen() throws {
        let desktop = try desktop([Self.full])
        defer { desktop.end() }
        let wide = try Focusctl.run("find", "#save", in: desktop.folder, terminalWidth: 100)
        #expect(
            wide.output == """
                push-button  "Save"  in "Save changes?" of gedit  :1.5/org/a11y/atspi/accessible/17
                    120×30 at 10,-5
                    class="a \\"b\\"" tag="BUTTON"
                    dialog[name="Save changes?"] > #save

                """)
        let narrow = try Focusctl.run("find", "#save", in: desktop.folder, terminalWidth: 45)
        #expect(
            narrow.output == """
                push-button  "Save"  in "Save chan…" of gedit
                    :1.5/org/a11y/atspi/accessible/17
                    120×30 at 10,-5
                    class="a \\"b\\"" tag="BUTTON"
                    dialog[name="Save changes?"] > #save

                """)
    }

    @Test func jsonIsTheElementsThemselves() throws {
        let desktop = try desktop([Self.full, Samples.entry])
        defer { desktop.end() }
        let result = try Focusctl.run("find", "*", "--json", in: desktop.folder)
        let lines = result.output.split(separator: "\n")
        try #require(lines.count == 2)
        #expect(try JSONDecoder().decode(Element.self, from: Data(lines[0].utf8)) == Self.full)
        #expect(try JSONDecoder().decode(Element.self, from: Data(lines[1].utf8)) == Samples.entry)
    }

    @Test func nothingFoundIsOneAndSaid() throws {
        let desktop = try desktop([])
        defer { desktop.end() }
        for arguments in [["find", "x"], ["find", "x", "--json"]] {
            let result = try Focusctl(arguments, runtimeFolder: desktop.folder.path).finish()
            #expect(result.output == "")
            #expect(result.errors == "focusctl: no element matches\n")
            #expect(result.exitCode == 1)
        }
    }

    @Test func whatMayBeMissingIsSaidInWordsAndOnOneLineEach() throws {
        let stale = [
            Self.slow, Self.slow, StaleApplication(busName: ":1.9", name: "", reason: "loading"),
            StaleApplication(busName: ":1.10", name: "calc", reason: "limitReached"),
            StaleApplication(busName: ":1.11", name: "new", reason: "unheardOf"),
        ]
        let desktop = try desktop([Samples.button()], complete: false, stale: stale)
        defer { desktop.end() }
        let result = try Focusctl.run("find", "*", in: desktop.folder)
        #expect(
            result.errors == """
                focusctl: note: fire\\a fox (:1.8) does not respond; what is told of it may be missing or out of date
                focusctl: note: :1.9 is still being read; more may follow
                focusctl: note: calc (:1.10) has more than focusd keeps; some of it is missing
                focusctl: note: new (:1.11) may not be told of truly: unheardOf

                """)
        #expect(result.exitCode == 0)
    }

    @Test func theLimitIsSaidWhereThereAreMore() throws {
        let desktop = try desktop([Samples.button()], complete: false)
        defer { desktop.end() }
        let result = try Focusctl.run("find", "*", "--limit=1", in: desktop.folder)
        #expect(result.errors == "focusctl: note: there are more than these 1; allow more with --limit\n")
    }

    @Test(arguments: ["0", "10001", "-1", "x", "", "1.5", "99999999999999999999", "٣"])
    func badLimitIsWrongUsage(limit: String) throws {
        let result = try Focusctl(["find", "*", "--limit", limit], runtimeFolder: nil).finish()
        #expect(
            result.errors == """
                focusctl: --limit cannot be '\(limit)'; it is a number from 1 to 10000
                Try 'focusctl find --help'.

                """)
        #expect(result.exitCode == 2)
    }
}
