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
        do {
            try process.output.line("READY", within: 120)
        } catch {
            throw Missing(what: "no private desktop", seen: process.errors.all)
        }
        var environment = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]
        for line in process.output.all {
            guard let equals = line.firstIndex(of: "=") else { continue }
            environment[String(line[..<equals])] = String(line[line.index(after: equals)...])
        }
        self.environment = environment
    }

    /// All processes that were started on it, by what is in their environment.
    package func processes() throws -> [Int32] {
        let mark = Data("XDG_RUNTIME_DIR=\(runtimeFolder)".utf8)
        return try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }.filter {
            // Who ended meanwhile, or is not ours, cannot be read.
            FileManager.default.contents(atPath: "/proc/\($0)/environ")?.range(of: mark) != nil
        }
    }

    public var runtimeFolder: String { environment["XDG_RUNTIME_DIR"] ?? "" }
    public var folder: String { environment["FOCUSD_DESKTOP"] ?? "" }
    public var accessibilityBusAddress: String { environment["FOCUSD_A11Y_ADDRESS"] ?? "" }

    /// Presses keys, in xdotool's words, like `Tab` or `alt+Tab`.
    public func press(_ keys: String...) throws { try press(keys: keys) }

    public func press(keys: [String]) throws {
        let tool = try ChildProcess("/usr/bin/xdotool", ["key", "--delay", "0"] + keys, environment: environment)
        guard try tool.wait() == 0 else { throw Missing(what: "xdotool failed", seen: tool.errors.all) }
    }

    /// Activates the window with a title, as a task list does, and waits until it is the active one.
    public func activate(_ title: String) throws {
        let tool = try ChildProcess(
            "/usr/bin/xdotool", ["search", "--onlyvisible", "--name", "^\(title)$", "windowactivate", "--sync"],
            environment: environment)
        guard try tool.wait() == 0 else { throw Missing(what: "\(title) is not activated", seen: tool.errors.all) }
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
    private let debugFile: String
    /// What it speaks, as it does.
    package let speech: Record<String>

    /// One that replaces another does so as `orca --replace`: it kills every Orca of the user in this process-id namespace.
    public init(on desktop: PrivateDesktop, replacing: Bool = false) throws {
        debugFile = "\(desktop.folder)/orca-\(UUID().uuidString).debug"
        let folder = "\(desktop.environment["XDG_DATA_HOME"] ?? desktop.folder)/orca"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try RealOrca.customisation.write(
            toFile: "\(folder)/orca-customizations.py", atomically: true, encoding: .utf8)
        let process = try ChildProcess(
            "/usr/bin/python3", ["/usr/bin/orca", "--debug-file=\(debugFile)"] + (replacing ? ["--replace"] : []),
            environment: desktop.environment)
        try process.output.line("READY", within: 60)
        self.process = process
        speech = Record("Orca's speech") {
            try process.output.first(within: 3_600, "speech") { $0.hasPrefix("SPEAKS ") }
        }
    }

    /// Orca's own way to be adapted: it says when its main loop runs and what it speaks, and writes that at once.
    private static let customisation = """
        from gi.repository import GLib
        from orca import debug

        # It has another name in Orca 43.
        name = "print_message" if hasattr(debug, "print_message") else "println"
        write = getattr(debug, name)

        def written(level, text="", *more, **named):
            write(level, text, *more, **named)
            if str(text).startswith("SPEECH OUTPUT: "):
                print("SPEAKS " + str(text)[len("SPEECH OUTPUT: "):].split("'")[1], flush=True)

        def running():
            print("READY", flush=True)
            return False

        if debug.debugFile is not None:
            debug.debugFile.reconfigure(line_buffering=True)
        setattr(debug, name, written)
        GLib.idle_add(running, priority=GLib.PRIORITY_LOW)
        """

    public var pid: Int32 { process.pid }

    public func kill() { process.end() }

    /// Waits until Orca says that it spoke this text after the lines already seen.
    public func waitUntilSpoken(_ text: String, within seconds: Double = 20) throws {
        let deadline = Date(timeIntervalSinceNow: seconds)
        let file = open(debugFile, O_RDONLY)
        guard file >= 0 else { throw Missing(what: "Orca has no debug file") }
        defer { close(file) }
        let changes = inotify_init()
        guard changes >= 0 else { throw Missing(what: "no inotify: \(errno)") }
        defer { close(changes) }
        inotify_add_watch(changes, debugFile, UInt32(IN_MODIFY))
        while try !spokenLines().contains(where: { $0.contains(text) }) {
            let left = deadline.timeIntervalSinceNow
            guard left > 0 else { throw Missing(what: "Orca did not speak “\(text)”", seen: try spokenLines()) }
            var watched = pollfd(fd: changes, events: Int16(POLLIN), revents: 0)
            guard poll(&watched, 1, Int32(left * 1_000)) > 0 else { continue }
            var buffer = [UInt8](repeating: 0, count: 4_096)
            _ = read(changes, &buffer, buffer.count)
        }
    }

    public func spokenLines() throws -> [String] {
        let data = FileManager.default.contents(atPath: debugFile) ?? Data()
        return String(decoding: data, as: UTF8.self).split(separator: "\n").filter { $0.contains("SPEECH OUTPUT") }
            .map(String.init)
    }

    deinit { kill() }
}
