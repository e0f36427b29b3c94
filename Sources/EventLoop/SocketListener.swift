import CLinux
import Glibc

/// Accepts connections on the event loop, and says who they are by the kernel's word.
@Loop
package final class SocketListener {
    /// A connection that was accepted. The taker closes the descriptor.
    package struct Peer: Sendable {
        package let descriptor: Int32
        package let pid: Int32
        package let uid: UInt32
    }

    /// Connections taken in one turn of the loop, so that a crowd at the door does not hold up those inside.
    private static let maximumAtOnce = 16
    /// Descriptors that clients do not get: for the buses, and for what is looked up in files.
    private static let reservedDescriptors = 8
    /// How long accepting rests where the process has no descriptor left.
    private static let restMilliseconds: Int64 = 100

    private let descriptor: Int32
    private let body: @Loop (Peer) -> Void
    private var watch: DescriptorWatch?
    private var rest: LoopTimer?

    /// Takes over a listening, non-blocking descriptor.
    package init(adopting descriptor: Int32, _ body: @escaping @Loop (Peer) -> Void) {
        self.descriptor = descriptor
        self.body = body
        begin()
    }

    private func begin() {
        rest = nil
        watch = DescriptorWatch(descriptor, for: .readable) { [weak self] _ in self?.accept() }
    }

    private func accept() {
        for _ in 0..<SocketListener.maximumAtOnce {
            guard Descriptors.isOneFree(besides: SocketListener.reservedDescriptors) else { return restAwhile() }
            let connection = focusd_accept(descriptor)
            guard connection >= 0 else {
                if errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS { restAwhile() }
                return
            }
            var pid: Int32 = 0
            var uid: UInt32 = 0
            guard focusd_peer_credentials(connection, &pid, &uid) == 0 else {
                close(connection)
                continue
            }
            body(Peer(descriptor: connection, pid: pid, uid: uid))
        }
    }

    /// The one at the door would wake the loop again at once, and for ever.
    private func restAwhile() {
        watch = nil
        rest = LoopTimer(milliseconds: SocketListener.restMilliseconds) { [weak self] in self?.begin() }
    }

    isolated deinit {
        watch?.cancel()
        close(descriptor)
    }
}
