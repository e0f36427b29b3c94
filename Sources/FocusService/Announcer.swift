import ATSPI
import EventLoop
import FocusRegistry

/// Has a screen reader say something: finds the way that its version listens to, the surest first.
@Loop
final class Announcer {
    enum Route: String {
        case remoteController, announcement, notification
    }

    private unowned let desk: FocusDesk
    let controller = RemoteController()

    init(desk: FocusDesk) {
        self.desk = desk
    }

    /// Tells the technology that moved last. The completion has the way it was sent; nil where it was not.
    func announce(_ text: String, isUrgent: Bool, _ completion: @escaping @Loop (Route?) -> Void) {
        guard let id = desk.registry.aggregate?.technology, let connection = desk.registry.connection(of: id) else {
            return completion(nil)
        }
        controller.present(text, isUrgent: isUrgent, to: connection.pid) { [weak self] isTold in
            guard let self else { return completion(nil) }
            completion(isTold ? .remoteController : self.show(text, isUrgent, to: id))
        }
    }

    private func show(_ text: String, _ isUrgent: Bool, to id: TechnologyID) -> Route? {
        // It may have left meanwhile.
        guard let connection = desk.registry.connection(of: id) else { return nil }
        let route: Route = Announcer.listensToAnnouncements(id, connection) ? .announcement : .notification
        let isSent = desk.bus.announce(
            text, isAnnouncement: route == .announcement, isUrgent: isUrgent, to: connection.busName)
        return isSent ? route : nil
    }

    /// Orca does from 48 on. All others, and an Orca of unknown version, read notifications.
    private static func listensToAnnouncements(_ id: TechnologyID, _ connection: TechnologyConnection) -> Bool {
        guard id.rawValue == "orca", let version = connection.version,
            let major = Int(version.prefix { $0 != "." })
        else { return false }
        return major >= 48
    }
}
