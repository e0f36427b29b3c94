import Foundation
import TestDesktop
import Testing

/// The real focusd reads its settings, or says what is wrong with them and does nothing else.
struct ConfigurationTests {
    /// A home of the test's own, and what focusd said there.
    private final class Home {
        let folder: String

        init() throws { folder = try Places.makeTemporaryFolder() }

        deinit {
            do { try FileManager.default.removeItem(atPath: folder) } catch { print("left behind: \(error)") }
        }

        var usualFile: String { "\(folder)/.config/focusd/focusd.conf" }

        func write(_ text: String, to file: String? = nil) throws {
            let url = URL(fileURLWithPath: file ?? usualFile)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }

        func run(_ arguments: [String], _ environment: [String: String] = [:]) throws -> (
            status: Int32, output: [String], errors: [String]
        ) {
            let usual = ["HOME": folder, "XDG_RUNTIME_DIR": folder]
            let process = try ChildProcess(
                try Places.product("focusd"), arguments,
                environment: usual.merging(environment) { _, changed in changed })
            let status = try process.wait()
            return (status, try process.output.untilEnd(within: 20), try process.errors.untilEnd(within: 20))
        }
    }

    private let defaults = [
        "technologies = orca, odilia", "mirror = demand", "keep-mirror = 60s", "max-nodes-per-application = 200000",
        "max-nodes = 1000000", "max-children-per-object = 50000", "max-depth = 1000", "max-name-bytes = 4096",
        "max-calls-in-flight = 64", "remember-trouble = 600s",
    ]

    @Test("Without a file everything is as usual", arguments: [[:], ["HOME": ""], ["XDG_CONFIG_HOME": "relative"]])
    func noFile(environment: [String: String]) throws {
        let home = try Home()
        let run = try home.run(["--print-config"], environment)
        #expect(run.output == defaults)
        #expect(run.status == 0)
        let check = try home.run(["--check-config"], environment)
        #expect(check.output.first?.hasSuffix("focusd/focusd.conf is not there: everything is as usual") == true)
        #expect(check.status == 0)
    }

    @Test("The usual file is read, and an option has the last word")
    func usualFile() throws {
        let home = try Home()
        try home.write("mirror = desktop\ntechnologies = one\n")
        #expect(try home.run(["--print-config"]).output.prefix(2) == ["technologies = one", "mirror = desktop"])
        let changed = try home.run(["--technologies=two,three", "--print-config"])
        #expect(changed.output.prefix(2) == ["technologies = two, three", "mirror = desktop"])
        #expect(try home.run(["--check-config"]).output == ["\(home.usualFile) is right"])
    }

    @Test("The folder of settings that the environment names comes before the usual one")
    func otherFolder() throws {
        let home = try Home()
        try home.write("max-depth = 20")
        try home.write("max-depth = 30", to: "\(home.folder)/other/focusd/focusd.conf")
        let run = try home.run(["--print-config"], ["XDG_CONFIG_HOME": "\(home.folder)/other"])
        #expect(run.output.contains("max-depth = 30"))
    }

    @Test("A file that is named is read and no other", arguments: [true, false])
    func namedFile(isOneWord: Bool) throws {
        let home = try Home()
        try home.write("nonsense")
        let file = "\(home.folder)/mine.conf"
        try home.write("keep-mirror = 5m", to: file)
        let run = try home.run((isOneWord ? ["--config=\(file)"] : ["--config", file]) + ["--print-config"])
        #expect(run.output.contains("keep-mirror = 300s"))
    }

    @Test(
        "A wrong file is named with its line, and nothing is started",
        arguments: [[], ["--check-config"], ["--print-config"]])
    func wrongFile(arguments: [String]) throws {
        let home = try Home()
        try home.write("# mine\nmirorr = desktop\n")
        let run = try home.run(arguments)
        #expect(run.status == 2)
        #expect(run.output == [])
        #expect(run.errors.count == 1)
        #expect(
            run.errors.first?.hasPrefix(
                "<3>focusd: \(home.usualFile), line 2: `mirorr` is not a setting; did you mean `mirror`? ") == true)
        #expect(!FileManager.default.fileExists(atPath: "\(home.folder)/focusd"))
    }

    @Test("A file that cannot be read is an error that says why")
    func unreadable() throws {
        let home = try Home()
        let missing = try home.run(["--config", "\(home.folder)/missing"])
        #expect(missing.status == 2)
        #expect(missing.errors == ["<3>focusd: \(home.folder)/missing cannot be read: No such file or directory"])
        let folder = try home.run(["--config", home.folder])
        #expect(folder.status == 2)
        #expect(folder.errors == ["<3>focusd: \(home.folder) cannot be read: it is not a file"])
        try home.write(String(repeating: "#\n", count: 40_000))
        #expect(try home.run([]).errors == ["<3>focusd: \(home.usualFile) has more than 65536 bytes"])
        let pipe = "\(home.folder)/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(try home.run(["--config", pipe]).errors == ["<3>focusd: \(pipe) cannot be read: it is not a file"])
    }

    @Test("An option without its file is an error")
    func noName() throws {
        let home = try Home()
        for arguments in [["--config"], ["--config="]] {
            let run = try home.run(arguments)
            #expect(run.status == 2)
            #expect(run.errors == ["<3>focusd: --config needs a file, like --config focusd.conf"])
        }
    }

    @Test("focusd serves with the settings of a right file")
    func serves() throws {
        let home = try Home()
        try home.write("mirror = desktop\n")
        let focusd = try FocusdProcess(environment: ["HOME": home.folder, "XDG_RUNTIME_DIR": home.folder])
        try focusd.stop()
    }
}
