import EventLoop

/// The first look round after the start: for the bus, who is on it, and where those are.
///
/// Whoever starts focusd by asking it gets as true an answer as who asks later: questions about the desktop wait for it,
/// and not for long. No application can hold them up beyond that.
@Loop
final class FirstLook {
    /// Held by every question of the look; it is over when the last of them has been answered.
    @Loop
    final class Part {
        private weak let look: FirstLook?

        fileprivate init(_ look: FirstLook) { self.look = look }

        isolated deinit { look?.end() }
    }

    /// What waits for its end; nil once it is over.
    private var waiting: [@Loop () -> Void]? = []
    private var timer: LoopTimer?

    var isOver: Bool { waiting == nil }

    /// Begins it. It ends with the part that is returned and those who share it, and at last after this time.
    func begin(atMostMilliseconds milliseconds: Int64) -> Part {
        timer = LoopTimer(milliseconds: milliseconds) { [weak self] in self?.end() }
        return Part(self)
    }

    /// Calls this when it is over; at once where it is already.
    func whenOver(_ body: @escaping @Loop () -> Void) {
        if waiting == nil { body() } else { waiting?.append(body) }
    }

    private func end() {
        timer = nil
        guard let waiting else { return }
        self.waiting = nil
        for body in waiting { body() }
    }
}
