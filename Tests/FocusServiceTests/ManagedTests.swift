import AccessibilityFocus
import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

extension FocusdTests {
    /// focusd under a service manager: what it takes from it and what it tells it.
    @Suite struct Managed {
        private func withFolder(_ body: (String) throws -> Void) throws {
            let folder = try Places.makeTemporaryFolder()
            defer {
                do { try FileManager.default.removeItem(atPath: folder) } catch { print("left behind: \(error)") }
            }
            try body(folder)
        }

        private func withManaged(
            _ variables: [String: String] = [:], _ body: (String, FocusdProcess, NotifySocket) throws -> Void
        ) throws {
            try withFolder { folder throws in
                let manager = try NotifySocket(at: "\(folder)/notify")
                let environment = ["XDG_RUNTIME_DIR": folder, "NOTIFY_SOCKET": manager.path]
                let focusd = try FocusdProcess(environment: environment.merging(variables) { $1 })
                defer { focusd.process.end() }
                try body(folder, focusd, manager)
            }
        }

        @Test func `the manager is told when it serves and when it stops`() throws {
            try withManaged { folder, focusd, manager throws in
                let ready = try #require(manager.next())
                #expect(ready == "READY=1\nSTATUS=Looking for the accessibility bus")
                // What is said to be ready answers at once.
                _ = try Client(folder).statistics()
                focusd.process.signal(SIGTERM)
                #expect(manager.next() == "STOPPING=1")
                #expect(try focusd.process.wait() == 0)
            }
        }

        @Test func `watchdog pings come only while the loop really turns`() throws {
            try withManaged(["WATCHDOG_USEC": "400000"]) { folder, focusd, manager throws in
                _ = manager.next()
                for _ in 0..<3 { #expect(manager.next() == "WATCHDOG=1") }
                // It has one thread, which is the loop's: who pings is who serves.
                let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(focusd.process.pid)/task")
                #expect(threads == ["\(focusd.process.pid)"])
                focusd.process.signal(SIGSTOP)
                manager.drain()
                // Five times the interval.
                #expect(manager.next(withinMilliseconds: 1_000) == nil)
                focusd.process.signal(SIGCONT)
                #expect(manager.next() == "WATCHDOG=1")
            }
        }

        @Test func `a watchdog that is another process's is not served`() throws {
            try withManaged(["WATCHDOG_USEC": "100000", "WATCHDOG_PID": "1"]) { _, _, manager throws in
                _ = manager.next()
                #expect(manager.next(withinMilliseconds: 500) == nil)
            }
        }

        @Test func `a log that nobody reads holds nothing up, and what was lost is told`() throws {
            try withFolder { folder throws in
                let manager = try NotifySocket(at: "\(folder)/notify")
                let path = "\(folder)/log"
                #expect(mkfifo(path, 0o600) == 0)
                let log = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
                defer { close(log) }
                var bytes = [UInt8](repeating: UInt8(ascii: "-"), count: 4_096)
                while write(log, bytes, bytes.count) > 0 {}
                let focusd = try TestDesktop.ChildProcess(
                    "/bin/sh", ["-c", #"exec "$1" 2>"$2""#, "sh", try Places.product("focusd"), path],
                    environment: ["XDG_RUNTIME_DIR": folder, "NOTIFY_SOCKET": manager.path])
                defer { focusd.end() }
                #expect(manager.next()?.hasPrefix("READY=1") == true)
                _ = try Client(folder).statistics()
                while read(log, &bytes, bytes.count) > 0 {}
                focusd.signal(SIGTERM)
                #expect(try focusd.wait() == 0)
                let count = read(log, &bytes, bytes.count)
                let lines = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
                #expect(
                    lines == "<4>focusd: one line was lost here, as nobody read the log\n<6>focusd: stopping\n")
            }
        }

        @Test func `lines of the log begin with the journal's level, and with none on a terminal`() throws {
            try withFolder { folder throws in
                let focusd = try FocusdProcess(environment: ["XDG_RUNTIME_DIR": folder])
                defer { focusd.process.end() }
                let second = try TestDesktop.ChildProcess(
                    try Places.product("focusd"), environment: ["XDG_RUNTIME_DIR": folder])
                #expect(try second.wait() == 1)
                try second.errors.first("a refusal") { $0.hasPrefix("<3>focusd: another focusd already serves") }
                try FileManager.default.removeItem(atPath: "\(folder)/focusd")
                try focusd.process.errors.first("a warning") { $0.hasPrefix("<4>focusd: the socket's place was gone") }
                #expect(focusd.process.errors.all.first?.hasPrefix("<6>focusd: serving \(folder)") == true)
                let person = try TestDesktop.ChildProcess(
                    "/usr/bin/script", ["-qec", "\(try Places.product("focusd")) --nonsense", "/dev/null"],
                    environment: ["PATH": "/usr/bin:/bin"])
                try person.output.first("a refusal") { $0.hasPrefix("focusd: --nonsense is not an option") }
            }
        }

        /// focusd as the manager of sockets starts it: when the first client knocks.
        private func withActivated(_ body: (String, TestDesktop.ChildProcess) throws -> Void) throws {
            try withFolder { folder throws in
                let place = "\(folder)/focusd/io.focusd.Focus"
                try FileManager.default.createDirectory(
                    atPath: "\(folder)/focusd", withIntermediateDirectories: false,
                    attributes: [.posixPermissions: 0o700])
                let process = try TestDesktop.ChildProcess(
                    "/usr/bin/systemd-socket-activate",
                    [
                        "--listen=\(place)", "--fdname=io.focusd.Focus", "--setenv=XDG_RUNTIME_DIR",
                        try Places.product("focusd"),
                    ], environment: ["XDG_RUNTIME_DIR": folder])
                defer { process.end() }
                try process.errors.first("listening") { $0.contains("Listening") }
                try body(folder, process)
            }
        }

        @Test func `a socket that is handed over is served, and its file is left in its place`() throws {
            try withActivated { folder, process throws in
                #expect(try Client(folder).statistics().clients.count == 1)
                process.signal(SIGTERM)
                #expect(try process.wait() == 0)
                #expect(FileManager.default.fileExists(atPath: "\(folder)/focusd/io.focusd.Focus"))
            }
        }

        @Test func `who is started by hand beside a manager's socket leaves it alone and says what to do`() throws {
            try withActivated { folder, process throws in
                let second = try TestDesktop.ChildProcess(
                    try Places.product("focusd"), [], environment: ["XDG_RUNTIME_DIR": folder])
                defer { second.end() }
                try second.errors.first("what to do") { $0.contains("systemctl --user start focusd") }
                #expect(try second.wait() == 1)
                // It knocked: the manager's own is there now, or comes with the next client.
                _ = try Client(folder).statistics()
            }
        }

        @Test func `a handed over socket whose file was removed is joined by one that can be found`() throws {
            try withActivated { folder, process throws in
                let stream = try FocusWatch(folder, technology: nil)
                try FileManager.default.removeItem(atPath: "\(folder)/focusd")
                try process.errors.first("made again") { $0.contains("made again") }
                _ = try Client(folder).statistics()
                _ = stream
            }
        }
    }

    /// The socket's place is taken away while focusd runs.
    @Suite struct Place {
        @Test func `the folder of the socket removed under it is made again, and nobody who is connected notices`()
            async throws
        {
            try await withScene { scene in
                let app = try scene.application()
                let orca = try scene.reader()
                let watch = try await scene.watch(orca, on: "ok", of: app)
                try FileManager.default.removeItem(atPath: "\(scene.runtimeFolder)/focusd")
                try scene.focusd.process.errors.first("made again") { $0.contains("made again") }
                let attributes = try FileManager.default.attributesOfItem(atPath: "\(scene.runtimeFolder)/focusd")
                #expect(attributes[.posixPermissions] as? Int == 0o700)
                #expect(try scene.client().focus(of: "orca").element?.name == "OK")
                try await orca.present("help", of: app)
                #expect(try watch.next(until: "help") { $0.element?.name == "Help" }.previous?.name == "OK")
                // The lock came along: a second focusd is refused.
                #expect(throws: (any Error).self) {
                    try FocusdProcess(environment: ["XDG_RUNTIME_DIR": scene.runtimeFolder])
                }
            }
        }

        @Test(.enabled(if: hasRegistry, "needs at-spi2-core"))
        func
            `the runtime folder itself is removed and comes back: events go on, the place is made again, the last is known`()
            async throws
        {
            try await withScene(registry: true) { scene in
                let app = try scene.application()
                let orca = try scene.reader(registers: true)
                let watch = try await scene.watch(orca, on: "ok", of: app)
                let errors = scene.focusd.process.errors
                try FileManager.default.removeItem(atPath: scene.runtimeFolder)
                try errors.first("why") {
                    $0.hasPrefix("<4>focusd: the socket cannot be found by new clients: \(scene.runtimeFolder)")
                }
                // The keyboard stays behind: only what is written can tell a next run of this.
                try await orca.present("label", of: app)
                try watch.expect(app, "label", cause: "moved")
                try FileManager.default.createDirectory(
                    atPath: scene.runtimeFolder, withIntermediateDirectories: false,
                    attributes: [.posixPermissions: 0o700])
                let stopwatch = Stopwatch()
                try errors.first("made again") {
                    $0.hasPrefix("<4>focusd: the socket's place was gone and is made again")
                }
                #expect(try scene.client().focus(of: "orca").element?.name == "Total")
                stopwatch.end("runtime folder removed and back")
                let attributes = try FileManager.default.attributesOfItem(atPath: "\(scene.runtimeFolder)/focusd")
                #expect(attributes[.posixPermissions] as? Int == 0o700)
                try scene.restartFocusd()
                let again = try scene.watch("orca")
                let restored =
                    try again.first.element == nil ? again.next(until: "it") { $0.element != nil } : again.first
                #expect(restored.element?.name == "Total" && restored.assumed)
            }
        }

        @Test
        func `its place is lost again and again: each time it is made again, and not one descriptor is left behind`()
            throws
        {
            let folder = try Places.makeTemporaryFolder()
            let focusd = try FocusdProcess(environment: ["XDG_RUNTIME_DIR": folder])
            defer {
                focusd.process.end()
                do { try FileManager.default.removeItem(atPath: folder) } catch { print("left behind: \(error)") }
            }
            let attached = try Client(folder)
            _ = try attached.statistics()
            let figures = ProcessFigures(pid: focusd.process.pid)
            let before = try figures.descriptors().count
            // Its whole folder, and the socket's file alone.
            for what in ["", "/io.focusd.Focus", "", "/io.focusd.Focus", ""] {
                try FileManager.default.removeItem(atPath: "\(folder)/focusd\(what)")
                try focusd.process.errors.first("made again") { $0.contains("made again") }
                #expect(try Client(folder).statistics().clients.count == 2)
                let mode = try FileManager.default.attributesOfItem(atPath: "\(folder)/focusd/io.focusd.Focus")
                #expect(mode[.posixPermissions] as? Int == 0o600)
            }
            // One more may be open for a moment, to look for a bus.
            let deadline = Date(timeIntervalSinceNow: 20)
            while try figures.descriptors().count > before {
                guard Date() < deadline else { throw Missing(what: "descriptors are left behind") }
                _ = try attached.statistics()
            }
        }

        @Test func `where nothing can be watched focusd says so once, and serves`() throws {
            let folder = try Places.makeTemporaryFolder()
            let script = #"echo 0 >/proc/sys/user/max_inotify_instances && exec "$@""#
            let focusd = try FocusdProcess(
                environment: ["XDG_RUNTIME_DIR": folder],
                launcher: ["/usr/bin/unshare", "--user", "--map-root-user", "/bin/sh", "-c", script, "sh"])
            defer {
                focusd.process.end()
                do { try FileManager.default.removeItem(atPath: folder) } catch { print("left behind: \(error)") }
            }
            _ = try Client(folder).statistics()
            let lines = focusd.process.errors.all.filter { $0.contains("cannot be watched") }
            #expect(lines.count == 1 && lines.first?.hasPrefix("<4>") == true)
        }

        @Test func `who finds somebody else in its place makes room`() throws {
            let folder = try Places.makeTemporaryFolder()
            let focusd = try FocusdProcess(environment: ["XDG_RUNTIME_DIR": folder])
            defer { focusd.process.end() }
            let place = "\(folder)/focusd/io.focusd.Focus"
            try FileManager.default.moveItem(atPath: place, toPath: "\(place).old")
            let other = try MuteSocket(at: place)
            defer { other.end() }
            try focusd.process.errors.first("making room") { $0.contains("making room") }
            #expect(try focusd.process.wait() == 0)
            #expect(FileManager.default.fileExists(atPath: place))
        }
    }

    /// What focusd knew of where technologies are outlives it.
    @Suite struct LastFocus {
        /// Where Orca is taken to be, once anything is known.
        private func place(_ scene: FocusdScene) throws -> Focus {
            var focus = try scene.client().focus(of: "orca")
            try scene.wait(within: 20, "a place of Orca") {
                focus = try scene.client().focus(of: "orca")
                return focus.element != nil
            }
            return focus
        }

        @Test(arguments: [(SIGKILL, "odilia"), (SIGTERM, "odilia"), (SIGKILL, "orca")])
        func `the last focus of each technology survives a restart, assumed`(signal: Int32, last: String) async throws {
            try await withScene(registry: true) { scene in
                let app = try scene.application()
                let (orca, odilia) = (try scene.reader(registers: true), try scene.reader("odilia", registers: true))
                try await odilia.present(last == "orca" ? "help" : "ok", of: app)
                _ = try await scene.watch(orca, on: "label", of: app)
                if last == "odilia" { try await odilia.present("help", of: app) }
                try scene.wait(within: 20, "both") {
                    try scene.client().focus(of: "odilia").element?.name == "Help"
                }
                try scene.restartFocusd(by: signal)
                let focus = try place(scene)
                #expect(focus.element?.name == "Total" && focus.assumed)
                try scene.wait(within: 20, "Odilia's") { try scene.client().focus(of: "odilia").element != nil }
                #expect(try scene.client().focus(of: "odilia").element?.name == "Help")
                // Who moved last still speaks for all.
                #expect(try scene.client().focus().technology == last)
                let watch = try scene.watch("orca")
                try await orca.present("ok", of: app)
                #expect(try watch.next(until: "OK") { $0.element?.name == "OK" }.assumed == false)
            }
        }

        @Test func `where the keyboard moved meanwhile it is taken to have followed`() async throws {
            try await withScene(registry: true) { scene in
                let app = try scene.application()
                let orca = try scene.reader(registers: true)
                _ = try await scene.watch(orca, on: "label", of: app)
                try scene.wait(within: 20, "the keyboard") {
                    try scene.client().focus(of: "keyboard").element?.name == "OK"
                }
                scene.focusd.process.signal(SIGSTOP)
                try app.moveFocus(to: "help")
                try scene.restartFocusd()
                let focus = try place(scene)
                #expect(focus.element?.name == "Help" && focus.assumed)
            }
        }

        @Test func `an element that died meanwhile is no place`() async throws {
            try await withScene(registry: true) { scene in
                let app = try scene.application()
                let orca = try scene.reader(registers: true)
                _ = try await scene.watch(orca, on: "label", of: app)
                scene.focusd.process.signal(SIGSTOP)
                try app.remove("label")
                try scene.restartFocusd()
                try scene.waitUntilOnBus()
                var technologies = try scene.client().technologies()
                try technologies.waitUntilActive("orca")
                try scene.settle()
                #expect(try scene.client().focus(of: "orca").element?.name != "Total")
            }
        }

        @Test func `a new connection of the same technology is not where the old one was`() async throws {
            try await withScene(registry: true) { scene in
                let app = try scene.application()
                let orca = try scene.reader(registers: true)
                _ = try await scene.watch(orca, on: "label", of: app)
                scene.focusd.process.signal(SIGSTOP)
                orca.quit()
                let second = try scene.reader(registers: true)
                try scene.restartFocusd()
                var technologies = try scene.client().technologies()
                try technologies.waitUntilActive("orca")
                try scene.settle()
                #expect(try scene.client().focus(of: "orca").element?.name != "Total")
                _ = second
            }
        }
    }
}
