import Glibc

/// The system's clocks, in the units that the rest of the house uses.
package enum SystemClock {
    /// Microseconds of CLOCK_MONOTONIC.
    package static var monotonicMicroseconds: Int64 { microseconds(CLOCK_MONOTONIC) }

    /// Microseconds since the machine was started, counted on while it slept (CLOCK_BOOTTIME).
    package static var bootMicroseconds: Int64 { microseconds(CLOCK_BOOTTIME) }

    /// Nanoseconds of CLOCK_MONOTONIC, for what takes less than a microsecond.
    package static var monotonicNanoseconds: Int64 { nanoseconds(CLOCK_MONOTONIC) }

    private static func microseconds(_ clock: clockid_t) -> Int64 { nanoseconds(clock) / 1_000 }

    private static func nanoseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
