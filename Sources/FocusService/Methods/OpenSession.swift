import EventLoop
import FocusProtocol
import Varlink

extension FocusServer {
    /// Opens a stream for any number of states.
    static func openSession(_ call: ServedCall) throws {
        guard call.wantsMore else { throw VarlinkError.expectedMore }
        if call.hasParameters { _ = try call.parameters(of: OpenSession.self) }
        let session = call.server.states.openSession(call)
        call.reply(OpenSession.Reply(session: session, instance: call.server.instance), continues: true)
    }
}
