import AccessibilityTree
import CLinux
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
    /// What the service manager handed over.
    private var handedOver: SocketListener?
    /// What is served at a place that focusd made itself.
    private var own: SocketListener?
    private(set) var clients: [ObjectIdentifier: ClientConnection] = [:]
    /// What each process holds.
    let ledger: ClientLedger
    private let turns: ClientTurns
    private let flushLine = FlushLine()
    private let group = DescriptorGroup()
    private var roomTimer: LoopTimer?
    /// How long the last moves took.
    private(set) var latencies = LatencyRecord()
    private var lines: RateLimit
    private(set) lazy var subscriptions = Subscriptions(server: self)
    private(set) lazy var states = BoundStates(server: self)
    private(set) lazy var sets = ValueSets(server: self)
    private(set) lazy var announcer = Announcer(desk: desk)
    /// Who announced how much lately.
    var announcements: RateLimit
    /// Questions to all applications: many clients that ask at once must not make them many questions.
    private(set) lazy var listing = SharedQuestion<[Application]> { [weak self] in self?.readApplications($0) }
    private(set) lazy var diagnosing = SharedQuestion<[Finding]> { [weak self] completion in
        Loop.task { [weak self] in
            guard let self else { return }
            completion(await Diagnosis(server: self).findings())
        }
    }
    /// Read when first asked for: nobody waits for it at the start.
    private lazy var parameterNames = FocusServer.readParameterNames()

    init(desk: FocusDesk, limits: ServiceLimits = ServiceLimits(), log: Log) {
        self.desk = desk
        self.limits = limits
        self.log = log
        ledger = ClientLedger(limits: limits)
        turns = ClientTurns(limits: limits)
        announcements = RateLimit(
            ofProcess: limits.announcementsPerSecond, ofAll: limits.announcementsPerSecondOfAll)
        lines = RateLimit(ofProcess: limits.linesPerSecond, ofAll: 2 * limits.linesPerSecond)
        startedAt = desk.now
        instance = "\(getpid())-\(SystemClock.bootMicroseconds)"
        ledger.onMet = { [weak desk] name, pid in
            desk?.tally.countLimit(name)
            desk?.note(Incidents.Kind(limit: name), byProcess: pid)
        }
        ledger.onRoom = { [weak self] in self?.lookForRoom() }
        desk.onTransaction = { [weak self] in self?.publish($0) }
        desk.onStep = { [weak self] in self?.tell($0) }
        desk.onTrouble = { [weak self] in self?.warn($0) }
        _ = sets
        desk.onConnectionsChanged = { [weak self] in self?.subscriptions.connectionsChanged() }
        desk.onElementCorrected = { [weak self] in self?.subscriptions.publishCorrection(of: $0) }
        desk.onElementRead = { [weak self] in self?.subscriptions.publishCorrection(of: $0, isForAll: true) }
    }

    /// Serves a listening descriptor; it is taken over.
    ///
    /// One of our own takes the place of the one before, which nobody finds any more.
    func serve(_ descriptor: Int32, isOwn: Bool = false) {
        let listener = SocketListener(adopting: descriptor) { [weak self] in self?.accept($0) }
        if isOwn { own = listener } else { handedOver = listener }
    }

    /// Ends all streams and lets go of the socket.
    func stop() {
        (handedOver, own) = (nil, nil)
        for client in clients.values { client.stop() }
    }

    private func publish(_ transaction: Transaction) {
        if log.threshold == .debug { tellDevelopers(of: transaction) }
        flushLine.hold {
            subscriptions.publish(transaction)
            states.publish(transaction)
        }
        guard !(subscriptions.isEmpty && states.isEmpty), transaction.changes.contains(where: { $0.cause == .moved })
        else { return }
        latencies.add(desk.now - transaction.time)
    }

    // MARK: - Clients

    private func accept(_ peer: SocketListener.Peer) {
        guard peer.uid == getuid() else {
            warn("refused a client of user \(peer.uid)")
            return refuse(peer)
        }
        // focusd itself, which knocked to see whether the path leads here.
        guard peer.pid != getpid() else { return _ = close(peer.descriptor) }
        let account = ledger.account(of: peer.pid)
        do {
            try account.take(.clients)
        } catch {
            ledger.close(account)
            warn("refused a client of process \(peer.pid): \(error.limit)")
            return refuse(peer, error)
        }
        desk.tally.count(.clientsAccepted)
        let client = ClientConnection(peer, ledger: ledger, turns: turns, flushLine: flushLine, group: group)
        client.onCall = { [weak self] in self?.called($0, $1, $2) }
        client.onTooSlow = { [weak self] in
            self?.desk.tally.count(.subscribersTooSlow)
            self?.desk.note(.slowClient, byProcess: peer.pid)
        }
        client.onClose = { [weak self] in self?.closed($0, $1) }
        clients[ObjectIdentifier(client)] = client
    }

    /// Who is told why is told so in place of the answer to its first call.
    private func refuse(_ peer: SocketListener.Peer, _ error: FocusError.LimitExceeded? = nil) {
        desk.tally.count(.clientsRefused)
        if let error {
            do {
                let message = OutgoingMessage.error(
                    FocusError.LimitExceeded.name, parameters: try JSONBytes.encode(error))
                _ = message.withUnsafeBytes { focusd_send(peer.descriptor, $0.baseAddress, $0.count) }
            } catch {
                assertionFailure("an error cannot be encoded: \(error)")
            }
        }
        close(peer.descriptor)
    }

    private func closed(_ client: ClientConnection, _ reason: ServerConversation.CloseReason?) {
        clients[ObjectIdentifier(client)] = nil
        // A connection with its buffers; what it had still to read was let go of a moment ago.
        desk.memory.letGo(FocusServer.bytesOfClient + client.bytesLeft)
        guard let reason, reason.isFaultOfClient else { return }
        if case .messageTooLong = reason { ledger.count(.maximumMessageBytes, by: client.pid) }
        desk.tally.count(.clientsClosedForFault)
        warn("closed the connection of process \(client.pid): \(reason)")
    }

    private static let bytesOfClient = 32 << 10
    /// How long the parameters of a call may be that waits for the first look round.
    private static let bytesHeld = 4 << 10

    /// What clients and applications do is told in so many lines a second and no more; the counters have all of it.
    private func warn(_ line: String) {
        if case .admitted = lines.admits(0, at: desk.now) { log.warning(line) }
    }

    private func tell(_ step: String) {
        if case .admitted = lines.admits(1, at: desk.now) { log.info(step) }
    }

    private func tellDevelopers(of transaction: Transaction) {
        for change in transaction.changes {
            guard case .technology(let id) = change.audience, !change.isUpdateOnly else { continue }
            // Where, and never what is written there.
            let place = change.current.map { "\($0.element.busName)\($0.element.path)" } ?? "nowhere"
            log.debug(
                "\(transaction.revision): \(id.rawValue) \(change.cause.rawValue), now \(place)"
                    + (change.current?.isAssumed == true ? " (assumed)" : ""))
        }
    }

    /// Who waits for room to receive looks again, once in a turn of the loop.
    private func lookForRoom() {
        guard roomTimer == nil else { return }
        roomTimer = LoopTimer(milliseconds: 0) { [weak self] in
            self?.roomTimer = nil
            for wake in self?.ledger.takeStalled() ?? [] { wake() }
        }
    }

    // MARK: - Calls

    private func called(
        _ client: ClientConnection, _ id: ServerConversation.CallID, _ incoming: IncomingCall
    ) {
        desk.tally.count(.calls)
        log.debug("process \(client.pid) calls \(incoming.method.prefix(128))")
        // It is counted among those in flight already.
        if let limit = client.account.overdrawn(.calls) {
            ledger.count(limit, by: client.pid)
            return client.fail(id, FocusError.LimitExceeded(limit: limit))
        }
        // Many long ones would be more than may be held meanwhile.
        guard
            desk.firstLook.isOver || !FocusServer.asksOfDesktop(incoming.method)
                || incoming.parameters.count > FocusServer.bytesHeld
        else {
            return desk.firstLook.whenOver { [weak self] in
                if client.isInProgress(id) { self?.serve(client, id, incoming) }
            }
        }
        serve(client, id, incoming)
    }

    /// Whether the answer depends on what there is on the desktop.
    private static func asksOfDesktop(_ method: String) -> Bool {
        method.hasPrefix(FocusInterface.name + ".") && method != GetStatistics.name && method != OpenSession.name
    }

    private func serve(
        _ client: ClientConnection, _ id: ServerConversation.CallID, _ incoming: IncomingCall
    ) {
        let call = ServedCall(server: self, client: client, id: id, incoming: incoming)
        // What it asked is read at once: while it is under way nobody needs its bytes.
        defer { call.parameterBytes.drop() }
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
}

/// One call with what a method needs to serve it.
@Loop
struct ServedCall {
    let server: FocusServer
    let client: ClientConnection
    let id: ServerConversation.CallID
    let wantsMore: Bool
    let hasParameters: Bool
    let parameterBytes: CallParameters

    init(server: FocusServer, client: ClientConnection, id: ServerConversation.CallID, incoming: IncomingCall) {
        self.server = server
        self.client = client
        self.id = id
        wantsMore = incoming.wantsMore
        hasParameters = !incoming.parameters.isEmpty
        parameterBytes = CallParameters(incoming)
    }

    var desk: FocusDesk { server.desk }

    func parameters<Method: MethodCall>(of method: Method.Type) throws -> Method.Parameters {
        try parameters(as: Method.Parameters.self, of: Method.name)
    }

    func parameters<Parameters: Decodable>(as type: Parameters.Type, of method: String) throws -> Parameters {
        guard let incoming = parameterBytes.incoming else {
            assertionFailure("the parameters of \(method) are read after its handler has returned")
            throw VarlinkError.invalidParameter(parameter: "parameters")
        }
        return try incoming.decodeParameters(as: type, knownNames: server.knownParameters(of: method))
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

extension ServedCall {
    /// Answers with as many of the first elements as an answer may be long, which hardly ever is not all of them.
    func replyWhatFits<One: Encodable>(_ elements: [One], _ answer: ([One]) -> some Encodable) {
        do {
            let whole = try JSONBytes.encode(answer(elements))
            let most = server.limits.maximumAnswerBytes
            guard whole.count > most else { return reply(whole) }
            server.ledger.count(.maximumAnswerBytes, by: client.pid)
            var (bytes, count) = (try JSONBytes.encode(answer([])).count, 0)
            for element in elements {
                bytes += try JSONBytes.encode(element).count + 1
                guard bytes <= most else { break }
                count += 1
            }
            reply(try JSONBytes.encode(answer(Array(elements.prefix(count)))))
        } catch {
            // Shapes of ours hold nothing that JSON cannot.
            client.fail(id, .invalidParameter(parameter: "parameters"))
        }
    }
}

/// The bytes of a call's parameters while its handler runs: what is under way for long must not keep a mebibyte alive.
@Loop
final class CallParameters {
    private(set) var incoming: IncomingCall?

    init(_ incoming: IncomingCall) {
        self.incoming = incoming
    }

    func drop() { incoming = nil }
}
