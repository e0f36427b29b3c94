import Foundation

/// A desktop without a screen, of one test's own: display, buses, window manager; taken down when it is let go.
public final class PrivateDesktop: @unchecked Sendable {
    // SAFETY: nothing changes after `init` but what locks itself.
    private let process: ChildProcess
    /// What programs on this desktop need to be started with.
    public let environment: [String: String]

    public init() throws {
        process = try ChildProcess(
            Places.script("private-desktop"), ["--serve"], environment: ProcessInfo.processInfo.environment)
        try process.output.line("READY", within: 60)
        var environment = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]
        for line in process.output.all {
            guard let equals = line.firstIndex(of: "=") else { continue }
            environment[String(line[..<equals])] = String(line[line.index(after: equals)...])
        }
        self.environment = environment
    }

    public var runtimeFolder: String { environment["XDG_RUNTIME_DIR"] ?? "" }
    public var folder: String { environment["FOCUSD_DESKTOP"] ?? "" }
    public var accessibilityBusAddress: String { environment["FOCUSD_A11Y_ADDRESS"] ?? "" }

    /// Presses keys, in xdotool's words, like `Tab` or `alt+Tab`.
    public func press(_ keys: String...) throws {
        let tool = try ChildProcess("/usr/bin/xdotool", ["key", "--delay", "0"] + keys, environment: environment)
        guard try tool.wait() == 0 else { throw Missing(what: "xdotool failed", seen: tool.errors.all) }
    }

    /// The reference of the accessible with a name, as another assistive technology finds it.
    public func reference(of name: String, in application: String) throws -> String {
        let tool = try ChildProcess(
            Places.window("find-accessible"), [application, name], environment: environment)
        let line = try tool.output.first(within: 30, "the accessible \(name) of \(application)") { $0.hasPrefix(":") }
        try tool.wait()
        return line
    }

    public func end() {
        do {
            process.endInput()
            try process.wait(within: 20)
        } catch {
            process.end()
        }
    }

    deinit { end() }
}

/// A real Orca on a private desktop, with silent speech. One for each user and process-id namespace.
public final class RealOrca: @unchecked Sendable {
    // SAFETY: nothing changes after `init`.
    private let process: ChildProcess
    private let desktop: PrivateDesktop
    private let debugFile: String

    public init(on desktop: PrivateDesktop) throws {
        self.desktop = desktop
        debugFile = "\(desktop.folder)/orca-\(UUID().uuidString).debug"
        process = try ChildProcess(
            "/usr/bin/python3", ["/usr/bin/orca", "--debug-file=\(debugFile)"], environment: desktop.environment)
    }

    public var pid: Int32 { process.pid }

    public func kill() { process.end() }

    /// Waits until Orca's debug file says that it spoke this text. Orca 43 writes the file late: a harmless key helps.
    public func waitUntilSpoken(_ text: String, within seconds: Double = 20) throws {
        let deadline = Date(timeIntervalSinceNow: seconds)
        var spoken: [String] = []
        repeat {
            spoken = try spokenLines()
            if spoken.contains(where: { $0.contains(text) }) { return }
            // Each press makes Orca write a little more of what it has said.
            try desktop.press("Shift_L", "Shift_R")
        } while Date() < deadline
        throw Missing(what: "Orca did not speak “\(text)”", seen: spoken)
    }

    public func spokenLines() throws -> [String] {
        let data = FileManager.default.contents(atPath: debugFile) ?? Data()
        return String(decoding: data, as: UTF8.self).split(separator: "\n").filter { $0.contains("SPEECH OUTPUT") }
            .map(String.init)
    }

    deinit { kill() }
}

/// A real GTK window whose parts have the same names in both toolkits.
public final class TestWindow: @unchecked Sendable {
    // SAFETY: nothing changes after `init`.
    public let process: ChildProcess
    public let application: String
    private let desktop: PrivateDesktop

    public enum Toolkit: String, CaseIterable, Sendable {
        case gtk3, gtk4
    }

    public init(_ toolkit: Toolkit, title: String = "Window", on desktop: PrivateDesktop) throws {
        application = "\(toolkit.rawValue)-window"
        self.desktop = desktop
        process = try ChildProcess(Places.window(application), [title], environment: desktop.environment)
        try process.output.line("READY", within: 40)
    }

    /// Gives a command, like `hide First`, and waits until it is done.
    public func tell(_ command: String) throws {
        try process.send(command)
        try process.output.line("ok \(command)")
    }

    public func reference(of name: String) throws -> String {
        try desktop.reference(of: name, in: application)
    }
}
