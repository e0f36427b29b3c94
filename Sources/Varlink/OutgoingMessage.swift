/// Frames messages for the wire: the JSON and the NUL that ends it, in one buffer.
///
/// Parameters are the bytes of one JSON object, empty for none; they are written as they are, so that what goes to many
/// peers is encoded once.
package enum OutgoingMessage {
    /// A reply; `continues` only where the caller asked for more and more will come.
    package static func reply(parameters: [UInt8], continues: Bool) -> [UInt8] {
        var message = start(parameters, extra: 40)
        message.append("{\"parameters\":")
        message.append(contentsOf: parameters.isEmpty ? emptyObject : parameters)
        message.append(continues ? ",\"continues\":true}\0" : "}\0")
        return message
    }

    /// An error reply; `name` is the whole name, like `org.varlink.service.MethodNotFound`.
    package static func error(_ name: String, parameters: [UInt8]) -> [UInt8] {
        var message = start(parameters, extra: 40 + name.utf8.count)
        message.append("{\"error\":")
        message.appendJSONString(name)
        message.append(",\"parameters\":")
        message.append(contentsOf: parameters.isEmpty ? emptyObject : parameters)
        message.append("}\0")
        return message
    }

    /// A call as the caller sends it.
    package static func call(_ call: IncomingCall) -> [UInt8] {
        var message = start(call.parameters, extra: 80 + call.method.utf8.count)
        message.append("{\"method\":")
        message.appendJSONString(call.method)
        if !call.parameters.isEmpty {
            message.append(",\"parameters\":")
            message.append(contentsOf: call.parameters)
        }
        if call.wantsMore { message.append(",\"more\":true") }
        if call.isOneway { message.append(",\"oneway\":true") }
        if call.wantsUpgrade { message.append(",\"upgrade\":true") }
        message.append("}\0")
        return message
    }

    private static let emptyObject = Array("{}".utf8)

    private static func start(_ parameters: [UInt8], extra: Int) -> [UInt8] {
        var message: [UInt8] = []
        message.reserveCapacity(parameters.count + extra)
        return message
    }
}

/// One more reply of streams, framed once for all that are told.
package struct StreamReply: Hashable, Sendable {
    package let parameters: [UInt8]
    package let message: [UInt8]

    /// `parameters` are the bytes of one JSON object.
    package init(_ parameters: [UInt8]) {
        self.parameters = parameters
        message = OutgoingMessage.reply(parameters: parameters, continues: true)
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { append(contentsOf: $0) }
    }

    /// Appends a text as a JSON string with its quotes.
    package mutating func appendJSONString(_ text: String) {
        append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { bytes in
            var begin = 0
            for index in bytes.indices where Self.needsEscape(bytes[index]) {
                append(contentsOf: bytes[begin..<index])
                appendEscaped(bytes[index])
                begin = index + 1
            }
            append(contentsOf: bytes[begin...])
        }
        append(UInt8(ascii: "\""))
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func appendEscaped(_ byte: UInt8) {
        append(UInt8(ascii: "\\"))
        guard byte < 0x20 else { return append(byte) }
        append("u00")
        append(Self.hexDigits[Int(byte >> 4)])
        append(Self.hexDigits[Int(byte & 15)])
    }

    private static let hexDigits = Array("0123456789abcdef".utf8)
}
