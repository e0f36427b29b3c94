import CLinux
import Glibc

/// What the service manager gave to this process, and what it wants to hear: the protocols of systemd, without its library.
///
/// Descriptors come as `sd_listen_fds(3)` says, states go as `sd_notify(3)` says. Without a manager nothing is there and
/// nothing is told.
@Loop
package final class ServiceManager {
    /// The first descriptor that is handed over, by the protocol.
    private static let firstDescriptor: Int32 = 3
    /// More than any unit of ours hands over.
    private static let maximumDescriptors: Int32 = 64

    private var descriptors: [(name: String, descriptor: Int32)] = []
    private let notifyPath: String?
    /// What is told goes out here. It is there from the beginning: who has no descriptor left lives, and must be able to
    /// say so. Negative where nobody wants to hear anything.
    private let sender: Int32
    private let watchdogMicroseconds: Int64?
    private var watchdog: LoopTimer?

    /// Reads what the environment says, which holds only for this process: it is taken out of it.
    package init() {
        let pid = String(getpid())
        let isForUs = ServiceManager.environment("LISTEN_PID") == pid
        let names = ServiceManager.environment("LISTEN_FDNAMES")?
            .split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        if isForUs, let count = ServiceManager.environment("LISTEN_FDS").flatMap({ Int32($0) }), count > 0 {
            for index in 0..<min(count, ServiceManager.maximumDescriptors) {
                let descriptor = ServiceManager.firstDescriptor + index
                guard focusd_adopt_descriptor(descriptor) == 0 else { continue }
                let name = names.flatMap { Int(index) < $0.count ? $0[Int(index)] : nil } ?? "unknown"
                descriptors.append((name, descriptor))
            }
        }
        let path = ServiceManager.environment("NOTIFY_SOCKET")
        notifyPath = path.flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
        sender = notifyPath == nil ? -1 : focusd_datagram_socket()
        let isWatched = ServiceManager.environment("WATCHDOG_PID").map { $0 == pid } ?? true
        watchdogMicroseconds =
            isWatched
            ? ServiceManager.environment("WATCHDOG_USEC").flatMap { Int64($0) }.flatMap { $0 > 0 ? $0 : nil } : nil
        for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC"] {
            unsetenv(name)
        }
    }

    /// Whether somebody wants to hear how the service is.
    package var isThere: Bool { notifyPath != nil }

    /// Takes a descriptor that was handed over under a name; the taker closes it. Nil where there is none.
    package func take(_ name: String) -> Int32? {
        guard let index = descriptors.firstIndex(where: { $0.name == name }) else { return nil }
        return descriptors.remove(at: index).descriptor
    }

    /// Takes the first listening Unix socket that was handed over, whatever its name: other tools name it otherwise.
    package func takeListener() -> Int32? {
        guard let index = descriptors.firstIndex(where: { ServiceManager.isListening($0.descriptor) }) else {
            return nil
        }
        return descriptors.remove(at: index).descriptor
    }

    /// Closes what nobody took.
    package func closeRest() {
        for (_, descriptor) in descriptors { close(descriptor) }
        descriptors = []
    }

    // MARK: - What it is told

    /// The service works from now on. Where the manager watches it, it is told again and again that the loop turns.
    package func ready(_ status: String) {
        tell("READY=1\nSTATUS=\(status)")
        ping()
    }

    /// One line for people who ask the manager how the service is. Nothing private.
    package func status(_ text: String) { tell("STATUS=\(text)") }

    package func stopping() { tell("STOPPING=1") }

    /// Twice in the time after which the manager takes the loop for dead; by the loop itself, so that it is the truth.
    private func ping() {
        guard let watchdogMicroseconds, notifyPath != nil else { return }
        watchdog = LoopTimer(milliseconds: max(1, watchdogMicroseconds / 2_000)) { [weak self] in
            self?.tell("WATCHDOG=1")
            self?.ping()
        }
    }

    private func tell(_ state: String) {
        guard let notifyPath else { return }
        var state = state
        // Nobody is there to be told where it fails.
        _ = state.withUTF8 { focusd_send_datagram(sender, notifyPath, $0.baseAddress, $0.count) }
    }

    isolated deinit {
        if sender >= 0 { close(sender) }
    }

    // MARK: - The environment

    private static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    private static func isListening(_ descriptor: Int32) -> Bool {
        func option(_ name: Int32) -> Int32? {
            var value: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
        }
        return option(SO_ACCEPTCONN) == 1 && option(SO_DOMAIN) == AF_UNIX
            && option(SO_TYPE) == Int32(SOCK_STREAM.rawValue)
    }
}
