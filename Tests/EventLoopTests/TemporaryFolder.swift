import Glibc

/// A folder of this test's own, 0700, removed with everything in it when nobody holds it any more.
final class TemporaryFolder: Sendable {
    let path: String

    init() {
        var template = Array("/tmp/focusd-test-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil, "no folder for a test")
        let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        // Past the process's mask.
        chmod(path, 0o700)
        self.path = path
    }

    func make(_ name: String, mode: mode_t) {
        mkdir("\(path)/\(name)", 0o700)
        // Past the process's mask.
        chmod("\(path)/\(name)", mode)
    }

    func write(_ name: String, _ text: String = "") {
        let descriptor = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        _ = Glibc.write(descriptor, text, text.utf8.count)
        close(descriptor)
    }

    /// Type and mode of what is there, without following links; nil where nothing is.
    func status(_ name: String) -> (type: mode_t, mode: mode_t, inode: ino_t)? {
        var status = stat()
        guard lstat("\(path)/\(name)", &status) == 0 else { return nil }
        return (status.st_mode & S_IFMT, status.st_mode & 0o7777, status.st_ino)
    }

    deinit { TemporaryFolder.remove(path) }

    private static func remove(_ path: String) {
        chmod(path, 0o700)
        if let folder = opendir(path) {
            while let entry = readdir(folder) {
                let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
                if name == "." || name == ".." { continue }
                var status = stat()
                let child = "\(path)/\(name)"
                if lstat(child, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
                    remove(child)
                } else {
                    unlink(child)
                }
            }
            closedir(folder)
        }
        rmdir(path)
    }
}

/// A client of a Unix socket, as plain as can be. Nil where nobody listens.
final class PlainClient: Sendable {
    let descriptor: Int32

    init?(_ path: String) {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { return nil }
    }

    deinit { close(descriptor) }
}
