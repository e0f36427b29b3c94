import AccessibilityFocus
import FocusProtocol

/// One client connection for single calls.
package struct Client {
    private let socket: FocusSocket

    package init(_ runtimeFolder: String) throws {
        socket = try FocusSocket(at: SocketLocation(runtimeFolder: runtimeFolder), deadline: .after(.seconds(10)))
    }

    /// Calls any method; what focusd does with it may take a while.
    package func call<Method: MethodCall>(_ method: Method.Type, _ parameters: Method.Parameters) throws -> Method.Reply
    {
        try socket.call(method, parameters: parameters, deadline: .after(.seconds(90)))
    }

    package func stream<Method: MethodCall>(
        _ method: Method.Type, _ parameters: Method.Parameters
    ) throws -> ReplyStream<Method> {
        try socket.stream(method, parameters: parameters, deadline: .after(.seconds(90)))
    }

    package func focus(of technology: String? = nil) throws -> Focus {
        try socket.call(
            GetFocus.self, parameters: .init(technology: technology), deadline: .after(.seconds(20))
        ).focus
    }

    package func move(
        to reference: String, technologies: [String]? = nil, again: Bool? = nil, routes: [String]? = nil,
        timeoutMilliseconds: Int? = nil
    ) throws -> Outcome {
        try socket.call(
            MoveFocus.self,
            parameters: .init(
                element: reference, technologies: technologies, again: again, routes: routes,
                timeoutMilliseconds: timeoutMilliseconds), deadline: .after(.seconds(60))
        ).outcome
    }

    package func diagnose() throws -> [Finding] {
        try socket.call(Diagnose.self, parameters: .init(), deadline: .after(.seconds(20))).findings
    }

    package func applications() throws -> [Application] {
        try socket.call(ListApplications.self, parameters: .init(), deadline: .after(.seconds(20))).applications
    }

    package func statistics() throws -> Statistics {
        try socket.call(GetStatistics.self, parameters: .init(), deadline: .after(.seconds(20))).statistics
    }

    package func listTechnologies() throws -> [Technology] {
        try socket.call(ListTechnologies.self, parameters: .init(), deadline: .after(.seconds(20))).technologies
    }

    package func technologies() throws -> TechnologyWatch {
        TechnologyWatch(
            stream: try socket.stream(ListTechnologies.self, parameters: .init(), deadline: .after(.seconds(10))))
    }
}

/// A stream of technologies.
package struct TechnologyWatch {
    private var stream: ReplyStream<ListTechnologies>

    fileprivate init(stream: ReplyStream<ListTechnologies>) { self.stream = stream }

    @discardableResult
    package mutating func waitUntilActive(_ id: String) throws -> Technology {
        while let reply = try stream.next(deadline: .after(.seconds(40))) {
            if let active = reply.technologies.first(where: { $0.id == id && $0.active }) { return active }
        }
        throw Missing(what: "\(id) did not become active")
    }

    /// The next list, after the first that every stream begins with.
    package mutating func next(within seconds: Int = 20) throws -> [Technology] {
        guard let reply = try stream.next(deadline: .after(.seconds(seconds))) else {
            throw Missing(what: "the stream ended")
        }
        return reply.technologies
    }
}
