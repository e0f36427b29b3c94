import EventLoop
import FocusProtocol
import FocusRegistry
import Varlink

extension FocusServer {
    /// States in one reply without `more`, and in one part with it.
    private static let wholeStates = 1_000
    private static let partStates = 200
    /// Bytes after which a part has no further state.
    private static let partBytes = 256 << 10

    /// The focus states of all clients.
    static func listStates(_ call: ServedCall) throws {
        if call.hasParameters { _ = try call.parameters(of: ListStates.self) }
        let states = call.server.states.all
        guard call.wantsMore else {
            let listed = states.prefix(wholeStates).map { call.server.listed($0) }
            return call.replyWhatFits(listed) { ListStates.Reply(states: $0, complete: $0.count == states.count) }
        }
        // What ended meanwhile is held until all was sent.
        let charge = try call.client.account.charge(.searches)
        var isGone = false
        call.client.whenCancelled(call.id) {
            isGone = true
            charge.end()
        }
        Loop.task {
            var instance: String? = call.server.instance
            var next = 0
            while !isGone {
                var part: [FocusState] = []
                var bytes = 0
                while next < states.count, part.count < partStates, bytes < partBytes {
                    let state = states[next]
                    next += 1
                    // It may be no more: it takes a while to read many.
                    guard call.server.states[state.id.rawValue] === state else { continue }
                    part.append(call.server.listed(state))
                    bytes += state.cost.bytes
                }
                guard next < states.count else {
                    charge.end()
                    return call.reply(ListStates.Reply(states: part, instance: instance))
                }
                call.reply(ListStates.Reply(states: part, complete: false, instance: instance), continues: true)
                instance = nil
                await call.client.waitForRoom()
            }
        }
    }

    private func listed(_ state: BoundState) -> FocusState {
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
            binds: state.binds.count, pids: pids, pendingSets: sets.count(of: state))
    }
}
