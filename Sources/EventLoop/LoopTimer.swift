import CGLib

/// A single shot on the loop's clock. It does not fire after ``cancel()`` or when nobody holds it any more.
///
/// One that comes much too late waits once more, for as long as at first and a second at most: this process did not run
/// meanwhile, and what others said in that time must be heard before anybody is told that they said nothing.
@Loop
package final class LoopTimer {
    /// Later than the loop ever is while it turns.
    private static let latenessMicroseconds: Int64 = 500_000
    private static let longestGraceMilliseconds: Int64 = 1_000

    private var source: guint = 0
    private var body: (@Loop () -> Void)?
    /// How long it waits once more, where it comes too late.
    private var grace: Int64
    private var due: Int64

    /// Fires once, `milliseconds` from now (at least the next turn of the loop).
    package init(milliseconds: Int64, _ body: @escaping @Loop () -> Void) {
        self.body = body
        grace = min(max(0, milliseconds), LoopTimer.longestGraceMilliseconds)
        // A time too far for the clock is never late.
        due = SystemClock.monotonicMicroseconds + min(max(0, milliseconds), Int64(guint.max)) * 1_000
        wait(max(0, milliseconds))
    }

    private func wait(_ milliseconds: Int64) {
        let interval = guint(clamping: milliseconds)
        // Unretained: `deinit` removes the source before the object goes.
        source = g_timeout_add(
            interval,
            { data in
                Loop.assumeIsolated {
                    guard let data else { return }
                    Unmanaged<LoopTimer>.fromOpaque(data).takeUnretainedValue().fire()
                }
                return gboolean(0)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    package func cancel() {
        body = nil
        guard source != 0 else { return }
        g_source_remove(source)
        source = 0
    }

    private func fire() {
        source = 0
        if grace > 0, SystemClock.monotonicMicroseconds - due > LoopTimer.latenessMicroseconds {
            let again = grace
            grace = 0
            return wait(again)
        }
        let body = self.body
        self.body = nil
        body?()
    }

    isolated deinit {
        if source != 0 { g_source_remove(source) }
    }
}

extension Loop {
    /// Suspends the calling task for a while, on the loop's clock.
    @Loop package static func pause(milliseconds: Int64) async {
        var timer: LoopTimer?
        await withCheckedContinuation { continuation in
            timer = LoopTimer(milliseconds: milliseconds) { continuation.resume() }
        }
        _ = timer
    }
}
