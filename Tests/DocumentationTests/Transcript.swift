/// A recording of a terminal: commands after `$ `, and what came of each.
struct Transcript {
    struct Entry {
        /// With its further lines, where it has some: those begin with `> `.
        var command: [String]
        var output: [String]
        /// Whether the reader ended it by Ctrl-C.
        var isInterrupted: Bool
    }

    private(set) var entries: [Entry] = []
    /// Nil where something comes before the first command.
    init?(_ lines: [String]) {
        for line in lines {
            if line.hasPrefix("$ ") {
                entries.append(Entry(command: [String(line.dropFirst(2))], output: [], isInterrupted: false))
            } else if entries.isEmpty {
                return nil
            } else {
                let last = entries.count - 1
                if line.hasPrefix("> "), entries[last].output.isEmpty {
                    entries[last].command.append(String(line.dropFirst(2)))
                } else if line == "^C" {
                    entries[last].isInterrupted = true
                } else {
                    entries[last].output.append(line)
                }
            }
        }
        for index in entries.indices {
            while entries[index].output.last?.isEmpty == true { entries[index].output.removeLast() }
        }
    }

    /// The same with other output, as lines of a page.
    func lines(withOutputs outputs: [[String]]) -> [String] {
        var lines: [String] = []
        for (entry, output) in zip(entries, outputs) {
            if !lines.isEmpty { lines.append("") }
            lines += ["$ \(entry.command[0])"] + entry.command.dropFirst().map { "> \($0)" } + output
            if entry.isInterrupted { lines.append("^C") }
        }
        return lines
    }

    /// What is different between what a page shows and what came; nil where nothing is.
    ///
    /// Numbers, ages and the width of columns do not count. A line `…` stands for any lines, `…` in a line for anything.
    static func difference(shown: [String], real: [String]) -> String? {
        if fits(shown[...].map(plain), real[...].map(plain)[...]) { return nil }
        return "shown:\n  " + shown.joined(separator: "\n  ") + "\nbut it was:\n  " + real.joined(separator: "\n  ")
    }

    private static func fits(_ shown: [String], _ real: ArraySlice<String>) -> Bool {
        var real = real
        for (index, line) in shown.enumerated() {
            if line == "…" {
                let rest = Array(shown[(index + 1)...])
                return (real.startIndex...real.endIndex).contains { fits(rest, real[$0...]) }
            }
            guard let first = real.popFirst(), fits(line: line, first) else { return false }
        }
        return real.isEmpty
    }

    private static func fits(line shown: String, _ real: String) -> Bool {
        let parts = shown.split(separator: "…", omittingEmptySubsequences: false)
        guard parts.count > 1, let first = parts.first, let last = parts.last else { return shown == real }
        guard real.hasPrefix(first), real.hasSuffix(last), real.count >= first.count + last.count else { return false }
        var rest = real.dropFirst(first.count).dropLast(last.count)
        for part in parts.dropFirst().dropLast() {
            guard let range = rest.firstRange(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return true
    }

    /// How Orca came there is left out: under load another route may be the one that is confirmed.
    private static func plain(_ line: String) -> String {
        line.replacing(/\(route \w+, .*$/, with: "(route)")
            .replacing(/just now|\d+ (ms|s|min|h|d) ago/, with: "AGO")
            .replacing(/#[0-9a-z]+-[0-9]+/, with: "#0")
            .replacing(/[0-9]+(\.[0-9]+)*/, with: "0")
            .replacing(/0 (ms|s)\b/, with: "0 s")
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
