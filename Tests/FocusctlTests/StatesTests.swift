import FocusProtocol
import Foundation
import Testing

@Suite struct StatesTests {
    static let states = [
        FocusState(
            state: "alert", named: true,
            prototypes: [
                Prototype(value: "save", selector: "push-button[name=\"Save\"]"),
                Prototype(value: "other\nvalue", selector: "alert"),
            ],
            technologies: ["orca", "keyboard"], modes: ["focus-tracking"], value: "save", element: Samples.button(),
            assumed: true, binds: 3, pids: [12, 13], pendingSets: 1),
        FocusState(
            state: "#7", named: false, prototypes: [Prototype(value: "a", selector: "entry")], assumed: false, binds: 1,
            pids: [12], pendingSets: 0),
    ]

    private func desktop(_ states: [FocusState] = states) throws -> Desktop {
        try Desktop(replies: ["ListStates": [try Samples.reply(ListStates.Reply(states: states))]])
    }

    @Test func statesAreALineEach() throws {
        let desktop = try desktop()
        defer { desktop.end() }
        let result = try Focusctl.run("states", in: desktop.folder)
        #expect(
            result.output == """
                alert  save  (assumed)  orca,keyboard  focus-tracking  pid 12,13 (3 binds)  1 under way  \
                save=push-button[name="Save"]  other\\a value=alert
                #7  -  pid 12  a=entry

                """)
        #expect(result.exitCode == 0)
        #expect(desktop.service.calls == [#"{"method":"io.focusd.Focus.ListStates","more":true,"parameters":{}}"#])
    }

    @Test func jsonIsOneStateALine() throws {
        let desktop = try desktop()
        defer { desktop.end() }
        let lines = try Focusctl.run("states", "--json", in: desktop.folder).output.split(separator: "\n")
        #expect(try lines.map { try JSONDecoder().decode(FocusState.self, from: Data($0.utf8)) } == Self.states)
    }

    @Test func onATerminalSelectorsStandBelowTheirState() throws {
        let desktop = try desktop()
        defer { desktop.end() }
        let result = try Focusctl.run("states", in: desktop.folder, terminalWidth: 120)
        #expect(
            result.output == """
                state  value             technologies   modes           bound by             sets
                alert  save   (assumed)  orca,keyboard  focus-tracking  pid 12,13 (3 binds)  1 under way
                    save=push-button[name="Save"]
                    other\\a value=alert
                #7     -                                                pid 12
                    a=entry

                """)
    }

    @Test func noStateIsSaidOnATerminalAndQuietElsewhere() throws {
        let desktop = try desktop([])
        defer { desktop.end() }
        #expect(try Focusctl.run("states", in: desktop.folder, terminalWidth: 80).output == "no state is bound\n")
        let result = try Focusctl.run("states", in: desktop.folder)
        #expect(result.output == "")
        #expect(result.exitCode == 0)
    }

    @Test func unbindEndsAStateAndSaysNothing() throws {
        let desktop = try Desktop(replies: ["Unbind": [try Samples.reply(Unbind.Reply())]])
        defer { desktop.end() }
        let result = try Focusctl.run("unbind", "#7", in: desktop.folder)
        #expect(result.output == "")
        #expect(result.errors == "")
        #expect(result.exitCode == 0)
        #expect(desktop.service.calls == [##"{"method":"io.focusd.Focus.Unbind","parameters":{"state":"#7"}}"##])
    }
}
