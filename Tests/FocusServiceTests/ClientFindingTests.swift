import AccessibilityFocus
import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

extension FocusdTests {
    /// Limits that clients met, as the doctor tells of them: who it was, and no more when it is some time ago.
    @Suite struct ClientFindings {
        /// focusd that forgets soon.
        private func withForgetful(_ body: (FocusdScene) async throws -> Void) async throws {
            try await withScene(configuration: "remember-trouble = 3s\n", body)
        }

        @Test func `slowSubscribers`() async throws {
            try await withForgetful { scene in
                let app = try scene.application()
                let orca = try scene.reader()
                _ = try await scene.watch(orca, on: "ok", of: app)
                // Never read.
                let idle = try scene.client().stream(GetFocus.self, .init())
                let paths = (app.node("ok").path, app.node("help").path)
                var rounds = 0
                while try scene.counter("subscribersTooSlow") == 0, rounds < 20 {
                    rounds += 1
                    try await orca.storm(count: 2_000, bus: app.busName, paths: paths)
                }
                try scene.expectFound(.slowSubscribers, "(process \(getpid()))")
                _ = idle
                try scene.expectGone(.slowSubscribers)
            }
        }

        @Test func `limitReached.clients and clientsPerProcess`() async throws {
            try await withForgetful { scene in
                let own = try scene.client()
                let codes = { Set(try own.diagnose().map(\.code)) }
                try withExtendedLifetime((0..<64).map { _ in try scene.client() }) { _ in
                    try scene.wait(within: 20, "limitReached.clientsPerProcess") {
                        try codes().contains(FindingCode.limitClientsPerProcess.rawValue)
                    }
                    try scene.expectTold(.limitClientsPerProcess, "(process \(getpid()))", to: own)
                }
                let crowd = """
                    import socket, sys
                    peers = []
                    for number in range(64):
                        peer = socket.socket(socket.AF_UNIX)
                        peer.connect(sys.argv[1])
                        try:
                            peer.sendall(b'{"method":"org.varlink.service.GetInfo"}\\0')
                            if not peer.recv(4096): break
                        except OSError:
                            break
                        peers.append(peer)
                    print("READY", flush=True)
                    sys.stdin.read()
                    """
                let socket = scene.runtimeFolder + "/focusd/io.focusd.Focus"
                let processes = try (0..<8).map { _ in
                    try TestDesktop.ChildProcess(
                        "/usr/bin/python3", ["-c", crowd, socket], environment: ["PATH": "/usr/bin:/bin"])
                }
                for process in processes { try process.output.line("READY", within: 60) }
                try scene.expectTold(.limitClients, "not let in", to: own)
                for process in processes { process.end() }
                try scene.wait(within: 20, "gone") {
                    try codes().isDisjoint(with: [
                        FindingCode.limitClients.rawValue, FindingCode.limitClientsPerProcess.rawValue,
                    ])
                }
            }
        }

        @Test func `limitReached.prototypesPerState, modesPerState, treeSelectorsPerProcess and announcements`()
            async throws
        {
            try await withForgetful { scene in
                let client = try scene.client()
                let session = try SessionWatch(scene.runtimeFolder)
                func bind(_ selectors: [String], modes: [String]? = nil) -> ErrorReply? {
                    let prototypes = selectors.enumerated().map { Prototype(value: "\($0)", selector: $1) }
                    do {
                        _ = try client.call(
                            Bind.self, .init(prototypes: prototypes, modes: modes, session: session.session))
                        return nil
                    } catch {
                        return (error as? FocusSocketError).flatMap {
                            if case .refused(let reply) = $0 { reply } else { nil }
                        }
                    }
                }
                let many = Array(repeating: "label", count: 1_025)
                try scene.expectFound(.limitPrototypesPerState, "(process \(getpid()))") { #expect(bind(many) != nil) }
                try scene.expectFound(.limitModesPerState) {
                    #expect(bind(["label"], modes: (0..<33).map { "m\($0)" }) != nil)
                }
                let tree = Array(repeating: "panel:has(> label)", count: 1_024)
                #expect(bind(tree) == nil)
                try scene.expectFound(.limitTreeSelectorsPerProcess) { #expect(bind(["panel:has(> label)"]) != nil) }
                try scene.expectFound(.limitAnnouncementBytes) {
                    #expect(
                        failure {
                            _ = try client.call(Announce.self, .init(text: String(repeating: "a", count: 8_193)))
                        } != nil)
                }
                try scene.expectFound(.limitAnnouncementsPerSecond) {
                    for _ in 0..<6 { _ = failure { _ = try client.call(Announce.self, .init(text: "a")) } }
                }
                try scene.wait(within: 30, "all are gone") {
                    try scene.findings().allSatisfy { !$0.hasPrefix("limitReached") }
                }
            }
        }

        @Test func `limitReached.movesPerProcess, searchesPerProcess, pendingSetsPerProcess and messageBytes`()
            async throws
        {
            try await withForgetful { scene in
                let app = try scene.application()
                let orca = try scene.reader()
                _ = try await scene.watch(orca, on: "ok", of: app)
                let folder = scene.runtimeFolder
                let socket = folder + "/focusd/io.focusd.Focus"
                app.stop()
                let moves = try (0..<17).map { _ in try Unanswered(socket) }
                try scene.expectFound(.limitMovesPerProcess, "(process \(getpid()))") {
                    for client in moves {
                        try client.send(
                            #"{"method":"io.focusd.Focus.MoveFocus","parameters":{"element":"\#(app.referenceText("cancel"))","timeoutMilliseconds":60000}}"#
                        )
                    }
                }
                app.resume()
                for client in moves { client.hangUp() }
                let waits = try (0..<33).map { _ in try Unanswered(socket) }
                try scene.expectFound(.limitSearchesPerProcess) {
                    for client in waits {
                        try client.send(
                            #"{"method":"io.focusd.Focus.Wait","parameters":{"selector":"[name=never]","condition":"present","timeoutMilliseconds":60000}}"#
                        )
                    }
                }
                for client in waits { client.hangUp() }
                // A newer set of the same state would take the older one's place.
                let session = try SessionWatch(folder)
                let client = try scene.client()
                let states = try (0..<70).map { number in
                    _ = try client.bind(["never": "#never"], in: session.session, name: "state \(number)")
                    return "state \(number)"
                }
                let sets = try (0..<2).map { _ in try PipelinedSets(folder) }
                for (number, state) in states.enumerated() { try sets[number % 2].send(state, "never") }
                try scene.expectFound(.limitPendingSetsPerProcess)
                let long = try Unanswered(socket)
                try scene.expectFound(.limitMessageBytes) {
                    try long.send(#"{"method":"\#(String(repeating: "x", count: 1_100_000))"}"#)
                }
                long.hangUp()
                try scene.wait(within: 30, "all are gone") {
                    try scene.findings().allSatisfy { !$0.hasPrefix("limitReached") }
                }
            }
        }

        @Test func `limitReached.statesPerProcess`() async throws {
            try await withForgetful { scene in
                let session = try SessionWatch(scene.runtimeFolder)
                let client = try scene.client()
                for _ in 0..<4_096 { _ = try client.bind(["x": "label"], in: session.session) }
                try scene.expectFound(.limitStatesPerProcess) {
                    #expect(failure { _ = try client.bind(["x": "label"], in: session.session) } != nil)
                }
                try scene.expectGone(.limitStatesPerProcess)
            }
        }
    }
}

/// A client that sends calls and reads nothing.
private final class Unanswered {
    private var descriptor: Int32

    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw Missing(what: "no connection to \(path): \(errno)") }
    }

    /// Sends as much as is taken at once: focusd may have closed the connection, or read enough of it.
    func send(_ message: String) throws {
        var rest = (Array(message.utf8) + [0])[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    func hangUp() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    deinit { hangUp() }
}
