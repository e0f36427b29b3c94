import FocusProtocol
import Glibc
import Varlink

/// A connection to focusd on which one thread makes one call after the other, each with a deadline.
///
/// It is closed when it is released. After any error but `refused` it is closed at once, and every further call throws
/// `connectionLost`.
package final class FocusSocket {
    private var descriptor: Int32
    /// The process that began to listen: focusd, or who started it and made the socket for it.
    package private(set) var listener: pid_t = 0
    private var splitter = MessageSplitter(maximumMessageBytes: Limits.maximumMessageBytes)

    /// Connects, after it made sure that the place is safe and that the one who listens has our user id.
    package init(at location: SocketLocation, deadline: Deadline) throws(FocusSocketError) {
        try location.check()
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .noService(path: location.path, code: errno) }
        do {
            try connect(to: location, deadline: deadline)
            listener = try ServiceSocket.checkPeer(of: descriptor, at: location)
        } catch {
            end()
            throw error
        }
    }

    deinit { end() }

    /// Makes a call and waits for its one reply.
    package func call<M: MethodCall>(
        _ method: M.Type, parameters: M.Parameters, deadline: Deadline
    ) throws(FocusSocketError) -> M.Reply {
        try send(Request<M>(method: M.name, parameters: parameters, more: nil), deadline: deadline)
        let (reply, continues) = try receive(M.self, deadline: deadline, interruptedBy: nil)
        guard !continues else {
            end()
            throw .unreadableReply(.continuesUnasked)
        }
        return reply
    }

    /// Makes a call that is answered with a stream of replies; the connection is the stream's until it has ended.
    package func stream<M: MethodCall>(
        _ method: M.Type, parameters: M.Parameters, deadline: Deadline
    ) throws(FocusSocketError) -> ReplyStream<M> {
        try send(Request<M>(method: M.name, parameters: parameters, more: true), deadline: deadline)
        return ReplyStream(socket: self)
    }

    /// The next reply and whether others follow it. Throws `interrupted` when the other descriptor is at its end.
    func receive<M: MethodCall>(
        _ method: M.Type, deadline: Deadline, interruptedBy other: Int32?
    ) throws(FocusSocketError) -> (reply: M.Reply, continues: Bool) {
        let message: [UInt8]
        do {
            message = try nextMessage(deadline: deadline, interruptedBy: other)
        } catch {
            end()
            throw error
        }
        return try understand(message, as: M.self)
    }

    /// What `poll` waits for input on, for one who has more to wait for; negative where the connection is over.
    package var pollable: Int32 { descriptor }

    /// The next reply and whether others follow it, nil where it has not come in whole yet; waits for nothing.
    func receiveWithoutWaiting<M: MethodCall>(
        _ method: M.Type
    ) throws(FocusSocketError) -> (reply: M.Reply, continues: Bool)? {
        let message: [UInt8]?
        do {
            message = try arrivedMessage()
        } catch {
            end()
            throw error
        }
        guard let message else { return nil }
        return try understand(message, as: M.self)
    }

    private func arrivedMessage() throws(FocusSocketError) -> [UInt8]? {
        while true {
            let message = splitter.takeMessage { bytes in bytes.withUnsafeBufferPointer { Array($0) } }
            if let message { return message }
            guard !splitter.isOverlong else { throw .unreadableReply(.tooLong) }
            guard descriptor >= 0 else { throw .connectionLost }
            var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&watched, 1, 0) > 0 else { return nil }
            try readSome()
        }
    }

    private func understand<M: MethodCall>(
        _ message: [UInt8], as method: M.Type
    ) throws(FocusSocketError) -> (reply: M.Reply, continues: Bool) {
        let decoded: Reply<M>
        do {
            decoded = try WireJSON.decodeReply(message, to: M.self)
        } catch {
            end()
            throw error
        }
        switch decoded.content {
        case .reply(let reply): return (reply, decoded.continues)
        case .error(let error): throw .refused(error)
        }
    }

    // MARK: - Connecting

    private func connect(to location: SocketLocation, deadline: Deadline) throws(FocusSocketError) {
        guard !deadline.hasPassed else { throw .timedOut }
        // A full backlog cannot be polled for on a Unix socket: only the send timeout bounds the wait in `connect`.
        let milliseconds = Int(deadline.remainingMilliseconds)
        if milliseconds > 0 {
            var timeout = timeval(tv_sec: milliseconds / 1000, tv_usec: milliseconds % 1000 * 1000)
            setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        }
        try ServiceSocket.connect(descriptor, to: location)
        guard fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) >= 0 else {
            throw .noService(path: location.path, code: errno)
        }
    }

    // MARK: - Bytes

    private func send(_ request: some Encodable, deadline: Deadline) throws(FocusSocketError) {
        guard descriptor >= 0 else { throw .connectionLost }
        do {
            try write(Array(WireJSON.encode(request).utf8) + [0], deadline: deadline)
        } catch {
            end()
            throw error
        }
    }

    private func write(_ message: [UInt8], deadline: Deadline) throws(FocusSocketError) {
        var written = 0
        while written < message.count {
            // SAFETY: the pointer is of the slice that is sent, and does not leave the closure.
            let result = message[written...].withUnsafeBytes { bytes in
                retrying { Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
            }
            if result >= 0 {
                written += result
            } else if errno == EAGAIN {
                try wait(for: POLLOUT, deadline: deadline, interruptedBy: nil)
            } else {
                throw .connectionLost
            }
        }
    }

    private func nextMessage(deadline: Deadline, interruptedBy other: Int32?) throws(FocusSocketError) -> [UInt8] {
        while true {
            let message = splitter.takeMessage { bytes in bytes.withUnsafeBufferPointer { Array($0) } }
            if let message { return message }
            guard !splitter.isOverlong else { throw .unreadableReply(.tooLong) }
            guard descriptor >= 0 else { throw .connectionLost }
            try wait(for: POLLIN, deadline: deadline, interruptedBy: other)
            try readSome()
        }
    }

    private func readSome() throws(FocusSocketError) {
        // SAFETY: `recv` writes at most the count of the buffer, which does not leave the closure.
        let isOpen = withUnsafeTemporaryAllocation(byteCount: Limits.readBytes, alignment: 1) { buffer in
            let count = retrying { recv(descriptor, buffer.baseAddress, buffer.count, 0) }
            if count < 0 { return errno == EAGAIN }
            splitter.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            return count > 0
        }
        guard isOpen else { throw .connectionLost }
    }

    private func wait(
        for events: Int32, deadline: Deadline, interruptedBy other: Int32?
    ) throws(FocusSocketError) {
        // A negative descriptor is left out by `poll`; an end is always reported.
        var watched = [
            pollfd(fd: descriptor, events: Int16(events), revents: 0), pollfd(fd: other ?? -1, events: 0, revents: 0),
        ]
        while true {
            let count = poll(&watched, nfds_t(watched.count), deadline.remainingMilliseconds)
            if count < 0, errno != EINTR { throw .connectionLost }
            if count > 0 {
                guard watched[1].revents == 0 else { throw .interrupted }
                return
            }
            if deadline.hasPassed { throw .timedOut }
        }
    }

    private func end() {
        guard descriptor >= 0 else { return }
        close(descriptor)
        descriptor = -1
    }
}

/// The replies to one call, one after the other as the service sends them.
package struct ReplyStream<M: MethodCall> {
    private let socket: FocusSocket
    private var hasEnded = false

    init(socket: FocusSocket) { self.socket = socket }

    /// Waits for the next reply; nil after the last one. An error of the service's ends the stream too.
    ///
    /// Throws `interrupted` as soon as the other descriptor has no reader any more, without waiting for a reply.
    package mutating func next(
        deadline: Deadline, interruptedBy other: Int32? = nil
    ) throws(FocusSocketError) -> M.Reply? {
        guard !hasEnded else { return nil }
        hasEnded = true
        let (reply, continues) = try socket.receive(M.self, deadline: deadline, interruptedBy: other)
        hasEnded = !continues
        return reply
    }

    /// What there is of the stream without waiting.
    package enum Arrival {
        case reply(M.Reply)
        /// The next reply is still to come: `poll` the socket's descriptor and ask again.
        case nothingYet
        /// The last reply was taken before.
        case end
    }

    /// Takes the next reply where it is here already; an error of the service's ends the stream.
    package mutating func nextWithoutWaiting() throws(FocusSocketError) -> Arrival {
        guard !hasEnded else { return .end }
        hasEnded = true
        let arrived = try socket.receiveWithoutWaiting(M.self)
        hasEnded = arrived.map { !$0.continues } ?? false
        return arrived.map { .reply($0.reply) } ?? .nothingYet
    }
}
