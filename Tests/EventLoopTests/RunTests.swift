import EventLoop
import Glibc
import Testing

extension LoopTests {
    /// Running, stopping, and staying on one thread.
    struct RunTests {
        @Test("the start runs on the loop before anything else")
        func startIsFirst() async throws {
            let log = Log()
            await withCheckedContinuation { continuation in
                startThread {
                    // It waits already when the loop begins.
                    Loop.task {
                        log.note("task")
                        Loop.stop()
                    }
                    Loop.run { log.note("start") }
                    log.note("end")
                    continuation.resume()
                }
            }
            #expect(log.all == ["start", "task", "end"])
        }

        @Test("a loop that is stopped in its start ends at once, and another can begin")
        func stoppedInStart() async {
            for _ in 0..<3 {
                await withCheckedContinuation { continuation in
                    startThread {
                        Loop.run { Loop.stop() }
                        continuation.resume()
                    }
                }
            }
        }

        @Test("what is dispatched when the loop is stopped still ends; what comes after waits for the next run")
        func stopEndsAfterDispatch() async throws {
            let log = Log()
            await withCheckedContinuation { continuation in
                startThread {
                    Loop.run {
                        Loop.task {
                            Loop.stop()
                            log.note("after stop")
                            await Loop.pause(milliseconds: 0)
                            log.note("next run")
                        }
                    }
                    log.note("ended")
                    continuation.resume()
                }
            }
            #expect(log.all == ["after stop", "ended"])
            // The next loop takes up what the last one left.
            _ = try await onLoop { await Loop.pause(milliseconds: 20) }
            #expect(log.all == ["after stop", "ended", "next run"])
        }

        @Test("a task is on the loop's thread before and after every suspension")
        func oneThread() async throws {
            let threads = try await onLoop {
                var threads: Set<pthread_t> = [pthread_self()]
                for round in 0..<50 {
                    await Loop.pause(milliseconds: 0)
                    threads.insert(pthread_self())
                    await Task.yield()
                    threads.insert(pthread_self())
                    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
                    Loop.task {
                        continuation.yield(round)
                        continuation.finish()
                    }
                    for await _ in stream { threads.insert(pthread_self()) }
                    async let child = currentThread()
                    threads.insert(await child)
                    threads.insert(
                        await withTaskGroup { group in
                            group.addTask { await currentThread() }
                            return await group.next() ?? pthread_self()
                        })
                }
                return threads
            }
            #expect(threads.count == 1)
        }

        @Test("a task that awaits the loop from elsewhere comes onto it, and goes back")
        func fromElsewhere() async throws {
            let (outside, inside) = try await onLoop {
                let loop = pthread_self()
                return await Task.detached {
                    let before = pthread_self() == loop
                    let during = await isOn(loop)
                    return (before, during)
                }.value
            }
            #expect(!outside)
            #expect(inside)
        }

        @Test("tasks that are ready run in the order they were started")
        func order() async throws {
            let log = Log()
            try await onLoop {
                let tasks = (0..<100).map { number in Loop.task { log.note("\(number)") } }
                for task in tasks { await task.value }
            }
            #expect(log.all == (0..<100).map(String.init))
        }

        @Test("jobs from many threads all run, each once")
        func manyThreads() async throws {
            let count = Shared(0)
            try await onLoop {
                await withTaskGroup { group in
                    for _ in 0..<8 {
                        group.addTask {
                            await Task.detached {
                                for _ in 0..<250 { await onLoopOnce { count.update { $0 += 1 } } }
                            }.value
                        }
                    }
                }
            }
            #expect(count.value == 2_000)
        }

        @Test("a cancelled task still runs on the loop, and sees that it is cancelled")
        func cancelled() async throws {
            let wasCancelled = try await onLoop {
                let seen = Shared(false)
                let task = Loop.task { seen.set(Task.isCancelled) }
                task.cancel()
                await task.value
                return seen.value
            }
            #expect(wasCancelled)
        }

        // MARK: - In a process of its own

        @Test("the loop and its tasks start no thread at all")
        func noThreads() async {
            await #expect(processExitsWith: .exitCode(7)) {
                // A thread of its own, so that nothing of the test's process runs on the loop's.
                let before = Shared(0)
                let after = Shared(0)
                await withCheckedContinuation { continuation in
                    startThread {
                        Loop.run {
                            before.set(threadCount())
                            Loop.task {
                                for _ in 0..<500 {
                                    await Loop.pause(milliseconds: 0)
                                    await Task.yield()
                                    async let child = currentThread()
                                    _ = await child
                                }
                                after.set(threadCount())
                                Loop.stop()
                            }
                        }
                        continuation.resume()
                    }
                }
                exit(before.value > 0 && after.value <= before.value ? 7 : 1)
            }
        }

        @Test("a second thread that would run the loop too ends the process: that is a fault of ours")
        func secondThread() async {
            await #expect(processExitsWith: .failure) {
                await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                    startThread {
                        Loop.run { startThread { Loop.run { continuation.resume() } } }
                    }
                }
            }
        }

        @Test("entering the loop's isolation from another thread ends the process")
        func falseIsolation() async {
            await #expect(processExitsWith: .failure) {
                Loop.assumeIsolated { Loop.stop() }
            }
        }
    }
}

@Loop private func onLoopOnce(_ body: () -> Void) { body() }

@Loop private func isOn(_ thread: pthread_t) -> Bool { pthread_self() == thread }

private func currentThread() async -> pthread_t { pthread_self() }

/// The threads of this process, by the kernel's word.
private func threadCount() -> Int {
    guard let folder = opendir("/proc/self/task") else { return 0 }
    defer { closedir(folder) }
    var count = 0
    while let entry = readdir(folder) {
        if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 }
    }
    return count
}
