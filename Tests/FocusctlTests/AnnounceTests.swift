import FocusProtocol
import Foundation
import Testing

@Suite struct AnnounceTests {
    private func desktop(_ reply: Announce.Reply) throws -> Desktop {
        try Desktop(replies: ["Announce": [try Samples.reply(reply)]])
    }

    @Test(arguments: ["remoteController", "announcement", "notification"])
    func sentIsSaidWithItsRouteAndNeverThatItWasSpoken(route: String) throws {
        let desktop = try desktop(Announce.Reply(route: route, delivered: true))
        defer { desktop.end() }
        let result = try Focusctl.run("announce", "built", in: desktop.folder)
        #expect(result.output == "sent (route \(route); whether it was spoken, no screen reader tells)\n")
        #expect(result.errors == "")
        #expect(result.exitCode == 0)
        #expect(desktop.service.calls == [#"{"method":"io.focusd.Focus.Announce","parameters":{"text":"built"}}"#])
    }

    @Test func urgentIsAskedForAndTheTextMayBeginWithDashes() throws {
        let desktop = try desktop(Announce.Reply(delivered: true))
        defer { desktop.end() }
        let result = try Focusctl.run("announce", "--urgent", "--", "--json", in: desktop.folder)
        #expect(result.output == "sent (whether it was spoken, no screen reader tells)\n")
        #expect(
            desktop.service.calls == [
                #"{"method":"io.focusd.Focus.Announce","parameters":{"text":"--json","urgent":true}}"#
            ])
    }

    @Test func notSentIsOneAndSaysWhy() throws {
        let desktop = try desktop(Announce.Reply(delivered: false))
        defer { desktop.end() }
        let result = try Focusctl.run("announce", "built", in: desktop.folder)
        #expect(result.output == "")
        #expect(
            result.errors == """
                focusctl: not sent: no screen reader is there that listens to announcements
                'focusctl technologies' shows what is running.

                """)
        #expect(result.exitCode == 1)
        let json = try Focusctl.run("announce", "built", "--json", in: desktop.folder)
        #expect(json.output == #"{"delivered":false}"# + "\n")
        #expect(json.exitCode == 1)
    }

    @Test func jsonIsTheReply() throws {
        let desktop = try desktop(Announce.Reply(route: "announcement", delivered: true))
        defer { desktop.end() }
        let result = try Focusctl.run("announce", "built", "--json", in: desktop.folder)
        #expect(result.output == #"{"delivered":true,"route":"announcement"}"# + "\n")
        #expect(result.exitCode == 0)
    }

    @Test func tooManyInASecondAreToldToWait() throws {
        let desktop = try Desktop(replies: [
            "Announce": [Samples.error("io.focusd.Focus.LimitExceeded", #"{"limit":"announcementsPerSecond"}"#)]
        ])
        defer { desktop.end() }
        let result = try Focusctl.run("announce", "built", in: desktop.folder)
        #expect(
            result.errors == """
                focusctl: too much was announced in this second, so this was not
                Try again in a second.

                """)
        #expect(result.exitCode == 1)
    }
}
