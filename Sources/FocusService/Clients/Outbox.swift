import Glibc

/// Messages that wait to be written to one client, whole ones in order.
struct Outbox {
    enum Progress {
        case empty, wouldBlock, failed
    }

    private var messages: [[UInt8]] = []
    /// The first message that is not written whole.
    private var first = 0
    /// Bytes of it that are written already.
    private var written = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ message: [UInt8]) {
        messages.append(message)
        count += message.count
    }

    /// Writes what the other end takes. `send` returns the bytes taken, or a negative number.
    mutating func write(_ send: (UnsafeRawBufferPointer) -> Int) -> Progress {
        while first < messages.count {
            let message = messages[first]
            let sent = message.withUnsafeBytes { send(UnsafeRawBufferPointer(rebasing: $0[written...])) }
            guard sent >= 0 else { return isFull ? .wouldBlock : .failed }
            written += sent
            count -= sent
            guard written == message.count else { return .wouldBlock }
            messages[first] = []
            first += 1
            written = 0
        }
        messages.removeAll(keepingCapacity: true)
        first = 0
        return .empty
    }

    /// Drops all but a message that is written in part, which must be finished for the next to be understood.
    mutating func dropAllButFirst() {
        guard written > 0, first < messages.count else { return dropAll() }
        messages = [messages[first]]
        first = 0
        count = messages[0].count - written
    }

    mutating func dropAll() {
        messages.removeAll()
        first = 0
        written = 0
        count = 0
    }
}

/// Whether the last system call failed only because it would have waited.
private var isFull: Bool { errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR }
