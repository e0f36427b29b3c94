import FocusProtocol
import Foundation
import Testing

@Suite struct WaitTests {
    private func desktop(_ element: Element? = Samples.button()) throws -> Desktop {
        try Desktop(replies: ["Wait": [try Samples.reply(Wait.Reply(element: element))]])
    }

    @Test(
        arguments: [
            ([], #""condition":"present","selector":"a","timeoutMilliseconds":10000"#),
            (["--timeout", "1h"], #""condition":"present","selector":"a","timeoutMilliseconds":3600000"#),
            (["--focused"], #""condition":"focused","selector":"a","timeoutMilliseconds":10000"#),
            (
                ["--focused", "--technology=keyboard"],
                #""condition":"focused","selector":"a","technology":"keyboard","timeoutMilliseconds":10000"#
            ),
            (["--gone", "--timeout=500ms"], #""condition":"gone","selector":"a","timeoutMilliseconds":500"#),
        ] as [([String], String)])
    func conditionsAreAskedFor(options: [String], parameters: String) throws {
        let desktop = try desktop()
        defer { desktop.end() }
        let result = try Focusctl(["wait", "a"] + options, runtimeFolder: desktop.folder.path).finish()
        #expect(
            desktop.service.calls == [#"{"method":"io.focusd.Focus.Wait","parameters":{\#(parameters)}}"#])
        #expect(result.exitCode == 0)
    }

    @Test func theElementIsShown() throws {
        let desktop = try desktop()
        defer { desktop.end() }
        #expect(
            try Focusctl.run("wait", "a", in: desktop.folder).output == """
                push-button  "Save"  in "Save changes?" of gedit  :1.5/org/a11y/atspi/accessible/17

                """)
        let json = try Focusctl.run("wait", "a", "--json", in: desktop.folder)
        #expect(try JSONDecoder().decode(Element.self, from: Data(json.output.utf8)) == Samples.button())
    }

    @Test func whatIsGoneIsNotShown() throws {
        let desktop = try desktop(nil)
        defer { desktop.end() }
        for arguments in [["wait", "a", "--gone"], ["wait", "a", "--gone", "--json"]] {
            let result = try Focusctl(arguments, runtimeFolder: desktop.folder.path).finish()
            #expect(result.output == "")
            #expect(result.errors == "")
            #expect(result.exitCode == 0)
        }
    }

    @Test(
        arguments: [
            ("ElementNotFound", #"{"reason":"noMatch"}"#, Int32(1), "no element matches"),
            ("ElementNotFound", #"{"reason":"stillLoading"}"#, 1, "nothing matches yet, and an application is still"),
            ("ElementNotFound", #"{"reason":"applicationNotResponding"}"#, 1, "nothing matches, and an application"),
            ("ElementNotFound", #"{"reason":"un\nheardOf"}"#, 1, "no element was found: un\\a heardOf"),
            ("WaitTimedOut", "{}", 3, "the time is over, and it is still not as was waited for"),
            ("UnknownTechnology", #"{"id":"nvda"}"#, 1, "there is no technology 'nvda'"),
        ])
    func errorsAreSaidAndTellByTheExitCode(name: String, parameters: String, exitCode: Int32, words: String) throws {
        let desktop = try Desktop(replies: ["Wait": [Samples.error("io.focusd.Focus.\(name)", parameters)]])
        defer { desktop.end() }
        let result = try Focusctl.run("wait", "a", in: desktop.folder)
        #expect(result.errors.hasPrefix("focusctl: " + words), "\(result.errors)")
        #expect(result.exitCode == exitCode)
    }
}
