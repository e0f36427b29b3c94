import Foundation
import Glibc

/// A service whose queue of clients is full.
final class BusyListener: Sendable {
    private let listener: Int32
    /// Connections of its own, which fill the queue.
    private let fillers: [Int32]

    init(at path: String) throws {
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        self.listener = listener
        guard Self.withAddress(path, { bind(listener, $0, $1) }) == 0, listen(listener, 0) == 0 else {
            throw DeadlinePassed(description: "cannot listen at \(path)")
        }
        var fillers: [Int32] = []
        while fillers.count < 16 {
            let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            let filler = socket(AF_UNIX, kind, 0)
            fillers.append(filler)
            guard Self.withAddress(path, { connect(filler, $0, $1) }) == 0 else { break }
        }
        self.fillers = fillers
    }

    deinit {
        for filler in fillers { close(filler) }
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// Lets everybody in from now on, and sends each who asks something this answer.
    func letIn(answering answer: [UInt8]) -> Thread {
        let thread = Thread { [listener] in
            while !Thread.current.isCancelled {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                var chunk = [UInt8](repeating: 0, count: 65536)
                // The fillers say nothing; only they are not waited for.
                var watched = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
                if poll(&watched, 1, 1000) > 0, recv(connection, &chunk, chunk.count, 0) > 0 {
                    _ = answer.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                }
                close(connection)
            }
        }
        for filler in fillers { shutdown(filler, Int32(SHUT_RDWR)) }
        thread.start()
        return thread
    }

    private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
