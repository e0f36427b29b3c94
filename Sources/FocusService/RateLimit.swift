import FocusRegistry

/// Lets each process do something so many times in any second, and no more.
struct RateLimit {
    private static let second: Microseconds = 1_000_000

    let maximumPerSecond: Int
    /// When each process did it, within the last second.
    private var times: [Int32: [Microseconds]] = [:]

    init(maximumPerSecond: Int) {
        self.maximumPerSecond = maximumPerSecond
    }

    /// Whether this process may do it now, which then counts.
    mutating func admits(_ pid: Int32, at now: Microseconds) -> Bool {
        times = times.compactMapValues { times in
            let recent = times.filter { now - $0 < RateLimit.second }
            return recent.isEmpty ? nil : recent
        }
        guard times[pid, default: []].count < maximumPerSecond else { return false }
        times[pid, default: []].append(now)
        return true
    }
}
