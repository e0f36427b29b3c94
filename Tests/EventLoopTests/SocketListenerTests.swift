import EventLoop
import Glibc
import Testing

extension LoopTests {
    struct SocketListenerTests {
        private let runtime = TemporaryFolder()

        @Test("who connects is known by the kernel's word, on a descriptor that neither blocks nor is inherited")
        func peers() async throws {
            let runtime = runtime
            try await onLoop {
                let folder = try SocketFolder(runtimeDirectory: runtime.path)
                var clients: [PlainClient] = []
                var peers: [SocketListener.Peer] = []
                var listener: SocketListener?
                let descriptor = try folder.listen(backlog: 8)
                await untilCalled { done in
                    listener = SocketListener(adopting: descriptor) { peer in
                        peers.append(peer)
                        if peers.count == 3 { done() }
                    }
                    for _ in 0..<3 {
                        if let client = PlainClient("\(folder.path)/io.focusd.Focus") { clients.append(client) }
                    }
                }
                #expect(clients.count == 3)
                for peer in peers {
                    #expect(peer.pid == getpid())
                    #expect(peer.uid == getuid())
                    #expect(fcntl(peer.descriptor, F_GETFL) & O_NONBLOCK != 0)
                    #expect(fcntl(peer.descriptor, F_GETFD) & FD_CLOEXEC != 0)
                    close(peer.descriptor)
                }
                #expect(Set(peers.map(\.descriptor)).count == 3)
                #expect(listener != nil)
                listener = nil
                #expect(PlainClient("\(folder.path)/io.focusd.Focus") == nil, "it closes what it adopted")
            }
        }

        @Test("a crowd at the door is let in, a few in each turn")
        func crowd() async throws {
            let runtime = runtime
            let accepted = try await onLoop {
                let folder = try SocketFolder(runtimeDirectory: runtime.path)
                let descriptor = try folder.listen(backlog: 64)
                let clients = (0..<50).compactMap { _ in PlainClient("\(folder.path)/io.focusd.Focus") }
                #expect(clients.count == 50)
                var counts: [Int] = []
                var accepted = 0
                var listener: SocketListener?
                await untilCalled { done in
                    listener = SocketListener(adopting: descriptor) { peer in
                        close(peer.descriptor)
                        accepted += 1
                        if accepted == 50 { done() }
                    }
                    // What runs between the turns sees the crowd come in portions.
                    Loop.task {
                        while accepted < 50 {
                            counts.append(accepted)
                            await Loop.pause(milliseconds: 0)
                        }
                    }
                }
                #expect(listener != nil)
                #expect(counts.contains { $0 > 0 && $0 < 50 }, "\(counts)")
                return accepted
            }
            #expect(accepted == 50)
        }

        @Test("a client that is gone before it is let in harms nobody")
        func goneAtTheDoor() async throws {
            let runtime = runtime
            try await onLoop {
                let folder = try SocketFolder(runtimeDirectory: runtime.path)
                let descriptor = try folder.listen(backlog: 8)
                var impatient = PlainClient("\(folder.path)/io.focusd.Focus")
                #expect(impatient != nil)
                impatient = nil
                var client: PlainClient?
                var listener: SocketListener?
                var count = 0
                await untilCalled { done in
                    listener = SocketListener(adopting: descriptor) { peer in
                        close(peer.descriptor)
                        count += 1
                        if count == 2 { done() }
                    }
                    client = PlainClient("\(folder.path)/io.focusd.Focus")
                }
                #expect(listener != nil && client != nil)
            }
        }

        @Test("out of descriptors it rests, and goes on when there are some again, without spinning")
        func noDescriptors() async {
            await #expect(processExitsWith: .exitCode(7)) {
                let turns = try? await onLoop {
                    let runtime = TemporaryFolder()
                    let folder = try SocketFolder(runtimeDirectory: runtime.path)
                    let descriptor = try folder.listen(backlog: 8)
                    let client = PlainClient("\(folder.path)/io.focusd.Focus")
                    // All that is left, so that nothing can be accepted.
                    var limit = rlimit()
                    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                    limit.rlim_cur = min(limit.rlim_cur, 256)
                    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                    var fillers: [Int32] = []
                    while true {
                        let filler = dup(descriptor)
                        guard filler >= 0 else { break }
                        fillers.append(filler)
                    }
                    var listener: SocketListener?
                    let began = clock()
                    await untilCalled { done in
                        listener = SocketListener(adopting: descriptor) { peer in
                            close(peer.descriptor)
                            done()
                        }
                        Loop.task {
                            await Loop.pause(milliseconds: 150)
                            for filler in fillers { close(filler) }
                        }
                    }
                    _ = (listener, client)
                    return Int(clock() - began) * 1_000 / Int(CLOCKS_PER_SEC)
                }
                // Waiting costs no time of the processor; spinning would cost all of it.
                exit(turns.map { $0 < 100 ? 7 : 3 } ?? 1)
            }
        }
    }
}
