import AccessibilityTree
import EventLoop
import FocusProtocol
import FocusRegistry
import Varlink

extension FocusServer {
    private static let defaultTimeoutMilliseconds = 2_000
    private static let timeoutMilliseconds = 1...60_000

    /// Moves technologies to an element; the answer comes when what became of it is known.
    static func moveFocus(_ call: ServedCall) throws {
        let parameters = try call.parameters(of: MoveFocus.self)
        guard (parameters.selector == nil) != (parameters.element == nil) else {
            throw VarlinkError.invalidParameter(parameter: parameters.selector == nil ? "element" : "selector")
        }
        let selector = try parameters.selector.map { try call.selector($0) }
        let order = try order(parameters, call)
        let (server, client) = (call.server, call.client)
        guard server.movesOfProcess[client.pid, default: 0] < server.limits.maximumMovesPerProcess else {
            throw FocusError.LimitExceeded(limit: "maximumMovesPerProcess")
        }
        guard let selector else {
            guard let target = parameters.element.flatMap({ ObjectReference($0) }) else {
                throw VarlinkError.invalidParameter(parameter: "element")
            }
            server.moveBegan(client.pid)
            return begin(order.request(to: target), call)
        }
        server.moveBegan(client.pid)
        let pending = PendingMove(selector, order, call) { request in
            begin(request, call)
        }
        client.whenCancelled(call.id) {
            server.moveEnded(client.pid)
            pending.end()
        }
        pending.begin()
    }

    private static func begin(_ request: MoveRequest, _ call: ServedCall) {
        let (server, client) = (call.server, call.client)
        var isAnswered = false
        let caller = call.desk.moves.begin(request) { outcome in
            isAnswered = true
            server.moveEnded(client.pid)
            call.reply(MoveFocus.Reply(outcome: server.render(outcome, request)))
        }
        guard !isAnswered else { return }
        client.whenCancelled(call.id) {
            server.moveEnded(client.pid)
            server.desk.moves.cancel(caller)
        }
    }

    private static func order(_ parameters: MoveFocus.Parameters, _ call: ServedCall) throws -> MoveOrder {
        let timeout = parameters.timeoutMilliseconds ?? defaultTimeoutMilliseconds
        guard timeoutMilliseconds.contains(timeout) else {
            throw VarlinkError.invalidParameter(parameter: "timeoutMilliseconds")
        }
        let routes = try parameters.routes?.map { name in
            // Only the element of a bound value has an owner.
            guard let route = Route(rawValue: name), route != .application else {
                throw VarlinkError.invalidParameter(parameter: "routes")
            }
            return route
        }
        let desk = call.desk
        var technologies: [TechnologyID] = []
        for name in parameters.technologies ?? [] where !technologies.contains(TechnologyID(name)) {
            guard name == TechnologyID.keyboard.rawValue || desk.configuration.technologies.contains(name) else {
                throw FocusError.UnknownTechnology(id: name)
            }
            technologies.append(TechnologyID(name))
        }
        let isAnyEnough = technologies.isEmpty
        if isAnyEnough {
            technologies = desk.registry.activeTechnologies
        } else if technologies.contains(where: { $0 != .keyboard && desk.registry.connection(of: $0) == nil }) {
            // One that is named and not there cannot confirm: refused as a whole.
            technologies = []
        }
        let now = desk.now
        return MoveOrder(
            technologies: technologies, isAnyEnough: isAnyEnough, presentsAgain: parameters.again ?? false,
            routes: routes, startedAt: now, deadline: now + Int64(timeout) * 1_000)
    }

    private func render(_ outcome: MoveOutcome, _ request: MoveRequest) -> Outcome {
        let element = desk.loader.known(request.target).map { desk.renderer.element(of: $0) }
        let isConfirmed = outcome.result == .confirmed
        return Outcome(
            result: outcome.result.rawValue, reason: outcome.reason?.rawValue,
            route: isConfirmed ? outcome.route?.rawValue ?? "none" : nil,
            routesTried: outcome.attempts.map { RouteAttempt(route: $0.route.rawValue, reason: $0.reason.rawValue) },
            technologies: request.technologies.map { id in
                let own: MoveResult =
                    outcome.confirmed.contains(id) ? .confirmed : isConfirmed ? .timedOut : outcome.result
                return TechnologyResult(id: id.rawValue, result: own.rawValue)
            },
            element: element, keyboardFocus: outcome.keyboardFocus.rawValue,
            elapsedMilliseconds: Int((outcome.finishedAt - request.startedAt) / 1_000))
    }
}

/// A request to move whose element is not known yet.
struct MoveOrder {
    var technologies: [TechnologyID]
    var isAnyEnough: Bool
    var presentsAgain: Bool
    var routes: [Route]?
    var startedAt: Microseconds
    var deadline: Microseconds

    func request(to target: ObjectReference) -> MoveRequest {
        MoveRequest(
            target: target, technologies: technologies, isAnyEnough: isAnyEnough, presentsAgain: presentsAgain,
            routes: routes, startedAt: startedAt, deadline: deadline)
    }
}
