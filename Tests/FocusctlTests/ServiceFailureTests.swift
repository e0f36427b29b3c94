import FocusProtocol
import Foundation
import Glibc
import Testing

@Suite struct ServiceFailureTests {
    static let everyCommand = [
        ["get"], ["get", "orca"], ["watch"], ["technologies"], ["apps"], ["stats"], ["focus", ":1.5/a"], ["doctor"],
        ["find", "a"], ["tree"], ["wait", "a"], ["focus", "a"], ["bind", "a=b"], ["bind", "a=b", "--exec", "true"],
        ["watch", "--exec", "true"],
        ["set", "a", "b"], ["set", "a", "--none"], ["states"], ["unbind", "a"], ["announce", "a"],
    ]

    private func run(_ arguments: [String], _ folder: String?) throws -> RunResult {
        try Focusctl(arguments, runtimeFolder: folder).finish()
    }

    @Test(arguments: everyCommand) func noServiceIsFourAndSaysWhichPathWasTried(command: [String]) throws {
        let folder = try RuntimeFolder()
        let result = try run(command, folder.path)
        #expect(
            (result.output + result.errors).contains(
                "there is no focusd at \(folder.socket): No such file or directory"))
        #expect((result.output + result.errors).contains("Run 'focusd' in this desktop session."))
        #expect(result.exitCode == 4)
    }

    @Test(arguments: everyCommand) func serviceThatNeverAnswersIsThreeByTheDeadline(command: [String]) throws {
        let folder = try RuntimeFolder()
        let service = try ScriptedService(in: folder) { _ in [] }
        defer { service.end() }
        let start = ContinuousClock.now
        let result = try run(command + ["--timeout", "150ms"], folder.path)
        let took = ContinuousClock.now - start
        #expect(result.exitCode == 3)
        #expect((result.output + result.errors).contains("focusd did not answer within"))
        #expect(took >= .milliseconds(150))
        #expect(took < .seconds(25))
    }

    @Test func answerThatTricklesInDoesNotMoveTheDeadline() throws {
        let folder = try RuntimeFolder()
        // Without its NUL byte a message is never whole.
        let service = try ScriptedService(in: folder) { _ in [.bytes(Array(#"{"parameters":{"#.utf8))] }
        defer { service.end() }
        #expect(try run(["apps", "--timeout=0.2"], folder.path).exitCode == 3)
    }

    @Test func deadSocketIsNoService() throws {
        let folder = try RuntimeFolder()
        let service = try ScriptedService(in: folder) { _ in [] }
        service.end()
        // A service that was shut down takes no connection, but its file is still there.
        let result = try run(["apps"], folder.path)
        #expect(result.exitCode == 4)
        #expect(result.errors.contains(folder.socket))
    }

    @Test func fileInPlaceOfTheSocketIsNoService() throws {
        let folder = try RuntimeFolder()
        try Data().write(to: URL(fileURLWithPath: folder.socket))
        let result = try run(["apps"], folder.path)
        #expect(result.errors.hasPrefix("focusctl: there is no focusd at \(folder.socket): Connection refused\n"))
        #expect(result.exitCode == 4)
    }

    @Test(
        arguments: [
            "garbage", "", "null", "[]", "{}", #"{"parameters":null}"#, #"{"parameters":{}}"#,
            #"{"parameters":{"applications":[{}]}}"#, #"{"error":3}"#, #"{"parameters":{"applications":3}}"#,
            #"{"parameters":{"applications":[]},"continues":true}"#, "\u{FEFF}{",
            String(repeating: "[", count: 100_000),
        ])
    func garbageIsFourAndNoCrash(reply: String) throws {
        let folder = try RuntimeFolder()
        let service = try ScriptedService(in: folder) { _ in [.message(reply)] }
        defer { service.end() }
        let result = try run(["apps"], folder.path)
        #expect(result.exitCode == 4)
        #expect(result.errors.contains("does not speak as focusd does"))
        #expect(result.output == "")
    }

    @Test func invalidUTF8IsGarbage() throws {
        let folder = try RuntimeFolder()
        let service = try ScriptedService(in: folder) { _ in [.bytes([0x7B, 0xFF, 0xC0, 0x7D, 0])] }
        defer { service.end() }
        #expect(try run(["apps"], folder.path).exitCode == 4)
    }

    @Test func endlessMessageIsRefusedAtTheLimit() throws {
        let folder = try RuntimeFolder()
        let megabyte = ScriptedService.Step.bytes([UInt8](repeating: 0x20, count: 1_048_576))
        let service = try ScriptedService(in: folder) { _ in Array(repeating: megabyte, count: 18) }
        defer { service.end() }
        let result = try run(["apps"], folder.path)
        #expect(result.errors.contains("its answer is longer than 16 MiB"))
        #expect(result.exitCode == 4)
    }

    @Test func unknownFieldsAndNullsAreTaken() throws {
        let folder = try RuntimeFolder()
        let service = try ScriptedService(in: folder) { _ in
            [
                .message(
                    #"{"parameters":{"applications":[],"new":1,"instance":null},"continues":null,"error":null,"x":{}}"#)
            ]
        }
        defer { service.end() }
        let result = try run(["apps"], folder.path)
        #expect(result.exitCode == 0)
        #expect(result.output == "")
    }

    @Test func unknownErrorIsShownOnOneLineWithItsParameters() throws {
        let folder = try RuntimeFolder()
        let service = try ScriptedService(in: folder) { _ in
            [Samples.error(#"org.example.Odd\nName"#, #"{"n":1,"list":[true,null,1.5],"text":"a\u001bb"}"#)]
        }
        defer { service.end() }
        let result = try run(["apps"], folder.path)
        #expect(
            result.errors
                == "focusctl: focusd refused: org.example.Odd\\a Name (list: [true, null, 1.5], n: 1, text: a\\1b b)\n")
        #expect(result.exitCode == 1)
    }

    // MARK: - The place

    @Test func unsetRuntimeFolderIsFour() throws {
        for folder in [nil, "", "relative"] as [String?] {
            let result = try run(["get"], folder)
            #expect(result.errors.hasPrefix("focusctl: XDG_RUNTIME_DIR does not name a folder"))
            #expect(result.exitCode == 4)
        }
    }

    @Test func missingRuntimeFolderIsNamed() throws {
        let result = try run(["get"], "/nonexistent/folder/")
        #expect(
            result.errors.hasPrefix(
                "focusctl: the runtime folder /nonexistent/folder, in which focusd would be, does not exist\n"))
        #expect(result.exitCode == 4)
    }

    /// Whether a service in that place would be refused without a single call.
    private func expectRefusal(_ folder: RuntimeFolder, at path: String? = nil, _ words: String) throws {
        let service = try ScriptedService(in: folder) { _ in [] }
        defer { service.end() }
        let result = try run(["apps"], path ?? folder.path)
        #expect(result.errors.contains(words), "\(result.errors)")
        #expect(result.exitCode == 4)
        #expect(service.calls.isEmpty)
    }

    @Test func folderOpenToOthersIsRefused() throws {
        for mode: mode_t in [0o777, 0o750, 0o701] {
            let folder = try RuntimeFolder()
            chmod(folder.focusdFolder, mode)
            try expectRefusal(folder, "is open to other users (mode \(String(mode, radix: 8)))")
        }
        let folder = try RuntimeFolder()
        chmod(folder.path, 0o777)
        try expectRefusal(folder, "\(folder.path) is open to other users (mode 777)")
    }

    @Test func linksAreRefused() throws {
        let folder = try RuntimeFolder()
        let other = try RuntimeFolder(withFocusdFolder: false)
        symlink(folder.focusdFolder, other.focusdFolder)
        try expectRefusal(folder, at: other.path, "\(other.focusdFolder) is a link")

        let second = try RuntimeFolder()
        let link = second.path + "/link"
        symlink(second.path, link)
        try expectRefusal(second, at: link + "/", "\(link) is a link")
    }

    @Test func fileInPlaceOfTheFolderIsRefused() throws {
        let folder = try RuntimeFolder(withFocusdFolder: false)
        try Data().write(to: URL(fileURLWithPath: folder.focusdFolder))
        let result = try run(["apps"], folder.path)
        #expect(result.errors.contains("\(folder.focusdFolder) is not a folder"))
        #expect(result.exitCode == 4)
    }

    @Test func foreignFolderIsRefused() throws {
        guard geteuid() == 0 else {
            // Every folder that is not ours will do.
            let result = try run(["apps"], "/usr")
            #expect(result.errors.contains("/usr belongs to another user (uid 0)"))
            return
        }
        let folder = try RuntimeFolder()
        chown(folder.focusdFolder, 65534, 65534)
        try expectRefusal(folder, "\(folder.focusdFolder) belongs to another user (uid 65534)")
    }

    @Test(.enabled(if: geteuid() == 0, "only root can let another user listen in our folder"))
    func foreignListenerInOurOwnFolderIsRefused() throws {
        let folder = try RuntimeFolder()
        let listener = Process()
        listener.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        // The kernel keeps the credentials of the one who listens.
        let script = """
            import os, socket, sys
            server = socket.socket(socket.AF_UNIX)
            server.bind(sys.argv[1])
            os.seteuid(65534)
            server.listen()
            print("listening", flush=True)
            sys.stdin.read()
            """
        listener.arguments = ["-c", script, folder.socket]
        let (input, output) = (Pipe(), Pipe())
        listener.standardInput = input
        listener.standardOutput = output
        try listener.run()
        defer {
            input.fileHandleForWriting.closeFile()
            listener.waitUntilExit()
        }
        #expect(output.fileHandleForReading.readData(ofLength: 9) == Data("listening".utf8))
        let result = try run(["apps"], folder.path)
        #expect(result.errors.hasPrefix("focusctl: another user (uid 65534) answers at \(folder.socket)\n"))
        #expect(result.exitCode == 4)
    }

    @Test func serviceThatAcceptsNobodyIsThreeByTheDeadline() throws {
        let folder = try RuntimeFolder()
        // The queue of a service that listens but never accepts is full after two connections.
        let service = try SilentListener(at: folder.socket)
        let waiting = try (0..<2).map { _ in
            try Focusctl(["apps", "--timeout", "60s"], runtimeFolder: folder.path)
        }
        let result = try run(["apps", "--timeout", "300ms"], folder.path)
        #expect(result.exitCode == 3)
        service.end()
        for client in waiting { #expect(try client.finish().exitCode == 4) }
    }

    @Test func pathTooLongForASocketIsSaid() throws {
        let folder = try RuntimeFolder()
        let result = try run(["apps"], folder.path + String(repeating: "/very-long", count: 10))
        #expect(result.errors.contains("is longer than a socket's path can be"))
        #expect(result.exitCode == 4)
    }
}
