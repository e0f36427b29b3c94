import EventLoop

/// Gives memory back to the system a while after much of it was let go of: what clients and applications needed once must
/// not stay with focusd for the rest of the day.
@Loop
final class MemoryReturn {
    /// What must have been let go of: below that it is soon used again.
    private static let leastBytes = 512 << 10
    /// When it is given back: at most once in this time, for it takes a millisecond or two.
    private static let milliseconds: Int64 = 1_000

    private var bytes = 0
    private var timer: LoopTimer?

    init() { Memory.keepLittle() }

    /// So many bytes, roughly, are not needed any more.
    func letGo(_ bytes: Int) {
        self.bytes += bytes
        guard self.bytes >= MemoryReturn.leastBytes, timer == nil else { return }
        timer = LoopTimer(milliseconds: MemoryReturn.milliseconds) { [weak self] in
            self?.timer = nil
            self?.bytes = 0
            Memory.giveBack()
        }
    }
}
