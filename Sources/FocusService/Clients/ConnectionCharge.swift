/// What an account was charged for what one connection holds; of bytes, those beyond what is free.
struct ConnectionCharge {
    private(set) var calls = 0
    private(set) var queued = 0
    private(set) var received = 0

    /// What a connection holds now.
    init(calls: Int = 0, queued: Int = 0, received: Int = 0, freeBytes: Int = 0) {
        self.calls = calls
        self.queued = max(0, queued - freeBytes)
        self.received = max(0, received - freeBytes)
    }

    /// Charges the account the difference to what it was charged before.
    func replace(_ before: ConnectionCharge, of account: ClientAccount) {
        account.change(.calls, from: before.calls, to: calls)
        account.change(.queuedBytes, from: before.queued, to: queued)
        account.change(.receivedBytes, from: before.received, to: received)
    }
}
