import ATSPI
import AccessibilityTree
import EventLoop
import FocusProtocol

extension FocusServer {
    /// The applications that the registry lists, each asked now: who does not answer is listed as not responding.
    ///
    /// With `more` again whenever the list changes.
    static func listApplications(_ call: ServedCall) throws {
        _ = try call.parameters(of: ListApplications.self)
        let wantsMore = call.wantsMore
        call.server.applications { applications in
            if wantsMore { call.server.subscriptions.followApplications(call.client, call.id, from: applications) }
            call.reply(
                ListApplications.Reply(
                    applications: applications, instance: wantsMore ? call.server.instance : nil),
                continues: wantsMore)
        }
    }

    func applications(_ completion: @escaping @Loop ([Application]) -> Void) { listing.answer(completion) }

    func readApplications(_ completion: @escaping @Loop ([Application]) -> Void) {
        guard let connection = desk.bus.live else { return completion([]) }
        connection.readApplications { [weak self] result in
            guard let self, case .success(let roots) = result else { return completion([]) }
            let others = roots.filter { $0.busName != self.desk.bus.uniqueName }
            let list = ApplicationList(roots: others, completion)
            for (index, root) in others.enumerated() {
                self.read(root, connection) { list.took($0, at: index) }
            }
        }
    }

    private func read(
        _ root: ObjectReference, _ connection: BusConnection, _ completion: @escaping @Loop (Application) -> Void
    ) {
        var application = Application(
            name: "", pid: 0, toolkit: "", busName: root.busName, responding: true,
            nodes: desk.desktop.application(root.busName)?.mirror?.tree.nodeCount
                ?? desk.loader.paths.nodeCount(of: root.busName))
        // ORDER: the answers come in the order of the questions, and the slowest decides.
        var awaited = 3
        func answered() {
            awaited -= 1
            if awaited == 0 { completion(application) }
        }
        connection.readCredentials(of: root.busName) {
            if case .success(let credentials) = $0 { application.pid = credentials.pid }
            answered()
        }
        connection.readText(root, "Name") {
            switch $0 {
            case .success(let name): application.name = name
            case .failure(let failure): if failure == .notResponding { application.responding = false }
            }
            answered()
        }
        connection.readToolkit(root) {
            if case .success(let toolkit) = $0 { application.toolkit = toolkit }
            answered()
        }
    }
}

/// Applications as they answer, in the registry's order.
@Loop
private final class ApplicationList {
    private var applications: [Application?]
    private var awaited: Int
    private let completion: @Loop ([Application]) -> Void

    init(roots: [ObjectReference], _ completion: @escaping @Loop ([Application]) -> Void) {
        applications = Array(repeating: nil, count: roots.count)
        awaited = roots.count
        self.completion = completion
        if roots.isEmpty { completion([]) }
    }

    func took(_ application: Application, at index: Int) {
        applications[index] = application
        awaited -= 1
        if awaited == 0 { completion(applications.compactMap { $0 }) }
    }
}
