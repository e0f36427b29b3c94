import EventLoop
import Testing

extension LoopTests {
    struct TimerTests {
        @Test("timers fire in the order of their times, not of their making")
        func order() async throws {
            let log = Log()
            try await onLoop {
                var timers: [LoopTimer] = []
                await untilCalled { done in
                    for milliseconds in [750, 250, 500] {
                        timers.append(LoopTimer(milliseconds: Int64(milliseconds)) { log.note("\(milliseconds)") })
                    }
                    timers.append(LoopTimer(milliseconds: 1_000, done))
                }
                #expect(timers.count == 4)
            }
            #expect(log.all == ["250", "500", "750"])
        }

        @Test("a timer never fires before its time", arguments: [0, 1, 25] as [Int64])
        func notTooEarly(milliseconds: Int64) async throws {
            let passed = try await onLoop {
                let begin = SystemClock.monotonicMicroseconds
                await Loop.pause(milliseconds: milliseconds)
                return SystemClock.monotonicMicroseconds - begin
            }
            // GLib rounds to milliseconds.
            #expect(passed >= (milliseconds - 1) * 1_000)
        }

        @Test("a time that has passed is the next turn of the loop, never at once", arguments: [0, -1, Int64.min])
        func past(milliseconds: Int64) async throws {
            let log = Log()
            try await onLoop {
                var timer: LoopTimer?
                await untilCalled { done in
                    timer = LoopTimer(milliseconds: milliseconds) {
                        log.note("fired")
                        done()
                    }
                    log.note("made")
                }
                #expect(timer != nil)
            }
            #expect(log.all == ["made", "fired"])
        }

        @Test("a time too far for the clock is simply far", arguments: [Int64.max, Int64(UInt32.max) + 1])
        func far(milliseconds: Int64) async throws {
            let log = Log()
            try await onLoop {
                let timer = LoopTimer(milliseconds: milliseconds) { log.note("fired") }
                await Loop.pause(milliseconds: 20)
                timer.cancel()
            }
            #expect(log.all.isEmpty)
        }

        @Test("a cancelled timer does not fire, also where another timer cancels it in the same turn")
        func cancel() async throws {
            let log = Log()
            try await onLoop {
                let cancelled = LoopTimer(milliseconds: 1) { log.note("cancelled") }
                cancelled.cancel()
                cancelled.cancel()
                // Made first, so that it is first also where all are due at once.
                let others = Timers()
                let early = LoopTimer(milliseconds: 5) { for timer in others.all { timer.cancel() } }
                others.all = [5, 5, 10].map { milliseconds in
                    LoopTimer(milliseconds: milliseconds) { log.note("\(milliseconds)") }
                }
                await Loop.pause(milliseconds: 40)
                early.cancel()
            }
            #expect(log.all.isEmpty)
        }

        @Test("a timer may cancel itself while it fires, and fires once")
        func cancelItself() async throws {
            let log = Log()
            try await onLoop {
                var timer: LoopTimer?
                timer = LoopTimer(milliseconds: 1) {
                    log.note("fired")
                    timer?.cancel()
                }
                await Loop.pause(milliseconds: 30)
                timer = nil
            }
            #expect(log.all == ["fired"])
        }

        @Test("a timer that nobody holds does not fire, and what it held is let go")
        func released() async throws {
            let log = Log()
            try await onLoop {
                var timer: LoopTimer? = LoopTimer(milliseconds: 1) { [held = Held(log)] in
                    log.note("fired")
                    _ = held
                }
                #expect(timer != nil)
                timer = nil
                await Loop.pause(milliseconds: 30)
            }
            #expect(log.all == ["let go"])
        }

        @Test("a timer that fired lets go of what it held, though it is held itself")
        func firedLetsGo() async throws {
            let log = Log()
            try await onLoop {
                let timer = LoopTimer(milliseconds: 1) { [held = Held(log)] in _ = held }
                await Loop.pause(milliseconds: 30)
                #expect(log.all == ["let go"])
                timer.cancel()
            }
        }

        @Test("a timer that replaces itself while it fires goes on")
        func replacesItself() async throws {
            let count = try await onLoop {
                let chain = Chain()
                await untilCalled { chain.begin(5, $0) }
                return chain.count
            }
            #expect(count == 5)
        }

        @Test("the clocks do not go back")
        func clocks() {
            var last = (SystemClock.monotonicMicroseconds, SystemClock.bootMicroseconds)
            for _ in 0..<1_000 {
                let now = (SystemClock.monotonicMicroseconds, SystemClock.bootMicroseconds)
                #expect(now.0 >= last.0 && now.1 >= last.1)
                last = now
            }
            #expect(last.1 >= last.0 - 1_000_000, "the boot clock counts sleep too")
        }
    }
}

/// Says when it is let go.
private final class Held: Sendable {
    private let log: Log
    init(_ log: Log) { self.log = log }
    deinit { log.note("let go") }
}

@Loop
private final class Timers {
    var all: [LoopTimer] = []
}

/// As the desk does it: the timer's own body puts another in its place.
@Loop
private final class Chain {
    private(set) var count = 0
    private var timer: LoopTimer?

    func begin(_ rounds: Int, _ done: @escaping @Loop () -> Void) {
        timer = LoopTimer(milliseconds: 0) { [weak self] in
            guard let self else { return }
            self.count += 1
            if self.count == rounds { done() } else { self.begin(rounds, done) }
        }
    }
}
