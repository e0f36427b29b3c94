/// One reply or error as it came over the wire. Its parameters are checked JSON, not yet decoded.
package struct IncomingReply: Hashable, Sendable {
    /// The error's whole name; nil in a reply.
    package var error: String?
    /// The object of parameters in its own bytes; empty where there are none.
    package var parameters: [UInt8]
    /// Whether more replies to the same call follow.
    package var continues: Bool

    package init(error: String? = nil, parameters: [UInt8] = [], continues: Bool = false) {
        self.error = error
        self.parameters = parameters
        self.continues = continues
    }

    /// Reads one message, without its NUL, in one pass.
    package init(reading bytes: Span<UInt8>, limits: VarlinkLimits) throws(MessageFault) {
        let envelope = try Envelope(reading: bytes, limits: limits)
        self.init(error: envelope.error, parameters: envelope.parameters, continues: envelope.continues)
    }
}
