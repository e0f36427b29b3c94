import Glibc

/// Two ends of one channel that no program started at the same moment inherits.
final class SocketPair: Sendable {
    /// The end that this process keeps.
    let near: Int32
    /// The end that a child gets, or that wakes the near one.
    let far: Int32

    init(nonBlocking: Bool = false) throws(FakePeerError) {
        var ends: [Int32] = [-1, -1]
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | (nonBlocking ? SOCK_NONBLOCK.rawValue : 0)
        guard socketpair(AF_UNIX, Int32(kind), 0, &ends) == 0 else {
            throw .cannotRun("no socket pair: error \(errno)")
        }
        (near, far) = (ends[0], ends[1])
    }

    deinit {
        close(near)
        close(far)
    }
}
