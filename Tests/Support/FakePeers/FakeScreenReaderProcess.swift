import Foundation

/// A fake screen reader in a process of its own, whose command line says what it is, as `orca`.
package final class FakeScreenReaderProcess: Sendable {
    /// Its process, for signals and its end.
    package let process: ChildProcess
    /// Its unique name on the bus.
    package let busName: String

    /// An Orca that is not installed here, so that nobody knows its version.
    package static let unknownOrca = "/fake/orca"

    /// Starts it and waits until it is on the bus. `name` is the first word of its command line.
    package init(
        bus address: String, as name: String = unknownOrca, registers: Bool = false, follows: Bool = true,
        within deadline: Duration = .seconds(20)
    ) throws {
        process = try ChildProcess(
            executable: try Self.executable(),
            commandLine: [name, address] + (registers ? ["--register"] : []) + (follows ? [] : ["--deaf"]))
        do {
            let ready = try process.lines.waitBlocking(within: deadline, for: "fake screen reader")
            guard ready.hasPrefix("READY :") else { throw FakePeerError.unexpectedAnswer(ready) }
            busName = String(ready.dropFirst("READY ".count))
        } catch {
            process.end()
            throw error
        }
    }

    /// Its process id.
    package var pid: Int32 { process.pid }

    /// Presents an element; answers when it did, by CLOCK_MONOTONIC, after the bus has passed it on.
    @discardableResult
    package func present(
        mode: String = "focus-tracking", bus: String, path: String, start: Int32 = 0, end: Int32 = 0
    ) async throws -> Int64 {
        let answer = try await ask("present \(mode) \(bus) \(path) \(start) \(end)")
        guard let time = Int64(answer) else { throw FakePeerError.unexpectedAnswer(answer) }
        return time
    }

    /// The same for a node of a fake application.
    @discardableResult
    package func present(_ key: String, of application: FakeApplication, mode: String = "focus-tracking") async throws
        -> Int64
    {
        try await present(mode: mode, bus: application.busName, path: application.node(key).path)
    }

    /// Presents two elements in turn, `count` times in all; returns when the bus has passed all of them on.
    package func storm(count: Int, bus: String, paths: (String, String), perSecond: Int? = nil) async throws {
        let pace = perSecond.map { " \($0)" } ?? ""
        _ = try await ask("storm \(count) \(bus) \(paths.0) \(paths.1)\(pace)", within: .seconds(600))
    }

    /// Whether it presents what has the keyboard focus.
    package func follow(_ follows: Bool) async throws { _ = try await ask("follow \(follows ? "on" : "off")") }

    /// What it does about active descendants.
    package func setDescendants(_ policy: FakeScreenReader.Descendants) async throws {
        switch policy {
        case .follow: _ = try await ask("descendants follow")
        case .ignore: _ = try await ask("descendants ignore")
        case .followAfter(let delay):
            _ = try await ask("descendants after \(Int((delay.timeInterval * 1000).rounded()))")
        case .presentFirst(let other): _ = try await ask("descendants first \(other.bus) \(other.path)")
        }
    }

    /// Whether it signals again when it already is on the element.
    package func repeatSameElement(_ repeats: Bool) async throws {
        _ = try await ask("repeat \(repeats ? "on" : "off")")
    }

    /// Registers its events with the registry.
    package func registerEvents() async throws { _ = try await ask("register") }

    /// How many elements it presented so far, told to or following.
    package func presentedCount() async throws -> Int {
        let answer = try await ask("presented")
        guard let count = Int(answer) else { throw FakePeerError.unexpectedAnswer(answer) }
        return count
    }

    /// The signals with this name that came so far; waits until there are so many.
    package func heard(_ member: String, _ count: Int = 1) async throws -> [FakeMention] {
        try mentions(await ask("heard \(member) \(count)"))
    }

    /// Has it serve a remote controller on a session bus.
    package func serveController(
        _ generation: FakeRemoteController.Generation, on session: PrivateBus,
        answer: FakeRemoteController.Answer = .yes
    ) async throws {
        _ = try await ask("controller \(generation.rawValue) \(answer.rawValue) \(session.address)")
    }

    /// What its remote controller was told so far; waits until it is so much.
    package func told(_ count: Int) async throws -> [FakeMention] { try mentions(await ask("told \(count)")) }

    private func mentions(_ answer: String) throws -> [FakeMention] {
        try JSONDecoder().decode([FakeMention].self, from: Data(answer.utf8))
    }

    /// Sends one command line and gives what follows `ok`.
    package func ask(_ command: String, within deadline: Duration = .seconds(20)) async throws -> String {
        let number = try process.send(command)
        // ORDER: the first line is READY; then one answer a command, in order.
        let answer = try await process.lines.wait(number + 1, within: deadline, for: "answer to \(command)")
        guard answer.hasPrefix("ok ") else { throw FakePeerError.unexpectedAnswer(answer) }
        return String(answer.dropFirst("ok ".count))
    }

    /// Ends it in order, as a user who quits it.
    package func quit() { process.end() }

    /// Kills it, as a crash.
    package func crash() {
        process.signal(SIGKILL)
        process.end()
    }

    /// Stops or continues the process.
    package func freeze(_ isFrozen: Bool) { process.signal(isFrozen ? SIGSTOP : SIGCONT) }

    private static func executable() throws -> String {
        let name = "fake-screen-reader"
        let starts = [
            Bundle.main.executableURL, CommandLine.arguments.first.map { URL(fileURLWithPath: $0) },
            URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath(),
        ].compactMap { $0 }
        for start in starts + Bundle.allBundles.map(\.bundleURL) {
            var folder = start.deletingLastPathComponent()
            for _ in 0..<4 {
                let candidate = folder.appendingPathComponent(name).path
                if FileManager.default.isExecutableFile(atPath: candidate) { return candidate }
                folder.deleteLastPathComponent()
            }
        }
        throw FakePeerError.cannotRun("\(name) is not beside the tests: build it first")
    }
}
