import Glibc

/// Cuts the bytes that the service sends into messages, each of which ends with a NUL byte.
struct ReplyReader {
    private var buffer: [UInt8] = []
    /// Where the message that is not complete yet starts.
    private var start = 0
    /// Up to where no NUL byte was found.
    private var searched = 0

    /// Takes bytes as they came, in pieces of any size.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if start > 0 {
            buffer.removeFirst(start)
            searched -= start
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// The next whole message without its NUL byte, or nil where more bytes are needed; throws where it is too long.
    mutating func next() throws(FocusSocketError) -> [UInt8]? {
        guard let end = indexOfNUL() else {
            searched = buffer.count
            guard buffer.count - start <= Limits.maximumMessageBytes else { throw .unreadableReply(.tooLong) }
            return nil
        }
        guard end - start <= Limits.maximumMessageBytes else { throw .unreadableReply(.tooLong) }
        defer {
            start = end + 1
            searched = end + 1
        }
        return Array(buffer[start..<end])
    }

    private func indexOfNUL() -> Int? {
        // SAFETY: the pointer and the count are of the same array, and neither leaves the closure.
        buffer.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, searched < bytes.count else { return nil }
            guard let found = memchr(base + searched, 0, bytes.count - searched) else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }
}
