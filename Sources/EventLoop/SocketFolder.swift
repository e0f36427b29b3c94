import CLinux
import Glibc

/// The folder of focusd's socket, and the lock that says who serves there.
///
/// `$XDG_RUNTIME_DIR/focusd`, 0700. Everything on the way must be ours: a runtime folder that is missing, somebody
/// else's, writable by others or a link is refused, never repaired.
package final class SocketFolder: Sendable {
    package enum Refusal: Error, Equatable, Sendable, CustomStringConvertible {
        case noRuntimeDirectory
        case unusable(path: String, why: String)
        /// Another focusd serves there.
        case alreadyServed(path: String)
        /// No focusd holds the folder, and yet somebody listens there: the service manager, most likely.
        case listenedAt(path: String)

        package var description: String {
            switch self {
            case .noRuntimeDirectory:
                "XDG_RUNTIME_DIR is not set, so there is no place for the socket. Log in through a session manager, "
                    + "or set it to a folder of your own with mode 0700."
            case .unusable(let path, SocketFolder.noSpace):
                "\(path) cannot hold the socket: the file system is full. Make room there (`df -i` and `df` tell how full "
                    + "it is), then start focusd again."
            case .unusable(let path, let why):
                "\(path) cannot hold the socket: \(why). It must be a real folder, owned by you and writable by nobody else."
            case .alreadyServed(let path):
                "another focusd already serves \(path). It is left as it is; stop it first if you want to replace it."
            case .listenedAt(let path):
                "somebody listens at \(path) already, as systemd does for focusd.socket. Start focusd with "
                    + "`systemctl --user start focusd`, or first stop the socket: `systemctl --user stop focusd.socket`."
            }
        }
    }

    package let path: String
    /// Negative where there is none.
    private let lock: Int32

    /// Where the socket is, by the environment; nothing is touched.
    package static func socketPath(runtimeDirectory: String) -> String {
        "\(runtimeDirectory)/focusd/io.focusd.Focus"
    }

    /// Checks the runtime folder, makes the folder in it where needed, and takes the lock.
    ///
    /// Where a service manager handed over the socket, which it does to one process only, a lock that cannot be made, as
    /// on a full disk, is done without.
    package init(runtimeDirectory: String?, isHandedOver: Bool = false) throws(Refusal) {
        guard var runtimeDirectory, runtimeDirectory.hasPrefix("/") else { throw .noRuntimeDirectory }
        // A slash at the end would make `lstat` look at what a link points to.
        while runtimeDirectory.utf8.count > 1, runtimeDirectory.hasSuffix("/") { runtimeDirectory.removeLast() }
        try SocketFolder.check(runtimeDirectory, mayOthersRead: true)
        let path = "\(runtimeDirectory)/focusd"
        if mkdir(path, 0o700) != 0 && errno != EEXIST {
            throw .unusable(path: path, why: SocketFolder.reason(errno))
        }
        try SocketFolder.check(path, mayOthersRead: false)
        let lockPath = "\(path)/lock"
        let lock = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0 || isHandedOver else { throw .unusable(path: lockPath, why: SocketFolder.reason(errno)) }
        guard lock < 0 || flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw .alreadyServed(path: "\(path)/io.focusd.Focus")
        }
        self.path = path
        self.lock = lock
    }

    /// Binds and listens; a socket file that nobody serves any more is replaced, for the lock is ours.
    ///
    /// Returns the descriptor, non-blocking; the caller closes it.
    package func listen(backlog: Int32) throws(Refusal) -> Int32 {
        let socketPath = socketPath
        var status = stat()
        if lstat(socketPath, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFSOCK, status.st_uid == getuid() else {
                throw .unusable(path: socketPath, why: "something else than a socket of yours is there")
            }
            guard !SocketAddress.isServed(socketPath) else { throw .listenedAt(path: socketPath) }
            unlink(socketPath)
        }
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { throw .unusable(path: socketPath, why: SocketFolder.reason(errno)) }
        // ORDER: before bind, which gives the file the socket's own mode: it is never wider than 0600. The process's
        // mask would be everybody's.
        guard fchmod(descriptor, 0o600) == 0, SocketAddress.bind(descriptor, to: socketPath),
            Glibc.listen(descriptor, backlog) == 0
        else {
            let why = SocketFolder.reason(errno)
            close(descriptor)
            throw .unusable(path: socketPath, why: why)
        }
        return descriptor
    }

    /// Removes the socket file. Only while the lock is held, so it is our own.
    package func removeSocket() {
        unlink(socketPath)
    }

    package var socketPath: String { "\(path)/io.focusd.Focus" }

    /// Whether the folder at the path is still the one whose lock is held.
    package var isStillThere: Bool {
        var held = stat()
        guard lock >= 0, fstat(lock, &held) == 0 else { return false }
        return SocketFolder.identity("\(path)/lock") == FileIdentity(held)
    }

    /// Which file is at a path now, without following links; nil where none is.
    package static func identity(_ path: String) -> FileIdentity? {
        var status = stat()
        return lstat(path, &status) == 0 ? FileIdentity(status) : nil
    }

    deinit {
        if lock >= 0 { close(lock) }
    }

    private static func check(_ path: String, mayOthersRead: Bool) throws(Refusal) {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw .unusable(path: path, why: reason(errno)) }
        guard status.st_mode & S_IFMT != S_IFLNK else { throw .unusable(path: path, why: "it is a symbolic link") }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .unusable(path: path, why: "it is not a folder") }
        guard status.st_uid == getuid() else {
            throw .unusable(path: path, why: "it belongs to user \(status.st_uid), not to you")
        }
        let forbidden: mode_t = mayOthersRead ? 0o022 : 0o077
        guard status.st_mode & forbidden == 0 else {
            throw .unusable(path: path, why: "others may \(mayOthersRead ? "write to" : "enter") it")
        }
    }

    private static var noSpace: String { reason(ENOSPC) }

    private static func reason(_ code: Int32) -> String {
        String(cString: strerror(code))
    }
}

/// Which file it is, whatever its name.
package struct FileIdentity: Hashable, Sendable {
    private let device: dev_t
    private let inode: ino_t

    package init(_ status: stat) {
        device = status.st_dev
        inode = status.st_ino
    }
}

/// Unix socket addresses.
package enum SocketAddress {
    /// Whether somebody listens at a path, found by knocking; where a service manager does, it starts the service.
    package static func isServed(_ path: String) -> Bool {
        guard var address = make(path) else { return false }
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        // EAGAIN: its queue is full, which only a listener has.
        return isConnected || errno == EAGAIN
    }

    /// Binds a socket to a path; false with errno set where that fails, ENAMETOOLONG where the path is too long.
    package static func bind(_ descriptor: Int32, to path: String) -> Bool {
        guard var address = make(path) else {
            errno = ENAMETOOLONG
            return false
        }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }

    private static func make(_ path: String) -> sockaddr_un? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard bytes.count < capacity else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return address
    }
}
