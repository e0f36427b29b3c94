import Foundation
import TestDesktop

/// Messages as a page shows them: `→` before what a client sends, `←` before an answer, `␀` at the end of each.
///
/// An ellipsis between fields stands for more of them, one for a whole value for any value.
struct WireExchange {
    struct Message {
        let isCall: Bool
        let text: String
        let object: [String: Any]
    }

    /// The messages of a block; nil where one is no JSON object, or something else is there.
    static func parsed(_ lines: [String]) -> [Message]? {
        var texts: [String] = []
        for line in lines where !line.isEmpty {
            if line.hasPrefix("→ ") || line.hasPrefix("← ") {
                guard texts.last?.hasSuffix("␀") ?? true else { return nil }
                texts.append(line)
            } else {
                guard let last = texts.popLast(), !last.hasSuffix("␀") else { return nil }
                texts.append(last + line.trimmingCharacters(in: .whitespaces))
            }
        }
        var messages: [Message] = []
        for text in texts {
            guard text.hasSuffix("␀") else { return nil }
            let json = text.dropFirst(2).dropLast().replacing(", … }", with: " }").replacing("{ … }", with: "{}")
            guard let object = object(String(json)) else { return nil }
            messages.append(Message(isCall: text.hasPrefix("→"), text: String(json), object: object))
        }
        return messages
    }

    private static func object(_ json: String) -> [String: Any]? {
        do {
            return try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        } catch {
            print("\(json): \(error)")
            return nil
        }
    }

    /// Sends the calls, each on a connection of its own, and compares the shapes of the answers.
    ///
    /// `between` is called after each answer: what it does may bring the next.
    static func problems(_ messages: [Message], socket: String, between: () throws -> Void) throws -> [String] {
        var problems: [String] = []
        var connection: WireConnection?
        for message in messages {
            if message.isCall {
                connection = try WireConnection(socket)
                try connection?.send(message.text)
            } else {
                guard let connection else { return ["an answer before any call"] }
                let answer = try connection.receive()
                let object = try JSONSerialization.jsonObject(with: answer)
                let differences = difference(message.object, object, at: "")
                problems += differences.map {
                    "\($0), in the answer \(String(decoding: answer, as: UTF8.self).prefix(600))"
                }
                try between()
            }
        }
        return problems
    }

    /// Where an answer has not what the page shows: a field, its type, or what names an error or a result.
    private static func difference(_ shown: Any, _ real: Any, at path: String) -> [String] {
        switch (shown, real) {
        case (let shown as [String: Any], let real as [String: Any]):
            return shown.keys.sorted().flatMap { key -> [String] in
                guard let shownValue = shown[key], let realValue = real[key] else { return ["no \(path).\(key)"] }
                if ["error", "cause", "result", "route", "continues", "role"].contains(key),
                    "\(shownValue)" != "\(realValue)"
                {
                    return ["\(path).\(key) is \(realValue) and not \(shownValue)"]
                }
                return difference(shownValue, realValue, at: "\(path).\(key)")
            }
        case (let shown as [Any], let real as [Any]):
            guard !shown.isEmpty else { return [] }
            guard shown.count == real.count else { return ["\(path) has \(real.count) entries, not \(shown.count)"] }
            return zip(shown, real).flatMap { difference($0, $1, at: "\(path)[]") }
        case (is String, is String), (is NSNumber, is NSNumber): return []
        default: return ["\(path) is of another type"]
        }
    }
}

/// A connection to the socket that knows nothing of Varlink but the byte between messages.
private final class WireConnection {
    private let handle: Int32
    private var buffer = Data()

    init(_ path: String) throws {
        handle = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(handle, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw Missing(what: "nobody serves \(path): \(errno)") }
    }

    func send(_ message: String) throws {
        let bytes = Array(message.utf8) + [0]
        guard write(handle, bytes, bytes.count) == bytes.count else { throw Missing(what: "not sent: \(errno)") }
    }

    func receive() throws -> Data {
        let deadline = Date(timeIntervalSinceNow: 20)
        while true {
            if let end = buffer.firstIndex(of: 0) {
                defer { buffer = Data(buffer[(end + 1)...]) }
                return Data(buffer[..<end])
            }
            var watched = pollfd(fd: handle, events: Int16(POLLIN), revents: 0)
            let left = Int32(deadline.timeIntervalSinceNow * 1_000)
            guard left > 0, poll(&watched, 1, left) > 0 else { throw Missing(what: "no answer within 20 s") }
            var part = [UInt8](repeating: 0, count: 65_536)
            let count = read(handle, &part, part.count)
            guard count > 0 else { throw Missing(what: "the connection ended") }
            buffer.append(contentsOf: part[..<count])
        }
    }

    deinit { close(handle) }
}
