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
            throw call.exceeded(.maximumAnnouncementBytes)
        }
        switch call.server.announcements.admits(call.client.pid, at: call.desk.now) {
        case .admitted: break
        case .tooManyOfProcess: throw call.exceeded(SharedResource.announcements.names.ofProcess)
        case .tooManyOfAll: throw call.exceeded(SharedResource.announcements.names.ofAll)
        }
        call.server.announcer.announce(text, isUrgent: parameters.urgent ?? false) { route in
            call.reply(Announce.Reply(route: route?.rawValue, delivered: route != nil))
        }
    }
}
