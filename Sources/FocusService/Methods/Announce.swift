import EventLoop
import FocusProtocol
import Varlink

extension FocusServer {
    /// Has the screen reader say a text. Answered once it is known whether it was sent.
    static func announce(_ call: ServedCall) throws {
        let parameters = try call.parameters(of: Announce.self)
        let text = parameters.text
        guard !text.isEmpty else { throw VarlinkError.invalidParameter(parameter: "text") }
        guard text.utf8.count <= call.server.limits.maximumAnnouncementBytes else {
            throw FocusError.LimitExceeded(limit: "maximumAnnouncementBytes")
        }
        guard call.server.announcements.admits(call.client.pid, at: call.desk.now) else {
            throw FocusError.LimitExceeded(limit: "announcementsPerSecond")
        }
        call.server.announcer.announce(text, isUrgent: parameters.urgent ?? false) { route in
            call.reply(Announce.Reply(route: route?.rawValue, delivered: route != nil))
        }
    }
}
