import EventLoop

/// Who makes more for a client only when it has read most of what there is, and for how long that is waited for.
@Loop
final class RoomWaiters {
    private let milliseconds: Int64
    private let giveUp: @Loop () -> Void
    private var waiters: [CheckedContinuation<Void, Never>] = []
    private var patience: LoopTimer?

    /// `giveUp` is called where the client reads nothing for so long; whoever waits is to be told of that then.
    init(milliseconds: Int64, giveUp: @escaping @Loop () -> Void) {
        self.milliseconds = milliseconds
        self.giveUp = giveUp
    }

    /// Returns at the next ``tell()``.
    func wait() async {
        beginPatience()
        await withCheckedContinuation { waiters.append($0) }
    }

    /// The client has read something.
    func hasProgressed() {
        if !waiters.isEmpty { beginPatience() }
    }

    /// There is room, or never will be.
    func tell() {
        guard !waiters.isEmpty else { return }
        patience = nil
        let told = waiters
        waiters = []
        for waiter in told { waiter.resume() }
    }

    private func beginPatience() {
        let giveUp = giveUp
        patience = LoopTimer(milliseconds: milliseconds) { giveUp() }
    }
}
