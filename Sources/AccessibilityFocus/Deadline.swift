/// A moment by which something must be done, or never; the clock stands still while the machine sleeps.
package struct Deadline: Sendable {
    private let instant: SuspendingClock.Instant?

    /// Waits as long as it takes.
    package static let never = Deadline(instant: nil)

    /// The moment that is this far from now.
    package static func after(_ duration: Duration) -> Deadline {
        Deadline(instant: SuspendingClock.now.advanced(by: duration))
    }

    /// Whole milliseconds that are left, rounded up, in the form `poll` takes: -1 is for ever, 0 is passed.
    package var remainingMilliseconds: Int32 {
        guard let instant else { return -1 }
        let left = SuspendingClock.now.duration(to: instant)
        guard left > .zero else { return 0 }
        let (seconds, attoseconds) = left.components
        guard seconds < Int64(Int32.max) / 1000 - 1 else { return Int32.max }
        return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }

    /// Whether there is no time left.
    package var hasPassed: Bool { remainingMilliseconds == 0 }
}
