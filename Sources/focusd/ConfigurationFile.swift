import Glibc
import Settings

/// The file that settings come from.
struct ConfigurationFile {
    /// Why there are no settings: the file cannot be read, or is wrong.
    struct Wrong: Error {
        let message: String
    }

    /// More than a file of settings ever has.
    static let maximumBytes = 65_536

    /// Nil where neither the environment nor an option says where it would be.
    let path: String?
    /// Whether it has to be there.
    let isRequired: Bool

    /// The file that was named, or the usual one.
    init(named path: String?) {
        isRequired = path != nil
        self.path = path ?? ConfigurationFile.usualPath
    }

    /// `$XDG_CONFIG_HOME/focusd/focusd.conf`, or the same below `~/.config`. Relative folders do not count.
    private static var usualPath: String? {
        func folder(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        let base = folder("XDG_CONFIG_HOME") ?? folder("HOME").map { "\($0)/.config" }
        return base.map { "\($0)/focusd/focusd.conf" }
    }

    /// The settings in the file; the usual ones where there is no file and none has to be there.
    func settings() throws(Wrong) -> Settings {
        guard let path, let bytes = try contents(path) else { return Settings() }
        do throws(SettingsError) {
            return try Settings(parsing: bytes)
        } catch {
            throw Wrong(message: "\(path), \(error)")
        }
    }

    /// Whether there is a file; ``settings()`` says whether it is right.
    var isThere: Bool {
        guard let path else { return false }
        return access(path, F_OK) == 0
    }

    private func contents(_ path: String) throws(Wrong) -> [UInt8]? {
        // Without O_NONBLOCK a pipe that nobody writes to would hold the start for ever.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            if !isRequired, errno == ENOENT || errno == ENOTDIR { return nil }
            throw unreadable(path)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw unreadable(path) }
        let kind = status.st_mode & S_IFMT
        guard kind == S_IFREG || kind == S_IFCHR else {
            throw Wrong(message: "\(path) cannot be read: it is not a file")
        }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = read(descriptor, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(path) }
            if count == 0 { return bytes }
            bytes += part[..<count]
            guard bytes.count <= ConfigurationFile.maximumBytes else {
                throw Wrong(message: "\(path) has more than \(ConfigurationFile.maximumBytes) bytes")
            }
        }
    }

    private func unreadable(_ path: String) -> Wrong {
        Wrong(message: "\(path) cannot be read: \(String(cString: strerror(errno)))")
    }
}
