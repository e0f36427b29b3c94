import ATSPI
import EventLoop
import FocusProtocol
import FocusRegistry

extension FocusServer {
    /// The technologies that the configuration names, with what is known of each; with `more` again at each change.
    static func listTechnologies(_ call: ServedCall) throws {
        _ = try call.parameters(of: ListTechnologies.self)
        let wantsMore = call.wantsMore
        if wantsMore { call.server.subscriptions.followTechnologies(call.client, call.id) }
        call.reply(
            ListTechnologies.Reply(
                technologies: call.server.technologies(), instance: wantsMore ? call.server.instance : nil),
            continues: wantsMore)
    }

    func technologies() -> [Technology] {
        let active = desk.registry.activeTechnologies
        let others = desk.configuration.technologies.map { TechnologyID($0) }.filter { !active.contains($0) }.sorted()
        return (active + others).map { id in
            let connection = desk.registry.connection(of: id)
            return Technology(
                id: id.rawValue, active: connection != nil, pid: connection?.pid, version: connection?.version,
                busName: connection?.busName)
        } + [Technology(id: TechnologyID.keyboard.rawValue, active: desk.bus.live != nil)]
    }
}
