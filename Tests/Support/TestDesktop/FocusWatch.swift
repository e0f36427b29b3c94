import AccessibilityFocus
import FocusProtocol

/// A stream of one technology's focus; its first reply is taken when it is made.
package final class FocusWatch {
    private var stream: ReplyStream<GetFocus>
    package let first: Focus

    package init(_ runtimeFolder: String, technology: String?, updates: Bool? = nil) throws {
        let socket = try FocusSocket(
            at: SocketLocation(runtimeFolder: runtimeFolder), deadline: .after(.seconds(10)))
        stream = try socket.stream(
            GetFocus.self, parameters: .init(technology: technology, updates: updates), deadline: .after(.seconds(10)))
        guard let reply = try stream.next(deadline: .after(.seconds(20))) else {
            throw Missing(what: "the stream ended before its first reply")
        }
        first = reply.focus
    }

    /// The next change.
    package func next(within seconds: Int = 20) throws -> Focus {
        guard let reply = try stream.next(deadline: .after(.seconds(seconds))) else {
            throw Missing(what: "the stream ended")
        }
        return reply.focus
    }

    /// Reads on until a change fits; each is waited for as long.
    @discardableResult
    package func next(within seconds: Int = 20, until description: String, _ fits: (Focus) -> Bool) throws -> Focus {
        var seen: [String] = []
        for _ in 0..<100 {
            let focus = try next(within: seconds)
            if fits(focus) { return focus }
            seen.append("\(focus.cause) \(focus.element?.name ?? "none")")
        }
        throw Missing(what: "no change: \(description)", seen: seen)
    }
}
