import EventLoop
import FakePeers
import Foundation
import Glibc
import Testing

@testable import ATSPI

extension ATSPITests {
    /// Who is believed on a bus, and which bus.
    @Suite struct Trust {
        /// A socket that somebody listens on, and its D-Bus address.
        private final class Listener {
            let folder: String
            let process: ChildProcess
            var address: String { "unix:path=\(folder)/bus" }

            init(as uid: UInt32) throws {
                var template = Array("/tmp/focusd-test.XXXXXX".utf8CString)
                guard let made = mkdtemp(&template) else { throw Missing(what: "no folder") }
                folder = String(cString: made)
                chmod(folder, 0o777)
                let script = """
                    import socket, sys, time
                    listener = socket.socket(socket.AF_UNIX)
                    listener.bind(sys.argv[1])
                    listener.listen()
                    print("READY", flush=True)
                    sys.stdin.read()
                    """
                process = try ChildProcess(
                    executable: "/usr/bin/setpriv",
                    commandLine: [
                        "setpriv", "--reuid=\(uid)", "--regid=\(uid)", "--clear-groups", "/usr/bin/python3", "-c",
                        script, "\(folder)/bus",
                    ])
                _ = try process.lines.waitBlocking(within: .seconds(20), for: "a listener")
            }

            deinit {
                process.end()
                do { try FileManager.default.removeItem(atPath: folder) } catch { print("left behind: \(error)") }
            }
        }

        @Test(.enabled(if: getuid() == 0, "only root can become somebody else"))
        func `a bus that somebody else serves is none, by the kernel's word`() async throws {
            let (foreign, own) = (try Listener(as: 65_534), try Listener(as: 0))
            let (foreignAddress, ownAddress) = (foreign.address, own.address)
            try await onLoop {
                #expect(BusConnection(address: foreignAddress) == nil)
                let connection = try #require(BusConnection(address: ownAddress))
                connection.close()
            }
            withExtendedLifetime((foreign, own)) {}
        }

        @Test func `only who was asked may answer, or the bus for it`() async throws {
            try await onLoop {
                let pending = PendingCalls()
                var forgers: [String] = []
                pending.onForgery = { forgers.append($0) }
                pending.owners["org.a11y.atspi.Registry"] = ":1.0"
                let destinations = [":1.5", "org.freedesktop.DBus", "org.a11y.atspi.Registry", "org.a11y.Bus"]
                for (serial, destination) in zip(UInt32(1)..., destinations) {
                    pending.insert(
                        .init(destination: destination) { _ in }, serial: serial, milliseconds: 60_000)
                }
                for serial: UInt32 in 1...3 { #expect(pending.take(serial: serial, from: ":1.6") == nil) }
                #expect(forgers == [":1.6", ":1.6", ":1.6"])
                // Each is waited for all the same.
                #expect(pending.take(serial: 1, from: ":1.5")?.destination == ":1.5")
                #expect(pending.take(serial: 2, from: "org.freedesktop.DBus") != nil)
                #expect(pending.take(serial: 3, from: ":1.0") != nil)
                // Of this name nobody has said whose it is; a second answer is none.
                #expect(pending.take(serial: 4, from: ":1.6") != nil)
                #expect(pending.take(serial: 4, from: ":1.6") == nil && forgers.count == 3)
            }
        }
    }
}
