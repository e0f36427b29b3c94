import Glibc

/// Holds up commands of the shell until the test lets them go on, each that waits once.
final class Gate {
    /// What a command of the shell does to wait.
    var wait: String { "read -r gate <'\(path)'" }

    private let path: String
    private let descriptor: Int32

    init(in folder: RuntimeFolder) throws {
        path = folder.path + "/gate"
        guard mkfifo(path, 0o600) == 0 else { throw SystemFailure("mkfifo") }
        // Open for both, so that neither this nor a command waits for the other to open it.
        descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemFailure("open \(path)") }
    }

    deinit { close(descriptor) }

    /// Lets one command that waits go on, now or when it comes to wait.
    func letOneGoOn() throws {
        guard write(descriptor, "\n", 1) == 1 else { throw SystemFailure("write to \(path)") }
    }
}
