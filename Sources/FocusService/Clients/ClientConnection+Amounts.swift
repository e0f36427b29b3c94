import Varlink

/// What a connection holds, and how much more it may. Nothing is changed here.
extension ClientConnection {
    /// Bytes written for it that it has not read, and answers that are held for their turn.
    var bytesQueued: Int { outbox.count + conversation.heldBytes }
    /// Bytes received of which no call was made yet.
    var bytesWaiting: Int { conversation.receivedBytes }
    var callsInFlight: Int { conversation.callsInFlight }
    var callCount: UInt64 { conversation.callCount }
    var isStreaming: Bool { conversation.isStreaming }

    /// How many bytes may be read now. Ordinary calls are always read; long ones while their process has room, and one of
    /// them in any case: who sends many at once is not left with the beginnings of all of them.
    var receivableBytes: Int {
        guard let limit = account.exceeded(.receivedBytes, by: limits.readBytes) else { return limits.readBytes }
        let free = limits.freeBytes - bytesWaiting
        if free > 0 { return min(free, limits.readBytes) }
        return limit == SharedResource.receivedBytes.names.ofProcess && account.maySend(self) ? limits.readBytes : 0
    }

    /// Whether a further call may be begun: little waits to be read by this connection.
    var mayBegin: Bool { outbox.count <= limits.freeBytes }

    /// The limit that its stream has passed, where so much of it was unread before it was told more.
    func limitPassed(_ unread: Int) -> String? {
        guard isOpen, isStreaming, !outbox.isEmpty, unread > limits.freeBytes else { return nil }
        let most = limits.maximumQueuedBytesPerClient
        if unread > most, outbox.count > most { return SingleLimit.maximumQueuedBytesPerClient.rawValue }
        return account.exceeded(.queuedBytes)
    }
}
