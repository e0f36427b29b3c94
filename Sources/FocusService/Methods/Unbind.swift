import EventLoop
import FocusProtocol

extension FocusServer {
    /// Ends a state and all its streams.
    static func unbind(_ call: ServedCall) throws {
        let parameters = try call.parameters(of: Unbind.self)
        guard let state = call.server.states[parameters.state] else {
            throw FocusError.UnknownState(state: parameters.state)
        }
        call.server.states.end(state)
        call.reply(Unbind.Reply())
    }
}
