import Foundation

/// A message bus of the test's own, with the policy of the accessibility bus: everybody may do everything.
package final class PrivateBus: Sendable {
    /// Its address.
    package let address: String
    private let process: ChildProcess
    private let folder: URL

    /// Starts `dbus-daemon` and, if asked, the machine's AT-SPI registry on it; in place of a stopped bus at its address.
    ///
    /// Its limits are wide, but for those given: `max_match_rules_per_connection` and the like. `services` is a folder of
    /// files that say what the bus starts when a name is called.
    package init(
        registry: Bool = false, limits: [String: Int] = [:], services: String? = nil,
        inPlaceOf stopped: PrivateBus? = nil
    ) throws {
        let limits = ["max_replies_per_connection": 50000, "reply_timeout": 300_000].merging(limits) { $1 }
        folder =
            stopped?.folder
            ?? FileManager.default.temporaryDirectory.appendingPathComponent("focusd-bus-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let registryProgram = registry ? try Self.registryProgram() : ""
        let configuration = folder.appendingPathComponent("bus.conf")
        let socket = "unix:path=\(folder.path)/bus"
        try """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>accessibility</type>
          <listen>\(socket)</listen>
          <auth>EXTERNAL</auth>
          \(services.map { "<servicedir>\($0)</servicedir>" } ?? "")
          <policy context="default">
            <allow send_destination="*" eavesdrop="true"/>
            <allow eavesdrop="true"/>
            <allow own="*"/>
          </policy>
          \(limits.sorted { $0.key < $1.key }.map { "<limit name=\"\($0)\">\($1)</limit>" }.joined(separator: "\n  "))
        </busconfig>
        """.write(to: configuration, atomically: false, encoding: .utf8)
        // The shell ends both, by their ids, when this process closes the channel or dies: the registry of
        // at-spi2-core 2.46 does not end with its bus. It starts when the bus is there, at the line sent below.
        let script = """
            dbus-daemon --config-file="$1" --nofork --nopidfile --print-address=1 & daemon=$!
            if [ -n "$2" ] && read -r go; then "$2" 2>/dev/null & registry=$!; fi
            read -r line; kill $registry $daemon; wait
            """
        process = try ChildProcess(
            executable: "/bin/sh", commandLine: ["sh", "-c", script, "sh", configuration.path, registryProgram],
            // For the registry, which must not join the desktop of whoever runs the tests.
            environment: [
                "AT_SPI_BUS_ADDRESS": socket, "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere", "DISPLAY": "",
                "WAYLAND_DISPLAY": "",
            ])
        address = socket
        do {
            _ = try process.lines.waitBlocking(within: .seconds(20), for: "address of the bus")
            if registry { try startRegistry() }
        } catch {
            stop()
            throw error
        }
    }

    /// Whether the machine has the AT-SPI registry.
    package static var hasRegistry: Bool { FileManager.default.fileExists(atPath: registryService) }

    /// Ends the bus; every connection to it ends too.
    package func stop() {
        process.end()
        do { try FileManager.default.removeItem(at: folder) } catch { print("left behind: \(folder.path): \(error)") }
    }

    private func startRegistry() throws {
        let watcher = try FakeConnection(bus: address)
        defer { watcher.disconnect() }
        let name = FakeApplication.registry.bus
        try watcher.listen("type='signal',sender='\(busDriver)',member='NameOwnerChanged',arg0='\(name)'")
        try process.send("go")
        _ = try watcher.signals.waitBlocking(within: .seconds(20), for: "registry") { $0.member == "NameOwnerChanged" }
    }

    private static let registryService = "/usr/share/dbus-1/accessibility-services/org.a11y.atspi.Registry.service"

    /// The machine's AT-SPI registry.
    package static func registryProgram() throws -> String {
        guard hasRegistry else { throw FakePeerError.cannotRun("the AT-SPI registry") }
        let lines = try String(contentsOfFile: registryService, encoding: .utf8).split(separator: "\n")
        let command = lines.first { $0.hasPrefix("Exec=") }?.dropFirst("Exec=".count)
        guard let program = command?.split(separator: " ").first else {
            throw FakePeerError.cannotRun("the AT-SPI registry")
        }
        return String(program)
    }
}
