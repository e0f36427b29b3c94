import Foundation

/// What a service manager listens at: datagrams of a service that says how it is.
public final class NotifySocket: Sendable {
    public let path: String
    private let descriptor: Int32

    public init(at path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard descriptor >= 0, result == 0 else { throw Missing(what: "a notify socket at \(path)") }
    }

    deinit { close(descriptor) }

    /// The next message; nil where none comes in time.
    public func next(withinMilliseconds milliseconds: Int32 = 20_000) -> String? {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, milliseconds) == 1 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return count >= 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }

    /// Takes what waits, without waiting.
    public func drain() { while next(withinMilliseconds: 0) != nil {} }
}
