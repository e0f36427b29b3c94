import EventLoop
import FocusProtocol
import FocusRegistry
import Selectors
import Varlink

extension FocusServer {
    /// Makes a focus state or joins a named one, and streams its changes.
    static func bind(_ call: ServedCall) throws {
        let parameters = try call.parameters(of: Bind.self)
        guard call.wantsMore || parameters.session != nil else { throw VarlinkError.expectedMore }
        let selectors = try selectors(parameters, call)
        let wanted = try wanted(parameters, call)
        if let name = parameters.name, !isStateName(name) { throw VarlinkError.invalidParameter(parameter: "name") }
        if let session = parameters.session, !call.server.states.isSession(session, of: call.client.pid) {
            throw VarlinkError.invalidParameter(parameter: "session")
        }
        let (state, value) = try call.server.states.bind(
            wanted, selectors: selectors, name: parameters.name, session: parameters.session, call)
        let change = FocusProtocol.StateChange(
            state: state.id.rawValue, value: value.value,
            element: value.element.flatMap { call.desk.element($0) }, assumed: value.isAssumed,
            cause: Cause.initial.rawValue, revision: call.desk.registry.revision)
        let isStream = parameters.session == nil
        call.reply(
            Bind.Reply(
                state: state.id.rawValue, change: change, instance: isStream ? call.server.instance : nil),
            continues: isStream)
    }

    private static func selectors(_ parameters: Bind.Parameters, _ call: ServedCall) throws -> [Selector] {
        guard !parameters.prototypes.isEmpty else { throw VarlinkError.invalidParameter(parameter: "prototypes") }
        guard parameters.prototypes.count <= call.server.limits.maximumPrototypesPerState else {
            throw call.exceeded(.maximumPrototypesPerState)
        }
        return try parameters.prototypes.enumerated().map { place, prototype in
            do throws(SelectorError) {
                return try Selector(parsing: prototype.selector)
            } catch {
                throw FocusError.InvalidSelector(
                    position: error.position, expected: error.expected, prototype: place)
            }
        }
    }

    private static func wanted(_ parameters: Bind.Parameters, _ call: ServedCall) throws -> WantedState {
        let technologies = try call.technologies(parameters.technologies)
        let modes = parameters.modes.flatMap { $0.isEmpty ? nil : $0 }
        guard modes?.count ?? 0 <= call.server.limits.maximumModesPerState else {
            throw call.exceeded(.maximumModesPerState)
        }
        let filter = modes.map { ModeFilter(Set($0.map { Mode(rawValue: $0) })) } ?? .usual
        return WantedState(
            prototypes: parameters.prototypes,
            technologies: technologies.isEmpty ? nil : technologies.map(\.rawValue), modes: modes,
            view: technologies.isEmpty
                ? FocusView(filter: filter) : FocusView(technologies: technologies, filter: filter))
    }

    /// Bytes of a shared state's name.
    private static let stateNameBytes = 1...255

    private static func isStateName(_ name: String) -> Bool {
        stateNameBytes.contains(name.utf8.count) && !name.hasPrefix("#")
            && !name.utf8.contains { $0 < 0x20 || $0 == 0x7f }
    }
}
