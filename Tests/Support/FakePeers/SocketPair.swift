import Glibc
import Synchronization

/// Two ends of one channel that no program started at the same moment inherits.
final class SocketPair: Sendable {
    /// The end that this process keeps.
    let near: Int32
    private let farEnd: Atomic<Int32>

    init(nonBlocking: Bool = false) throws(FakePeerError) {
        var ends: [Int32] = [-1, -1]
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | (nonBlocking ? SOCK_NONBLOCK.rawValue : 0)
        guard socketpair(AF_UNIX, Int32(kind), 0, &ends) == 0 else {
            throw .cannotRun("no socket pair: error \(errno)")
        }
        near = ends[0]
        farEnd = Atomic(ends[1])
    }

    deinit {
        close(near)
        closeFar()
    }

    /// The end that a child gets, or that wakes the near one; −1 when closed.
    var far: Int32 { farEnd.load(ordering: .acquiring) }

    /// Leaves the far end to the child alone, so that its end is seen.
    func closeFar() {
        let end = farEnd.exchange(-1, ordering: .acquiringAndReleasing)
        if end >= 0 { close(end) }
    }
}
