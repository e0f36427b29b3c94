import FocusProtocol
import Glibc
import Testing
import Varlink

@testable import EventLoop
@testable import FocusService

extension TurnTests {
    /// Many are told of one change, some of whom do not read; and one is told more than it reads.
    @Suite struct TellingTests {
        /// Connections of one process with a stream each; the other ends of them are read by the test.
        @Loop
        private final class Scene {
            let ledger: ClientLedger
            let turns: ClientTurns
            let line = FlushLine()
            private(set) var streams: [(client: ClientConnection, id: ServerConversation.CallID)] = []
            private(set) var peers: [Int32] = []

            init(_ limits: ServiceLimits) {
                ledger = ClientLedger(limits: limits)
                turns = ClientTurns(limits: limits)
            }

            /// Opens a stream and returns when its call has come.
            func open() async throws -> ClientConnection {
                var ends: [Int32] = [0, 0]
                let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
                try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
                let call = Array(#"{"method":"a.B","more":true}"#.utf8) + [0]
                try #require(call.withUnsafeBytes { write(ends[1], $0.baseAddress, $0.count) } == call.count)
                peers.append(ends[1])
                try ledger.account(of: 1).take(.clients)
                let client = ClientConnection(
                    SocketListener.Peer(descriptor: ends[0], pid: 1, uid: getuid()), ledger: ledger, turns: turns,
                    flushLine: line)
                await withCheckedContinuation { continuation in
                    client.onCall = { [weak self] client, id, _ in
                        self?.streams.append((client, id))
                        continuation.resume()
                    }
                }
                return client
            }

            func tell(_ stream: Int, _ count: Int, revision: Int64? = nil) {
                let text = "{\"say\":\"\(String(repeating: "x", count: count))\"}"
                streams[stream].client.tell(streams[stream].id, StreamReply(Array(text.utf8)), revision: revision)
            }

            /// All that a peer has to read up to the end of its connection.
            func rest(_ stream: Int) async -> [UInt8] {
                var (all, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
                while true {
                    let count = recv(peers[stream], &buffer, buffer.count, 0)
                    if count == 0 { return all }
                    if count > 0 { all += buffer[..<count] } else { await Loop.pause(milliseconds: 1) }
                }
            }

            func hasMessage(_ stream: Int) -> Bool {
                var byte: UInt8 = 0
                return recv(peers[stream], &byte, 1, Int32(MSG_PEEK)) == 1
            }

            func end() {
                for (client, _) in streams { client.stop() }
                for peer in peers { close(peer) }
            }
        }

        private static let tooSlow = Array(#"{"error":"io.focusd.Focus.SubscriberTooSlow","parameters":{}}"#.utf8) + [0]

        @Test func `all are told and written to before any of them is cut off`() async throws {
            let seen = try await onLoop {
                var limits = ServiceLimits()
                limits.freeBytes = 1_000
                limits.maximumQueuedBytesPerClient = 2_000
                let scene = Scene(limits)
                defer { scene.end() }
                let deaf = [try await scene.open(), try await scene.open()]
                _ = try await scene.open()
                for stream in 0...1 {
                    while deaf[stream].bytesQueued <= 2_000 { scene.tell(stream, 1_500) }
                }
                var told: [Bool] = []
                for client in deaf { client.onTooSlow = { told.append(scene.hasMessage(2)) } }
                scene.line.hold { for stream in 0...2 { scene.tell(stream, 100) } }
                let ends = [await scene.rest(0), await scene.rest(1)]
                return (told, ends.map { $0.suffix(TellingTests.tooSlow.count) == TellingTests.tooSlow[...] })
            }
            #expect(seen.0 == [true, true])
            #expect(seen.1 == [true, true])
        }

        @Test func `all that one move changed comes to a client in its order, and in one piece`() async throws {
            let (first, all) = try await onLoop {
                let scene = Scene(ServiceLimits())
                defer { scene.end() }
                _ = try await scene.open()
                var first = true
                scene.line.hold {
                    for count in 1...50 { scene.tell(0, count, revision: 7) }
                    first = scene.hasMessage(0)
                }
                scene.streams[0].client.reply(scene.streams[0].id, [])
                Glibc.shutdown(scene.peers[0], Int32(SHUT_WR))
                return (first, await scene.rest(0))
            }
            #expect(!first)
            let lengths = all.split(separator: 0).map { message in message.count { $0 == UInt8(ascii: "x") } }
            #expect(lengths == Array(1...50) + [0])
        }

        @Test func `who reads nothing of a list in parts is waited for so long, and then cut off`() async throws {
            let (isGone, rest) = try await onLoop {
                var limits = ServiceLimits()
                limits.unreadMilliseconds = 50
                let scene = Scene(limits)
                defer { scene.end() }
                let client = try await scene.open()
                var isGone = false
                client.whenCancelled(scene.streams[0].id) { isGone = true }
                while !isGone {
                    scene.tell(0, 30_000)
                    await client.waitForRoom()
                }
                return (isGone, await scene.rest(0))
            }
            #expect(isGone)
            #expect(rest.suffix(TellingTests.tooSlow.count) == TellingTests.tooSlow[...])
        }
    }
}
