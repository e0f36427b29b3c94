import CGLib
import Synchronization

/// Runs Swift jobs on GLib's default main context, so that one thread owns all state of the process.
///
/// It is both a serial executor (for the ``Loop`` actor) and a task executor (for root tasks): with only the first,
/// every suspension would pass through the Dispatch pool and the process would keep four threads more.
package final class LoopExecutor: SerialExecutor, TaskExecutor {
    package static let shared = LoopExecutor()

    private let waiting = Mutex<[UnownedJob]>([])

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isFirst = waiting.withLock { jobs in
            jobs.append(job)
            return jobs.count == 1
        }
        guard isFirst else { return }
        // One idle source serves all jobs that are waiting when it is dispatched; attaching is thread safe.
        let source = g_idle_source_new()
        g_source_set_priority(source, G_PRIORITY_DEFAULT)
        g_source_set_callback(
            source,
            { _ in
                LoopExecutor.shared.runWaiting()
                return gboolean(0)  // G_SOURCE_REMOVE
            }, nil, nil)
        g_source_attach(source, nil)
        g_source_unref(source)
    }

    private func runWaiting() {
        let jobs = waiting.withLock { jobs in
            let taken = jobs
            jobs.removeAll(keepingCapacity: true)
            return taken
        }
        for job in jobs {
            job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        }
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    package func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }

    package func checkIsolated() {
        precondition(g_main_context_is_owner(nil) != 0, "not on the event loop's thread")
    }

    package func isIsolatingCurrentContext() -> Bool? {
        g_main_context_is_owner(nil) != 0
    }
}
