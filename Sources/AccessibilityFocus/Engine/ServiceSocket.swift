import Glibc

/// Opens connections to the service without ever waiting.
enum ServiceSocket {
    /// A connected descriptor that never blocks. Throws `timedOut` where the service lets nobody in right now.
    static func open(at location: SocketLocation) throws(FocusSocketError) -> Int32 {
        try location.check()
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { throw .noService(path: location.path, code: errno) }
        do {
            try connect(descriptor, to: location)
            try checkPeer(of: descriptor, at: location)
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// The process that listens. Throws where it is another user's: who owns the folder proves nothing about that.
    @discardableResult
    static func checkPeer(of descriptor: Int32, at location: SocketLocation) throws(FocusSocketError) -> pid_t {
        // The kernel's `struct ucred`, which Glibc's module leaves out: process, user and group id.
        var credentials: (pid: Int32, uid: UInt32, gid: UInt32) = (0, .max, .max)
        var length = socklen_t(MemoryLayout.size(ofValue: credentials))
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 else {
            throw .noService(path: location.path, code: errno)
        }
        guard credentials.uid == geteuid() else {
            throw .unsafeDirectory(path: location.path, why: .foreignPeer(uid: credentials.uid))
        }
        return credentials.pid
    }

    /// Connects; a blocking descriptor waits as long as its send timeout says. Throws `timedOut` where the backlog is full.
    static func connect(_ descriptor: Int32, to location: SocketLocation) throws(FocusSocketError) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // SAFETY: `check` made sure that the path and its NUL byte fit; the rest of the address is zero.
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: location.path.utf8) }
        // SAFETY: the address outlives the call, and every socket address begins like `sockaddr`.
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                retrying { Glibc.connect(descriptor, generic, socklen_t(MemoryLayout<sockaddr_un>.size)) }
            }
        }
        if result < 0 {
            throw errno == EAGAIN ? .timedOut : .noService(path: location.path, code: errno)
        }
    }
}
