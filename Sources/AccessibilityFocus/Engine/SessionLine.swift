import FocusProtocol
import Varlink

/// What a call of the library's own is for.
enum SessionPurpose {
    case openSession
    case bind(FocusStateID, [AttachedElement])
    /// With the name of the state it was sent to.
    case set(FocusStateID, name: String, SetRequest)
    case unbind
    case decline
}

/// The library's two connections: the session's stream, and the calls.
///
/// focusd answers the calls of one connection in order, so a call after a set waits for its outcome. Where that would
/// be so, the call is made on a third connection, which lasts as long as the call.
final class SessionLine {
    let session: Channel<SessionPurpose>
    let calls: Channel<SessionPurpose>
    private(set) var aside: Channel<SessionPurpose>?
    let location: SocketLocation
    private let answerTime: Duration
    /// Sets on their way on the connection of calls.
    private var setsUnderWay = 0
    private var lastDeadline: Moment

    /// Opens both. Never waits.
    init(at location: SocketLocation, answerTime: Duration, _ now: Moment) throws(FocusSocketError) {
        self.location = location
        self.answerTime = answerTime
        lastDeadline = now
        session = Channel(adopting: try ServiceSocket.open(at: location))
        calls = Channel(adopting: try ServiceSocket.open(at: location))
        session.call(
            IncomingCall(method: OpenSession.name, wantsMore: true), for: .openSession,
            deadline: now.advanced(by: answerTime))
    }

    /// The session comes first.
    var channels: [Channel<SessionPurpose>] { [session, calls] + (aside.map { [$0] } ?? []) }

    /// Makes a call that must not wait for sets.
    func call<M: MethodCall>(
        _ method: M.Type, _ parameters: M.Parameters, for purpose: SessionPurpose, _ now: Moment
    ) {
        let call = IncomingCall(method: M.name, parameters: Wire.encode(parameters))
        let deadline = now.advanced(by: answerTime)
        guard setsUnderWay > 0 else {
            lastDeadline = max(lastDeadline, deadline)
            return calls.call(call, for: purpose, deadline: lastDeadline)
        }
        if aside == nil {
            // Where no third one can be had, the call waits its turn behind the sets.
            do { aside = Channel(adopting: try ServiceSocket.open(at: location)) } catch { aside = nil }
        }
        if let aside {
            aside.call(call, for: purpose, deadline: deadline)
        } else {
            lastDeadline = max(lastDeadline, deadline)
            calls.call(call, for: purpose, deadline: lastDeadline)
        }
    }

    /// Sends a set behind those that are on their way.
    func set(_ parameters: SetValue.Parameters, for purpose: SessionPurpose, patience: Patience, _ now: Moment) {
        setsUnderWay += 1
        // Answers come in order, so none can be late before the one in front of it is.
        lastDeadline = max(lastDeadline, now.advanced(by: patience.duration + answerTime))
        calls.call(
            IncomingCall(method: SetValue.name, parameters: Wire.encode(parameters)), for: purpose,
            deadline: lastDeadline)
    }

    func setAnswered() { setsUnderWay -= 1 }

    /// Closes the third connection when its calls are answered.
    func tidy() {
        if let aside, aside.isIdle { self.aside = nil }
    }
}

/// Values as they are on the wire.
enum Wire {
    static func encode(_ parameters: some Encodable) -> [UInt8] {
        do {
            return try JSONBytes.encode(parameters)
        } catch {
            assertionFailure("parameters of the protocol cannot be written as JSON: \(error)")
            return []
        }
    }

    /// The shape that a reply carries; nil where it carries another.
    static func decode<Shape: Decodable>(_ shape: Shape.Type, _ reply: IncomingReply) -> Shape? {
        do { return try JSONBytes.decode(shape, from: reply.parameters) } catch { return nil }
    }
}
