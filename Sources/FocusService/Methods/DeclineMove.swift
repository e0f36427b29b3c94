import EventLoop
import FocusProtocol

extension FocusServer {
    /// A client cannot move its own element: the next route is tried.
    static func declineMove(_ call: ServedCall) throws {
        let parameters = try call.parameters(of: DeclineMove.self)
        call.server.sets.declined(parameters.token, by: call.client.pid)
        call.reply(DeclineMove.Reply())
    }
}
