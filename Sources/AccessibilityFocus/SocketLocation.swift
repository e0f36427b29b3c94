import Glibc

/// Where focusd's socket is, and whether that place can be trusted.
package struct SocketLocation: Sendable {
    /// The session's runtime folder, without a slash at its end.
    package let runtimeFolder: String

    /// The folder that focusd makes for its socket.
    package var folder: String { runtimeFolder + "/focusd" }

    /// The socket.
    package var path: String { folder + "/io.focusd.Focus" }

    /// The place in the runtime folder that the environment names. Throws where it names none.
    package init() throws(FocusSocketError) {
        guard let value = getenv("XDG_RUNTIME_DIR") else { throw .noRuntimeDirectory(path: nil) }
        try self.init(runtimeFolder: String(cString: value))
    }

    /// The place in this runtime folder. Throws where that is no absolute path.
    package init(runtimeFolder: String) throws(FocusSocketError) {
        guard runtimeFolder.hasPrefix("/") else { throw .noRuntimeDirectory(path: nil) }
        // A slash at the end would make `lstat` look at what a link points to.
        var folder = Substring(runtimeFolder)
        while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
        self.runtimeFolder = String(folder)
    }

    /// Throws where the runtime folder is missing, or others could put a socket there; a missing socket is not looked for.
    package func check() throws(FocusSocketError) {
        guard path.utf8.count < Self.maximumPathBytes else { throw .unsafeDirectory(path: path, why: .pathTooLong) }
        guard let runtime = try status(of: runtimeFolder) else { throw .noRuntimeDirectory(path: runtimeFolder) }
        try check(runtime, at: runtimeFolder, forbidden: 0o022)
        guard let own = try status(of: folder) else { throw .noService(path: path, code: ENOENT) }
        try check(own, at: folder, forbidden: 0o077)
        // What it would lead to was checked by nobody.
        if let socket = try status(of: path), socket.st_mode & S_IFMT == S_IFLNK {
            throw .unsafeDirectory(path: path, why: .isLink)
        }
    }

    /// Bytes of a socket's path with the NUL byte at its end.
    static let maximumPathBytes = MemoryLayout.size(ofValue: sockaddr_un().sun_path)

    private func status(of path: String) throws(FocusSocketError) -> stat? {
        var status = stat()
        guard lstat(path, &status) != 0 else { return status }
        guard errno == ENOENT || errno == ENOTDIR else { throw .noService(path: self.path, code: errno) }
        return nil
    }

    private func check(_ status: stat, at path: String, forbidden: UInt32) throws(FocusSocketError) {
        let kind = status.st_mode & S_IFMT
        guard kind != S_IFLNK else { throw .unsafeDirectory(path: path, why: .isLink) }
        guard kind == S_IFDIR else { throw .unsafeDirectory(path: path, why: .isNoFolder) }
        guard status.st_uid == geteuid() else {
            throw .unsafeDirectory(path: path, why: .foreignOwner(uid: status.st_uid))
        }
        let mode = status.st_mode & 0o7777
        guard mode & forbidden == 0 else { throw .unsafeDirectory(path: path, why: .openToOthers(mode: mode)) }
    }
}
