import FocusProtocol
import Foundation
import Testing

@Suite struct FocusCommandTests {
    private static let reference = ":1.5/org/a11y/atspi/accessible/17"

    private func desktop(_ outcome: Outcome) throws -> Desktop {
        try Desktop(replies: ["MoveFocus": [try Samples.reply(MoveFocus.Reply(outcome: outcome))]])
    }

    private static let confirmed = Outcome(
        result: "confirmed", route: "activeDescendant",
        technologies: [TechnologyResult(id: "orca", result: "confirmed")],
        element: Samples.button(), keyboardFocus: "elsewhere", elapsedMilliseconds: 85)

    @Test func confirmedSaysWhereByWhichRouteAndWhereTheKeyboardIs() throws {
        let desktop = try desktop(Self.confirmed)
        defer { desktop.end() }
        let result = try Focusctl.run("focus", Self.reference, in: desktop.folder)
        #expect(
            result.output == """
                orca is on push-button "Save" in "Save changes?" of gedit (route activeDescendant, 85 ms); \
                the keyboard focus stayed elsewhere

                """)
        #expect(result.exitCode == 0)
        #expect(
            desktop.service.calls == [
                #"{"method":"io.focusd.Focus.MoveFocus","parameters":{"element":"\#(Self.reference)","timeoutMilliseconds":2000}}"#
            ])
    }

    @Test func optionsAreAskedFor() throws {
        let desktop = try desktop(Self.confirmed)
        defer { desktop.end() }
        _ = try Focusctl.run(
            "focus", "--technology", "orca", "--technology=keyboard", "--route", "grabFocus",
            "--route=activeDescendant",
            "--again", "--timeout", "500ms", Self.reference, in: desktop.folder)
        let parameters = [
            #""again":true"#, #""element":"\#(Self.reference)""#, #""routes":["grabFocus","activeDescendant"]"#,
            #""technologies":["orca","keyboard"]"#, #""timeoutMilliseconds":500"#,
        ]
        #expect(
            desktop.service.calls == [
                #"{"method":"io.focusd.Focus.MoveFocus","parameters":{\#(parameters.joined(separator: ","))}}"#
            ])
    }

    @Test func severalTechnologiesAreNamed() throws {
        var outcome = Self.confirmed
        outcome.technologies = ["orca", "odilia"].map { TechnologyResult(id: $0, result: "confirmed") }
        outcome.technologies.append(TechnologyResult(id: "keyboard", result: "timedOut"))
        outcome.route = "none"
        outcome.keyboardFocus = "unknown"
        let desktop = try desktop(outcome)
        defer { desktop.end() }
        let result = try Focusctl.run("focus", Self.reference, in: desktop.folder)
        #expect(result.output.hasPrefix("orca and odilia are on push-button"))
        #expect(
            result.output.hasSuffix(
                "(was there already, 85 ms); keyboard: timedOut; where the keyboard focus is, is not known\n"))
    }

    @Test(
        arguments: [
            ("refused", "elementHidden", 1, "refused: elementHidden – the element is hidden, so nothing was moved"),
            ("refused", "technologyNotActive", 1, "refused: technologyNotActive – it is not running; start it"),
            ("refused", "applicationNotResponding", 1, "refused: applicationNotResponding – the element's application"),
            ("refused", "keyboardFocusCannotMove", 1, "refused: keyboardFocusCannotMove – keys would go elsewhere"),
            ("refused", "userMovedAway", 1, "refused: userMovedAway – the user went to another application"),
            ("refused", "nowhereToGo", 1, "refused: nowhereToGo – there is no place left"),
            ("superseded", "movedElsewhere", 1, "superseded: movedElsewhere – the user moved meanwhile"),
            ("superseded", "newerRequest", 1, "superseded: newerRequest – a newer move took its place"),
            ("refused", "notFocusable", 1, "refused: notFocusable – the element cannot have the keyboard focus"),
            ("refused", "notSupported", 1, "refused: notSupported – the application cannot be asked"),
            ("refused", "windowNotActive", 1, "refused: windowNotActive – its window is not the active one"),
            ("refused", "busGone", 1, "refused: busGone – the accessibility bus went away"),
            ("refused", "elementDefunct", 1, "refused: elementDefunct – the element is gone"),
            ("refused", "elementDisabled", 1, "refused: elementDisabled – the element is disabled"),
            ("timedOut", "noConfirmation", 3, "timedOut: noConfirmation – nothing confirmed in time"),
            ("superseded", nil, 1, "superseded – a newer move took its place"),
            ("notFound", "noSuchApplication", 1, "notFound: noSuchApplication – there is no such application"),
            ("notFound", "stillLoading", 1, "notFound: stillLoading – the application is still loading"),
            ("ambiguous", nil, 1, "ambiguous – more than one element is meant"),
            ("timedOut", nil, 3, "timedOut – the element was found, but no technology confirmed in time"),
            ("unheardOf", "new\nReason", 1, "unheardOf: new\\a Reason (tried"),
        ] as [(String, String?, Int32, String)])
    func everyOtherOutcomeIsSaidInWordsAndByTheExitCode(
        result: String, reason: String?, exitCode: Int32, words: String
    ) throws {
        let outcome = Outcome(
            result: result, reason: reason, routesTried: [RouteAttempt(route: "grabFocus", reason: "noSignal")],
            keyboardFocus: "elsewhere", elapsedMilliseconds: 1300)
        let desktop = try desktop(outcome)
        defer { desktop.end() }
        let run = try Focusctl.run("focus", Self.reference, in: desktop.folder)
        #expect(run.output.hasPrefix(words), "\(run.output)")
        #expect(run.output.hasSuffix("(tried grabFocus: noSignal; 1300 ms)\n"), "\(run.output)")
        #expect(run.exitCode == exitCode)
        let json = try Focusctl.run("focus", Self.reference, "--json", in: desktop.folder)
        #expect(try JSONDecoder().decode(Outcome.self, from: Data(json.output.utf8)) == outcome)
        #expect(json.exitCode == exitCode)
    }

    @Test(
        arguments: [
            ":1.5/", ":1.5/a//b", ":1.5/a-b", ":1.5/a/", ":15/a", ":1..5/a", ":1.5/a b", ":1.5/é",
        ])
    func malformedReferenceIsWrongUsageThatShowsARightOne(reference: String) throws {
        let folder = try RuntimeFolder()
        let result = try Focusctl.run("focus", reference, in: folder)
        #expect(
            result.errors == """
                focusctl: '\(reference)' is no reference; one is a bus name directly followed by a path, like \
                :1.5/org/a11y/atspi/accessible/17
                Try 'focusctl focus --help'.

                """)
        #expect(result.exitCode == 2)
    }

    @Test(arguments: ["push-button[name=\"a/b\"]", ":focused", ":is(a, b) /", "17", ":1.5", "", "/org/a11y"])
    func whatBeginsLikeNoReferenceIsASelector(selector: String) throws {
        let desktop = try desktop(Self.confirmed)
        defer { desktop.end() }
        #expect(try Focusctl.run("focus", selector, in: desktop.folder).exitCode == 0)
        let written = String(decoding: try Self.encoder.encode(selector), as: UTF8.self)
        #expect(
            desktop.service.calls == [
                #"{"method":"io.focusd.Focus.MoveFocus","parameters":{"selector":\#(written),"timeoutMilliseconds":2000}}"#
            ])
    }

    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return encoder
    }

    @Test func theCountOfMatchesIsSaid() throws {
        let desktop = try desktop(
            Outcome(result: "ambiguous", matches: 3, keyboardFocus: "elsewhere", elapsedMilliseconds: 5))
        defer { desktop.end() }
        let result = try Focusctl.run("focus", "push-button", in: desktop.folder)
        #expect(
            result.output == """
                ambiguous – 3 elements match, and not just one of them is in the active window; say more in the \
                selector, see 'focusctl find' (5 ms)

                """)
        #expect(result.exitCode == 1)
    }

    @Test func pathsOfEveryToolkitAreReferences() throws {
        let desktop = try desktop(Self.confirmed)
        defer { desktop.end() }
        let gtk4 = ":1.20/org/gtk/application/unknown/a11y/7d5f0c6e_0d3b_4b58_9c5a_1f6c8f3c9a11"
        #expect(try Focusctl.run("focus", gtk4, in: desktop.folder).exitCode == 0)
        #expect(try Focusctl.run("focus", "--", ":1.3/a", in: desktop.folder).exitCode == 0)
    }
}
