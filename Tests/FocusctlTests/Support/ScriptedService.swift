import Foundation
import Glibc
import Synchronization

/// Stands where focusd would be and answers each call with what the test says, however wrong that is.
final class ScriptedService: Sendable {
    /// What is done for one call.
    enum Step: Sendable {
        /// Sends a message with its NUL byte.
        case message(String)
        /// Sends bytes as they are.
        case bytes([UInt8])
        /// Closes the connection.
        case hangUp
    }

    /// A call as it came.
    struct Call: Decodable {
        struct Parameters: Decodable {
            var technology: String?
        }
        let method: String
        let parameters: Parameters?
        let more: Bool?

        /// The method's name without the interface's.
        var name: String { String(method.split(separator: ".").last ?? "") }
    }

    private struct State {
        var calls: [String] = []
        var connections: Set<Int32> = []
        var hasEnded = false
    }
    private let state = Mutex(State())
    private let listener: Int32
    private let script: @Sendable (Call) -> [Step]

    /// Listens in the folder; the script says what is done for each call. No step leaves the call without an answer.
    init(in folder: RuntimeFolder, script: @escaping @Sendable (Call) -> [Step]) throws {
        self.script = script
        listener = try listeningSocket(at: folder.socket, backlog: 8)
        Thread.detachNewThread { self.acceptConnections() }
    }

    /// The calls that came, as they were on the wire.
    var calls: [String] { state.withLock { $0.calls } }

    /// Closes every connection and listens no more.
    func end() {
        state.withLock { state in
            guard !state.hasEnded else { return }
            state.hasEnded = true
            shutdown(listener, Int32(SHUT_RDWR))
            for connection in state.connections { shutdown(connection, Int32(SHUT_RDWR)) }
        }
    }

    private func acceptConnections() {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { break }
            _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
            let isWanted = state.withLock { state in
                if !state.hasEnded { state.connections.insert(connection) }
                return !state.hasEnded
            }
            guard isWanted else {
                close(connection)
                break
            }
            Thread.detachNewThread { self.serve(connection) }
        }
        close(listener)
    }

    private func serve(_ connection: Int32) {
        var buffer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        reading: while true {
            let count = recv(connection, &chunk, chunk.count, 0)
            guard count > 0 else { break }
            buffer += chunk[..<count]
            while let end = buffer.firstIndex(of: 0) {
                let message = Array(buffer[..<end])
                buffer.removeFirst(end + 1)
                guard answer(message, on: connection) else { break reading }
            }
        }
        state.withLock { _ = $0.connections.remove(connection) }
        close(connection)
    }

    /// Whether the connection stays open.
    private func answer(_ message: [UInt8], on connection: Int32) -> Bool {
        state.withLock { $0.calls.append(String(decoding: message, as: UTF8.self)) }
        let call: Call
        do { call = try JSONDecoder().decode(Call.self, from: Data(message)) } catch { return false }
        for step in script(call) {
            switch step {
            case .message(let text): guard send(Array(text.utf8) + [0], to: connection) else { return false }
            case .bytes(let bytes): guard send(bytes, to: connection) else { return false }
            case .hangUp: return false
            }
        }
        return true
    }

    private func send(_ bytes: [UInt8], to connection: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

/// Listens, but lets nobody in.
struct SilentListener {
    private let listener: Int32

    init(at path: String) throws { listener = try listeningSocket(at: path, backlog: 0) }

    func end() { close(listener) }
}

private func listeningSocket(at path: String, backlog: Int32) throws -> Int32 {
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let bound = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
    guard bound == 0, listen(listener, backlog) == 0 else {
        close(listener)
        throw SystemFailure("bind or listen")
    }
    return listener
}
