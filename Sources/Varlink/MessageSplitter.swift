/// Cuts a stream of bytes into the messages that a NUL ends, however the stream was chopped on its way.
///
/// Holds the bytes that nobody took yet. Work is linear in the bytes received. It knows no socket: the owner appends
/// what it read and takes messages out one by one.
package struct MessageSplitter: Sendable {
    /// Whole messages that nobody took yet.
    package private(set) var waitingMessages = 0
    /// True once a message was longer than allowed. Nothing is kept of it, and nothing is accepted after it.
    package private(set) var isOverlong = false

    private let maximumMessageBytes: Int
    private var buffer: [UInt8] = []
    /// Where the oldest message that nobody took begins.
    private var head = 0
    /// Where the message begins whose end has not arrived.
    private var tail = 0

    /// Capacity above this is given back when the buffer runs empty.
    private static let keptCapacityBytes = 64 << 10

    package init(maximumMessageBytes: Int) {
        self.maximumMessageBytes = maximumMessageBytes
    }

    /// The bytes of the whole messages that wait, their NULs included.
    package var waitingBytes: Int { tail - head }

    /// The bytes at hand of a message whose end has not arrived.
    package var unfinishedBytes: Int { buffer.count - tail }

    /// All bytes that are held, those of messages taken out and not yet given up included.
    package var heldBytes: Int { buffer.count }

    /// Takes bytes as they were read. Ignored once a message was too long.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard !isOverlong else { return }
        giveBackTakenBytes()
        var lengthSoFar = unfinishedBytes
        var begin = 0
        while let end = Self.indexOfNUL(in: bytes, from: begin) {
            guard lengthSoFar + (end - begin) <= maximumMessageBytes else { return refuse(bytes, from: begin) }
            waitingMessages += 1
            lengthSoFar = 0
            begin = end + 1
        }
        guard lengthSoFar + (bytes.count - begin) <= maximumMessageBytes else { return refuse(bytes, from: begin) }
        let oldCount = buffer.count
        buffer.append(contentsOf: bytes)
        if begin > 0 { tail = oldCount + begin }
    }

    /// Takes the oldest whole message out, without its NUL, and gives it to the closure; nil where none waits.
    package mutating func takeMessage<Result>(_ body: (Span<UInt8>) -> Result) -> Result? {
        guard waitingMessages > 0 else { return nil }
        let begin = head
        let end = buffer.withUnsafeBytes { Self.indexOfNUL(in: $0, from: begin) }
        guard let end else {
            assertionFailure("a message was counted that is not there")
            waitingMessages = 0
            return nil
        }
        let result = body(buffer.span.extracting(begin..<end))
        waitingMessages -= 1
        head = end + 1
        if head == buffer.count { dropEverything() }
        return result
    }

    /// Forgets all bytes, and the memory they took.
    package mutating func dropEverything() {
        if buffer.capacity > Self.keptCapacityBytes {
            buffer = []
        } else {
            buffer.removeAll(keepingCapacity: true)
        }
        head = 0
        tail = 0
        waitingMessages = 0
    }

    // MARK: -

    /// Keeps the whole messages before the one that is too long, which begins at `begin` or in the unfinished bytes.
    private mutating func refuse(_ bytes: UnsafeRawBufferPointer, from begin: Int) {
        isOverlong = true
        if begin == 0 {
            buffer.removeSubrange(tail...)
        } else {
            buffer.append(contentsOf: bytes[..<begin])
            tail = buffer.count
        }
    }

    /// Moves the bytes that are left to the front once they are the smaller part, so that each byte moves O(1) times.
    private mutating func giveBackTakenBytes() {
        guard head > 0, head >= buffer.count - head else { return }
        buffer.removeSubrange(..<head)
        tail -= head
        head = 0
    }

    /// The first NUL at or after an offset, looked for eight bytes at a time.
    private static func indexOfNUL(in bytes: UnsafeRawBufferPointer, from begin: Int) -> Int? {
        var index = begin
        while index + 8 <= bytes.count {
            // SAFETY: the eight bytes from `index` on are inside the buffer, and the load needs no alignment.
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            if (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080 != 0 { break }
            index += 8
        }
        while index < bytes.count {
            if bytes[index] == 0 { return index }
            index += 1
        }
        return nil
    }
}
