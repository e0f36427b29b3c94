/// Why a conversation with focusd did not come about, or ended.
package enum FocusSocketError: Error, Equatable {
    /// `XDG_RUNTIME_DIR` is unset or not an absolute path (then without a path), or names nothing.
    case noRuntimeDirectory(path: String?)
    /// A folder that others could have put a socket into, or a peer that is not ours.
    case unsafeDirectory(path: String, why: UnsafeReason)
    /// Nobody listens there; the code is an `errno`.
    case noService(path: String, code: Int32)
    /// The service closed the connection, or it broke; the connection cannot be used any more.
    case connectionLost
    /// The deadline passed; the connection cannot be used any more, since a late reply would be taken for the next.
    case timedOut
    /// The service sent what is no reply to this call; the connection cannot be used any more.
    case unreadableReply(ReplyFault)
    /// The service answered with an error of Varlink's or of the interface's; the connection stays usable.
    case refused(ErrorReply)
    /// The other descriptor that was watched during the wait is at its end.
    case interrupted
}

/// What makes a folder, or who answers in it, not to be trusted.
package enum UnsafeReason: Equatable, Sendable {
    case isLink
    case isNoFolder
    case foreignOwner(uid: UInt32)
    case openToOthers(mode: UInt32)
    case pathTooLong
    case foreignPeer(uid: UInt32)
}

/// What was wrong with a reply.
package enum ReplyFault: Equatable, Sendable {
    case tooLong
    case notUnderstood
    case continuesUnasked
}

/// An error that the service answered with: its full name, like `io.focusd.Focus.UnknownTechnology`, and what belongs to it.
package struct ErrorReply: Error, Equatable, Sendable {
    package let name: String
    package let parameters: [String: WireValue]

    package init(name: String, parameters: [String: WireValue]) {
        self.name = name
        self.parameters = parameters
    }
}
