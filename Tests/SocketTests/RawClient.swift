import Foundation
import Glibc
import TestDesktop

/// A client that obeys no library: it sends any bytes, reads or does not, and goes as it likes.
final class RawClient {
    /// One message of the service.
    struct Reply: Equatable {
        let text: String
        var error: String? { object["error"] as? String }
        var continues: Bool { object["continues"] as? Bool ?? false }
        var parameters: [String: Any] { object["parameters"] as? [String: Any] ?? [:] }
        /// The limit that `LimitExceeded` names.
        var limit: String? { error == "io.focusd.Focus.LimitExceeded" ? parameters["limit"] as? String : nil }
        var focus: [String: Any] { parameters["focus"] as? [String: Any] ?? [:] }
        var elementName: String? { (focus["element"] as? [String: Any])?["name"] as? String }

        private var object: [String: Any] {
            do {
                return try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
            } catch {
                return ["error": "not JSON: \(text)"]
            }
        }
    }

    private(set) var descriptor: Int32
    private var pending: [UInt8] = []
    private var searched = 0

    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Missing(what: "no socket: \(errno)") }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw Missing(what: "\(path) is too long")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else {
            let reason = String(cString: strerror(errno))
            vanish()
            throw Missing(what: "\(path): \(reason)")
        }
    }

    // MARK: - Out

    /// Sends bytes; false where the service takes no more of them.
    @discardableResult
    func send(bytes: [UInt8], within seconds: Double = 30) throws -> Bool {
        var done = 0
        while done < bytes.count {
            let sent = bytes[done...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if sent > 0 {
                done += sent
            } else if errno == EAGAIN {
                guard try wait(for: Int32(POLLOUT), within: seconds) else {
                    throw Missing(what: "the service did not read for \(seconds) s")
                }
            } else if errno == EPIPE || errno == ECONNRESET {
                return false
            } else if errno != EINTR {
                throw Missing(what: "send failed: \(String(cString: strerror(errno)))")
            }
        }
        return true
    }

    /// Sends a message with its NUL.
    func send(_ message: String) throws { try send(bytes: Array(message.utf8) + [0]) }

    /// Sends a message, each byte by itself.
    func sendByteByByte(_ message: String) throws {
        for byte in Array(message.utf8) + [0] { try send(bytes: [byte]) }
    }

    /// Ends the writing, and goes on reading.
    func endWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Goes without a word.
    func vanish() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    deinit { vanish() }

    // MARK: - In

    /// The next message; nil at the end of the connection.
    func next(within seconds: Double = 30) throws -> Reply? {
        let deadline = Date(timeIntervalSinceNow: seconds)
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            if let end = pending[searched...].firstIndex(of: 0) {
                let reply = Reply(text: String(decoding: pending[..<end], as: UTF8.self))
                pending.removeSubrange(...end)
                searched = 0
                return reply
            }
            searched = pending.count
            guard try wait(for: Int32(POLLIN), within: deadline.timeIntervalSinceNow) else {
                throw Missing(what: "no message within \(seconds) s")
            }
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count > 0 {
                pending += buffer[..<count]
            } else if count == 0 || errno == ECONNRESET {
                guard pending.isEmpty else { throw Missing(what: "the end came inside a message") }
                return nil
            }
        }
    }

    func reply(within seconds: Double = 30) throws -> Reply {
        guard let reply = try next(within: seconds) else { throw Missing(what: "the service closed the connection") }
        return reply
    }

    func call(_ message: String, within seconds: Double = 30) throws -> Reply {
        try send(message)
        return try reply(within: seconds)
    }

    /// All messages up to the end of the connection.
    func rest(within seconds: Double = 30) throws -> [Reply] {
        var replies: [Reply] = []
        while let reply = try next(within: seconds) { replies.append(reply) }
        return replies
    }

    /// Waits until the service has closed the connection, reading nothing.
    func waitForHangUp(within seconds: Double) throws {
        guard try wait(for: 0, within: seconds) else { throw Missing(what: "still open after \(seconds) s") }
    }

    private func wait(for events: Int32, within seconds: Double) throws -> Bool {
        var watched = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        while true {
            let result = poll(&watched, 1, Int32(max(0, seconds) * 1_000))
            if result >= 0 { return result > 0 }
            guard errno == EINTR else { throw Missing(what: "poll failed: \(errno)") }
        }
    }
}

/// Calls as they are written on the wire.
enum Wire {
    static let getInfo = #"{"method":"org.varlink.service.GetInfo"}"#
    static let getFocus = #"{"method":"io.focusd.Focus.GetFocus"}"#
    static let watchFocus = #"{"method":"io.focusd.Focus.GetFocus","more":true}"#
    static let getStatistics = #"{"method":"io.focusd.Focus.GetStatistics"}"#
    static let watchTechnologies = #"{"method":"io.focusd.Focus.ListTechnologies","more":true}"#
    static let announce = #"{"method":"io.focusd.Focus.Announce","parameters":{"text":"Saved"}}"#
    static let listTechnologies = #"{"method":"io.focusd.Focus.ListTechnologies"}"#

    static func move(to element: String, milliseconds: Int = 2_000, flags: String = "") -> String {
        #"{"method":"io.focusd.Focus.MoveFocus"\#(flags),"parameters":{"element":"\#(element)","#
            + #""timeoutMilliseconds":\#(milliseconds)}}"#
    }
}
