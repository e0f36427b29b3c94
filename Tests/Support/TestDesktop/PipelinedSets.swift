import FocusProtocol
import Foundation
import Glibc

/// Several sets under way on one connection, which no client that waits for each answer could have.
package final class PipelinedSets {
    private let descriptor: Int32
    private var received: [UInt8] = []

    package init(_ runtimeFolder: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = runtimeFolder + "/focusd/io.focusd.Focus"
        withUnsafeMutableBytes(of: &address.sun_path) { bytes in
            bytes.copyBytes(from: path.utf8.prefix(bytes.count - 1))
        }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
        }
        guard result == 0 else { throw Missing(what: "no connection to \(path)") }
        // An answer that never comes is an error, not a test without an end.
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    package func send(_ state: String, _ value: String?, milliseconds: Int = 30_000) throws {
        struct Call: Encodable {
            let method: String
            let parameters: SetValue.Parameters
        }
        let call = Call(
            method: SetValue.name,
            parameters: .init(state: state, value: value, timeoutMilliseconds: milliseconds))
        let bytes = [UInt8](try JSONEncoder().encode(call)) + [0]
        let sent = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard sent == bytes.count else { throw Missing(what: "a call could not be sent") }
    }

    /// The outcome of the oldest set that has none yet.
    package func next() throws -> Outcome {
        struct Reply: Decodable {
            let parameters: SetValue.Reply
        }
        while true {
            if let end = received.firstIndex(of: 0) {
                let message = Data(received[..<end])
                received.removeFirst(end + 1)
                return try JSONDecoder().decode(Reply.self, from: message).parameters.outcome
            }
            var buffer = [UInt8](repeating: 0, count: 16_384)
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { throw Missing(what: "no outcome of a set") }
            received += buffer[..<count]
        }
    }
}
