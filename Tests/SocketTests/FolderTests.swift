import FakePeers
import FocusProtocol
import Foundation
import Glibc
import TestDesktop
import Testing

/// Where the socket may be: focusd serves in a folder that is its user's alone, or not at all.
@Suite(.serialized) struct FolderTests {
    /// Starts a focusd that must refuse, and gives what it says.
    private func refusal(runtimeFolder: String?) throws -> String {
        let process = try TestDesktop.ChildProcess(
            try Places.product("focusd"), environment: Service.environment(runtimeFolder: runtimeFolder))
        #expect(try process.wait() == 1)
        return try process.errors.first("why it does not start") { $0.hasPrefix("<3>focusd: ") }
    }

    private func contents(_ path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    private func mode(_ path: String) throws -> mode_t {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw Missing(what: "\(path): \(errno)") }
        return status.st_mode & 0o7777
    }

    private func inode(_ path: String) throws -> ino_t {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw Missing(what: "\(path): \(errno)") }
        return status.st_ino
    }

    @Test func `without a runtime folder there is no service`() throws {
        #expect(try refusal(runtimeFolder: nil).contains("XDG_RUNTIME_DIR is not set"))
        #expect(try refusal(runtimeFolder: "relative/folder").contains("XDG_RUNTIME_DIR"))
    }

    @Test func `a missing runtime folder is refused and not made`() throws {
        let folder = try TemporaryFolder()
        let missing = folder.path + "/missing"
        let message = try refusal(runtimeFolder: missing)
        #expect(message.contains(missing) && message.contains("No such file"))
        #expect(try contents(folder.path) == [])
    }

    @Test func `a runtime folder that is a link is refused`() throws {
        let folder = try TemporaryFolder()
        let (real, link) = (folder.path + "/real", folder.path + "/link")
        #expect(mkdir(real, 0o700) == 0 && symlink(real, link) == 0)
        let message = try refusal(runtimeFolder: link)
        #expect(message.contains(link) && message.contains("symbolic link"))
        #expect(try contents(real) == [])
    }

    @Test func `a runtime folder that others may write to is refused and left as it is`() throws {
        let folder = try TemporaryFolder()
        #expect(chmod(folder.path, 0o777) == 0)
        let message = try refusal(runtimeFolder: folder.path)
        #expect(message.contains(folder.path) && message.contains("others may write"))
        #expect(try contents(folder.path) == [])
        #expect(try mode(folder.path) == 0o777)
    }

    @Test(.enabled(if: Needs.isRoot, "only root can give a folder away"))
    func `a runtime folder of somebody else is refused`() throws {
        let folder = try TemporaryFolder()
        #expect(chown(folder.path, 65_534, 65_534) == 0)
        let message = try refusal(runtimeFolder: folder.path)
        #expect(message.contains(folder.path) && message.contains("user 65534"))
        #expect(try contents(folder.path) == [])
    }

    @Test func `a folder of focusd that others may enter is refused and not repaired`() throws {
        let folder = try TemporaryFolder()
        #expect(mkdir(folder.focusdFolder, 0o700) == 0 && chmod(folder.focusdFolder, 0o755) == 0)
        let message = try refusal(runtimeFolder: folder.path)
        #expect(message.contains(folder.focusdFolder) && message.contains("others may enter"))
        #expect(try contents(folder.focusdFolder) == [])
        #expect(try mode(folder.focusdFolder) == 0o755)
    }

    @Test func `a folder of focusd that is a file or a link is refused`() throws {
        let folder = try TemporaryFolder()
        try "mine".write(toFile: folder.focusdFolder, atomically: false, encoding: .utf8)
        #expect(try refusal(runtimeFolder: folder.path).contains("not a folder"))
        #expect(try String(contentsOfFile: folder.focusdFolder, encoding: .utf8) == "mine")
        let other = try TemporaryFolder()
        #expect(unlink(folder.focusdFolder) == 0 && symlink(other.path, folder.focusdFolder) == 0)
        #expect(try refusal(runtimeFolder: folder.path).contains("symbolic link"))
        #expect(try contents(other.path) == [])
    }

    @Test func `something else in the socket's place is refused and kept`() throws {
        let folder = try TemporaryFolder()
        #expect(mkdir(folder.focusdFolder, 0o700) == 0)
        try "mine".write(toFile: folder.socket, atomically: false, encoding: .utf8)
        let message = try refusal(runtimeFolder: folder.path)
        #expect(message.contains(folder.socket) && message.contains("something else"))
        #expect(try String(contentsOfFile: folder.socket, encoding: .utf8) == "mine")
    }

    @Test func `a path too long for a socket is refused`() throws {
        let folder = try TemporaryFolder()
        let long = folder.path + "/" + String(repeating: "x", count: 100)
        #expect(mkdir(long, 0o700) == 0)
        let message = try refusal(runtimeFolder: long)
        #expect(message.contains(long) && message.contains("too long"))
    }

    @Test func `the socket is its user's alone and goes with focusd`() throws {
        let service = try Service()
        #expect(try mode(service.socket) == 0o600)
        #expect(try mode(service.folder.focusdFolder) == 0o700)
        let client = try service.client()
        #expect(try client.call(Wire.watchFocus).continues)
        try service.focusd.stop()
        #expect(try contents(service.folder.focusdFolder) == ["lock", "places"])
        #expect(throws: (any Error).self) { try service.client() }
        #expect(try client.next() == nil)
    }

    @Test func `a second focusd says that one serves already, and leaves it alone`() throws {
        let service = try Service()
        let client = try service.client()
        let before = try inode(service.socket)
        let message = try refusal(runtimeFolder: service.folder.path)
        #expect(message.contains(service.socket) && message.contains("already serves"))
        #expect(try inode(service.socket) == before)
        #expect(try client.call(Wire.getInfo).error == nil)
        #expect(try service.client().call(Wire.getInfo).error == nil)
    }

    @Test func `the socket of a focusd that was killed is taken over`() throws {
        let service = try Service()
        let before = try inode(service.socket)
        service.focusd.process.end()
        #expect(try inode(service.socket) == before)
        let next = try FocusdProcess(environment: Service.environment(runtimeFolder: service.folder.path))
        #expect(try service.client().call(Wire.getInfo).error == nil)
        try next.stop()
    }

    @Test(.enabled(if: Needs.isRoot, "only root can become somebody else"))
    func `another user is refused even where the folders let them in`() throws {
        let service = try Service()
        for path in [service.folder.path, service.folder.focusdFolder] { #expect(chmod(path, 0o755) == 0) }
        #expect(chmod(service.socket, 0o666) == 0)
        let script = """
            import socket, sys
            peer = socket.socket(socket.AF_UNIX)
            peer.connect(sys.argv[1])
            peer.settimeout(20)
            try:
                peer.sendall(b'{"method":"org.varlink.service.GetInfo"}\\0')
                print("got", peer.recv(100))
            except (BrokenPipeError, ConnectionResetError):
                print("got", b"")
            """
        let stranger = try TestDesktop.ChildProcess(
            "/usr/bin/setpriv",
            [
                "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/python3", "-c", script, service.socket,
            ], environment: ["PATH": "/usr/bin:/bin"])
        try stranger.output.line("got b''")
        try service.focusd.process.errors.first("the refusal") { $0.contains("user 65534") }
        #expect(try service.statistics().counters["clientsRefused"] == 1)
    }

    @Test func `the socket is served at once, without any bus`() throws {
        let folder = try TemporaryFolder()
        let start = ContinuousClock.now
        let focusd = try FocusdProcess(environment: Service.environment(runtimeFolder: folder.path))
        let client = try RawClient(folder.socket)
        let focus = try client.call(Wire.getFocus, within: 5).focus
        // Ten times what is usual, and time for a program that was not yet in memory.
        #expect(start.duration(to: .now) < .milliseconds(500))
        #expect(focus["element"] == nil && focus["technology"] == nil && focus["cause"] as? String == "initial")
        try focusd.stop()
    }
}
