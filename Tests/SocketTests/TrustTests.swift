import AccessibilityFocus
import Foundation
import Glibc
import TestDesktop
import Testing

/// The client's side of "own uid only": focusctl and the library talk to nobody else's socket.
@Suite(.serialized) struct TrustTests {
    /// What the library says of a place, and focusctl, which must end with 4 and say the same.
    private func expectRefused(
        _ runtimeFolder: String, _ path: String, _ why: UnsafeReason, at location: SourceLocation = #_sourceLocation
    ) throws {
        let error = #expect(throws: FocusSocketError.self, sourceLocation: location) {
            try FocusSocket(at: SocketLocation(runtimeFolder: runtimeFolder), deadline: .after(.seconds(10)))
        }
        #expect(error == .unsafeDirectory(path: path, why: why), sourceLocation: location)
        let focusctl = try ChildProcess(
            try Places.product("focusctl"), ["technologies"],
            environment: ["XDG_RUNTIME_DIR": runtimeFolder, "PATH": "/usr/bin:/bin"])
        #expect(try focusctl.wait() == 4, sourceLocation: location)
        #expect(try focusctl.errors.untilEnd(within: 20).contains { $0.contains(path) }, sourceLocation: location)
    }

    @Test func `a runtime folder that others may write to, or that is a link, is not used`() throws {
        let service = try Service()
        let folder = service.folder
        let elsewhere = try TemporaryFolder()
        let link = elsewhere.path + "/link"
        #expect(symlink(folder.path, link) == 0)
        try expectRefused(link, link, .isLink)
        for mode: mode_t in [0o777, 0o1777, 0o720] {
            #expect(chmod(folder.path, mode) == 0)
            try expectRefused(folder.path, folder.path, .openToOthers(mode: UInt32(mode)))
        }
        #expect(chmod(folder.path, 0o700) == 0)
        #expect(try service.statistics().counters["clientsAccepted"] == 1, "nobody came before")
    }

    @Test func `a folder of focusd that others may enter, or that is a link, is not used`() throws {
        let service = try Service()
        let folder = service.folder
        #expect(chmod(folder.focusdFolder, 0o710) == 0)
        try expectRefused(folder.path, folder.focusdFolder, .openToOthers(mode: 0o710))
        #expect(chmod(folder.focusdFolder, 0o700) == 0)
        let other = try TemporaryFolder()
        #expect(symlink(folder.focusdFolder, other.focusdFolder) == 0)
        try expectRefused(other.path, other.focusdFolder, .isLink)
    }

    @Test func `a socket that is a link is not followed, wherever it leads`() throws {
        let service = try Service()
        let other = try TemporaryFolder()
        #expect(mkdir(other.focusdFolder, 0o700) == 0)
        for target in [service.socket, "/etc/passwd", other.path + "/nothing"] {
            #expect(symlink(target, other.socket) == 0)
            try expectRefused(other.path, other.socket, .isLink)
            #expect(unlink(other.socket) == 0)
        }
        #expect(try service.statistics().counters["clientsAccepted"] == 1, "nobody came before")
    }

    @Test(.enabled(if: Needs.isRoot, "only root can give a folder away"))
    func `a folder of somebody else is not used`() throws {
        let service = try Service()
        let folder = service.folder
        #expect(chown(folder.focusdFolder, 65_534, 65_534) == 0)
        try expectRefused(folder.path, folder.focusdFolder, .foreignOwner(uid: 65_534))
        #expect(chown(folder.focusdFolder, 0, 0) == 0 && chown(folder.path, 65_534, 65_534) == 0)
        try expectRefused(folder.path, folder.path, .foreignOwner(uid: 65_534))
        #expect(chown(folder.path, 0, 0) == 0)
    }

    @Test(.enabled(if: Needs.isRoot, "only root can become somebody else"))
    func `a socket that somebody else serves is not talked to, by the kernel's word`() throws {
        let folder = try TemporaryFolder()
        #expect(mkdir(folder.focusdFolder, 0o700) == 0)
        for path in [folder.path, folder.focusdFolder] { #expect(chmod(path, 0o777) == 0) }
        let script = """
            import socket, sys
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(sys.argv[1])
            listener.listen()
            print("READY", flush=True)
            while True:
                peer, _ = listener.accept()
                print("got", peer.recv(100), flush=True)
            """
        let stranger = try ChildProcess(
            "/usr/bin/setpriv",
            [
                "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/python3", "-c", script, folder.socket,
            ], environment: ["PATH": "/usr/bin:/bin"])
        try stranger.output.line("READY")
        // It let itself in while that was possible.
        for path in [folder.path, folder.focusdFolder] { #expect(chmod(path, 0o700) == 0) }
        try expectRefused(folder.path, folder.socket, .foreignPeer(uid: 65_534))
        for _ in 0..<2 { try stranger.output.line("got b''") }
    }
}
