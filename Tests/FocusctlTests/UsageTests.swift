import Foundation
import Testing

@Suite struct UsageTests {
    static let commands = [
        "get", "watch", "find", "tree", "wait", "focus", "bind", "set", "states", "unbind", "announce", "technologies",
        "apps", "stats", "doctor", "help", "completions", "manual",
    ]

    @Test(
        arguments: [
            (["wach"], "there is no command 'wach'; did you mean 'watch'?"),
            (["frobnicate"], "there is no command 'frobnicate'"),
            (["a\nb"], "there is no command 'a\\a b'"),
            (["get", "--jsn"], "unknown option --jsn; did you mean --json?"),
            (["watch", "--update"], "unknown option --update; did you mean --updates?"),
            (["get", "--updates"], "unknown option --updates"),
            (["get", "--frobnicate"], "unknown option --frobnicate"),
            (["-x"], "unknown option -x"),
            (["get", "--json=yes"], "--json takes no value"),
            (["get", "--timeout"], "--timeout needs a value: --timeout DURATION"),
            (["get", "--timeout", "--json"], "--timeout needs a value: --timeout DURATION"),
            (["get", "orca", "odilia"], "get does not take 'odilia'"),
            (["apps", "x"], "apps does not take 'x'"),
            (["focus"], "focus needs a SELECTOR"),
            (["find"], "find needs a SELECTOR"),
            (["find", "a", "b"], "find does not take 'b'"),
            (["wait"], "wait needs a SELECTOR"),
            (["wait", "a", "--focused", "--gone"], "--focused and --gone do not go together"),
            (["wait", "a", "--technology", "orca"], "--technology says something only together with --focused"),
            (["wait", "a", "--timeout", "61m"], "--timeout cannot be '61m' here: focusd tries for 1h at most"),
            (["focus", ":1.5/a", "--route", "teleport"], "--route cannot be 'teleport'; it is one of: grabFocus, "),
            (["focus", ":1.5/a", "--timeout", "61s"], "--timeout cannot be '61s' here: focusd tries for 60s at most"),
            (["bind"], "bind needs a NAME=SELECTOR"),
            (
                ["bind", "push-button"],
                "'push-button' is no NAME=SELECTOR: a name of your choice goes before the selector"
            ),
            (
                ["bind", "a=b", "a[name=\"x\"]"],
                "'a[name=\"x\"]' is no NAME=SELECTOR: a name of your choice goes before"
            ),
            (["bind", "=b"], "'=b' is no NAME=SELECTOR: the name is missing"),
            (["bind", "-=b"], "unknown option -=b"),
            (["bind", "--", "-=b"], "'-=b' is no NAME=SELECTOR: '-' is what is printed for no value"),
            (["bind", "a=b", "--exec"], "--exec needs a value: --exec COMMAND"),
            (["bnd", "a=b"], "there is no command 'bnd'; did you mean 'bind'?"),
            (["set"], "set needs a STATE"),
            (["set", "s"], "set needs a VALUE, or --none"),
            (["set", "s", "v", "w"], "set does not take 'w'"),
            (["set", "s", "v", "--none"], "VALUE and --none do not go together"),
            (["set", "s", "--none", "--again"], "--again and --none do not go together"),
            (["set", "s", "v", "--route", "x"], "--route cannot be 'x'; it is one of: application, grabFocus, "),
            (["set", "s", "v", "--timeout", "61s"], "--timeout cannot be '61s' here: focusd tries for 60s at most"),
            (["states", "x"], "states does not take 'x'"),
            (["unbind"], "unbind needs a STATE"),
            (["announce"], "announce needs a TEXT"),
            (["announce", ""], "announce needs a TEXT"),
            (["announce", "a", "b"], "announce does not take 'b'"),
            (["watch", "--exce", "x"], "unknown option --exce; did you mean --exec?"),
            (["help", "wach"], "there is no command 'wach'; did you mean 'watch'?"),
            (["get", "--", "--json", "x"], "get does not take 'x'"),
        ])
    func wrongUsageIsTwoAndSaysWhat(arguments: [String], message: String) throws {
        let result = try Focusctl(arguments, runtimeFolder: nil).finish()
        #expect(result.errors.hasPrefix("focusctl: " + message), "\(result.errors)")
        #expect(result.errors.hasSuffix("--help'.\n"))
        #expect(result.output == "")
        #expect(result.exitCode == 2)
    }

    @Test(arguments: ["", "0", "-1", "2x", "1e3", "nan", "inf", "..", "25h", "0.1ms", "99999999999999999999", "٣"])
    func badDurationIsWrongUsage(duration: String) throws {
        let result = try Focusctl(["apps", "--timeout=\(duration)"], runtimeFolder: nil).finish()
        #expect(result.errors.hasPrefix("focusctl: --timeout cannot be '\(duration)'"))
        #expect(result.exitCode == 2)
    }

    @Test(arguments: ["2", "0.5", "2s", "500ms", "1m", "24h", "1.5s"]) func durationsAreTaken(duration: String) throws {
        // With a right duration the next thing that is missing is the service.
        #expect(try Focusctl(["apps", "--timeout", duration], runtimeFolder: nil).finish().exitCode == 4)
    }

    @Test func versionIsShown() throws {
        for arguments in [["--version"], ["watch", "--version"]] {
            let result = try Focusctl(arguments, runtimeFolder: nil).finish()
            #expect(result.output == "focusctl 0.1.0\n")
            #expect(result.exitCode == 0)
        }
    }

    @Test(arguments: commands) func everyCommandTeachesWithExamples(command: String) throws {
        let help = try Focusctl([command, "--help"], runtimeFolder: nil).finish()
        #expect(help.output.contains("\nUsage: focusctl \(command)"))
        #expect(help.output.contains("\nExamples:\n  focusctl"))
        for option in ["--json", "--timeout DURATION", "-h, --help", "--version"] {
            #expect(help.output.contains("\n  \(option)"))
        }
        #expect(help.errors == "")
        #expect(help.exitCode == 0)
        for same in [
            ["help", command], [command, "-h"], ["--help", command], [command, "--help", "too", "many", "words"],
        ] {
            #expect(try Focusctl(same, runtimeFolder: nil).finish().output == help.output)
        }
    }

    @Test func overviewNamesEveryCommandAndExitCode() throws {
        let help = try Focusctl(["--help"], runtimeFolder: nil).finish()
        for command in Self.commands { #expect(help.output.contains("\n  \(command) ")) }
        for code in 0...4 { #expect(help.output.contains("\n  \(code)  ")) }
        #expect(try Focusctl(["help"], runtimeFolder: nil).finish().output == help.output)
        #expect(help.exitCode == 0)
    }

    @Test func helpFitsEightyColumnsButForExamples() throws {
        for arguments in [["--help"]] + Self.commands.map({ ["help", $0] }) {
            let output = try Focusctl(arguments, runtimeFolder: nil).finish().output
            let text = output.components(separatedBy: "Examples:")[0]
            for line in text.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
        }
    }
}
