import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

extension FocusdTests {
    /// What dies comes back, and focusd with it: each line of docs/recovery.md. Subscribers stay through all of it.
    @Suite struct Recovery {}
}

/// How long it took until everything was right again, from the moment when all that had gone is back.
struct Stopwatch {
    private let begin = ContinuousClock.now

    /// Everything is right now: that must not have taken longer than is promised.
    func end(
        _ what: String, within limit: Duration = .seconds(2), at location: SourceLocation = #_sourceLocation
    ) {
        let passed = begin.duration(to: .now)
        let milliseconds = passed.components.seconds * 1_000 + passed.components.attoseconds / 1_000_000_000_000_000
        print("recovery: \(what): right again after \(milliseconds) ms")
        #expect(passed <= limit, "\(what): right again after \(milliseconds) ms", sourceLocation: location)
    }
}

/// What the kernel says of a process.
struct ProcessFigures {
    let pid: Int32

    /// How often all its threads gave the processor away of their own accord: each wake-up is followed by one.
    func voluntarySwitches() throws -> Int {
        var count = 0
        for task in try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task") {
            let status = try String(contentsOfFile: "/proc/\(pid)/task/\(task)/status", encoding: .utf8)
            for line in status.split(separator: "\n") where line.hasPrefix("voluntary_ctxt_switches:") {
                count += line.split(separator: "\t").last.flatMap { Int($0) } ?? 0
            }
        }
        return count
    }

    /// The descriptors that are open.
    func descriptors() throws -> [Int] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").compactMap { Int($0) }
    }

    /// Sets how many descriptors it may have.
    func limitDescriptors(to count: Int) throws {
        let tool = try TestDesktop.ChildProcess(
            "/usr/bin/prlimit", ["--pid", "\(pid)", "--nofile=\(count):"], environment: [:])
        guard try tool.wait() == 0 else { throw Missing(what: "prlimit failed", seen: tool.errors.all) }
    }

    /// Leaves it so many descriptors that it can still open.
    func leaveDescriptors(_ room: Int) throws {
        let taken = Set(try descriptors())
        var (limit, free) = (0, 0)
        while free < room || (room == 0 && taken.contains(limit)) {
            if !taken.contains(limit) { free += 1 }
            limit += 1
        }
        try limitDescriptors(to: limit)
    }

    /// Waits until it has slept for so long without waking up.
    func waitUntilAsleep(for duration: Duration) throws {
        for _ in 0..<40 {
            let before = try voluntarySwitches()
            Delay.pass(duration, since: .now)
            if try voluntarySwitches() == before { return }
        }
        throw Missing(what: "process \(pid) never sleeps for \(duration)")
    }
}
