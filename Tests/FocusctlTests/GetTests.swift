import FocusProtocol
import Foundation
import Testing

@Suite struct GetTests {
    @Test func allActiveTechnologiesAndTheKeyboardAreALineEach() throws {
        let desktop = try Desktop(focus: ["orca": Samples.orca(on: Samples.button()), "keyboard": Samples.keyboard()])
        defer { desktop.end() }
        let result = try Focusctl.run(in: desktop.folder)
        #expect(
            result.output == """
                orca  push-button  "Save"  in "Save changes?" of gedit  focus-tracking  1 min ago
                keyboard  entry  (no name)  of "LibreOffice Writer"  1 min ago

                """)
        #expect(result.errors == "")
        #expect(result.exitCode == 0)
        #expect(
            desktop.service.calls == [
                #"{"method":"io.focusd.Focus.ListTechnologies","parameters":{}}"#,
                #"{"method":"io.focusd.Focus.GetFocus","parameters":{"technology":"orca"}}"#,
                #"{"method":"io.focusd.Focus.GetFocus","parameters":{"technology":"keyboard"}}"#,
            ])
    }

    @Test func jsonIsTheFocusItselfWithoutAWrapper() throws {
        let orca = Samples.orca(on: Samples.button())
        let keyboard = Samples.keyboard()
        let desktop = try Desktop(focus: ["orca": orca, "keyboard": keyboard])
        defer { desktop.end() }
        let result = try Focusctl.run("--json", in: desktop.folder)
        let lines = result.output.split(separator: "\n")
        try #require(lines.count == 2)
        #expect(try JSONDecoder().decode(Focus.self, from: Data(lines[0].utf8)) == orca)
        #expect(try JSONDecoder().decode(Focus.self, from: Data(lines[1].utf8)) == keyboard)
        #expect(lines[0].hasPrefix(#"{"assumed":false,"cause":"initial","element":{"application":{"busName":":1.5""#))
        #expect(result.exitCode == 0)
    }

    @Test func oneTechnologyIsOneLine() throws {
        let focus = Samples.orca(
            on: Samples.button(), mode: "caret-tracking", region: Region(start: 3, end: 7), assumed: true,
            cause: "restored")
        let desktop = try Desktop(focus: ["orca": focus])
        defer { desktop.end() }
        let result = try Focusctl.run("get", "orca", in: desktop.folder)
        #expect(
            result.output == """
                orca  push-button  "Save"  in "Save changes?" of gedit  caret-tracking 3–7  \
                (assumed, taken up again)  1 min ago

                """)
        #expect(result.exitCode == 0)
    }

    @Test func theKeyboardIsAskedForByName() throws {
        let desktop = try Desktop(focus: ["keyboard": Samples.keyboard()])
        defer { desktop.end() }
        let result = try Focusctl.run("get", "keyboard", in: desktop.folder)
        #expect(result.output == "keyboard  entry  (no name)  of \"LibreOffice Writer\"  1 min ago\n")
        #expect(
            desktop.service.calls == [
                #"{"method":"io.focusd.Focus.GetFocus","parameters":{"technology":"keyboard"}}"#
            ])
    }

    @Test func noElementIsNowhereWithItsCause() throws {
        let desktop = try Desktop(focus: ["orca": Samples.orca(on: nil, cause: "applicationGone")])
        defer { desktop.end() }
        let result = try Focusctl.run("get", "orca", in: desktop.folder)
        #expect(result.output == "orca  nowhere  (the application is gone)\n")
        #expect(result.exitCode == 0)
    }

    @Test func inactiveTechnologyIsSaidAndEndsWithOne() throws {
        let none = Focus(technology: "odilia", assumed: false, cause: "initial", revision: 1, monotonicMicroseconds: 0)
        let desktop = try Desktop(focus: ["odilia": none])
        defer { desktop.end() }
        let result = try Focusctl.run("get", "odilia", in: desktop.folder)
        #expect(result.output == "odilia  not active\n")
        #expect(result.exitCode == 1)
        let json = try Focusctl.run("get", "odilia", "--json", in: desktop.folder)
        #expect(try JSONDecoder().decode(Focus.self, from: Data(json.output.utf8)) == none)
        #expect(json.exitCode == 1)
    }

    @Test func unknownTechnologyEndsWithOne() throws {
        let desktop = try Desktop()
        defer { desktop.end() }
        let result = try Focusctl.run("get", "nvda", in: desktop.folder)
        #expect(result.output == "")
        #expect(
            result.errors == """
                focusctl: there is no technology 'nvda'
                'focusctl technologies' lists those that focusd knows; 'keyboard' is always one.

                """)
        #expect(result.exitCode == 1)
    }

    @Test func technologyThatLeftMeanwhileIsLeftOut() throws {
        let desktop = try Desktop(focus: ["keyboard": Samples.keyboard()])
        defer { desktop.end() }
        let result = try Focusctl.run("get", in: desktop.folder)
        #expect(result.output == "keyboard  entry  (no name)  of \"LibreOffice Writer\"  1 min ago\n")
        #expect(result.exitCode == 0)
    }

    // MARK: - Selectors

    private func desktop(selectors: [Element: String]) throws -> Desktop {
        let elements = selectors.map { element, selector in
            var element = element
            element.selector = selector
            return element
        }
        return try Desktop(
            focus: ["orca": Samples.orca(on: Samples.button()), "keyboard": Samples.keyboard()],
            replies: ["Find": [try Samples.reply(Find.Reply(elements: elements, complete: true))]])
    }

    @Test func selectorsAreThoseOfTheElementsThatHaveTheFocus() throws {
        let desktop = try desktop(selectors: [Samples.button(): "#save", Samples.entry: "entry:first-child"])
        defer { desktop.end() }
        let result = try Focusctl.run("get", "--selector", in: desktop.folder)
        #expect(result.output == "orca  #save\nkeyboard  entry:first-child\n")
        #expect(result.exitCode == 0)
        let finds = desktop.service.calls.filter { $0.contains("Find") }
        try #require(finds.count == 2)
        #expect(finds[0].contains(#""selector":"application[name==\"gedit\"] :accessibility-focused""#))
        #expect(finds[0].contains(#""fields":["selector"]"#))
        #expect(finds[1].contains(#""selector":"application[name==\"LibreOffice Writer\"] :focused""#))
    }

    @Test func jsonIsTheFocusWithTheSelectorInIt() throws {
        let desktop = try desktop(selectors: [Samples.button(): "#save"])
        defer { desktop.end() }
        let result = try Focusctl.run("get", "orca", "--selector", "--json", in: desktop.folder)
        let focus = try JSONDecoder().decode(Focus.self, from: Data(result.output.utf8))
        #expect(focus.element?.selector == "#save")
        #expect(focus.technology == "orca")
    }

    @Test func noSelectorIsOneAndSaid() throws {
        let desktop = try desktop(selectors: [Samples.button(): "#save"])
        defer { desktop.end() }
        let result = try Focusctl.run("get", "keyboard", "--selector", in: desktop.folder)
        #expect(result.output == "keyboard  (no selector: it has gone, or nothing tells it apart)\n")
        #expect(result.exitCode == 1)
    }
}
