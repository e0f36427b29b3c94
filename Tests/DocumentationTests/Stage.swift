import Foundation
import TestDesktop

/// Where the blocks of one page run, one after the other: a working folder and, where the page wants it, a desktop.
final class Stage {
    let folder: String
    private let page: Page
    private var environment: [String: String]
    private let desktop: PrivateDesktop?
    private let orca: RealOrca?
    private let focusd: FocusdProcess?
    private var stays: [ChildProcess] = []

    init(for page: Page) throws {
        self.page = page
        folder = try Places.makeTemporaryFolder()
        for name in ["Examples", "scripts"] {
            try FileManager.default.createSymbolicLink(
                atPath: "\(folder)/\(name)", withDestinationPath: "\(Places.package)/\(name)")
        }
        guard page.scene != .none else {
            environment = ["HOME": folder, "XDG_RUNTIME_DIR": folder]
            (desktop, orca, focusd) = (nil, nil, nil)
            try completeEnvironment()
            return
        }
        let desktop = try PrivateDesktop()
        environment = desktop.environment
        let focusd = page.scene == .notes ? try FocusdProcess(environment: desktop.environment) : nil
        (self.desktop, self.focusd) = (desktop, focusd)
        orca = try RealOrca(on: desktop)
        try completeEnvironment()
        if focusd != nil {
            stays.append(try ChildProcess("\(folder)/Examples/Notes/notes", environment: environment))
            try focusctl("wait", "application[name=\"notes\"] frame:active", "--timeout", "60s")
        }
    }

    deinit {
        for process in stays { process.end() }
        // What is left lies in the system's temporary folder.
        do { try FileManager.default.removeItem(atPath: folder) } catch { print("not removed: \(folder): \(error)") }
    }

    private func completeEnvironment() throws {
        // Nobody has to walk to another window here: a pause in front of a command takes no time.
        let programs = "\(folder)/.programs"
        try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: "\(programs)/sleep", withDestinationPath: "/bin/true")
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        environment["PATH"] = "\(programs):\(try StillBlocks.products()):\(path)"
        environment["LC_ALL"] = "C.UTF-8"
    }

    private func focusctl(_ arguments: String...) throws {
        let tool = try ChildProcess(try Places.product("focusctl"), arguments, environment: environment)
        guard try tool.wait(within: 90) == 0 else {
            throw Missing(what: "focusctl \(arguments.joined(separator: " ")) failed", seen: tool.errors.all)
        }
    }

    /// Moves Orca and the keyboard. An Orca that has just started may miss what it is sent first: it is said again then.
    private func bringOrca(to name: String) throws {
        for _ in 0..<5 {
            do {
                return try focusctl("focus", "frame:active [name=\"\(name)\"]", "--timeout", "20s")
            } catch let missing as Missing {
                print("once more: \(missing)")
            }
        }
        throw Missing(what: "\(page.path): Orca did not come to \(name)")
    }

    private func press(_ key: String) throws {
        guard let desktop else { throw Missing(what: "\(page.path): keys need a scene") }
        try desktop.press(key)
    }

    // MARK: - Running

    /// A block that began and is to be looked at.
    struct Run {
        /// What is wrong, once it is over.
        let finish: () throws -> [String]
    }

    /// Begins a block; the answer is what is left to do for it.
    func begin(_ block: Block) throws -> Run {
        if let name = block.mark["at"] {
            try bringOrca(to: name)
            try focusctl("wait", "[name=\"\(name)\"]", "--focused", "--technology", "keyboard")
        }
        let run = try beginRun(block)
        return Run { [self] in
            let problems = try run.finish()
            for key in block.mark.words("after") { try press(key) }
            return problems
        }
    }

    private func beginRun(_ block: Block) throws -> Run {
        switch block.language {
        case "console": return try beginTranscript(block)
        case "varlink": return Run { [self] in try exchange(block) }
        default: return try beginProgram(block)
        }
    }

    private func beginProgram(_ block: Block) throws -> Run {
        let mark = block.mark
        let file = "\(folder)/\(mark["save"] ?? "block-\(block.line).\(block.language)")"
        try block.text.write(toFile: file, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file)
        if mark["save"] != nil { return Run { [] } }
        let interpreter =
            block.language == "sh"
            ? "sh -e"
            : block.text.contains("import varlink") ? "\(Places.package)/.venv/bin/python" : "/usr/bin/python3"
        let command = "cd '\(folder)' && exec \(interpreter) '\(file)' \"$@\" 2>&1"
        let process = try ChildProcess(
            "/bin/sh", ["-c", command, "sh"] + (mark["args"].map { [$0] } ?? []), environment: environment)
        // What is ended by the test may read from a terminal as long as it runs.
        if mark["until"] == nil { process.endInput() }
        for key in mark.words("press") { try press(key) }
        for key in mark.words("keys") {
            try process.output.first("a line before \(key)") { _ in true }
            try press(key)
        }
        if let text = mark["stays"] {
            if !text.isEmpty { try process.output.first(within: 60, text) { $0.contains(text) } }
            stays.append(process)
        } else if mark["beside"] != nil {
            try process.output.first("a line") { _ in true }
        }
        return Run { [self] in try finishProgram(process, block) }
    }

    private func finishProgram(_ process: ChildProcess, _ block: Block) throws -> [String] {
        let mark = block.mark
        if let text = mark["until"] {
            if !process.output.all.contains(where: { $0.contains(text) }) {
                try process.output.first(within: 60, text) { $0.contains(text) }
            }
            process.end()
        } else if mark["stays"] == nil {
            let status = try process.wait(within: 120)
            let expected = Int32(mark["exit"] ?? "0") ?? 0
            guard status == expected else {
                let said = try process.output.untilEnd(within: 20).joined(separator: "\n")
                return ["\(block.place): it ended with \(status), not \(expected):\n\(said)"]
            }
            _ = try process.output.untilEnd(within: 20)
        }
        for text in mark.all("speaks") { try orca?.waitUntilSpoken(text) }
        let output = process.output.all
        return mark.all("prints").filter { text in !output.contains { $0.contains(text) } }.map {
            "\(block.place): it does not print `\($0)` but:\n" + output.joined(separator: "\n")
        }
    }

    private func beginTranscript(_ block: Block) throws -> Run {
        guard let transcript = Transcript(block.lines) else {
            return Run { ["\(block.place): a recording begins with `$ ` and a command"] }
        }
        let terminal = try Terminal(folder: folder, environment: environment)
        var keys = block.mark.words("keys")
        var outputs: [[String]] = []
        let isBeside = block.mark["beside"] != nil
        for (index, entry) in transcript.entries.enumerated() {
            try terminal.begin(entry.command)
            if entry.isInterrupted {
                var lines = try terminal.lines(1).count
                while !keys.isEmpty {
                    try press(keys.removeFirst())
                    lines += 1
                    _ = try terminal.lines(lines)
                }
                if isBeside, index == transcript.entries.count - 1 { break }
                _ = try terminal.lines(Recording.isOn ? lines : entry.output.count)
            }
            outputs.append(try terminal.finish(isInterrupted: entry.isInterrupted))
        }
        return Run { [outputs] in
            var outputs = outputs
            if isBeside, let last = transcript.entries.last {
                if !Recording.isOn { _ = try terminal.lines(last.output.count) }
                outputs.append(try terminal.finish(isInterrupted: true))
            }
            if Recording.isOn {
                // What a page shows stays where it fits: it may leave lines out.
                let kept = zip(transcript.entries, outputs).map { entry, output in
                    Transcript.difference(shown: entry.output, real: output) == nil ? entry.output : output
                }
                Recording.add(block, transcript.lines(withOutputs: kept))
                return []
            }
            return zip(transcript.entries, outputs).compactMap { entry, output in
                Transcript.difference(shown: entry.output, real: output).map {
                    "\(block.place): $ \(entry.command.joined(separator: "\n"))\n\($0)"
                }
            }
        }
    }

    private func exchange(_ block: Block) throws -> [String] {
        guard let messages = WireExchange.parsed(block.lines) else { return [] }
        var keys = block.mark.words("keys")
        let problems = try WireExchange.problems(
            messages, socket: "\(environment["XDG_RUNTIME_DIR"] ?? "")/focusd/io.focusd.Focus"
        ) { if !keys.isEmpty { try press(keys.removeFirst()) } }
        return problems.map { "\(block.place): \($0)" }
    }
}
