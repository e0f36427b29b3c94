import Glibc

/// A process as `/proc` shows it.
struct ProcessEntry {
    let pid: pid_t
    /// What the kernel calls it: at most 15 bytes.
    let shortName: String

    /// Nil where there is none, or it is not ours to look at.
    init?(_ pid: pid_t) {
        guard let bytes = ProcessEntry.read("/proc/\(pid)/comm") else { return nil }
        self.pid = pid
        shortName = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// The processes of this user.
    static func own() -> [ProcessEntry] {
        guard let folder = opendir("/proc") else { return [] }
        defer { closedir(folder) }
        var found: [ProcessEntry] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            var status = stat()
            guard let pid = pid_t(name), lstat("/proc/\(pid)", &status) == 0, status.st_uid == geteuid(),
                let process = ProcessEntry(pid)
            else { continue }
            found.append(process)
        }
        return found
    }

    /// The words of its command line.
    var commandLine: [String] { words(of: "cmdline") }

    /// A variable of the environment that it was started with.
    func variable(_ name: String) -> String? {
        words(of: "environ").first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
    }

    private func words(of file: String) -> [String] {
        (ProcessEntry.read("/proc/\(pid)/\(file)") ?? []).split(separator: 0).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// Larger command lines and environments are cut.
    private static let maximumBytes = 1 << 18

    private static func read(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while bytes.count < maximumBytes {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            guard count > 0 else { return count == 0 ? bytes : nil }
            bytes += chunk[..<count]
        }
        return bytes
    }
}
