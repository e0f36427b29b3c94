import Glibc
import Varlink

/// The clock of everything that is waited for; it stands still while the machine sleeps.
typealias Moment = SuspendingClock.Instant

/// One connection to the service that never waits: calls go out in order, and each answer is told with its purpose.
///
/// It belongs to the engine's thread, and closes its descriptor when it is released.
final class Channel<Purpose> {
    /// What came on the connection.
    enum Event {
        /// A reply or an error; unless it continues, the call is over.
        case reply(Purpose, IncomingReply)
        /// The connection cannot be used any more, and these calls get no answer. Nothing comes after it.
        case end(Cause, unanswered: [Purpose])
    }

    /// Why a connection is over.
    enum Cause {
        /// The service closed it.
        case closed
        /// The service sent what is no answer, or reads nothing any more.
        case broken
        /// An answer did not come in time.
        case late
    }

    private struct Waiting {
        let purpose: Purpose
        let number: Int
        /// Until when its next reply must have come.
        var deadline: Moment?
    }

    let descriptor: Int32
    private var conversation = ClientConversation(limits: .client)
    private var waiting: [ClientConversation.CallID: Waiting] = [:]
    private var callCount = 0
    private var outgoing: [UInt8] = []
    private var written = 0
    private var hasEnded = false

    /// Bytes that may wait for a service that does not read.
    private static var maximumOutgoingBytes: Int { 4 << 20 }
    /// How often one turn reads, so that one connection cannot keep the thread from the others.
    private static var readsInOneTurn: Int { 4 }

    /// Owns the descriptor from now on.
    init(adopting descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Whether no call waits for an answer.
    var isIdle: Bool { waiting.isEmpty }

    /// What the thread polls for.
    var wantedEvents: Int32 { written < outgoing.count ? POLLIN | POLLOUT : POLLIN }

    /// Until when something must have come.
    var nextDeadline: Moment? { waiting.values.lazy.compactMap(\.deadline).min() }

    /// Sends a call.
    func call(_ call: IncomingCall, for purpose: Purpose, deadline: Moment?) {
        let (id, bytes) = conversation.call(call)
        callCount += 1
        waiting[id] = Waiting(purpose: purpose, number: callCount, deadline: deadline)
        outgoing += bytes
        write()
    }

    /// Writes and reads what can be, and tells what came of it.
    func work(_ now: Moment) -> [Event] {
        guard !hasEnded else { return [] }
        write()
        var events: [ClientConversation.Event] = []
        read(into: &events)
        var told: [Event] = []
        for event in events {
            switch event {
            case .reply(let id, let reply): tell(id, reply, into: &told)
            case .end(.endOfInput, _): end(.closed, into: &told)
            case .end: end(.broken, into: &told)
            }
        }
        if outgoing.count - written > Self.maximumOutgoingBytes { end(.broken, into: &told) }
        if let nextDeadline, nextDeadline <= now { end(.late, into: &told) }
        return told
    }

    /// Gives the calls up that wait for an answer.
    func abandon() -> [Purpose] {
        hasEnded = true
        defer { waiting = [:] }
        return waiting.values.sorted { $0.number < $1.number }.map(\.purpose)
    }

    // MARK: -

    private func tell(_ id: ClientConversation.CallID, _ reply: IncomingReply, into told: inout [Event]) {
        guard let call = waiting[id] else { return }
        if reply.continues, reply.error == nil {
            waiting[id]?.deadline = nil
        } else {
            waiting[id] = nil
        }
        told.append(.reply(call.purpose, reply))
    }

    private func end(_ cause: Cause, into told: inout [Event]) {
        guard !hasEnded else { return }
        told.append(.end(cause, unanswered: abandon()))
    }

    private func write() {
        while written < outgoing.count {
            // SAFETY: the pointer is of the slice that is sent, and does not leave the closure.
            let count = outgoing[written...].withUnsafeBytes { bytes in
                retrying { send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
            }
            // Where the service has gone, reading tells so.
            guard count > 0 else { break }
            written += count
        }
        if written == outgoing.count {
            outgoing.removeAll(keepingCapacity: outgoing.capacity <= 1 << 16)
            written = 0
        } else if written > outgoing.count / 2 {
            outgoing.removeFirst(written)
            written = 0
        }
    }

    private func read(into events: inout [ClientConversation.Event]) {
        // SAFETY: `recv` writes at most the count of the buffer, which does not leave the closure.
        withUnsafeTemporaryAllocation(byteCount: Limits.readBytes, alignment: 1) { buffer in
            for _ in 0..<Self.readsInOneTurn {
                let count = retrying { recv(descriptor, buffer.baseAddress, buffer.count, 0) }
                if count > 0 {
                    conversation.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]), into: &events)
                    if count < buffer.count { return }
                } else {
                    if count == 0 || errno != EAGAIN { conversation.receiveEndOfInput(into: &events) }
                    return
                }
            }
        }
    }
}
