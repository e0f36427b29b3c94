/// How long focusd is to try: the time that was asked for, or the nearest one that focusd takes.
///
/// Any duration may come from outside, and none but these becomes a deadline.
struct Patience: Hashable, Sendable {
    /// As focusd takes it; nil where it shall use its own.
    let milliseconds: Int?
    /// How long it then tries at most.
    let duration: Duration

    /// Of a move or a set: 1 ms to 60 s, and 2 s where none is asked for.
    static func ofMove(_ timeout: Duration?) -> Patience { Patience(timeout, atMost: 60_000, usual: .seconds(2)) }

    /// Of waiting for an element: 1 ms to an hour, and 10 s where none is asked for.
    static func ofWait(_ timeout: Duration?) -> Patience { Patience(timeout, atMost: 3_600_000, usual: .seconds(10)) }

    private init(_ timeout: Duration?, atMost limit: Int, usual: Duration) {
        milliseconds = timeout?.wholeMilliseconds(atMost: limit)
        duration = milliseconds.map { .milliseconds($0) } ?? usual
    }
}

extension Duration {
    /// Rounded up, and at least one.
    func wholeMilliseconds(atMost limit: Int) -> Int {
        guard self > .zero else { return 1 }
        // ORDER: compared first, since a long duration has no components: its seconds are more than 64 bits hold.
        guard self < .milliseconds(limit) else { return limit }
        let (seconds, attoseconds) = components
        return Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
