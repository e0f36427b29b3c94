import FakePeers
import FocusProtocol
import Foundation
import Glibc
import TestDesktop
import Testing

/// Everything that a client causes is charged to it, bounded, and freed with it; at its limit it is in nobody's way.
@Suite(.serialized) struct FairnessTests {
    private func greedy(_ service: Service, _ arguments: String...) throws -> TestDesktop.ChildProcess {
        let script = "\(Places.package)/Tests/SocketTests/greedy_client.py"
        let process = try TestDesktop.ChildProcess(
            "/usr/bin/python3", [script, service.socket] + arguments,
            environment: ["PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"])
        try process.output.line("READY", within: 60)
        return process
    }

    /// What is used of each limit by all together, beside what the one who asks needs for asking.
    private func totals(_ statistics: Statistics) -> [String: Int] {
        let own = ["maximumClients": 1, "maximumCalls": 1]
        var totals: [String: Int] = [:]
        for limit in statistics.limits where limit.name.hasPrefix("maximum") && !limit.name.hasSuffix("PerProcess") {
            totals[limit.name] = limit.used - own[limit.name, default: 0]
        }
        return totals
    }

    private func account(_ statistics: Statistics, by process: TestDesktop.ChildProcess) -> ProcessStatistics? {
        statistics.processes.first { $0.pid == Int(process.pid) }
    }

    @Test func `everything is charged to who causes it, and freed when it is killed`() async throws {
        try await withBusyService { busy in
            let service = busy.service
            let process = try greedy(service, "hold")
            let statistics = try service.statistics(until: "all of it is charged") { statistics in
                guard let held = account(statistics, by: process) else { return false }
                return held.searches == 1 && held.moves == 1 && held.sets == 1 && held.bytesWaiting >= 100_000
            }
            let held = try #require(account(statistics, by: process))
            #expect(held.clients == 10 && held.streams == 3 && held.callsInFlight == 6)
            #expect(held.states == 4 && held.prototypes == 8)
            let calls = statistics.clients.filter { $0.pid == Int(process.pid) }.map(\.bytesReceived)
            #expect(calls.count == 10 && calls.max() == 100_000 && calls.allSatisfy { $0 > 50 })
            let all = totals(statistics)
            #expect(all["maximumStates"] == 4 && all["maximumPrototypes"] == 8)
            #expect(all["maximumSelectorParts"] == 16 && all["maximumSearches"] == 1)
            process.signal(SIGKILL)
            let after = try service.statistics(until: "it has gone") { $0.clients.count == 1 }
            #expect(totals(after).values.allSatisfy { $0 == 0 }, "\(totals(after))")
        }
    }

    @Test func `who ends its writing keeps what is still answered, and no more`() async throws {
        try await withBusyService { busy in
            let service = busy.service
            let process = try greedy(service, "hold")
            try service.statistics(until: "all of it is begun") { statistics in
                account(statistics, by: process).map { $0.searches == 1 && $0.moves == 1 && $0.sets == 1 } ?? false
            }
            try process.send("half")
            try process.output.line("DONE", within: 30)
            // Streams end, and with them their states; an unfinished message is none. What waits is still answered.
            let statistics = try service.statistics(until: "its streams have ended") { statistics in
                guard let held = account(statistics, by: process) else { return false }
                return held.streams == 0 && held.states == 0 && held.bytesWaiting == 0
            }
            // The set ended with its state.
            #expect(account(statistics, by: process)?.callsInFlight == 2)
            process.signal(SIGKILL)
            let after = try service.statistics(until: "it has gone") { $0.clients.count == 1 }
            #expect(totals(after).values.allSatisfy { $0 == 0 }, "\(totals(after))")
        }
    }

    @Test func `messages without end take what their process may have, and hold up nobody`() throws {
        let service = try Service()
        let process = try greedy(service, "unfinished", "60", "1000000")
        let statistics = try service.statistics()
        let held = try #require(account(statistics, by: process))
        // Beside its share, each connection may have its 64 KiB, and one of them its whole message.
        #expect(held.bytesWaiting <= (4 << 20) + 60 * (64 << 10) + (1 << 20))
        #expect(held.bytesWaiting > 6 << 20)
        #expect(statistics.limits.first { $0.name == "maximumReceivedBytesPerProcess" }?.met ?? 0 > 0)
        #expect(try service.findings().contains("limitReached.receivedBytesPerProcess"))
        #expect(try service.client().call(Wire.getInfo).error == nil)
        // Who ends its message makes room, and the others are read on, in their turn.
        try process.send("whole")
        try process.output.line("DONE", within: 30)
        try service.statistics(until: "all have been read") {
            account($0, by: process).map { $0.bytesWaiting == 0 } ?? true
        }
    }

    @Test func `who is killed while it is not read is seen to go`() throws {
        let service = try Service()
        // Its messages have no room any more; or calls wait behind a stream in which nothing comes.
        let process = try greedy(service, "unfinished", "60", "1000000")
        let behind = try service.client()
        #expect(try behind.call(Wire.watchFocus).continues)
        try behind.send(bytes: Array(repeating: Array(Wire.getInfo.utf8) + [0], count: 100).flatMap { $0 })
        try service.statistics(until: "its calls wait") { statistics in
            statistics.clients.contains { $0.isStreaming && $0.bytesReceived > 4_000 }
        }
        process.signal(SIGKILL)
        behind.vanish()
        try service.statistics(until: "both are gone") { $0.processes.count == 1 && $0.clients.count == 1 }
    }

    @Test func `who floods calls from all its connections is not served before others`() throws {
        let service = try Service()
        let process = try greedy(service, "flood", "60")
        let client = try service.client()
        var calls: Int64 = 0
        for _ in 0..<50 {
            #expect(try client.call(Wire.getInfo, within: 10).error == nil)
            let statistics = try Service.statistics(client)
            // It is being served all the time, and its calls do not end.
            calls = statistics.clients.filter { $0.pid == Int(process.pid) }.reduce(0) { $0 + $1.calls }
        }
        #expect(calls > 1_000)
    }

    @Test
    func
        `of many that never read each is cut off, their process holds no more than it may, and the good ones miss nothing`()
        async throws
    {
        try await withBusyService { busy in
            let service = busy.service
            let process = try greedy(service, "deaf", "30")
            // The storm begins with another element: each of its moves is a change.
            try await busy.reader.present("help", of: busy.application)
            let watch = try service.client()
            try watch.send(Wire.watchFocus)
            while try watch.reply().elementName != "Help" {}
            let moves = 4_000
            let reading = Counting(watch, until: moves)
            try await busy.storm(moves, perSecond: 800)
            // Together they reach their process's limit before any of them reaches its own.
            let statistics = try service.statistics(within: 60, until: "all are cut off") {
                $0.counters["subscribersTooSlow"] == 30
            }
            let met = Dictionary(uniqueKeysWithValues: statistics.limits.map { ($0.name, $0.met) })
            #expect(met["maximumQueuedBytesPerProcess", default: 0] > 0)
            let findings = try service.findings()
            #expect(findings.contains("limitReached.queuedBytesPerProcess") && findings.contains("slowSubscribers"))
            #expect(try reading.wait() == moves)
            try service.statistics(until: "nothing of theirs is left") { account($0, by: process) == nil }
        }
    }

    @Test func `answers that are long are refused to who reads none, and made for others`() throws {
        let service = try Service()
        // What it binds makes each list of states longer than a mebibyte.
        let (session, binding) = (try service.client(), try service.client())
        let name = try #require(
            try session.call(#"{"method":"io.focusd.Focus.OpenSession","more":true}"#).parameters["session"] as? String)
        let selector = "label[name='\(String(repeating: "x", count: 60_000))']"
        for _ in 0..<20 {
            let bind =
                #"{"method":"io.focusd.Focus.Bind","parameters":{"session":"\#(name)","#
                + #""prototypes":[{"value":"a","selector":"\#(selector)"}]}}"#
            #expect(try binding.call(bind).error == nil)
        }
        let list = #"{"method":"io.focusd.Focus.ListStates"}"#
        let deaf = try (0..<12).map { _ in try service.client() }
        for client in deaf { try client.send(list) }
        try service.statistics(until: "the process has what it may have") { statistics in
            statistics.limits.contains { $0.name == "maximumQueuedBytesPerProcess" && $0.met > 0 }
        }
        let errors = try deaf.map { try $0.reply() }.compactMap(\.error)
        #expect(!errors.isEmpty && errors.allSatisfy { $0 == "io.focusd.Focus.LimitExceeded" })
        #expect(try service.findings().contains("limitReached.queuedBytesPerProcess"))
        // They have read now.
        #expect(try deaf[0].call(list).error == nil)
    }

    @Test func `many states come in parts, and in one answer as many as it may hold`() throws {
        let service = try Service()
        let (session, binding) = (try service.client(), try service.client())
        let name = try #require(
            try session.call(#"{"method":"io.focusd.Focus.OpenSession","more":true}"#).parameters["session"] as? String)
        let long = String(repeating: "x", count: 60_000)
        let count = 1_050
        for number in 0..<count {
            let selector = number < 160 ? "label[name='\(long)']" : "label[name='\(number)']"
            let bind =
                #"{"method":"io.focusd.Focus.Bind","parameters":{"session":"\#(name)","#
                + #""prototypes":[{"value":"\#(number)","selector":"\#(selector)"}]}}"#
            #expect(try binding.call(bind).error == nil)
        }
        let whole = try service.client().call(#"{"method":"io.focusd.Focus.ListStates"}"#)
        #expect(whole.text.utf8.count <= 8 << 20 && whole.parameters["complete"] as? Bool == false)
        #expect((whole.parameters["states"] as? [Any])?.count ?? 0 > 100)
        #expect(try service.findings().contains("limitReached.answerBytes"))
        let parts = try service.client()
        try parts.send(#"{"method":"io.focusd.Focus.ListStates","more":true}"#)
        var values: [String] = []
        while true {
            let part = try parts.reply()
            #expect(part.text.utf8.count < 1 << 20)
            for state in part.parameters["states"] as? [[String: Any]] ?? [] {
                values += (state["prototypes"] as? [[String: Any]] ?? []).compactMap { $0["value"] as? String }
            }
            #expect(part.parameters["complete"] as? Bool == !part.continues)
            guard part.continues else { break }
        }
        #expect(values == (0..<count).map(String.init))
        // Who does not read the parts is charged for the list until it goes.
        let deaf = try service.client()
        try deaf.send(#"{"method":"io.focusd.Focus.ListStates","more":true}"#)
        try service.statistics(until: "its parts wait") { statistics in
            statistics.processes.first?.searches == 1 && statistics.clients.contains { $0.bytesQueued > 64 << 10 }
        }
        deaf.vanish()
        try service.statistics(until: "nothing is charged") { $0.processes.first?.searches == 0 }
    }
}

/// Counts the messages of a stream on a thread of its own.
private final class Counting: @unchecked Sendable {
    // SAFETY: the result is written before `done` is signalled and read after it.
    private var result: Result<Int, any Error> = .success(0)
    private let done = DispatchSemaphore(value: 0)
    private let client: RawClient

    init(_ client: RawClient, until count: Int) {
        self.client = client
        Thread.detachNewThread { [self] in
            result = Result {
                var read = 0
                while read < count, try self.client.reply(within: 60).error == nil { read += 1 }
                return read
            }
            done.signal()
        }
    }

    func wait() throws -> Int {
        guard done.wait(timeout: .now() + 90) == .success else { throw Missing(what: "not all was read") }
        return try result.get()
    }
}
