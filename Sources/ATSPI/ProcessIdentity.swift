import Glibc

/// What a process calls itself: from its command line, never from `/proc/PID/exe`, which a sandbox cannot read.
package struct ProcessIdentity: Hashable, Sendable {
    /// The base name of the first word, or of the script where that is an interpreter.
    package let name: String
    /// The path of the program or script as it was started.
    package let path: String

    /// Reads `/proc/PID/cmdline`. Nil where the process is gone or says nothing.
    package init?(pid: Int) {
        guard pid > 0, let bytes = ProcessIdentity.read("/proc/\(pid)/cmdline", maximumBytes: 4_096) else { return nil }
        let words = bytes.split(separator: 0, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        self.init(commandLine: words)
    }

    /// Whether a process could not be looked at just because this one has no descriptor left.
    package static var isOutOfDescriptors: Bool { errno == EMFILE || errno == ENFILE }

    /// Takes the words of a command line.
    package init?(commandLine words: [String]) {
        guard let first = words.first, !first.isEmpty else { return nil }
        var path = first
        if ProcessIdentity.isInterpreter(ProcessIdentity.baseName(first)),
            let script = words.dropFirst().first(where: { !$0.hasPrefix("-") && !$0.isEmpty })
        {
            path = script
        }
        self.path = path
        name = ProcessIdentity.baseName(path)
    }

    /// The version that Orca's own files state, beside the script that was started; nil for other programs.
    ///
    /// An Orca that has Python's `setproctitle` (Debian 13) takes that script's path out of its command line: then it is
    /// the one that is installed, and nil where there are two.
    package var version: String? {
        guard name == "orca" else { return nil }
        if path.hasSuffix("/bin/orca") {
            return ProcessIdentity.version(below: String(path.dropLast("/bin/orca".count)))
        }
        guard path == name else { return nil }
        let installed = ProcessIdentity.prefixes.compactMap { ProcessIdentity.version(below: $0) }
        return installed.count == 1 ? installed.first : nil
    }

    /// Where Orca is installed.
    private static let prefixes = ["/usr", "/usr/local"]

    private static func version(below prefix: String) -> String? {
        let libraries = ProcessIdentity.list("\(prefix)/lib").filter { $0.hasPrefix("python3") }
        for library in libraries.sorted() {
            for packages in ["dist-packages", "site-packages"] {
                let file = "\(prefix)/lib/\(library)/\(packages)/orca/orca_platform.py"
                guard let bytes = ProcessIdentity.read(file, maximumBytes: 16_384) else { continue }
                if let version = ProcessIdentity.version(inPlatformFile: String(decoding: bytes, as: UTF8.self)) {
                    return version
                }
            }
        }
        return nil
    }

    /// The value in a line like `version     = "43.1"`.
    static func version(inPlatformFile text: String) -> String? {
        for line in text.split(separator: "\n") where line.hasPrefix("version") {
            let parts = line.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].dropFirst("version".count).allSatisfy({ $0 == " " }) else { continue }
            let value = parts[1].filter { $0 != " " && $0 != "\"" && $0 != "'" }
            if !value.isEmpty { return String(value) }
        }
        return nil
    }

    private static func isInterpreter(_ name: String) -> Bool {
        let letters = name.prefix { !$0.isNumber && $0 != "." }
        return ["python", "perl", "ruby", "node", "bash", "sh", "dash", "guile", "lua"].contains(String(letters))
    }

    private static func baseName(_ path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    private static func read(_ path: String, maximumBytes: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: maximumBytes)
        let count = Glibc.read(descriptor, &bytes, maximumBytes)
        return count > 0 ? Array(bytes[..<count]) : nil
    }

    private static func list(_ path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory), names.count < 10_000 {
            names.append(
                withUnsafeBytes(of: entry.pointee.d_name) { name in
                    String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names
    }
}
