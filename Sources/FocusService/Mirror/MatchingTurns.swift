import EventLoop

/// Whose turn it is to match its selector again after trees changed, so that a flood of events leaves the loop to others.
///
/// Where little changes everybody has its turn as soon as the loop comes round. Where much does, changes add up until the
/// next turn, and matching takes a tenth of the loop's time.
@Loop
final class MatchingTurns {
    /// So many times as long as matching took, nothing is matched.
    private static let rest: Int64 = 10
    /// What may be taken at once after so long a rest.
    private static let savedMicroseconds: Int64 = 50_000
    /// How long others wait at a time, beside the last that is matched.
    private static let sliceMicroseconds: Int64 = 5_000

    private var waiting: [SelectorWatch] = []
    private var timer: LoopTimer?
    /// When all that matching took will have been rested for.
    private var restedAt: Int64 = 0

    /// Calls ``SelectorWatch/takeTurn()`` once, at the next turn of the loop or later.
    func ask(_ watch: SelectorWatch) {
        waiting.append(watch)
        arm()
    }

    private func arm() {
        guard timer == nil, !waiting.isEmpty else { return }
        let microseconds = restedAt - SystemClock.monotonicMicroseconds
        timer = LoopTimer(milliseconds: max(0, (microseconds + 999) / 1_000)) { [weak self] in self?.run() }
    }

    private func run() {
        let begin = SystemClock.monotonicMicroseconds
        var end = begin
        let batch = waiting
        waiting = []
        var next = 0
        while next < batch.count, end - begin < MatchingTurns.sliceMicroseconds {
            batch[next].takeTurn()
            next += 1
            end = SystemClock.monotonicMicroseconds
        }
        // ORDER: who asks again meanwhile comes after all who wait.
        waiting = Array(batch[next...]) + waiting
        let earliest = begin - MatchingTurns.savedMicroseconds * MatchingTurns.rest
        restedAt = max(restedAt, earliest) + (end - begin) * MatchingTurns.rest
        timer = nil
        arm()
    }
}
