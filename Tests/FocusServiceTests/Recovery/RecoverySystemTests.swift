import AccessibilityFocus
import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

/// The system around: a full disk, and a clock that is set back.
extension FocusdTests.Recovery {
    /// For a process that mounts something.
    private var namespace: [String] { geteuid() == 0 ? ["--mount"] : ["--user", "--map-root-user", "--mount"] }

    /// focusd on a small file system of its own, in a mount namespace; run again where it ends.
    private func onSmallDisk(files: Int, bus: String) throws -> (TestDesktop.ChildProcess, folder: String) {
        let folder = try Places.makeTemporaryFolder()
        let script = """
            mount -t tmpfs -o "size=64k,nr_inodes=$3,mode=0700" tmpfs "$1" || exit 99
            "$2"; code=$?
            [ "$code" = 137 ] || exit "$code"
            "$2"
            """
        let process = try TestDesktop.ChildProcess(
            "/usr/bin/unshare",
            namespace + ["/bin/sh", "-c", script, "sh", folder, try Places.product("focusd"), "\(files)"],
            environment: [
                "XDG_RUNTIME_DIR": folder, "AT_SPI_BUS_ADDRESS": bus, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            ])
        return (process, folder)
    }

    @Test(arguments: [1, 2, 3])
    func `the disk is full at the start: focusd says so and what to do, and ends`(files: Int) throws {
        let (process, folder) = try onSmallDisk(files: files, bus: "unix:path=/nowhere")
        defer {
            process.end()
            do { try FileManager.default.removeItem(atPath: folder) } catch { print("left behind: \(error)") }
        }
        #expect(try process.wait() == 1)
        let line = try process.errors.first("the message") { $0.contains("cannot hold the socket") }
        #expect(line.contains(folder) && line.contains("full") && line.contains("Make room"), "\(line)")
        #expect(!line.contains("owned by you"))
    }

    @Test(.enabled(if: hasRegistry, "needs at-spi2-core"))
    func
        `the disk fills up while focusd runs: nothing breaks, and after a crash it starts on it and knows the last place`()
        async throws
    {
        let bus = try PrivateBus(registry: true)
        defer { bus.stop() }
        // The root, focusd's folder, lock and socket, what it keeps for its successor, and one to fill the rest with.
        let (shell, folder) = try onSmallDisk(files: 7, bus: bus.address)
        defer {
            shell.end()
            do { try FileManager.default.removeItem(atPath: folder) } catch { print("left behind: \(error)") }
        }
        try shell.errors.first("serving its socket") { $0.contains("serving") }
        let inside = "/proc/\(shell.pid)/root\(folder)"
        let filler = open("\(inside)/filler", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(filler) }
        let block = [UInt8](repeating: 1, count: 4_096)
        while write(filler, block, block.count) > 0 {}
        #expect(errno == ENOSPC)
        for number in 0..<8 where mkdir("\(inside)/\(number)", 0o700) != 0 { #expect(errno == ENOSPC) }
        let app = try FakeApplication.sample(bus: bus.address)
        let orca = try FakeScreenReaderProcess(bus: bus.address, registers: true, follows: false)
        defer {
            orca.quit()
            app.disconnect()
        }
        try waitUntilOnBus(inside)
        let watch = try FocusWatch(inside, technology: "orca")
        try await orca.present("ok", of: app)
        try watch.next(until: "ok") { $0.element?.name == "OK" }
        try await orca.present("help", of: app)
        try watch.next(until: "help") { $0.element?.name == "Help" }
        let children = try String(contentsOfFile: "/proc/\(shell.pid)/task/\(shell.pid)/children", encoding: .utf8)
        let focusd = try #require(children.split(separator: " ").first.flatMap { pid_t($0) })
        kill(focusd, SIGKILL)
        #expect(throws: (any Error).self) { _ = try watch.next() }
        try shell.errors.first("serving its socket again") { $0.contains("serving") }
        try waitUntilOnBus(inside)
        let again = try FocusWatch(inside, technology: "orca")
        // The keyboard is elsewhere: only what was written on the full disk can tell.
        let restored = try again.first.element == nil ? again.next(until: "help") { $0.element != nil } : again.first
        #expect(restored.element?.name == "Help" && restored.assumed)
        try await orca.present("cancel", of: app)
        try again.next(until: "cancel") { $0.element?.name == "Cancel" && !$0.assumed }
    }

    @Test func `the disk is full and the socket was handed over: it is served without a lock`() throws {
        let folder = try Places.makeTemporaryFolder()
        // The root, focusd's folder and the manager's socket.
        let script = """
            mount -t tmpfs -o "size=64k,nr_inodes=3,mode=0700" tmpfs "$1" && mkdir -m 0700 "$1/focusd" || exit 99
            exec /usr/bin/systemd-socket-activate --listen="$1/focusd/io.focusd.Focus" --setenv=XDG_RUNTIME_DIR "$2"
            """
        let process = try TestDesktop.ChildProcess(
            "/usr/bin/unshare", namespace + ["/bin/sh", "-c", script, "sh", folder, try Places.product("focusd")],
            environment: ["XDG_RUNTIME_DIR": folder, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"])
        defer {
            process.end()
            do { try FileManager.default.removeItem(atPath: folder) } catch { print("left behind: \(error)") }
        }
        try process.errors.first("listening") { $0.contains("Listening") }
        let inside = "/proc/\(process.pid)/root\(folder)"
        for _ in 0..<2 { #expect(try Client(inside).statistics().clients.count == 1) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(inside)/focusd") == ["io.focusd.Focus"])
        process.signal(SIGTERM)
        #expect(try process.wait() == 0)
    }

    private func waitUntilOnBus(_ folder: String) throws {
        let deadline = Date(timeIntervalSinceNow: 20)
        while try Client(folder).diagnose().contains(where: { $0.code == "noAccessibilityBus" }) {
            guard Date() < deadline else { throw Missing(what: "focusd is on no bus") }
        }
    }

    /// Debian's library that lies about the time, if it is there.
    private static let fakeTime: String? = ["x86_64", "aarch64", "riscv64", "i386"].map {
        "/usr/lib/\($0)-linux-gnu/faketime/libfaketimeMT.so.1"
    }.first { FileManager.default.fileExists(atPath: $0) }

    private static let hasFakeTime =
        fakeTime != nil || ProcessInfo.processInfo.environment["FOCUSD_REQUIRE_ALL"] == "1"

    @Test(.enabled(if: hasFakeTime, "needs libfaketime"), .enabled(if: hasRegistry, "needs at-spi2-core"))
    func `the clock is set back: deadlines, revisions and timers go on`() async throws {
        let library = try #require(Self.fakeTime, "libfaketime is not installed")
        let folder = try Places.makeTemporaryFolder()
        defer { do { try FileManager.default.removeItem(atPath: folder) } catch { print("left behind: \(error)") } }
        let date = "\(folder)/date"
        func setClock(_ offset: String) throws { try offset.write(toFile: date, atomically: true, encoding: .utf8) }
        try setClock("+0")
        let variables = [
            "LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": date, "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        ]
        try await withScene(registry: true, variables: variables) { scene in
            let maps = try TestDesktop.ChildProcess(
                "/bin/grep", ["-q", "libfaketime", "/proc/\(scene.focusd.process.pid)/maps"], environment: [:])
            #expect(try maps.wait() == 0, "the clock is the real one")
            let app = try scene.application()
            let orca = try scene.reader()
            let watch = try await scene.watch(orca, on: "ok", of: app)
            app.script("GrabFocus", .never)
            let (runtime, reference) = (scene.runtimeFolder, app.referenceText("help"))
            let mover = Background { try Client(runtime).move(to: reference, timeoutMilliseconds: 3_000) }
            _ = try await app.waitForCall("GrabFocus")
            try setClock("-400d")
            let outcome = try mover.value(within: 30)
            #expect(outcome.result == "timedOut" && (0...20_000).contains(outcome.elapsedMilliseconds), "\(outcome)")
            app.unscript()
            var last = watch.first
            for (key, mode) in [("help", "focus-tracking"), ("ok", "flat-review"), ("cancel", "focus-tracking")] {
                try setClock(key == "ok" ? "-800d" : "-1200d")
                try await orca.present(key, of: app, mode: mode)
                let next = try watch.next()
                #expect(next.element?.path == app.node(key).path && next.revision > last.revision)
                #expect(next.monotonicMicroseconds >= last.monotonicMicroseconds)
                last = next
            }
            // Derived from a deadline of the registry's.
            try app.activate("frame")
            try app.deactivate("frame")
            #expect(try watch.next(until: "the leave") { $0.element == nil }.cause == "windowDeactivated")
            #expect(throws: FocusSocketError.self) {
                _ = try scene.client().waitFor("[name=Nowhere]", milliseconds: 300)
            }
        }
    }
}
