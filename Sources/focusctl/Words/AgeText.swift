/// How long ago something was, in words.
enum AgeText {
    /// The age of a moment of CLOCK_MONOTONIC; nil where the moment is not known.
    static func text(since microseconds: Int64, now: Int64) -> String? {
        guard microseconds > 0 else { return nil }
        // A moment that lies ahead can only be the daemon's mistake.
        let seconds = max(0, now.subtractingReportingOverflow(microseconds).partialValue / 1_000_000)
        return seconds == 0 ? "just now" : span(seconds: seconds) + " ago"
    }

    /// A span in the largest unit that is in it.
    static func span(seconds: Int64) -> String {
        switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3600: "\(seconds / 60) min"
        case ..<86_400: "\(seconds / 3600) h"
        default: "\(seconds / 86_400) d"
        }
    }
}
