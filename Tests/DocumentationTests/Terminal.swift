import Foundation
import TestDesktop

/// A shell on a terminal of its own, as a person has it: programs see a terminal, and Ctrl-C is a key.
final class Terminal {
    private static let columns = 118
    private let process: ChildProcess
    private let folder: String
    private var commands = 0
    /// How many lines of its output belong to commands that are over.
    private var seen = 0

    init(folder: String, environment: [String: String]) throws {
        self.folder = folder
        var environment = environment
        environment["PS1"] = ""
        environment["PS2"] = ""
        environment["TERM"] = "dumb"
        environment["HISTFILE"] = ""
        let shell =
            "stty -echo noflsh cols \(Terminal.columns) rows 40; cd '\(folder)'; "
            + "exec bash --noprofile --norc --noediting"
        process = try ChildProcess("/usr/bin/script", ["-q", "-e", "-c", shell, "/dev/null"], environment: environment)
        try process.send("echo READY")
        try process.output.first("a shell") { $0.hasPrefix("READY") }
        seen = process.output.all.count
    }

    /// Begins a command; its output is waited for with ``lines(_:)`` and ``finish(isInterrupted:)``.
    func begin(_ command: [String]) throws {
        commands += 1
        let file = "\(folder)/.command-\(commands)"
        try command.map { $0 + "\n" }.joined().write(toFile: file, atomically: true, encoding: .utf8)
        try process.send(". '\(file)' </dev/null")
    }

    /// The lines that a command wrote so far, once there are so many.
    func lines(_ count: Int) throws -> [String] {
        while output.count < count { try process.output.first(within: 30, "line \(count)") { _ in true } }
        return output
    }

    /// Waits for the command's end, after Ctrl-C where it does not end by itself, and answers all that it wrote.
    func finish(isInterrupted: Bool) throws -> [String] {
        if isInterrupted { try process.send("\u{3}") }
        try process.send("echo; echo END-\(commands)")
        try process.output.first(within: 90, "the end of a command") { [commands] in $0.hasPrefix("END-\(commands)") }
        var lines = output
        seen = process.output.all.count
        lines.removeLast()
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    private var output: [String] {
        process.output.all.dropFirst(seen).map { $0.hasSuffix("\r") ? String($0.dropLast()) : $0 }
    }
}
