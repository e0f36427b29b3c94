import Foundation
import Glibc
import TestDesktop

/// Clients that follow and ask for all there is, and keep every byte that comes from the socket.
final class Wiretap: @unchecked Sendable {
    // SAFETY: everything that changes is guarded by `lock`.
    private let path: String
    private let lock = NSLock()
    private var bytes = Data()

    init(_ runtimeFolder: String) { path = "\(runtimeFolder)/focusd/io.focusd.Focus" }

    func contains(_ secret: Secret) -> Bool { lock.withLock { secret.isPart(of: bytes) } }

    /// Follows a method from its first reply on, as long as focusd lives.
    func stream(_ method: String, _ parameters: String = "") throws {
        let descriptor = try open(method, parameters, more: true)
        _ = try read(descriptor)
        Thread.detachNewThread { [self] in
            do {
                while try read(descriptor) {}
            } catch {
                keep(Data("\(error)".utf8))
            }
            close(descriptor)
        }
    }

    /// Asks with every method for all that it tells, of everything and of what is in elements of a role.
    func look(into role: String) throws {
        let everything = #""limit":10000,"fields":["attributes","extents","selector"]"#
        for (method, parameters) in [
            ("GetFocus", ""), ("GetFocus", #""technology":"orca""#), ("GetFocus", #""technology":"keyboard""#),
            ("GetTree", ""), ("Find", #""selector":"*",\#(everything)"#),
            ("Find", #""selector":"\#(role), \#(role) *, *:has(\#(role))",\#(everything)"#),
            ("Wait", #""selector":"\#(role)","condition":"focused","timeoutMilliseconds":5000"#),
            ("ListStates", ""), ("ListApplications", ""), ("ListTechnologies", ""), ("GetStatistics", ""),
            ("Diagnose", ""),
        ] {
            let descriptor = try open(method, parameters, more: method == "GetTree")
            defer { close(descriptor) }
            // A tree comes in parts, and then there is nothing more to come.
            shutdown(descriptor, Int32(SHUT_WR))
            while try read(descriptor) {}
        }
    }

    private func keep(_ data: Data) { lock.withLock { bytes.append(data) } }

    /// Reads what has come; false at the end.
    private func read(_ descriptor: Int32) throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count > 0 { keep(Data(buffer[..<count])) }
        guard count >= 0 else { throw Missing(what: "no answer: \(String(cString: strerror(errno)))") }
        return count > 0
    }

    private func open(_ method: String, _ parameters: String, more: Bool) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw Missing(what: "\(path): \(String(cString: strerror(errno)))") }
        let call = #"{"method":"io.focusd.Focus.\#(method)","more":\#(more),"parameters":{\#(parameters)}}"#
        let message = Array(call.utf8) + [0]
        guard send(descriptor, message, message.count, Int32(MSG_NOSIGNAL)) == message.count else {
            throw Missing(what: "\(method) was not sent")
        }
        return descriptor
    }
}
