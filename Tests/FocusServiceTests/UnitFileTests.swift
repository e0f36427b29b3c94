import Foundation
import TestDesktop
import Testing

/// The units of systemd are right, and as hard as a user's unit can be.
struct UnitFileTests {
    private func analyze(_ arguments: [String]) throws -> (status: Int32, output: String) {
        let folder = try Places.makeTemporaryFolder()
        defer {
            do { try FileManager.default.removeItem(atPath: folder) } catch { print("left behind: \(error)") }
        }
        let program = try Places.product("focusd")
        for unit in ["focusd.service", "focusd.socket"] {
            let text = try String(contentsOfFile: "\(Places.package)/systemd/\(unit)", encoding: .utf8)
            try text.replacingOccurrences(of: "/usr/bin/focusd", with: program)
                .write(toFile: "\(folder)/\(unit)", atomically: false, encoding: .utf8)
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/systemd-analyze")
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.arguments = ["--user"] + arguments
        process.environment = ["XDG_RUNTIME_DIR": folder, "PATH": "/usr/bin:/bin", "HOME": folder]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, output)
    }

    @Test func `systemd-analyze finds nothing to say about the units`() throws {
        // The manual's pages are there once focusd is installed.
        let (status, output) = try analyze(["verify", "--man=no", "./focusd.service", "./focusd.socket"])
        #expect(status == 0 && output.isEmpty, "\(output)")
    }

    @Test func `the service's exposure is 2.5 or less`() throws {
        let (status, output) = try analyze(["security", "--offline=yes", "--threshold=25", "./focusd.service"])
        #expect(status == 0 && output.contains("Overall exposure level"), "\(output)")
        // The check can fail.
        let strict = try analyze(["security", "--offline=yes", "--threshold=1", "./focusd.service"])
        #expect(strict.status != 0)
    }

    @Test func `signs of life are due at most twice a minute`() throws {
        let text = try String(contentsOfFile: "\(Places.package)/systemd/focusd.service", encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("WatchdogSec=") })
        // One is sent each half of it.
        #expect(try #require(Int(line.dropFirst("WatchdogSec=".count))) >= 60)
    }

    @Test func `only the socket is there to be enabled`() throws {
        func text(_ unit: String) throws -> String {
            try String(contentsOfFile: "\(Places.package)/systemd/\(unit)", encoding: .utf8)
        }
        #expect(try text("focusd.socket").contains("WantedBy=sockets.target"))
        #expect(try !text("focusd.service").contains("[Install]"))
    }
}
