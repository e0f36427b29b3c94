import FocusProtocol
import Foundation
import Glibc
import Testing
import Varlink

@testable import EventLoop
@testable import FocusService

/// The process has one loop, and one thread at a time may run it.
@Suite(.serialized) struct TurnTests {
    private static let call = Array(#"{"method":"a.B"}"#.utf8) + [0]

    /// Connections of several processes, and in which order their calls are served.
    @Loop
    private final class Scene {
        let ledger: ClientLedger
        let turns: ClientTurns
        private(set) var served: [Int32] = []
        private var clients: [ClientConnection] = []
        private var peers: [Int32] = []
        /// How long each call takes.
        var nanoseconds: Int64 = 0
        var onCall: (@Loop () -> Void)?

        init() {
            var limits = ServiceLimits()
            limits.turnNanoseconds = 1_000_000
            ledger = ClientLedger(limits: limits)
            turns = ClientTurns(limits: limits)
        }

        func connect(_ pid: Int32, calls: Int) throws {
            var ends: [Int32] = [0, 0]
            let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
            try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
            let bytes = Array(repeating: TurnTests.call, count: calls).flatMap { $0 }
            try #require(bytes.withUnsafeBytes { write(ends[1], $0.baseAddress, $0.count) } == bytes.count)
            try ledger.account(of: pid).take(.clients)
            let client = ClientConnection(
                SocketListener.Peer(descriptor: ends[0], pid: pid, uid: getuid()), ledger: ledger, turns: turns)
            client.onCall = { [weak self] client, id, _ in
                guard let self else { return }
                self.served.append(client.pid)
                let end = SystemClock.monotonicNanoseconds + self.nanoseconds
                while SystemClock.monotonicNanoseconds < end {}
                client.reply(id, [])
                self.onCall?()
            }
            clients.append(client)
            peers.append(ends[1])
        }

        func end() {
            for client in clients { client.stop() }
            for peer in peers { close(peer) }
        }

        /// Returns when so many calls were served.
        func wait(for count: Int) async {
            await withCheckedContinuation { continuation in
                onCall = { [unowned self] in
                    guard self.served.count == count else { return }
                    self.onCall = nil
                    continuation.resume()
                }
            }
        }
    }

    @Test func `who asks much waits until all others had their turn`() async throws {
        let served = try await onLoop {
            let scene = Scene()
            defer { scene.end() }
            scene.nanoseconds = 1_500_000
            // Each of its calls is longer than its turn; all of it lies there before the other comes.
            for _ in 0..<3 { try scene.connect(1, calls: 4) }
            try scene.connect(2, calls: 1)
            await scene.wait(for: 13)
            return scene.served
        }
        // In the first turn of the loop each has one call served; only then the first process goes on.
        #expect(served.prefix(2).contains(2))
        #expect(served.count { $0 == 1 } == 12)
    }

    @Test func `of two who ask much neither is served to the end before the other`() async throws {
        let served = try await onLoop {
            let scene = Scene()
            defer { scene.end() }
            scene.nanoseconds = 1_500_000
            for pid in [Int32(1), 1, 2, 2] { try scene.connect(pid, calls: 5) }
            await scene.wait(for: 20)
            return scene.served
        }
        var (ahead, most) = (0, 0)
        for pid in served {
            ahead += pid == 1 ? 1 : -1
            most = max(most, abs(ahead))
        }
        #expect(most <= 3)
    }

    @Test func `many connections get a process no more turns than one`() async throws {
        let served = try await onLoop {
            let scene = Scene()
            defer { scene.end() }
            scene.nanoseconds = 1_500_000
            for _ in 0..<6 { try scene.connect(1, calls: 3) }
            try scene.connect(2, calls: 4)
            await scene.wait(for: 22)
            return scene.served
        }
        let last = try #require(served.lastIndex(of: 2))
        #expect(last <= 9, "\(served)")
    }

    @Test func `short calls are served in one piece, and nothing is left in line`() async throws {
        let held = try await onLoop {
            let scene = Scene()
            try scene.connect(1, calls: 50)
            await scene.wait(for: 50)
            let resting = scene.ledger.account(of: 1).isResting
            scene.end()
            return (resting, scene.ledger.accounts.count, scene.ledger.total(of: .calls))
        }
        #expect(held == (false, 0, 0))
    }

    @Test func `who leaves while it waits in line is not waited for`() async throws {
        let held = try await onLoop {
            let scene = Scene()
            scene.nanoseconds = 1_500_000
            for _ in 0..<3 { try scene.connect(1, calls: 4) }
            await scene.wait(for: 1)
            scene.end()
            return (scene.ledger.accounts.count, scene.ledger.total(of: .calls), scene.ledger.total(of: .receivedBytes))
        }
        #expect(held == (0, 0, 0))
    }
}

/// A test's body came to no end.
struct LoopTimeout: Error {}

/// Runs a body on the event loop, on a thread made for it, and ends the loop when the body ends.
func onLoop<Value: Sendable>(
    seconds: Int64 = 30, _ body: @escaping @Loop @Sendable () async throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
        Thread {
            let outcome = LoopOutcome<Value>()
            Loop.run {
                let guardian = LoopTimer(milliseconds: seconds * 1_000) { Loop.stop() }
                Loop.task {
                    do { outcome.result = .success(try await body()) } catch { outcome.result = .failure(error) }
                    guardian.cancel()
                    Loop.stop()
                }
            }
            // ORDER: only now is the loop free for the next test.
            continuation.resume(with: outcome.result)
        }.start()
    }
}

private final class LoopOutcome<Value: Sendable>: @unchecked Sendable {
    // SAFETY: written on the loop's thread, read on the same thread when the loop has ended.
    var result: Result<Value, any Error> = .failure(LoopTimeout())
}
