import EventLoop
import Glibc
import Testing

extension LoopTests {
    struct DescriptorTests {
        @Test("a pipe is readable when something was written, and not before", arguments: [false, true])
        func readable(isGrouped: Bool) async throws {
            let log = Log()
            try await onLoop {
                let group = isGrouped ? DescriptorGroup() : nil
                let pipe = Pipe()
                var watch: DescriptorWatch?
                await untilCalled { done in
                    watch = DescriptorWatch(pipe.reader, for: .readable, in: group) { conditions in
                        #expect(conditions.contains(.readable))
                        log.note("read \(pipe.read())")
                        watch?.cancel()
                        done()
                    }
                    _ = LoopTimer(milliseconds: 0) {}
                    Loop.task {
                        log.note("write")
                        pipe.write("abc")
                    }
                }
                watch = nil
            }
            #expect(log.all == ["write", "read abc"])
        }

        @Test("the watch calls again while something is left", arguments: [false, true])
        func level(isGrouped: Bool) async throws {
            let log = Log()
            try await onLoop {
                let group = isGrouped ? DescriptorGroup() : nil
                let pipe = Pipe()
                pipe.write("abc")
                var watch: DescriptorWatch?
                await untilCalled { done in
                    watch = DescriptorWatch(pipe.reader, for: .readable, in: group) { _ in
                        log.note(pipe.read(count: 1))
                        if log.all.count == 3 { done() }
                    }
                }
                watch?.cancel()
            }
            #expect(log.all == ["a", "b", "c"])
        }

        @Test("the end of the other side is a hang-up", arguments: [false, true])
        func hangUp(isGrouped: Bool) async throws {
            let conditions = try await onLoop {
                let group = isGrouped ? DescriptorGroup() : nil
                let pipe = Pipe()
                var seen: DescriptorWatch.Conditions = []
                var watch: DescriptorWatch?
                await untilCalled { done in
                    watch = DescriptorWatch(pipe.reader, for: .readable, in: group) { conditions in
                        seen = conditions
                        watch?.cancel()
                        done()
                    }
                    pipe.closeWriter()
                }
                return seen
            }
            #expect(conditions.contains(.hangUp))
        }

        @Test("an empty pipe is writable, a full one is not until it is read", arguments: [false, true])
        func writable(isGrouped: Bool) async throws {
            let log = Log()
            try await onLoop {
                let group = isGrouped ? DescriptorGroup() : nil
                let pipe = Pipe()
                pipe.fill()
                var watch: DescriptorWatch?
                await untilCalled { done in
                    watch = DescriptorWatch(pipe.writer, for: .writable, in: group) { _ in
                        log.note("writable")
                        watch?.cancel()
                        done()
                    }
                    Loop.task {
                        await Loop.pause(milliseconds: 20)
                        log.note("read")
                        pipe.drain()
                    }
                }
            }
            #expect(log.all == ["read", "writable"])
        }

        @Test(
            "a watch that is cancelled or let go calls no more, and leaves the descriptor open",
            arguments: [false, true])
        func cancel(isGrouped: Bool) async throws {
            let log = Log()
            try await onLoop {
                let group = isGrouped ? DescriptorGroup() : nil
                let pipe = Pipe()
                pipe.write("abc")
                let cancelled = DescriptorWatch(pipe.reader, for: .readable, in: group) { _ in log.note("cancelled") }
                cancelled.cancel()
                cancelled.cancel()
                var released: DescriptorWatch? = DescriptorWatch(pipe.reader, for: .readable, in: group) { _ in
                    log.note("released")
                }
                #expect(released != nil)
                released = nil
                await Loop.pause(milliseconds: 20)
                #expect(pipe.read() == "abc")
            }
            #expect(log.all.isEmpty)
        }

        @Test("a watch may be let go by its own body", arguments: [false, true])
        func letGoInBody(isGrouped: Bool) async throws {
            let log = Log()
            try await onLoop {
                let group = isGrouped ? DescriptorGroup() : nil
                let pipe = Pipe()
                pipe.write("abc")
                var watch: DescriptorWatch?
                await untilCalled { done in
                    watch = DescriptorWatch(pipe.reader, for: .readable, in: group) { _ in
                        log.note("called")
                        watch = nil
                        done()
                    }
                }
                #expect(watch == nil)
                await Loop.pause(milliseconds: 20)
            }
            #expect(log.all == ["called"])
        }

        @Test("a crowd of ready descriptors holds up neither timers nor tasks", arguments: [false, true])
        func fairness(isGrouped: Bool) async throws {
            try await onLoop {
                let group = isGrouped ? DescriptorGroup() : nil
                let pipes = (0..<20).map { _ in Pipe() }
                var watches: [DescriptorWatch] = []
                for pipe in pipes {
                    pipe.write("a")
                    // Never read: ready for ever.
                    watches.append(DescriptorWatch(pipe.reader, for: .readable, in: group) { _ in })
                }
                await Loop.pause(milliseconds: 20)
                await Loop.task {}.value
                for watch in watches { watch.cancel() }
            }
        }

        @Test("of a group of many that are ready all are told before anybody is told again")
        func turns() async throws {
            let log = Log()
            try await onLoop {
                let (group, pipes) = (DescriptorGroup(), (0..<100).map { _ in Pipe() })
                var watches: [DescriptorWatch] = []
                await untilCalled { done in
                    for (number, pipe) in pipes.enumerated() {
                        pipe.write("a")
                        watches.append(
                            DescriptorWatch(pipe.reader, for: .readable, in: group) { _ in
                                log.note("\(number)")
                                if log.all.count == 200 { done() }
                            })
                    }
                }
                for watch in watches { watch.cancel() }
            }
            #expect(Set(log.all.prefix(100)).count == 100)
        }

        @Test("each of several watches of one descriptor in a group is told of what it is for, and may end another")
        func several() async throws {
            let log = Log()
            try await onLoop {
                let (group, pipe) = (DescriptorGroup(), Pipe())
                pipe.write("a")
                var watches: [DescriptorWatch] = []
                watches.append(
                    DescriptorWatch(pipe.reader, for: .hangUp, in: group) { _ in
                        log.note("hang-up")
                        watches[0].cancel()
                    })
                await untilCalled { done in
                    watches.append(
                        DescriptorWatch(pipe.reader, for: .readable, in: group) { _ in
                            log.note("readable")
                            watches[2].cancel()
                            watches[1].cancel()
                            done()
                        })
                    watches.append(
                        DescriptorWatch(pipe.reader, for: .readable, in: group) { _ in log.note("ended") })
                }
                await untilCalled { done in
                    watches.append(
                        DescriptorWatch(pipe.reader, for: .hangUp, in: group) { _ in
                            watches[3].cancel()
                            done()
                        })
                    pipe.closeWriter()
                }
                for watch in watches { watch.cancel() }
            }
            #expect(log.all == ["readable", "hang-up"])
        }

        /// Sent to the loop's thread alone: the others of this process do not block it, and it would end them.
        @Test("a signal to end is heard on the loop, as often as it comes")
        func termination() async throws {
            let log = Log()
            try await onLoop {
                var watch: TerminationWatch?
                await untilCalled { done in
                    watch = TerminationWatch(signals: [SIGUSR1]) {
                        log.note("told")
                        if log.all.count == 2 { done() } else { pthread_kill(pthread_self(), SIGUSR1) }
                    }
                    pthread_kill(pthread_self(), SIGUSR1)
                }
                #expect(watch != nil)
            }
            #expect(log.all == ["told", "told"])
        }
    }
}

/// A pipe, non-blocking on both ends.
private final class Pipe: Sendable {
    let reader: Int32
    let writer: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        let result = pipe(&ends)
        precondition(result == 0, "no descriptors left for a test")
        (reader, writer) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK) }
    }

    func write(_ text: String) { _ = Glibc.write(writer, text, text.utf8.count) }

    func read(count: Int = 100) -> String {
        var bytes = [UInt8](repeating: 0, count: count)
        let received = Glibc.read(reader, &bytes, count)
        return String(decoding: bytes.prefix(max(0, received)), as: UTF8.self)
    }

    func fill() {
        let bytes = [UInt8](repeating: 0, count: 4_096)
        while Glibc.write(writer, bytes, bytes.count) > 0 {}
    }

    func drain() { while !read(count: 65_536).isEmpty {} }

    func closeWriter() { _ = dup2(reader, writer) }

    deinit {
        close(reader)
        close(writer)
    }
}
