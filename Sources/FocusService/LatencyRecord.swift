/// How long the last moves took from the screen reader's signal until they were written to the clients.
struct LatencyRecord {
    /// Moves that are remembered.
    static let size = 1_024

    private var microseconds: [UInt32] = []
    private var next = 0
    /// Moves since the start.
    private(set) var count: Int64 = 0

    mutating func add(_ value: Int64) {
        count += 1
        let value = UInt32(clamping: value)
        if microseconds.count < LatencyRecord.size {
            microseconds.append(value)
        } else {
            microseconds[next] = value
            next = (next + 1) % LatencyRecord.size
        }
    }

    /// The middle one of those remembered, the one that 1 in 100 is longer than, and the longest; 0 without any.
    var figures: (middle: Int, ninetyNinth: Int, longest: Int) {
        let sorted = microseconds.sorted()
        guard let longest = sorted.last else { return (0, 0, 0) }
        func percentile(_ percent: Int) -> Int { Int(sorted[min(sorted.count - 1, sorted.count * percent / 100)]) }
        return (percentile(50), percentile(99), Int(longest))
    }
}
