import FocusRegistry

/// Lets each process do something so many times in any second, and all of them together so many times.
struct RateLimit {
    private static let second: Microseconds = 1_000_000

    let ofProcess: Int
    let ofAll: Int
    /// When each process did it, within the last second.
    private var times: [Int32: [Microseconds]] = [:]

    enum Answer {
        case admitted, tooManyOfProcess, tooManyOfAll
    }

    init(ofProcess: Int, ofAll: Int) {
        self.ofProcess = ofProcess
        self.ofAll = ofAll
    }

    /// Whether this process may do it now, which then counts.
    mutating func admits(_ pid: Int32, at now: Microseconds) -> Answer {
        forget(before: now)
        guard times[pid, default: []].count < ofProcess else { return .tooManyOfProcess }
        guard times.values.reduce(0, { $0 + $1.count }) < ofAll else { return .tooManyOfAll }
        times[pid, default: []].append(now)
        return .admitted
    }

    /// How many times it was done in the last second: by all, and by who did it most often.
    mutating func count(at now: Microseconds) -> (ofAll: Int, most: Int) {
        forget(before: now)
        return (times.values.reduce(0) { $0 + $1.count }, times.values.map(\.count).max() ?? 0)
    }

    private mutating func forget(before now: Microseconds) {
        times = times.compactMapValues { times in
            let recent = times.filter { now - $0 < RateLimit.second }
            return recent.isEmpty ? nil : recent
        }
    }
}
