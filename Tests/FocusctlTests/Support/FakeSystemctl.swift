import Foundation
import Glibc

/// A `systemctl` that says what a test wants of focusd's units; everything is well unless the test changes it.
final class FakeSystemctl {
    /// What goes into `PATH`, so that it is found before any other.
    let path: String
    private let program: String

    init(in folder: RuntimeFolder) throws {
        let place = folder.path + "/bin"
        program = place + "/systemctl"
        path = place + ":/usr/bin:/bin"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        try say()
    }

    /// Says this of the socket and of the service, beside what is usual; what is said again counts.
    func say(socket: [String: String] = [:], service: [String: String] = [:]) throws {
        let usualSocket = [
            "Id": "focusd.socket", "LoadState": "loaded", "ActiveState": "active", "UnitFileState": "enabled",
            "Result": "success", "NeedDaemonReload": "no",
        ]
        let usualService = [
            "Id": "focusd.service", "LoadState": "loaded", "ActiveState": "active", "UnitFileState": "static",
            "Result": "success", "NeedDaemonReload": "no", "NRestarts": "0", "MainPID": "\(getpid())",
            "MemoryCurrent": "12000000", "MemoryHigh": "infinity", "MemoryMax": "268435456",
        ]
        let blocks = [usualSocket.merging(socket) { $1 }, usualService.merging(service) { $1 }].map { unit in
            unit.map { "\($0.key)=\($0.value)\n" }.sorted().joined()
        }
        try run("cat <<'END'\n\(blocks.joined(separator: "\n"))END")
    }

    /// Does this instead, in the language of the shell.
    func run(_ script: String) throws {
        try "#!/bin/sh\n\(script)\n".write(toFile: program, atomically: true, encoding: .utf8)
        chmod(program, 0o755)
    }

    /// There is none, nor anything else.
    static func nowhere(_ folder: RuntimeFolder) -> String { folder.path + "/nowhere" }
}
