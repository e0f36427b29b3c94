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
    private var beginning: [SelectorWatch] = []
    private var firstTimer: LoopTimer?
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
        let batch = waiting
        waiting = []
        let (rest, end) = MatchingTurns.serve(batch, since: begin)
        // ORDER: who asks again meanwhile comes after all who wait.
        waiting = rest + waiting
        let earliest = begin - MatchingTurns.savedMicroseconds * MatchingTurns.rest
        restedAt = max(restedAt, earliest) + (end - begin) * MatchingTurns.rest
        timer = nil
        arm()
    }

    // MARK: - For the first time

    /// The same at the next turn of the loop, for one that has matched nothing yet: somebody waits for it, and it is no
    /// work that events make.
    func askFirst(_ watch: SelectorWatch) {
        beginning.append(watch)
        armFirst()
    }

    private func armFirst() {
        guard firstTimer == nil, !beginning.isEmpty else { return }
        firstTimer = LoopTimer(milliseconds: 0) { [weak self] in
            guard let self else { return }
            let batch = self.beginning
            self.beginning = []
            let (rest, _) = MatchingTurns.serve(batch, since: SystemClock.monotonicMicroseconds)
            self.beginning = rest + self.beginning
            self.firstTimer = nil
            self.armFirst()
        }
    }

    /// Gives as many their turn as fit; who is left, and when that was.
    private static func serve(_ batch: [SelectorWatch], since begin: Int64) -> (rest: [SelectorWatch], end: Int64) {
        var (next, end) = (0, begin)
        while next < batch.count, end - begin < sliceMicroseconds {
            batch[next].takeTurn()
            next += 1
            end = SystemClock.monotonicMicroseconds
        }
        return (Array(batch[next...]), end)
    }
}
