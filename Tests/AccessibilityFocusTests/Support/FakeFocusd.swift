import FocusProtocol
import Foundation
import Glibc
import Varlink

/// Stands where focusd would be: it keeps the calls that come, answers each as the test says, and in focusd's order.
///
/// Consecutive sets of one connection are begun at once and answered in their order; any other call waits until those
/// before it are answered.
final class FakeFocusd: Sendable {
    /// A call as it came.
    struct Call: Sendable {
        /// The number of the connection, from 1 in the order in which they were made.
        let connection: Int
        let number: Int
        let name: String
        let parameters: [UInt8]
        let wantsMore: Bool

        func read<Shape: Decodable>(_ type: Shape.Type) throws -> Shape { try JSONBytes.decode(type, from: parameters) }

        /// The parameters of a call of this method; nil where it is of another.
        func parameters<M: MethodCall>(of method: M.Type) -> M.Parameters? {
            guard name == M.shortName else { return nil }
            do { return try read(M.Parameters.self) } catch { return nil }
        }
    }

    /// What is done with a call.
    enum Answer: Sendable {
        case reply([UInt8], continues: Bool = false)
        case error(String, [UInt8])
        /// The test answers later.
        case later
        case rubbish([UInt8])
        case hangUp
    }

    struct State: Sendable {
        var calls: [Call] = []
        /// The calls that a test did not take yet, oldest first.
        var fresh: [Call] = []
        var connections: [Int: FakeConnection] = [:]
        var connectionsMade = 0
        var mostConnections = 0
        var states: [String: [FocusProtocol.Prototype]] = [:]
        var lastState = 0
        var session: Int?
        var revision: Int64 = 100
        var hasEnded = false
    }

    let folder: RuntimeFolder
    let state = Watched(State())
    private let script: @Sendable (Call, FakeFocusd) -> Answer?
    private let listener: Int32
    let instance: String

    /// Listens; the script may answer any call its own way, and leaves it to the fake with nil.
    init(
        in folder: RuntimeFolder, instance: String = "1", backlog: Int32 = 64,
        script: @escaping @Sendable (Call, FakeFocusd) -> Answer? = { _, _ in nil }
    ) throws {
        self.folder = folder
        self.instance = instance
        self.script = script
        try folder.makeServiceFolder()
        unlink(folder.socket)
        listener = try Self.listen(at: folder.socket, backlog: backlog)
        Thread.detachNewThread { self.acceptConnections() }
    }

    /// Closes every connection and listens no more; the socket's file stays, as after a crash, unless it is removed.
    func stop(removingSocket: Bool = true) {
        if removingSocket { unlink(folder.socket) }
        state.change { state in
            state.hasEnded = true
            shutdown(listener, Int32(SHUT_RDWR))
            for connection in state.connections.values { connection.hangUp() }
        }
    }

    // MARK: - For tests

    /// Takes the next call of a method, waiting for it.
    func next(_ name: String, _ comment: String = "") async throws -> Call {
        try await state.wait("a call of \(name) \(comment)") { state in state.fresh.contains { $0.name == name } }
        let call = state.change { state in
            state.fresh.firstIndex { $0.name == name }.map { state.fresh.remove(at: $0) }
        }
        guard let call else { throw DeadlinePassed(description: "somebody else took \(name)") }
        return call
    }

    func next<M: MethodCall>(_ method: M.Type) async throws -> M.Parameters {
        try await next(method.shortName).read(M.Parameters.self)
    }

    /// The calls of a method so far.
    func calls(_ name: String) -> [Call] { state.value.calls.filter { $0.name == name } }

    /// Answers a call that was left for later.
    func answer(_ call: Call, _ answer: Answer) {
        state.value.connections[call.connection]?.fill(call.number, with: answer)
    }

    func answer(_ call: Call, outcome: Outcome) {
        answer(call, .reply(encode(SetValue.Reply(outcome: outcome))))
    }

    /// Says in the session that a state changed.
    func say(
        _ name: String, _ value: String?, previous: String? = nil, assumed: Bool = false, cause: String = "moved"
    ) {
        let revision = state.change { state in
            state.revision += 1
            return state.revision
        }
        say(
            OpenSession.Reply(
                change: StateChange(
                    state: name, value: value, previous: previous, assumed: assumed, cause: cause, revision: revision)))
    }

    func say(_ content: OpenSession.Reply) {
        sayInSession(OutgoingMessage.reply(parameters: encode(content), continues: true))
    }

    func sayInSession(_ bytes: [UInt8]) {
        let state = state.value
        guard let session = state.session else { return }
        state.connections[session]?.write(bytes)
    }

    // MARK: - The fake itself

    /// What focusd would answer.
    private func usual(_ call: Call) -> Answer {
        switch call.name {
        case "OpenSession":
            state.change { $0.session = call.connection }
            return .reply(
                encode(OpenSession.Reply(session: "s\(call.connection)", instance: instance)), continues: true)
        case "Bind":
            let name = bound(call)
            let change = StateChange(state: name, assumed: false, cause: "initial", revision: 100)
            return .reply(encode(Bind.Reply(state: name, change: change)))
        case "SetValue": return .later
        case "Unbind", "DeclineMove": return .reply([])
        default: return .error("org.varlink.service.MethodNotFound", encode(["method": call.name]))
        }
    }

    /// Keeps what a Bind binds, and gives the state's name.
    func bound(_ call: Call) -> String {
        state.change { state in
            state.lastState += 1
            let name = "#\(state.lastState)"
            state.states[name] = call.parameters(of: Bind.self)?.prototypes ?? []
            return name
        }
    }

    private func acceptConnections() {
        while true {
            let descriptor = accept(listener, nil, nil)
            guard descriptor >= 0 else { break }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            let connection = state.change { state -> FakeConnection? in
                guard !state.hasEnded else { return nil }
                state.connectionsMade += 1
                let connection = FakeConnection(number: state.connectionsMade, descriptor: descriptor)
                state.connections[connection.number] = connection
                state.mostConnections = max(state.mostConnections, state.connections.count)
                return connection
            }
            guard let connection else {
                close(descriptor)
                break
            }
            Thread.detachNewThread { self.serve(connection) }
        }
        close(listener)
    }

    private func serve(_ connection: FakeConnection) {
        connection.readCalls { [self] call in
            state.change { state in
                state.calls.append(call)
                state.fresh.append(call)
            }
            return script(call, self) ?? usual(call)
        }
        state.change { _ = $0.connections.removeValue(forKey: connection.number) }
    }

    private static func listen(at path: String, backlog: Int32) throws -> Int32 {
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard isBound == 0, Glibc.listen(listener, backlog) == 0 else {
            close(listener)
            throw DeadlinePassed(description: "cannot listen at \(path): \(errno)")
        }
        return listener
    }
}

extension MethodCall {
    /// The method's name without the interface's.
    static var shortName: String { String(name.split(separator: ".").last ?? "") }
}

func encode(_ value: some Encodable) -> [UInt8] {
    do { return try JSONBytes.encode(value) } catch { return [] }
}

extension Outcome {
    static func confirmed(_ route: String = "activeDescendant") -> Outcome {
        Outcome(result: "confirmed", route: route, keyboardFocus: "elsewhere", elapsedMilliseconds: 1)
    }
}
