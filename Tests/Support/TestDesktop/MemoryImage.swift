import Foundation

/// A text that stands nowhere by chance: long, random, and typed with plain keys.
public struct Secret: Sendable {
    public static let length = 24
    /// A piece this long is proof that the text was there.
    private static let pieceLength = 6

    public let text: String

    public init() {
        // No word of a test's windows begins like this.
        text =
            "q7"
            + String((2..<Secret.length).map { _ in "abcdefghijklmnopqrstuvwxyz0123456789".randomElement() ?? "x" })
    }

    /// The bytes of every piece of it, in UTF-8, UTF-16 and UTF-32.
    var pieces: [Data] {
        let letters = Array(text.utf8)
        return (0...letters.count - Secret.pieceLength).flatMap { start in
            let piece = letters[start..<start + Secret.pieceLength]
            return [
                Data(piece), Data(piece.flatMap { [$0, 0] }), Data(piece.flatMap { [0, $0] }),
                Data(piece.flatMap { [$0, 0, 0, 0] }), Data(piece.flatMap { [0, 0, 0, $0] }),
            ]
        }
    }

    /// Whether any piece of it is among these bytes.
    public func isPart(of bytes: Data) -> Bool { pieces.contains { bytes.range(of: $0) != nil } }
}

/// What lies in the memory of a process, whoever put it there.
public enum MemoryImage {
    /// The words of those secrets of which any piece is in it, in any encoding.
    public static func search(_ pid: Int32, for secrets: [String: Secret]) throws -> Set<String> {
        let tool = try ChildProcess(
            Places.window("search-memory"), ["\(pid)"], environment: ProcessInfo.processInfo.environment)
        for (word, secret) in secrets {
            for piece in secret.pieces {
                try tool.send("\(word) " + piece.map { String(format: "%02x", $0) }.joined())
            }
        }
        tool.endInput()
        // Less than that is not all that there is of a running program.
        let done = try tool.output.first(within: 120, "the end of the search") { $0.hasPrefix("DONE ") }
        guard let bytes = done.split(separator: " ").last.flatMap({ Int($0) }), bytes > 1 << 20 else {
            throw Missing(what: "the memory of \(pid) cannot be read: \(done)", seen: tool.errors.all)
        }
        return Set(
            tool.output.all.compactMap { line in
                let words = line.split(separator: " ")
                return words.first == "FOUND" && words.count > 1 ? String(words[1]) : nil
            })
    }
}
