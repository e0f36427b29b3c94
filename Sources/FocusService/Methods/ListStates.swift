import EventLoop
import FocusProtocol
import FocusRegistry

extension FocusServer {
    /// The focus states of all clients.
    static func listStates(_ call: ServedCall) throws {
        if call.hasParameters { _ = try call.parameters(of: ListStates.self) }
        let desk = call.desk
        let states = call.server.states.all.map { state -> FocusState in
            let value = desk.registry.value(of: state.id)
            let pids = Set(state.binds.map { Int($0.client.pid) }).sorted()
            return FocusState(
                state: state.id.rawValue, named: state.isNamed,
                prototypes: state.prototypes.enumerated().map { place, prototype in
                    Prototype(
                        value: prototype.value, selector: prototype.selector,
                        moves: state.owner(of: place) == nil ? nil : true)
                },
                technologies: state.technologies, modes: state.modes, value: value?.value,
                element: value?.element.flatMap { desk.element($0) }, assumed: value?.isAssumed ?? false,
                binds: state.binds.count, pids: pids, pendingSets: call.server.sets.count(of: state))
        }
        call.reply(ListStates.Reply(states: states))
    }
}
