import Glibc

/// A small private file that outlives the process: read once at the start, written over and over.
@Loop
package final class KeptFile {
    /// More than is ever kept.
    package static let maximumBytes = 16_384

    private let descriptor: Int32
    /// What an earlier run left.
    package let contents: [UInt8]

    /// Opens or makes the file; nil where that cannot be, or where something else than a file of ours is there.
    package init?(_ path: String) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0o600)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == getuid(),
            status.st_mode & 0o077 == 0
        else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        var bytes = [UInt8](repeating: 0, count: KeptFile.maximumBytes)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        contents = count > 0 ? Array(bytes[..<count]) : []
        // The room that is usual is had now: a full disk later changes nothing.
        if status.st_size < 4_096 { posix_fallocate(descriptor, 0, 4_096) }
    }

    /// Puts this at the beginning of the file in one go; false where it does not fit. Whoever reads must know the end.
    @discardableResult
    package func write(_ bytes: [UInt8]) -> Bool {
        bytes.count <= KeptFile.maximumBytes && pwrite(descriptor, bytes, bytes.count, 0) == bytes.count
    }

    isolated deinit { close(descriptor) }
}
