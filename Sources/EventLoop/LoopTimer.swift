import CGLib

/// A single shot on the loop's clock. It does not fire after ``cancel()`` or when nobody holds it any more.
@Loop
package final class LoopTimer {
    private var source: guint = 0
    private var body: (@Loop () -> Void)?

    /// Fires once, `milliseconds` from now (at least the next turn of the loop).
    package init(milliseconds: Int64, _ body: @escaping @Loop () -> Void) {
        self.body = body
        let interval = guint(clamping: max(0, milliseconds))
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
