import FakePeers
import FocusProtocol
import Foundation
import Glibc
import TestDesktop
import Testing

/// What one client may cost the service, and that others do not pay for it.
@Suite(.serialized) struct LimitTests {
    /// Another process is answered meanwhile.
    private func expectStrangerServed(_ service: Service) throws {
        let script = """
            import socket, sys
            peer = socket.socket(socket.AF_UNIX)
            peer.connect(sys.argv[1])
            peer.sendall(b'{"method":"org.varlink.service.GetInfo"}\\0')
            print(b'"focusd"' in peer.recv(4096))
            """
        let stranger = try TestDesktop.ChildProcess(
            "/usr/bin/python3", ["-c", script, service.socket], environment: ["PATH": "/usr/bin:/bin"])
        try stranger.output.line("True")
    }

    @Test func `one process has no more than its share of connections`() throws {
        let service = try Service()
        let steady = SteadyClient(service.socket, Wire.getInfo)
        let clients = try (0..<62).map { _ in try service.client() }
        for client in clients { #expect(try client.call(Wire.getInfo).error == nil) }
        // With the steady one this is the 64th.
        let last = try service.client()
        #expect(try last.call(Wire.getInfo).error == nil)
        for _ in 0..<60 {
            let refused = try service.client()
            #expect(try refused.reply().limit == "maximumClientsPerProcess")
            #expect(try refused.next() == nil)
        }
        let statistics = try Service.statistics(last)
        #expect(statistics.counters["clientsRefused"] == 60)
        let limit = statistics.limits.first { $0.name == "maximumClientsPerProcess" }
        #expect(limit == LimitUse(name: "maximumClientsPerProcess", used: 64, limit: 64, met: 60))
        // Many lines of the log tell nothing more than a few.
        #expect(service.focusd.process.errors.all.count { $0.contains("refused a client") } < 60)
        try expectStrangerServed(service)
        clients[0].vanish()
        try service.statistics(last, until: "one place is free") { $0.clients.count == 63 }
        #expect(try service.client().call(Wire.getInfo).error == nil)
        let (count, slowest) = try steady.stop()
        #expect(count > 0 && slowest < 5)
    }

    @Test func `one process has no more than its share of calls that are not answered`() throws {
        let service = try Service()
        let state = try service.client()
        let bind =
            #"{"method":"io.focusd.Focus.Bind","more":true,"parameters":{"name":"s","technologies":["keyboard"],"#
            + #""prototypes":[{"value":"a","selector":"label[name=never]"}]}}"#
        #expect(try state.call(bind).continues)
        // What is said after a set is answered after it. Sent in one go, it is in flight in one go.
        let set =
            #"{"method":"io.focusd.Focus.SetValue","parameters":"#
            + #"{"state":"s","value":"a","timeoutMilliseconds":60000}}"#
        let decline = #"{"method":"io.focusd.Focus.DeclineMove","parameters":{"token":"1","reason":""}}"#
        let calls = [set] + Array(repeating: decline, count: 63)
        let crowd = try (0..<4).map { _ in try service.client() }
        for one in crowd { try one.send(calls.joined(separator: "\0")) }
        #expect(try crowd[3].reply().limit == "maximumCallsPerProcess")
        let asking = try service.client()
        #expect(try asking.call(Wire.getInfo).error == nil)
        try expectStrangerServed(service)
        for one in crowd + [state] { one.vanish() }
        let statistics = try service.statistics(until: "they have gone") { $0.clients.count == 2 }
        let limit = try #require(statistics.limits.first { $0.name == "maximumCallsPerProcess" })
        #expect(limit.met > 0 && limit.used == 1, "\(limit)")
        #expect(try asking.call(Wire.getInfo).error == nil)
    }

    @Test func `all processes together have no more than the limit of connections`() throws {
        let service = try Service()
        let script = """
            import socket, sys
            peers = []
            for number in range(64):
                peer = socket.socket(socket.AF_UNIX)
                peer.connect(sys.argv[1])
                peer.sendall(b'{"method":"org.varlink.service.GetInfo"}\\0')
                assert peer.recv(4096), number
                peers.append(peer)
            print("READY", flush=True)
            sys.stdin.read()
            """
        let crowd = try (0..<7).map { _ in
            let process = try TestDesktop.ChildProcess(
                "/usr/bin/python3", ["-c", script, service.socket], environment: ["PATH": "/usr/bin:/bin"])
            try process.output.line("READY", within: 60)
            return process
        }
        // 64 places are left: one process has half of them, and others get some still.
        let clients = try (0..<32).map { _ in try service.client() }
        for client in clients { #expect(try client.call(Wire.getInfo).error == nil) }
        let refused = try service.client()
        #expect(try refused.reply().limit == "maximumClients")
        #expect(try refused.next() == nil)
        let stranger = try TestDesktop.ChildProcess(
            "/usr/bin/python3", ["-c", script.replacingOccurrences(of: "64", with: "1"), service.socket],
            environment: ["PATH": "/usr/bin:/bin"])
        try stranger.output.line("READY", within: 60)
        crowd[0].end()
        // Those of the one that ended leave room; until focusd has seen them go, a newcomer is still refused.
        let deadline = Date(timeIntervalSinceNow: 30)
        var isServed = false
        while !isServed, deadline.timeIntervalSinceNow > 0 {
            let client = try service.client()
            try client.send(Wire.getInfo)
            isServed = try client.reply().error == nil
        }
        #expect(isServed)
    }

    @Test func `a client that reads no answers gets no more of them made, and then all`() throws {
        let service = try Service()
        let steady = SteadyClient(service.socket, Wire.getInfo)
        let before = try service.residentKilobytes
        let client = try service.client()
        let call =
            #"{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":"io.focusd.Focus"}}"#
        let bytes = Array(call.utf8) + [0]
        let count = 1_000
        // As many as the service and the buffers between take; the rest once the answers are read.
        let sender = Sender(client, Array(repeating: bytes, count: count).flatMap { $0 })
        let statistics = try service.statistics(until: "its answers wait") { statistics in
            statistics.clients.contains { $0.bytesQueued > 0 }
        }
        let waiting = try #require(statistics.clients.max { $0.bytesQueued < $1.bytesQueued })
        // What passes the mark is one answer, longer than the text by its escapes, and one may be under way then.
        #expect(waiting.bytesQueued < (64 << 10) + 2 * FocusInterface.text.utf8.count * 5 / 4)
        #expect(waiting.calls < count)
        for _ in 0..<count { #expect(try client.reply().error == nil) }
        try sender.wait()
        #expect(try service.residentKilobytes < before + 20_000)
        let (answers, slowest) = try steady.stop()
        #expect(answers > 0 && slowest < 5)
    }

    @Test func `a subscriber that never reads is cut off, and nobody else notices`() async throws {
        try await withBusyService { busy in
            let service = busy.service
            let slow = try service.client()
            try slow.send(Wire.watchFocus)
            let never = try service.client()
            try never.send(Wire.watchFocus)
            let steady = SteadyClient(service.socket, Wire.getFocus)
            let before = try service.residentKilobytes
            try await busy.storm(20_000)
            let counters = try service.statistics(until: "both are cut off") {
                $0.counters["subscribersTooSlow"] == 2
            }.counters
            #expect(counters["clientsClosedForFault"] == 0)
            #expect(try service.residentKilobytes < before + 30_000)
            // One reads what it is owed: whole messages, then why, then the end.
            let replies = try slow.rest()
            let last = try #require(replies.last)
            #expect(last.error == "io.focusd.Focus.SubscriberTooSlow" && !last.continues)
            #expect(replies.dropLast().allSatisfy { $0.error == nil && $0.continues })
            let revisions = replies.dropLast().compactMap { $0.focus["revision"] as? Int64 }
            #expect(zip(revisions, revisions.dropFirst()).allSatisfy { $0 < $1 })
            // The other never reads: it is not waited for.
            try never.waitForHangUp(within: 60)
            let (count, slowest) = try steady.stop()
            #expect(count > 10 && slowest < 5)
            #expect(try service.client().call(Wire.getFocus).error == nil)
        }
    }

    @Test func `one process waits for no more moves than allowed`() async throws {
        try await withBusyService { busy in
            let service = busy.service
            busy.application.stop()
            let call = Wire.move(to: busy.application.referenceText("cancel"), milliseconds: 60_000)
            let clients = try (0..<17).map { _ in try service.client() }
            for client in clients { try client.send(call) }
            let refused = try clients[16].reply()
            #expect(refused.error == "io.focusd.Focus.LimitExceeded")
            #expect(refused.limit == "maximumMovesPerProcess")
        }
    }

    @Test func `one process announces no more in a second than allowed`() throws {
        let service = try Service()
        let client = try service.client()
        // In one piece, so that no second passes between them; nobody is there to say them, which counts the same.
        try client.send(bytes: Array(repeating: Array(Wire.announce.utf8) + [0], count: 6).flatMap { $0 })
        for _ in 0..<5 { #expect(try client.reply().parameters["delivered"] as? Bool == false) }
        let refused = try client.reply()
        #expect(refused.error == "io.focusd.Focus.LimitExceeded")
        #expect(refused.limit == "announcementsPerSecond")
        // Another connection is no way around it; another process has its own.
        let script = """
            import socket, sys
            peer = socket.socket(socket.AF_UNIX)
            peer.connect(sys.argv[1])
            peer.sendall(sys.argv[2].encode() + b"\\0")
            print(b'"delivered"' in peer.recv(4096))
            """
        let stranger = try TestDesktop.ChildProcess(
            "/usr/bin/python3", ["-c", script, service.socket, Wire.announce], environment: ["PATH": "/usr/bin:/bin"])
        try stranger.output.line("True")
        let deadline = Date(timeIntervalSinceNow: 30)
        let second = try service.client()
        while try second.call(Wire.announce).error != nil {
            guard deadline.timeIntervalSinceNow > 0 else { throw Missing(what: "a second passed") }
        }
    }
}

extension Service {
    @discardableResult
    fileprivate func statistics(
        _ client: RawClient, until description: String, _ fits: (Statistics) -> Bool
    ) throws -> Statistics {
        let deadline = Date(timeIntervalSinceNow: 30)
        while true {
            let statistics = try Service.statistics(client)
            if fits(statistics) { return statistics }
            guard deadline.timeIntervalSinceNow > 0 else { throw Missing(what: description) }
        }
    }
}
