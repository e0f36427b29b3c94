import FocusProtocol
import Foundation
import Glibc
import Testing

@Suite struct BindTests {
    private static let place = #"in "Save changes?" of gedit"#

    private static func steps(_ changes: [StateChange], state: String = "#7") throws -> [ScriptedService.Step] {
        try changes.enumerated().map { index, change in
            let isFirst = index == 0
            return try Samples.reply(
                Bind.Reply(state: isFirst ? state : nil, change: change, instance: isFirst ? "run-1" : nil),
                continues: true)
        }
    }

    private func desktop(_ changes: [StateChange], then further: [ScriptedService.Step] = []) throws -> Desktop {
        try Desktop(replies: ["Bind": try Self.steps(changes) + further])
    }

    private static let changes = [
        Samples.change(nil, cause: "initial"),
        Samples.change("save", revision: 9),
        Samples.change("two words", from: "save", cause: "restored", assumed: true, revision: 10),
        Samples.change(nil, from: "two words", cause: "windowDeactivated", revision: 11),
    ]

    @Test func thePresentValueAndEachChangeAreALineOfFourFieldsAtOnce() throws {
        let desktop = try desktop(Self.changes)
        defer { desktop.end() }
        let bind = try Focusctl(
            ["bind", "save=push-button[name=\"Save\"]", "two words=dialog"], runtimeFolder: desktop.folder.path)
        #expect(try bind.readLine() == "-\tinitial\tsaid\t-")
        #expect(try bind.readLine() == "save\tmoved\tsaid\tpush-button \"save\" \(Self.place)")
        #expect(try bind.readLine() == "two words\trestored\tassumed\tpush-button \"two words\" \(Self.place)")
        #expect(try bind.readLine() == "-\twindowDeactivated\tsaid\t-")
        // All of this was written while the stream was open; only now the service goes away.
        desktop.end()
        let result = try bind.finish()
        #expect(result.exitCode == 4)
        #expect(
            result.errors == """
                focusctl: note: this state is '#7' for 'focusctl set', as long as this runs
                focusctl: focusd closed the connection at \(desktop.folder.socket)
                It was stopped or restarted. 'focusctl doctor' looks for the reason.

                """)
        let prototypes =
            #"[{"selector":"push-button[name=\"Save\"]","value":"save"},{"selector":"dialog","value":"two words"}]"#
        #expect(
            desktop.service.calls == [
                #"{"method":"io.focusd.Focus.Bind","more":true,"parameters":{"prototypes":\#(prototypes)}}"#
            ])
    }

    @Test func optionsAreAskedForAndANamedStateIsNotTold() throws {
        let desktop = try desktop([Samples.change(nil, cause: "initial")], then: [.hangUp])
        defer { desktop.end() }
        let result = try Focusctl.run(
            "bind", "a=b", "--name", "alert", "--technology", "orca", "--technology=keyboard", "--mode",
            "focus-tracking", in: desktop.folder)
        #expect(!result.errors.contains("note"))
        let parameters = [
            #""modes":["focus-tracking"]"#, #""name":"alert""#, #""prototypes":[{"selector":"b","value":"a"}]"#,
            #""technologies":["orca","keyboard"]"#,
        ]
        #expect(
            desktop.service.calls == [
                #"{"method":"io.focusd.Focus.Bind","more":true,"parameters":{\#(parameters.joined(separator: ","))}}"#
            ])
    }

    @Test func jsonIsOneChangeALineWithTheStatesIdInEach() throws {
        let desktop = try desktop(Self.changes, then: [.hangUp])
        defer { desktop.end() }
        let result = try Focusctl.run("bind", "--json", "a=b", in: desktop.folder)
        let lines = result.output.split(separator: "\n")
        #expect(try lines.map { try JSONDecoder().decode(StateChange.self, from: Data($0.utf8)) } == Self.changes)
        #expect(!result.errors.contains("note"))
        #expect(result.exitCode == 4)
    }

    @Test(arguments: [false, true]) func unboundFromElsewhereIsZeroAndItsLastReplyNoFurtherChange(json: Bool) throws {
        var last = Self.changes[1]
        last.cause = "unbound"
        last.revision = 12
        let end = try Samples.reply(Bind.Reply(change: last))
        let desktop = try desktop(Array(Self.changes[...1]), then: [end])
        defer { desktop.end() }
        let result = try Focusctl(
            ["bind", "a=b", "--name", "n"] + (json ? ["--json"] : []), runtimeFolder: desktop.folder.path
        ).finish()
        #expect(result.output.split(separator: "\n").count == 2)
        #expect(result.errors == "focusctl: note: the state was ended from elsewhere\n")
        #expect(result.exitCode == 0)
    }

    @Test func aLastReplyWithAnotherValueIsShown() throws {
        let end = try Samples.reply(Bind.Reply(change: Samples.change("last", revision: 20)))
        let desktop = try desktop(Array(Self.changes[...1]), then: [end])
        defer { desktop.end() }
        let result = try Focusctl.run("bind", "a=b", in: desktop.folder)
        #expect(result.output.split(separator: "\n").last?.hasPrefix("last\t") == true)
    }

    @Test func whatIsNoLongerAssumedIsALine() throws {
        let changes = [
            Samples.change("a", assumed: true), Samples.change("a", from: "a", cause: "updated", revision: 8),
        ]
        let desktop = try desktop(changes, then: [.hangUp])
        defer { desktop.end() }
        #expect(try Focusctl.run("bind", "a=b", in: desktop.folder).output.split(separator: "\n").count == 2)
    }

    @Test func valuesStayOnTheirLineAndInTheirField() throws {
        let desktop = try desktop([Samples.change("a\tb\nc\u{1B}[2J אב")], then: [.hangUp])
        defer { desktop.end() }
        let result = try Focusctl.run("bind", "a=b", in: desktop.folder)
        // As it is, and not isolated for a terminal: a script compares it.
        #expect(result.output.hasPrefix("a\\9 b\\a c\\1b [2J אב\tmoved\tsaid\t"))
        #expect(result.output.split(separator: "\n").count == 1)
    }

    @Test func onATerminalItIsInColumns() throws {
        let desktop = try desktop(Self.changes, then: [.hangUp])
        defer { desktop.end() }
        let result = try Focusctl.run("bind", "a=b", in: desktop.folder, terminalWidth: 100)
        #expect(
            result.output == """
                -
                save  push-button  "save"  \(Self.place)
                two words  push-button  "two words"  \(Self.place)  (assumed, taken up again)
                -                                                                 (the window was left)

                """)
    }

    @Test func readerThatGoesAwayEndsItQuietlyWithoutAnotherChange() throws {
        let desktop = try desktop([Samples.change(nil)])
        defer { desktop.end() }
        let bind = try Focusctl(["bind", "a=b", "--name", "n"], runtimeFolder: desktop.folder.path)
        _ = try bind.readLine()
        bind.closeOutput()
        let result = try bind.finish()
        #expect(result.exitCode == 0)
        #expect(result.errors == "")
    }

    @Test func interruptEndsIt() throws {
        let desktop = try desktop([Samples.change(nil)])
        defer { desktop.end() }
        let bind = try Focusctl(["bind", "a=b"], runtimeFolder: desktop.folder.path)
        _ = try bind.readLine()
        bind.send(signal: SIGINT)
        #expect(try bind.finish().exitCode == 128 + SIGINT)
    }

    @Test func requestsToMoveAreNobodysChange() throws {
        let move = try Samples.reply(
            Bind.Reply(move: OwnerMove(token: "t", state: "#7", value: "a")), continues: true)
        let desktop = try desktop([Samples.change(nil)], then: [move, .hangUp])
        defer { desktop.end() }
        #expect(try Focusctl.run("bind", "a=b", in: desktop.folder).output == "-\tmoved\tsaid\t-\n")
    }

    // MARK: - What focusd refuses

    private func complaint(prototype: String, _ words: String...) throws -> String {
        let parameters = #"{"position":4,"expected":"a name","prototype":\#(prototype)}"#
        let desktop = try Desktop(replies: ["Bind": [Samples.error("io.focusd.Focus.InvalidSelector", parameters)]])
        defer { desktop.end() }
        let result = try Focusctl(["bind"] + words, runtimeFolder: desktop.folder.path).finish()
        #expect(result.output == "")
        #expect(result.exitCode != 0)
        return result.errors
    }

    @Test func anUnreadableSelectorIsShownWithItsName() throws {
        #expect(
            try complaint(prototype: "1", "good=label", "worse=bad[", "other=alert") == """
                focusctl: the selector of 'worse' cannot be read: expected a name
                  bad[
                      ^
                'focusctl help find' shows what selectors look like.

                """)
    }

    @Test func theOnlySelectorIsShownWithoutIt() throws {
        #expect(
            try complaint(prototype: "0", "worse=bad[").hasPrefix(
                "focusctl: the selector cannot be read: expected a name\n  bad[\n"))
    }

    @Test(arguments: ["null", "2", "-1", "\"x\"", "9223372036854775807"])
    func aServiceThatDoesNotSayWhichIsNoCrash(prototype: String) throws {
        #expect(
            try complaint(prototype: prototype, "a=b", "c=d").hasPrefix(
                "focusctl: focusd refused: io.focusd.Focus.InvalidSelector"))
    }

    @Test(
        arguments: [
            ("StateExists", #"{"state":"alert"}"#, "there is a state 'alert' already, and what is bound there is not"),
            ("UnknownTechnology", #"{"id":"jaws"}"#, "there is no technology 'jaws'"),
            ("LimitExceeded", #"{"limit":"statesPerProcess"}"#, "that is more than focusd allows: statesPerProcess"),
            ("SubscriberTooSlow", "{}", "focusd ended the stream, because it was not read fast enough"),
        ])
    func errorsAreSaidInWords(name: String, parameters: String, words: String) throws {
        let desktop = try Desktop(replies: ["Bind": [Samples.error("io.focusd.Focus." + name, parameters)]])
        defer { desktop.end() }
        for exec in [[], ["--exec", "true"]] {
            let result = try Focusctl(["bind", "a=b"] + exec, runtimeFolder: desktop.folder.path).finish()
            #expect(result.errors.hasPrefix("focusctl: " + words), "\(result.errors)")
            #expect(result.exitCode == 1)
        }
    }
}
