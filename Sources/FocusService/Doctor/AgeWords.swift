import FocusRegistry

/// Spans of time in words, as the doctor says them.
enum AgeWords {
    /// Like "5 seconds ago".
    static func ago(_ age: Microseconds) -> String {
        let seconds = max(0, age / 1_000_000)
        switch seconds {
        case ..<2: return "just now"
        case ..<120: return "\(seconds) seconds ago"
        case ..<7_200: return "\(seconds / 60) minutes ago"
        default: return "\(seconds / 3_600) hours ago"
        }
    }
}
