import Foundation

/// The built focusd, started in an environment of the test's choosing; its socket is served when this is made.
public final class FocusdProcess: @unchecked Sendable {
    // SAFETY: nothing changes after `init`.
    public let process: ChildProcess
    public let runtimeFolder: String

    /// `launcher` is a program that starts it, with its arguments before focusd's own.
    public init(environment: [String: String], arguments: [String] = [], launcher: [String] = []) throws {
        runtimeFolder = environment["XDG_RUNTIME_DIR"] ?? ""
        let command = launcher + [try Places.product("focusd")] + arguments
        process = try ChildProcess(command[0], Array(command.dropFirst()), environment: environment)
        try process.errors.first("serving its socket") { $0.contains("serving") }
    }

    public func stop() throws {
        process.signal(SIGTERM)
        try process.wait()
    }
}

/// What the machine must have for a test; missing is a named skip on a desk, and a failure where all is required.
public enum Requirements {
    private static let environment = ProcessInfo.processInfo.environment
    private static let isEverythingRequired = environment["FOCUSD_REQUIRE_ALL"] == "1"

    /// Tests on a real desktop run where all its programs are, in a process-id namespace of their own.
    public static let hasDesktop = check(
        ["/usr/bin/orca", "/usr/bin/Xvfb", "/usr/bin/openbox", "/usr/bin/xdotool"],
        environment["FOCUSD_TEST_NAMESPACE"] == "1")

    /// Tests with a window of every toolkit run where all of them are.
    public static let hasToolkits = check(
        [
            "/usr/bin/Xvfb", "/usr/bin/openbox", "/usr/bin/firefox-esr", "/usr/lib/python3/dist-packages/PyQt5",
            "/usr/lib/python3/dist-packages/PyQt6",
        ],
        environment["FOCUSD_TEST_NAMESPACE"] == "1")

    private static func check(_ files: [String], _ isMet: Bool) -> Bool {
        // Where everything is required the test runs, and fails by itself where something is missing.
        isEverythingRequired || (isMet && files.allSatisfy(FileManager.default.isExecutableFile(atPath:)))
    }
}
