/// Finds what somebody meant who wrote nearly that.
enum NearestName {
    /// The known name that the fewest changed letters lead to, nil where all are far away.
    static func find(_ written: String, among known: [String]) -> String? {
        let letters = Array(written.prefix(64))
        let candidates = known.map { (name: $0, distance: distance(letters, Array($0))) }
        guard let best = candidates.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, min(letters.count, best.name.count) / 3) ? best.name : nil
    }

    /// Letters to insert, remove, replace or exchange with their neighbour.
    private static func distance(_ from: [Character], _ to: [Character]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...to.count)
        for i in 0..<from.count {
            var row = [i + 1]
            for j in 0..<to.count {
                var cost = min(row[j] + 1, last[j + 1] + 1, last[j] + (from[i] == to[j] ? 0 : 1))
                if i > 0, j > 0, from[i] == to[j - 1], from[i - 1] == to[j] { cost = min(cost, beforeLast[j - 1] + 1) }
                row.append(cost)
            }
            (beforeLast, last) = (last, row)
        }
        return last[to.count]
    }
}
