import FocusProtocol
import Foundation
import Glibc
import Testing

/// `--exec` of `watch` and `bind`.
@Suite struct ExecTests {
    private func watching(_ names: [String], then further: [ScriptedService.Step] = []) throws -> Desktop {
        let steps = try names.map { name in
            try Samples.reply(
                GetFocus.Reply(focus: Samples.orca(on: Samples.button(name: name), cause: "moved")), continues: true)
        }
        return try Desktop(replies: ["GetFocus": steps + further])
    }

    private func watch(_ desktop: Desktop, _ command: String) throws -> Focusctl {
        try Focusctl(["watch", "--exec", command], runtimeFolder: desktop.folder.path)
    }

    private static let echo = "read -r change; echo \"$FOCUSCTL_SKIPPED $change\""

    private static func skippedAndName(_ line: String) throws -> (skipped: Int, name: String?) {
        let parts = line.split(separator: " ", maxSplits: 1)
        let focus = try JSONDecoder().decode(Focus.self, from: Data(parts[1].utf8))
        return (try #require(Int(parts[0])), focus.element?.name)
    }

    // MARK: - One at a time

    @Test func whileOneRunsOnlyTheNewestChangeIsKeptForTheNext() throws {
        var steps = try ["a", "b", "c", "d"].map {
            try Samples.reply(Bind.Reply(change: Samples.change($0)), continues: true)
        }
        // With this the state is told on standard error: so the test sees that all before it was read.
        steps.append(try Samples.reply(Bind.Reply(state: "#7"), continues: true))
        let desktop = try Desktop(replies: ["Bind": steps])
        defer { desktop.end() }
        let gate = try Gate(in: desktop.folder)
        let bind = try Focusctl(
            [
                "bind", "a=b", "--exec",
                "read -r change; echo \"begin $FOCUSCTL_SKIPPED $change\"; \(gate.wait); echo end",
            ],
            runtimeFolder: desktop.folder.path)
        func expectRun(skipped: Int, _ value: String) throws {
            let words = try bind.readLine().split(separator: " ", maxSplits: 2)
            #expect(words[..<2] == ["begin", Substring(String(skipped))])
            let change = try JSONDecoder().decode(StateChange.self, from: Data(words[2].utf8))
            #expect(change == Samples.change(value))
        }
        try expectRun(skipped: 0, "a")
        #expect(try bind.readComplaint().contains("this state is '#7'"))
        try gate.letOneGoOn()
        #expect(try bind.readLine() == "end")
        try expectRun(skipped: 2, "d")
        try gate.letOneGoOn()
        #expect(try bind.readLine() == "end")
        bind.send(signal: SIGINT)
        let result = try bind.finish()
        #expect(result.output == "")
        #expect(result.errors == "")
        #expect(result.exitCode == 128 + SIGINT)
    }

    @Test func everyChangeIsHandedOverOrCountedAndTheNewestComesLast() throws {
        let names = (0..<200).map(String.init)
        let desktop = try watching(names)
        defer { desktop.end() }
        let watch = try watch(desktop, "echo begin; \(Self.echo); echo end")
        var handedOver = 0
        var last: String?
        while last != names.last {
            #expect(try watch.readLine() == "begin")
            let (skipped, name) = try Self.skippedAndName(try watch.readLine())
            handedOver += skipped + 1
            #expect(name == String(handedOver - 1))
            last = name
            #expect(try watch.readLine() == "end")
        }
        #expect(handedOver == names.count)
        watch.send(signal: SIGTERM)
        #expect(try watch.finish().exitCode == 128 + SIGTERM)
    }

    // MARK: - What the command gets

    @Test func aChangeOfAnySizeIsOneLineOnStandardInput() throws {
        let name = String(repeating: "long\n", count: 60_000)
        let desktop = try watching([name])
        defer { desktop.end() }
        let watch = try watch(desktop, "cat")
        let line = try watch.readLine()
        let focus = try JSONDecoder().decode(Focus.self, from: Data(line.utf8))
        #expect(focus.element?.name == name)
        watch.send(signal: SIGINT)
        #expect(try watch.finish().output == "")
    }

    @Test func itsPipelinesAndSignalsAreAsUsual() throws {
        let desktop = try watching(["a"])
        defer { desktop.end() }
        let watch = try watch(desktop, "yes | head -n 1; kill -TERM $$; echo not reached")
        #expect(try watch.readLine() == "y")
        #expect(try watch.readComplaint() == "focusctl: the command was ended by signal 15")
        watch.send(signal: SIGINT)
        let result = try watch.finish()
        #expect(result.output == "")
        #expect(result.errors == "")
    }

    // MARK: - Commands that fail

    @Test(arguments: [("exit 3", "ended with 3"), ("kill -KILL $$", "was ended by signal 9")])
    func aFailureIsReportedAndDoesNotEndTheWatch(end: String, report: String) throws {
        let desktop = try watching(["a", "b"])
        defer { desktop.end() }
        let watch = try watch(desktop, "\(Self.echo); \(end)")
        for name in ["a", "b"] {
            #expect(try Self.skippedAndName(try watch.readLine()).name == name)
            #expect(try watch.readComplaint() == "focusctl: the command \(report)")
        }
        watch.send(signal: SIGINT)
        #expect(try watch.finish().exitCode == 128 + SIGINT)
    }

    @Test func aCommandThatIsNotThereIsReported() throws {
        let desktop = try watching(["a"])
        defer { desktop.end() }
        let watch = try watch(desktop, "no-such-command-anywhere")
        #expect(try watch.readComplaint().contains("no-such-command-anywhere"))
        #expect(try watch.readComplaint() == "focusctl: the command ended with 127")
        watch.send(signal: SIGINT)
        _ = try watch.finish()
    }

    // MARK: - Ends

    /// The command's end shows in that the pipes it has inherited have an end: `finish` waits for that.
    @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT]) func signalEndsTheCommandAndWhatItStartedToo(
        signal: Int32
    ) throws {
        let desktop = try watching(["a"])
        defer { desktop.end() }
        let gate = try Gate(in: desktop.folder)
        let watch = try watch(desktop, "(\(gate.wait)) & echo started; \(gate.wait)")
        #expect(try watch.readLine() == "started")
        watch.send(signal: signal)
        let result = try watch.finish()
        #expect(result.exitCode == 128 + signal)
        #expect(result.errors == "")
    }

    @Test func readerThatGoesAwayEndsBothQuietly() throws {
        let desktop = try watching(["a"])
        defer { desktop.end() }
        let gate = try Gate(in: desktop.folder)
        let watch = try watch(desktop, "echo started; \(gate.wait)")
        #expect(try watch.readLine() == "started")
        watch.closeOutput()
        let result = try watch.finish()
        #expect(result.exitCode == 0)
        #expect(result.errors == "")
    }

    @Test func theServicesEndIsNoticedThoughTheCommandNeitherReadsNorEnds() throws {
        let desktop = try watching([String(repeating: "x", count: 300_000), "b", "c"])
        defer { desktop.end() }
        let gate = try Gate(in: desktop.folder)
        let watch = try watch(desktop, "echo started; \(gate.wait)")
        #expect(try watch.readLine() == "started")
        desktop.end()
        let result = try watch.finish()
        #expect(result.exitCode == 4)
        #expect(
            result.errors == """
                focusctl: the command still runs, and is ended
                focusctl: focusd closed the connection at \(desktop.folder.socket)
                It was stopped or restarted. 'focusctl doctor' looks for the reason.

                """)
        #expect(result.output == "")
    }

    @Test func whatWasHandedOverLastIsDoneBeforeTheEnd() throws {
        let last = try Samples.reply(Bind.Reply(change: Samples.change("b", revision: 9)))
        let first = try Samples.reply(Bind.Reply(state: "n", change: Samples.change("a")), continues: true)
        let desktop = try Desktop(replies: ["Bind": [first, last]])
        defer { desktop.end() }
        let result = try Focusctl.run(
            "bind", "--name", "n", "a=b", "--exec", "read -r change; echo \"$change\"", in: desktop.folder)
        let values = try result.output.split(separator: "\n").map {
            try JSONDecoder().decode(StateChange.self, from: Data($0.utf8)).value
        }
        #expect(values == ["a", "b"])
        #expect(result.errors == "focusctl: note: the state was ended from elsewhere\n")
        #expect(result.exitCode == 0)
    }
}
