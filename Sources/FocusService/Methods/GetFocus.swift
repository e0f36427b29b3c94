import EventLoop
import FocusProtocol
import FocusRegistry

extension FocusServer {
    /// The focus now; with `more` then every move.
    static func getFocus(_ call: ServedCall) throws {
        let parameters =
            call.hasParameters ? try call.parameters(of: GetFocus.self) : GetFocus.Parameters()
        let audience: FocusChange.Audience
        if let name = parameters.technology {
            let id = TechnologyID(name)
            guard id == .keyboard || call.desk.configuration.technologies.contains(name) else {
                throw FocusError.UnknownTechnology(id: name)
            }
            audience = .technology(id)
        } else {
            audience = .aggregate
        }
        // Where nobody needed the keyboard so far it is not followed, and must be looked for first.
        if audience == .technology(.keyboard), !call.desk.isFollowingFocus {
            return answerAfterSearch(call, audience, parameters)
        }
        answer(call, audience, parameters)
    }

    private static func answer(
        _ call: ServedCall, _ audience: FocusChange.Audience, _ parameters: GetFocus.Parameters
    ) {
        let registry = call.desk.registry
        let technology: TechnologyID?
        let position: Position?
        switch audience {
        case .aggregate:
            let aggregate = registry.aggregate
            technology = aggregate?.technology
            position = aggregate?.position
        case .technology(let id):
            technology = id == .keyboard || registry.connection(of: id) != nil ? id : nil
            position = registry.position(of: id)
        }
        let change = FocusChange(
            audience: audience, technology: technology, previous: nil, current: position, cause: .initial,
            isUpdateOnly: false)
        let now = Transaction(revision: registry.revision, time: call.desk.now, changes: [])
        let wantsMore = call.wantsMore
        let bytes = FocusReply.bytes(
            change, now, instance: wantsMore ? call.server.instance : nil, renderer: call.desk.renderer)
        if wantsMore {
            call.server.subscriptions.followFocus(
                audience, call.client, call.id, wantsUpdates: parameters.updates ?? false)
        }
        call.reply(bytes, continues: wantsMore)
    }

    private static func answerAfterSearch(
        _ call: ServedCall, _ audience: FocusChange.Audience, _ parameters: GetFocus.Parameters
    ) {
        let desk = call.desk
        desk.retainKeyboard()
        Loop.task {
            if let element = await desk.keyboard.searchDesktop() { await desk.takeKeyboard(element) }
            answer(call, audience, parameters)
            desk.releaseKeyboard()
        }
    }
}
