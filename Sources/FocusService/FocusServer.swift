import EventLoop
import FocusProtocol
import FocusRegistry
import Glibc
import Varlink

/// The socket's side of focusd: clients, their calls, and who is told of what.
@Loop
final class FocusServer {
    let desk: FocusDesk
    let limits: ServiceLimits
    /// Which run of focusd this is: changes when it restarts.
    let instance: String
    let startedAt: Int64
    private let log: Log
    /// One is usual; more where the socket's place was lost and made again.
    private var listeners: [SocketListener] = []
    private(set) var clients: [ObjectIdentifier: ClientConnection] = [:]
    private var clientsOfProcess: [Int32: Int] = [:]
    private(set) lazy var subscriptions = Subscriptions(server: self)
    private(set) lazy var states = BoundStates(server: self)
    private(set) lazy var sets = ValueSets(server: self)
    private(set) lazy var announcer = Announcer(desk: desk)
    /// Who announced how much lately.
    lazy var announcements = RateLimit(maximumPerSecond: limits.announcementsPerSecond)
    private let parameterNames: [String: [String]]
    private(set) var movesOfProcess: [Int32: Int] = [:]
    /// Searches, waits and trees under way, by process.
    var searchesOfProcess: [Int32: Int] = [:]

    init(desk: FocusDesk, limits: ServiceLimits = ServiceLimits(), log: Log) {
        self.desk = desk
        self.limits = limits
        self.log = log
        startedAt = desk.now
        instance = "\(getpid())-\(SystemClock.bootMicroseconds)"
        parameterNames = FocusServer.readParameterNames()
        desk.onTransaction = { [weak self] in
            self?.subscriptions.publish($0)
            self?.states.publish($0)
        }
        _ = sets
        desk.onConnectionsChanged = { [weak self] in self?.subscriptions.connectionsChanged() }
        desk.onElementCorrected = { [weak self] in self?.subscriptions.publishCorrection(of: $0) }
    }

    /// Serves a listening descriptor, too; it is taken over.
    func serve(_ descriptor: Int32) {
        listeners.append(SocketListener(adopting: descriptor) { [weak self] in self?.accept($0) })
    }

    /// Ends all streams and lets go of the socket.
    func stop() {
        listeners = []
        for client in clients.values { client.stop() }
    }

    // MARK: - Clients

    private func accept(_ peer: SocketListener.Peer) {
        guard peer.uid == getuid() else {
            log.warning("refused a client of user \(peer.uid)")
            return refuse(peer)
        }
        // focusd itself, which knocked to see whether the path leads here.
        guard peer.pid != getpid() else { return _ = close(peer.descriptor) }
        guard clients.count < limits.maximumClients,
            clientsOfProcess[peer.pid, default: 0] < limits.maximumClientsPerProcess
        else {
            log.warning("refused a client of process \(peer.pid): too many connections")
            return refuse(peer)
        }
        desk.tally.count(.clientsAccepted)
        clientsOfProcess[peer.pid, default: 0] += 1
        let client = ClientConnection(peer, limits: limits)
        client.onCall = { [weak self] in self?.called($0, $1, $2) }
        client.onTooSlow = { [weak self] in self?.desk.tally.count(.subscribersTooSlow) }
        client.onClose = { [weak self] in self?.closed($0, $1) }
        clients[ObjectIdentifier(client)] = client
    }

    private func refuse(_ peer: SocketListener.Peer) {
        desk.tally.count(.clientsRefused)
        close(peer.descriptor)
    }

    private func closed(_ client: ClientConnection, _ reason: ServerConversation.CloseReason?) {
        clients[ObjectIdentifier(client)] = nil
        if let count = clientsOfProcess[client.pid] { clientsOfProcess[client.pid] = count > 1 ? count - 1 : nil }
        if let reason, reason.isFaultOfClient {
            desk.tally.count(.clientsClosedForFault)
            log.warning("closed the connection of process \(client.pid): \(reason)")
        }
    }

    // MARK: - Calls

    private func called(
        _ client: ClientConnection, _ id: ServerConversation.CallID, _ incoming: IncomingCall
    ) {
        desk.tally.count(.calls)
        let call = ServedCall(server: self, client: client, id: id, incoming: incoming)
        guard let handler = FocusServer.methods[incoming.method] else {
            return client.fail(id, VarlinkError.notFound(incoming, interfaces: FocusServer.interfaces.keys))
        }
        do {
            try handler(call)
        } catch let error as VarlinkError {
            client.fail(id, error)
        } catch let error as any InterfaceError {
            client.fail(id, error)
        } catch {
            log.error("\(incoming.method) failed: \(error)")
            client.fail(id, .invalidParameter(parameter: "parameters"))
        }
    }

    /// The interfaces served, with their texts.
    static let interfaces = [
        FocusInterface.name: FocusInterface.text,
        ServiceInterface.name: ServiceInterface.text,
    ]

    func knownParameters(of method: String) -> [String]? { parameterNames[method] }

    private static func readParameterNames() -> [String: [String]] {
        var names: [String: [String]] = [:]
        for text in interfaces.values {
            do throws(InterfaceSyntaxError) {
                let interface = try InterfaceDescription(parsing: text)
                for method in interface.methods {
                    names["\(interface.name).\(method.name)"] = method.parameters.map(\.name)
                }
            } catch {
                // The texts are ours, and a test parses them.
                assertionFailure("interface text: \(error)")
            }
        }
        return names
    }

    // MARK: - Moves in flight, by process

    func moveBegan(_ pid: Int32) { movesOfProcess[pid, default: 0] += 1 }

    func moveEnded(_ pid: Int32) {
        if let count = movesOfProcess[pid] { movesOfProcess[pid] = count > 1 ? count - 1 : nil }
    }
}

/// One call with what a method needs to serve it.
@Loop
struct ServedCall {
    let server: FocusServer
    let client: ClientConnection
    let id: ServerConversation.CallID
    let incoming: IncomingCall

    var desk: FocusDesk { server.desk }
    var wantsMore: Bool { incoming.wantsMore }
    var hasParameters: Bool { !incoming.parameters.isEmpty }

    func parameters<Method: MethodCall>(of method: Method.Type) throws -> Method.Parameters {
        try incoming.decodeParameters(as: Method.Parameters.self, knownNames: server.knownParameters(of: Method.name))
    }

    func reply(_ parameters: [UInt8], continues: Bool = false) {
        client.reply(id, parameters, continues: continues)
    }

    func reply(_ value: some Encodable, continues: Bool = false) {
        do {
            client.reply(id, try JSONBytes.encode(value), continues: continues)
        } catch {
            // Shapes of ours hold nothing that JSON cannot.
            client.fail(id, .invalidParameter(parameter: "parameters"))
        }
    }
}
