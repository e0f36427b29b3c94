import Glibc
import Varlink

/// Makes the explicit calls of clients, each on a connection of its own or in order with others on its lane.
///
/// It belongs to the engine's thread.
final class CallDesk {
    private typealias Line = Channel<CallRequest>

    private let configuration: FocusConfiguration
    private var lines: [ObjectIdentifier: Line] = [:]
    private var lineOfCall: [CallRequestID: Line] = [:]
    private var lanes: [UInt64: Line] = [:]
    /// Calls that the service lets nobody in for yet.
    private var waiting: [(request: CallRequest, again: Moment, deadline: Moment?)] = []

    /// How long a service that is busy letting others in is left in peace.
    private static let busyPause = Duration.milliseconds(20)

    init(configuration: FocusConfiguration) { self.configuration = configuration }

    var watched: [(descriptor: Int32, events: Int32)] { lines.values.map { ($0.descriptor, $0.wantedEvents) } }

    var nextDeadline: Moment? {
        (lines.values.compactMap(\.nextDeadline) + waiting.map(\.again)).min()
    }

    func start(_ request: CallRequest) {
        begin(request, deadline: request.deadline.map { Moment.now.advanced(by: $0) })
    }

    /// Ends a call that nobody waits for any more. On a lane it runs on, since others follow it.
    func cancel(_ id: CallRequestID) {
        waiting.removeAll { $0.request.id == id }
        guard let line = lineOfCall.removeValue(forKey: id) else { return }
        if !lanes.values.contains(where: { $0 === line }) { close(line) }
    }

    /// Tries again what the service was too busy for.
    func turn(_ now: Moment) {
        for line in lines.values where line.nextDeadline.map({ $0 <= now }) == true { work(line, now) }
        let due = waiting.filter { $0.again <= now }
        guard !due.isEmpty else { return }
        waiting.removeAll { $0.again <= now }
        for call in due {
            if let deadline = call.deadline, deadline <= now {
                call.request.receive(.failure(.timedOut))
            } else {
                begin(call.request, deadline: call.deadline)
            }
        }
    }

    func work(_ ready: Set<Int32>, _ now: Moment) {
        for line in lines.values where ready.contains(line.descriptor) { work(line, now) }
    }

    func stop() {
        for call in waiting { call.request.receive(.failure(.connectionLost)) }
        waiting = []
        for line in lines.values {
            for call in line.abandon() { call.receive(.failure(.connectionLost)) }
        }
        lines = [:]
    }

    // MARK: -

    private func begin(_ request: CallRequest, deadline: Moment?) {
        guard !request.isOver.isSet else { return }
        if let lane = request.lane, waiting.contains(where: { $0.request.lane == lane }) {
            return waiting.append((request, Moment.now.advanced(by: Self.busyPause), deadline))
        }
        let line: Line
        if let lane = request.lane, let open = lanes[lane] {
            line = open
        } else {
            do {
                line = Channel(adopting: try ServiceSocket.open(at: try configuration.location()))
            } catch .timedOut {
                return waiting.append((request, Moment.now.advanced(by: Self.busyPause), deadline))
            } catch {
                return request.receive(.failure(FocusClientError(error)))
            }
            lines[ObjectIdentifier(line)] = line
            if let lane = request.lane { lanes[lane] = line }
        }
        lineOfCall[request.id] = line
        line.call(
            IncomingCall(method: request.method, parameters: request.parameters, wantsMore: request.wantsMore),
            for: request, deadline: deadline)
    }

    private func work(_ line: Line, _ now: Moment) {
        for event in line.work(now) {
            switch event {
            case .reply(let request, let reply):
                let isLast = !reply.continues || reply.error != nil
                if isLast { lineOfCall[request.id] = nil }
                request.receive(.success(reply))
            case .end(let cause, let unanswered):
                close(line)
                for request in unanswered {
                    lineOfCall[request.id] = nil
                    request.receive(.failure(cause.error))
                }
            }
        }
        if line.isIdle { close(line) }
    }

    private func close(_ line: Line) {
        lines[ObjectIdentifier(line)] = nil
        for (lane, open) in lanes where open === line { lanes[lane] = nil }
    }
}

extension Channel.Cause {
    /// What a call's maker is told.
    var error: FocusClientError {
        switch self {
        case .closed: .connectionLost
        case .broken: .unreadableReply
        case .late: .timedOut
        }
    }
}
