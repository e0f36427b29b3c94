import EventLoop
import Glibc
import Testing

extension LoopTests {
    struct SocketPlaceTests {
        private let runtime = TemporaryFolder()

        @Test("where nothing can be watched that is told once, and the loss of the place is noticed all the same")
        func unwatched() async throws {
            let folder = runtime.path
            let log = Log()
            try await onLoop {
                let place = try SocketPlace(
                    runtimeDirectory: folder, handedOver: false, backlog: 4,
                    watcher: { _, _ in
                        log.note("looked")
                        return nil
                    }, unwatchedMilliseconds: 10)
                place.onUnwatched = { log.note("told") }
                var listener = try #require(try place.open(handedOver: false))
                #expect(place.isUnwatched)
                for _ in 0..<3 {
                    await untilCalled { done in
                        place.onRenewed = {
                            close(listener)
                            listener = $0
                            done()
                        }
                        unlink(place.path)
                    }
                    #expect(PlainClient(place.path) != nil)
                }
                place.leave()
                close(listener)
            }
            #expect(log.all.filter { $0 == "told" }.count == 1)
            #expect(log.all.filter { $0 == "looked" }.count >= 4)
        }

        @Test("a watch that can be had again is taken")
        func watchedAgain() async throws {
            let folder = runtime.path
            try await onLoop {
                var looks = 0
                var watched: (@Loop () -> Void)?
                let place = try SocketPlace(
                    runtimeDirectory: folder, handedOver: false, backlog: 4,
                    watcher: { folder, body in
                        looks += 1
                        guard looks == 3 else { return nil }
                        watched?()
                        return FolderWatch([folder], body)
                    }, unwatchedMilliseconds: 10)
                var listener: Int32 = -1
                await untilCalled { done in
                    watched = done
                    do { listener = try place.open(handedOver: false) ?? -1 } catch { Issue.record(error) }
                }
                #expect(!place.isUnwatched && looks == 3)
                await untilCalled { done in
                    place.onRenewed = {
                        close(listener)
                        listener = $0
                        done()
                    }
                    unlink(place.path)
                }
                place.leave()
                close(listener)
            }
        }
    }
}
