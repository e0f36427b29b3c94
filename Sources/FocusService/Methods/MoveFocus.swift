import AccessibilityTree
import EventLoop
import FocusProtocol
import FocusRegistry
import Varlink

extension FocusServer {
    /// Moves technologies to an element; the answer comes when what became of it is known.
    static func moveFocus(_ call: ServedCall) throws {
        let parameters = try call.parameters(of: MoveFocus.self)
        guard (parameters.selector == nil) != (parameters.element == nil) else {
            throw VarlinkError.invalidParameter(parameter: parameters.selector == nil ? "element" : "selector")
        }
        let selector = try parameters.selector.map { try call.selector($0) }
        let (server, client) = (call.server, call.client)
        let terms = try call.orderTerms(
            try call.technologies(parameters.technologies), again: parameters.again, routes: parameters.routes,
            allowed: [.grabFocus, .activeDescendant], timeoutMilliseconds: parameters.timeoutMilliseconds)
        let charge = try client.account.charge(.moves)
        let goal: OrderGoal
        if selector != nil {
            goal = .search(owners: [false])
        } else {
            guard let target = parameters.element.flatMap({ ObjectReference($0) }) else {
                throw VarlinkError.invalidParameter(parameter: "element")
            }
            goal = .element(target)
        }
        let run = OrderRun(
            goal, terms, selectors: selector.map { [$0] } ?? [], ownPID: Int(client.pid), desk: call.desk
        ) { outcome in
            charge.end()
            call.reply(MoveFocus.Reply(outcome: server.render(outcome, terms)))
        }
        client.whenCancelled(call.id) {
            charge.end()
            run.abandon()
        }
        run.begin()
    }
}

extension ServedCall {
    /// The technologies that a call names, each once; none where it names none.
    func technologies(_ names: [String]?) throws -> [TechnologyID] {
        var technologies: [TechnologyID] = []
        for name in names ?? [] where !technologies.contains(TechnologyID(name)) {
            guard name == TechnologyID.keyboard.rawValue || desk.configuration.technologies.contains(name) else {
                throw FocusError.UnknownTechnology(id: name)
            }
            technologies.append(TechnologyID(name))
        }
        return technologies
    }

    /// What a move or set asks for, checked. Where no technology is named, every active one is meant.
    func orderTerms(
        _ named: [TechnologyID], again: Bool?, routes names: [String]?, allowed: [Route], timeoutMilliseconds: Int?
    ) throws -> OrderTerms {
        let timeout = timeoutMilliseconds ?? 2_000
        guard (1...60_000).contains(timeout) else {
            throw VarlinkError.invalidParameter(parameter: "timeoutMilliseconds")
        }
        let routes = try names?.reduce(into: [Route]()) { routes, name in
            guard let route = Route(rawValue: name), allowed.contains(route) else {
                throw VarlinkError.invalidParameter(parameter: "routes")
            }
            if !routes.contains(route) { routes.append(route) }
        }
        var technologies = named
        if named.isEmpty {
            technologies = desk.registry.activeTechnologies
        } else if named.contains(where: { $0 != .keyboard && desk.registry.connection(of: $0) == nil }) {
            // One that is named and not there cannot confirm: refused as a whole.
            technologies = []
        }
        return OrderTerms(
            technologies: technologies, isAnyEnough: named.isEmpty, presentsAgain: again ?? false, routes: routes,
            startedAt: desk.now, deadline: desk.now + Int64(timeout) * 1_000)
    }
}

extension FocusServer {
    /// An outcome as clients are told it.
    func render(_ outcome: OrderOutcome, _ terms: OrderTerms) -> Outcome {
        let (move, target) = (outcome.move, outcome.request?.target)
        let isConfirmed = outcome.result == .confirmed
        let technologies = outcome.request?.technologies ?? terms.technologies
        return Outcome(
            result: outcome.result.rawValue, reason: outcome.reason?.rawValue, matches: outcome.matches,
            route: isConfirmed ? move?.route?.rawValue ?? "none" : nil,
            routesTried: (move?.attempts ?? []).map {
                RouteAttempt(route: $0.route.rawValue, reason: $0.reason.rawValue)
            },
            technologies: technologies.map { id in
                let own: MoveResult =
                    move?.confirmed.contains(id) == true ? .confirmed : isConfirmed ? .timedOut : outcome.result
                return TechnologyResult(id: id.rawValue, result: own.rawValue)
            },
            element: target.flatMap { desk.element($0) },
            keyboardFocus: (move?.keyboardFocus ?? .unknown).rawValue,
            elapsedMilliseconds: Int((outcome.finishedAt - terms.startedAt) / 1_000))
    }
}
