import Foundation

/// Lines that another process writes, as they come; waiting for one has a deadline.
public final class LineReader: @unchecked Sendable {
    // SAFETY: everything that changes is guarded by `condition`.
    private let condition = NSCondition()
    private var lines: [String] = []
    private var next = 0
    private var hasEnded = false
    private let what: String

    /// Reads a pipe on a thread of its own until its end.
    public init(_ handle: FileHandle, what: String) {
        self.what = what
        Thread.detachNewThread { [self] in
            var buffer = Data()
            while true {
                let data = handle.availableData
                if data.isEmpty { break }
                buffer.append(data)
                while let newline = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = String(decoding: buffer[..<newline], as: UTF8.self)
                    buffer = Data(buffer[(newline + 1)...])
                    take(line)
                }
            }
            condition.withLock {
                hasEnded = true
                condition.broadcast()
            }
        }
    }

    private func take(_ line: String) {
        condition.withLock {
            lines.append(line)
            condition.broadcast()
        }
    }

    /// All lines so far.
    public var all: [String] { condition.withLock { lines } }

    /// The next line, after those already handed out, that fits; those before it are passed over.
    @discardableResult
    public func first(
        within seconds: Double = 20, _ description: String, where fits: (String) -> Bool
    ) throws -> String {
        let deadline = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        while true {
            while next < lines.count {
                next += 1
                if fits(lines[next - 1]) { return lines[next - 1] }
            }
            if hasEnded { throw Missing(what: "\(what) ended before: \(description)", seen: lines) }
            if !condition.wait(until: deadline) {
                throw Missing(what: "\(what) did not say within \(seconds) s: \(description)", seen: lines)
            }
        }
    }

    /// All lines, once no more can come.
    public func untilEnd(within seconds: Double) throws -> [String] {
        let deadline = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        while !hasEnded {
            guard condition.wait(until: deadline) else {
                throw Missing(what: "\(what) did not end within \(seconds) s", seen: lines)
            }
        }
        return lines
    }

    @discardableResult
    public func line(_ text: String, within seconds: Double = 20) throws -> String {
        try first(within: seconds, text) { $0 == text }
    }
}

/// Something awaited did not come.
public struct Missing: Error, CustomStringConvertible {
    public let what: String
    public let seen: [String]

    public init(what: String, seen: [String] = []) {
        self.what = what
        self.seen = seen
    }

    public var description: String {
        what + (seen.isEmpty ? "" : "\nseen:\n  " + seen.suffix(30).joined(separator: "\n  "))
    }
}
