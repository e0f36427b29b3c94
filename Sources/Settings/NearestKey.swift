/// Finds what somebody meant who wrote nearly that.
enum NearestKey {
    /// The known name that the fewest changed letters lead to, or that begins so; nil where all are far away.
    static func find(_ written: String, among known: [String]) -> String? {
        let letters = Array(written.lowercased().prefix(64).map { $0 == "_" || $0 == " " ? "-" : $0 })
        let candidates = known.map { (name: $0, distance: distance(letters, Array($0))) }
        guard let best = candidates.min(by: { $0.distance < $1.distance }) else { return nil }
        if best.distance <= max(1, min(letters.count, best.name.count) / 3) { return best.name }
        return letters.count < 5 ? nil : known.filter { $0.hasPrefix(String(letters)) }.min { $0.count < $1.count }
    }

    /// Letters to insert, remove or replace.
    private static func distance(_ from: [Character], _ to: [Character]) -> Int {
        var last = Array(0...to.count)
        for i in from.indices {
            var row = [i + 1]
            for j in to.indices {
                row.append(min(row[j] + 1, last[j + 1] + 1, last[j] + (from[i] == to[j] ? 0 : 1)))
            }
            last = row
        }
        return last[to.count]
    }
}
