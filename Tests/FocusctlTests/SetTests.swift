import FocusProtocol
import Foundation
import Testing

@Suite struct SetTests {
    private func desktop(_ outcome: Outcome) throws -> Desktop {
        try Desktop(replies: ["SetValue": [try Samples.reply(SetValue.Reply(outcome: outcome))]])
    }

    private static let confirmed = Outcome(
        result: "confirmed", route: "application",
        technologies: [TechnologyResult(id: "orca", result: "confirmed")],
        element: Samples.button(), keyboardFocus: "moved", elapsedMilliseconds: 85)

    @Test func confirmedSaysWhereAndByWhichRoute() throws {
        let desktop = try desktop(Self.confirmed)
        defer { desktop.end() }
        let result = try Focusctl.run("set", "alert", "save", in: desktop.folder)
        #expect(
            result.output == """
                orca is on push-button "Save" in "Save changes?" of gedit (route application, 85 ms); \
                the keyboard focus moved there too

                """)
        #expect(result.exitCode == 0)
        #expect(
            desktop.service.calls == [
                #"{"method":"io.focusd.Focus.SetValue","parameters":{"state":"alert","timeoutMilliseconds":2000,"value":"save"}}"#
            ])
    }

    @Test func optionsAreAskedFor() throws {
        let desktop = try desktop(Self.confirmed)
        defer { desktop.end() }
        _ = try Focusctl.run(
            "set", "#7", "--again", "--route", "application", "--route=grabFocus", "--timeout", "500ms", "--", "-v",
            in: desktop.folder)
        let parameters = [
            #""again":true"#, #""routes":["application","grabFocus"]"#, ##""state":"#7""##,
            #""timeoutMilliseconds":500"#, #""value":"-v""#,
        ]
        #expect(
            desktop.service.calls == [
                #"{"method":"io.focusd.Focus.SetValue","parameters":{\#(parameters.joined(separator: ","))}}"#
            ])
    }

    @Test func noneGivesTheFocusBack() throws {
        let desktop = try desktop(Self.confirmed)
        defer { desktop.end() }
        let result = try Focusctl.run("set", "alert", "--none", in: desktop.folder)
        #expect(result.output.hasPrefix("orca is on push-button \"Save\""))
        #expect(
            desktop.service.calls == [
                #"{"method":"io.focusd.Focus.SetValue","parameters":{"state":"alert","timeoutMilliseconds":2000}}"#
            ])
    }

    @Test func noneWhereTheFocusIsInsideOfNothingMovesNothing() throws {
        let desktop = try desktop(
            Outcome(result: "confirmed", route: "none", keyboardFocus: "unknown", elapsedMilliseconds: 0))
        defer { desktop.end() }
        let result = try Focusctl.run("set", "alert", "--none", in: desktop.folder)
        #expect(result.output == "the focus is on none of its elements, and nothing had to move (0 ms)\n")
        #expect(result.exitCode == 0)
    }

    @Test(
        arguments: [
            ("refused", "nowhereToGo", 1, "refused: nowhereToGo – there is no place left"),
            ("refused", "declined", 1, "refused: declined – the application that bound the element was asked"),
            ("refused", "unbound", 1, "refused: unbound – the state was ended meanwhile"),
            ("superseded", "newerRequest", 1, "superseded: newerRequest – a newer move took its place"),
            ("notFound", "noMatch", 1, "notFound: noMatch – no element matches"),
            ("timedOut", "noConfirmation", 3, "timedOut: noConfirmation – nothing confirmed in time"),
        ] as [(String, String, Int32, String)])
    func everyOtherOutcomeIsSaidInWordsAndByTheExitCode(
        result: String, reason: String, exitCode: Int32, words: String
    ) throws {
        let outcome = Outcome(
            result: result, reason: reason, routesTried: [RouteAttempt(route: "application", reason: "declined")],
            keyboardFocus: "elsewhere", elapsedMilliseconds: 1300)
        let desktop = try desktop(outcome)
        defer { desktop.end() }
        for what in ["save", "--none"] {
            let run = try Focusctl.run("set", "alert", what, in: desktop.folder)
            #expect(run.output.hasPrefix(words), "\(run.output)")
            #expect(run.output.hasSuffix("(tried application: declined; 1300 ms)\n"), "\(run.output)")
            #expect(run.exitCode == exitCode)
        }
        let json = try Focusctl.run("set", "alert", "save", "--json", in: desktop.folder)
        #expect(try JSONDecoder().decode(Outcome.self, from: Data(json.output.utf8)) == outcome)
        #expect(json.exitCode == exitCode)
    }

    // MARK: - What is not there

    private func desktop(refusing error: ScriptedService.Step, states: [FocusState]?) throws -> Desktop {
        let list = try states.map { try Samples.reply(ListStates.Reply(states: $0)) }
        return try Desktop(replies: [
            "SetValue": [error], "Unbind": [error], "ListStates": [list ?? Samples.error("org.example.Odd")],
        ])
    }

    private static let unknownState = Samples.error("io.focusd.Focus.UnknownState", #"{"state":"alrt"}"#)
    private static let unknownValue = Samples.error("io.focusd.Focus.UnknownValue", #"{"value":"sav"}"#)

    @Test(arguments: [["set", "alrt", "save"], ["set", "alrt", "--none"], ["unbind", "alrt"]])
    func anUnknownStateIsAnsweredWithThoseThatThereAre(command: [String]) throws {
        let desktop = try desktop(refusing: Self.unknownState, states: StatesTests.states)
        defer { desktop.end() }
        let result = try Focusctl(command, runtimeFolder: desktop.folder.path).finish()
        #expect(
            result.errors == """
                focusctl: there is no state 'alrt'; did you mean 'alert'?
                What is bound: alert, #7. 'focusctl states' shows more.

                """)
        #expect(result.output == "")
        #expect(result.exitCode == 1)
    }

    @Test func whereNothingIsBoundThatIsSaid() throws {
        let desktop = try desktop(refusing: Self.unknownState, states: [])
        defer { desktop.end() }
        let result = try Focusctl.run("set", "alrt", "save", in: desktop.folder)
        #expect(
            result.errors == """
                focusctl: there is no state 'alrt'
                No state is bound at all; 'focusctl bind' binds one.

                """)
    }

    @Test func anUnknownValueIsAnsweredWithThoseThatThereAre() throws {
        let desktop = try desktop(refusing: Self.unknownValue, states: StatesTests.states)
        defer { desktop.end() }
        let result = try Focusctl.run("set", "alert", "sav", in: desktop.folder)
        #expect(
            result.errors == """
                focusctl: the state 'alert' has no value 'sav'; did you mean 'save'?
                Its values: save, other\\a value. --none leaves all of them.

                """)
        #expect(result.exitCode == 1)
    }

    @Test func longListsAreCut() throws {
        var state = StatesTests.states[0]
        state.prototypes = (0..<30).map { Prototype(value: "v\($0 / 2)", selector: "a") }
        let desktop = try desktop(refusing: Self.unknownValue, states: [state])
        defer { desktop.end() }
        let result = try Focusctl.run("set", "alert", "unlike", in: desktop.folder)
        #expect(result.errors.hasPrefix("focusctl: the state 'alert' has no value 'unlike'\n"))
        #expect(result.errors.contains("Its values: v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11 and 3 more."))
    }

    @Test(arguments: [nil, []] as [[FocusState]?])
    func whereTheListCannotHelpTheErrorItselfIsSaid(states: [FocusState]?) throws {
        let desktop = try desktop(refusing: Self.unknownValue, states: states)
        defer { desktop.end() }
        let result = try Focusctl.run("set", "alert", "sav", in: desktop.folder)
        #expect(
            result.errors == """
                focusctl: the state has no value 'sav'
                'focusctl states' shows its values.

                """)
        #expect(result.exitCode == 1)
    }
}
