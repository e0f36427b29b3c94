import EventLoop
import Glibc

/// Lines on standard error with the journal's levels. Never names, texts or titles of accessibles above debug.
package struct Log: Sendable {
    /// The journal's numbers: smaller is graver.
    package enum Level: Int, Sendable {
        case error = 3, warning = 4, info = 6, debug = 7
    }

    let threshold: Level
    private let lines = ErrorLines()
    /// A person who reads along has no use for the journal's numbers.
    private let isTerminal = isatty(STDERR_FILENO) == 1

    package init(threshold: Level = .info) {
        self.threshold = threshold
    }

    /// A bug of ours, or why there is no service.
    package func error(_ text: @autoclosure () -> String) { write(.error, text) }

    /// The world misbehaved.
    package func warning(_ text: @autoclosure () -> String) { write(.warning, text) }

    /// A step that a user can see.
    package func info(_ text: @autoclosure () -> String) { write(.info, text) }

    package func debug(_ text: @autoclosure () -> String) { write(.debug, text) }

    private func write(_ level: Level, _ text: () -> String) {
        guard level.rawValue <= threshold.rawValue else { return }
        // One line an event, whatever a peer put into it.
        let line = text().unicodeScalars.map { $0.properties.generalCategory == .control ? " " : String($0) }.joined()
        lines.write("\(beginning(level))\(line)") {
            "\(beginning(.warning))\($0 == 1 ? "one line was" : "\($0) lines were") lost here, as nobody read the log"
        }
    }

    private func beginning(_ level: Level) -> String { isTerminal ? "focusd: " : "<\(level.rawValue)>focusd: " }
}
