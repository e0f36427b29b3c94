import CGLib

/// A single shot for work that can wait: at the first moment when nothing else waits, at the latest after a while.
///
/// It does not fire after ``cancel()`` or when nobody holds it any more.
@Loop
package final class LoopIdle {
    private var source: guint = 0
    private var timer: LoopTimer?
    private var body: (@Loop () -> Void)?

    /// Fires once; after `patienceMilliseconds` even if the loop never comes to rest, as in a flood of events.
    package init(patienceMilliseconds: Int64, _ body: @escaping @Loop () -> Void) {
        self.body = body
        // Unretained: `deinit` removes the source before the object goes.
        source = g_idle_add(
            { data in
                Loop.assumeIsolated {
                    guard let data else { return }
                    let idle = Unmanaged<LoopIdle>.fromOpaque(data).takeUnretainedValue()
                    idle.source = 0
                    idle.fire()
                }
                return gboolean(0)
            }, Unmanaged.passUnretained(self).toOpaque())
        timer = LoopTimer(milliseconds: patienceMilliseconds) { [weak self] in self?.fire() }
    }

    package func cancel() {
        body = nil
        timer = nil
        guard source != 0 else { return }
        g_source_remove(source)
        source = 0
    }

    private func fire() {
        let body = self.body
        cancel()
        body?()
    }

    isolated deinit {
        if source != 0 { g_source_remove(source) }
    }
}
