import Foundation
import TestDesktop
import Testing

/// The completions: each shell takes them, and completes with them.
@Suite(.enabled(if: Tools.areHere, "needs zsh and fish: run `scripts/install-packages test`"))
struct CompletionTests {
    @Test(
        "each shell can read its completion",
        arguments: [("bash", "focusctl.bash"), ("zsh", "_focusctl"), ("fish", "focusctl.fish")])
    func syntax(shell: String, file: String) throws {
        let run = try Run(shell, ["-n", Manual.file(file)])
        #expect(run.status == 0)
        #expect(run.output + run.errors == "")
    }

    @Test(
        "bash completes",
        arguments: [
            (["w"], ["watch", "wait"]), (["s"], ["set", "states", "stats"]), (["--j"], ["--json"]),
            (["focus", "--ro"], ["--route"]), (["focus", "--route", ""], ["grabFocus", "activeDescendant"]),
            (["focus", "--route", "=", "g"], ["grabFocus"]),
            (["set", "--route", "="], ["application", "grabFocus", "activeDescendant"]),
            (["get", "o"], ["orca", "odilia"]), (["--timeout", "2s", "get", "k"], ["keyboard"]),
            (["--timeout", "=", "2s", "do"], ["doctor"]), (["help", "tr"], ["tree"]),
            (["wait", "--technology", "k"], ["keyboard"]), (["completions", ""], ["bash", "zsh", "fish"]),
            (["find", "--limit", ""], []), (["find", "x"], []), (["get", "--up"], []),
            (["watch", "--up"], ["--updates"]),
        ])
    func bash(words: [String], offered: [String]) throws {
        let script = """
            source "$1"
            shift
            COMP_WORDS=(focusctl "$@")
            COMP_CWORD=$#
            _focusctl
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let run = try Run("bash", ["-c", script, "bash", Manual.file("focusctl.bash")] + words)
        #expect(run.lines.filter { !$0.isEmpty } == offered)
        #expect(run.errors == "")
    }

    @Test(
        "zsh completes",
        arguments: [
            ("focusctl w", ["wait", "watch"]), ("focusctl focus --ro", ["--route"]),
            ("focusctl focus --route ", ["activeDescendant", "grabFocus"]), ("focusctl get o", ["odilia", "orca"]),
            ("focusctl help tr", ["tree"]), ("focusctl watch --up", ["--updates"]),
        ])
    func zsh(line: String, offered: [String]) throws {
        let folder = try Folder()
        try FileManager.default.copyItem(atPath: Manual.file("_focusctl"), toPath: folder.path + "/_focusctl")
        let script = "\(Places.package)/Tests/Packaging/offered-by-zsh"
        let run = try Run("zsh", ["-f", script, folder.path, line])
        #expect(run.lines.filter { !$0.isEmpty }.sorted() == offered)
    }

    @Test(
        "fish completes",
        arguments: [
            ("w", ["wait", "watch"]), ("focus --ro", ["--route"]),
            ("focus --route ", ["activeDescendant", "grabFocus"]), ("get o", ["odilia", "orca"]),
            ("help tr", ["tree"]), ("get --up", []),
        ])
    func fish(line: String, offered: [String]) throws {
        let home = try Folder()
        let run = try Run(
            "fish",
            [
                "--no-config", "-c", "source $argv[1]; complete -C \"focusctl $argv[2]\"", Manual.file("focusctl.fish"),
                line,
            ],
            environment: ["HOME": home.path, "XDG_CONFIG_HOME": home.path, "XDG_DATA_HOME": home.path])
        #expect(run.lines.compactMap { $0.split(separator: "\t").first.map(String.init) }.sorted() == offered)
    }

    @Test(
        "every command and option is in the completion of every shell",
        arguments: ["focusctl.bash", "_focusctl", "focusctl.fish"])
    func complete(file: String) throws {
        let text = try String(contentsOfFile: Manual.file(file), encoding: .utf8)
        let overview = try Run(Places.products + "/focusctl", ["help"]).output
        let parts = overview.components(separatedBy: "\n\n")
        let commands = parts.first { $0.hasPrefix("Commands:") }?.matches(of: /\n  ([a-z]+)/).map { String($0.1) } ?? []
        #expect(commands.count >= 18)
        for command in commands {
            #expect(text.contains(" \(command)") || text.contains("'\(command)"), "\(command)")
            let help = try Run(Places.products + "/focusctl", ["help", command]).output
            for option in help.matches(of: /\n  (?:-h, )?--([a-z]+)/) {
                #expect(text.contains("--\(option.1)") || text.contains("-l \(option.1) "), "\(option.1)")
            }
        }
    }
}
