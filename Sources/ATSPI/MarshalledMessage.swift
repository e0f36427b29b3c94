import CDBus

/// A message's arguments as bytes of their own, in D-Bus's documented wire form: they outlive the message.
///
/// libdbus's iterators walk every structure two or three times; a hundred thousand items are read from bytes in a fifth
/// of the time.
final class MarshalledMessage {
    let signature: String
    /// What lies at an argument's place. Valid while this object lives.
    let body: WireReader
    private let bytes: UnsafeMutablePointer<CChar>

    /// Copies a message that arrived. Nil where memory runs out.
    init?(_ message: OpaquePointer) {
        var bytes: UnsafeMutablePointer<CChar>?
        var count: Int32 = 0
        guard dbus_message_marshal(message, &bytes, &count) != 0, let bytes else { return nil }
        self.bytes = bytes
        signature = dbus_message_get_signature(message).map { String(cString: $0) } ?? ""
        body = WireReader(message: UnsafeRawBufferPointer(start: bytes, count: Int(count)))
    }

    deinit { dbus_free(bytes) }
}

/// Reads D-Bus's wire form in order. It checks every length against the end, whoever checked it before.
struct WireReader {
    private let bytes: UnsafeRawBufferPointer
    private let isSwapped: Bool
    private(set) var offset = 0

    /// Arguments alone, which begin at the buffer's beginning.
    init(body: UnsafeRawBufferPointer, isSwapped: Bool = false) {
        bytes = body
        self.isSwapped = isSwapped
    }

    /// A whole message: a header of 12 bytes, an array of fields, the arguments from the next multiple of 8 on.
    fileprivate init(message: UnsafeRawBufferPointer) {
        let native = 1.littleEndian == 1 ? UInt8(ascii: "l") : UInt8(ascii: "B")
        var header = WireReader(body: message, isSwapped: message.first != native)
        header.offset = 12
        do {
            header.offset = try header.arrayEnd(alignment: 8)
            try header.align(8)
            self.init(body: UnsafeRawBufferPointer(rebasing: message[header.offset...]), isSwapped: header.isSwapped)
        } catch {
            // No libdbus writes such a message; without arguments it is malformed for whoever reads it.
            self.init(body: UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }

    var isAtEnd: Bool { offset >= bytes.count }

    mutating func align(_ alignment: Int) throws(MalformedMessage) {
        let aligned = (offset + alignment - 1) & ~(alignment - 1)
        guard aligned <= bytes.count else { throw MalformedMessage() }
        offset = aligned
    }

    mutating func uint32() throws(MalformedMessage) -> UInt32 {
        try align(4)
        guard bytes.count - offset >= 4 else { throw MalformedMessage() }
        let value = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        offset += 4
        return isSwapped ? value.byteSwapped : value
    }

    mutating func int32() throws(MalformedMessage) -> Int32 { Int32(bitPattern: try uint32()) }

    /// The bytes of a string or object path, where they lie.
    mutating func text() throws(MalformedMessage) -> UnsafeRawBufferPointer {
        let count = Int(try uint32())
        guard count < bytes.count - offset else { throw MalformedMessage() }
        let text = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
        // The NUL behind it is not counted.
        offset += count + 1
        return text
    }

    /// Enters an array, and tells where it ends.
    mutating func arrayEnd(alignment: Int) throws(MalformedMessage) -> Int {
        let count = Int(try uint32())
        try align(alignment)
        guard count <= bytes.count - offset else { throw MalformedMessage() }
        return offset + count
    }

    /// Leaves an array, wherever in it the reading stood.
    mutating func leave(arrayEnd: Int) throws(MalformedMessage) {
        guard arrayEnd >= offset else { throw MalformedMessage() }
        offset = arrayEnd
    }
}
