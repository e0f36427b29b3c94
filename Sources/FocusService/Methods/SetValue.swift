import EventLoop
import FocusProtocol
import FocusRegistry

extension FocusServer {
    /// Moves the technologies of a state to the element of a value, or away from its elements.
    static func setValue(_ call: ServedCall) throws {
        let parameters = try call.parameters(of: SetValue.self)
        guard let state = call.server.states[parameters.state] else {
            throw FocusError.UnknownState(state: parameters.state)
        }
        if let value = parameters.value, !state.has(value) { throw FocusError.UnknownValue(value: value) }
        var terms = try call.orderTerms(
            state.view.technologies ?? [], again: parameters.again, routes: parameters.routes,
            allowed: Route.allCases, timeoutMilliseconds: parameters.timeoutMilliseconds)
        terms.filter = state.view.filter
        terms.state = state.id
        terms.value = parameters.value
        try call.server.sets.begin(state, terms, call)
    }
}
