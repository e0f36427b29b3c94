import Glibc
import Synchronization

/// Standard error, line by line. It never waits for whoever reads them: a log that stands still must not hold anything up.
package final class ErrorLines: Sendable {
    /// What a pipe that has room at all takes in one piece.
    private static let maximumBytes = 4_096

    private let lost = Mutex(0)

    package init() {}

    /// Writes a line whole, or not at all where there is no room. `notice` is the line that says later how many were lost.
    package func write(_ line: String, notice: (Int) -> String) {
        lost.withLock { lost in
            if lost > 0, ErrorLines.put(notice(lost)) { lost = 0 }
            if lost > 0 || !ErrorLines.put(line) { lost += 1 }
        }
    }

    private static func put(_ line: String) -> Bool {
        // The descriptor cannot be told not to wait: a shell or another program may write to the same terminal.
        var entry = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        guard poll(&entry, 1, 0) == 1, entry.revents & Int16(POLLOUT) != 0 else { return false }
        let bytes = Array(line.utf8.prefix(maximumBytes - 1)) + [UInt8(ascii: "\n")]
        return Glibc.write(STDERR_FILENO, bytes, bytes.count) == bytes.count
    }
}
