import EventLoop
import Glibc
import Testing

/// Where the socket may be, and who may serve there. What is not ours alone is refused, never repaired.
struct SocketFolderTests {
    private let runtime = TemporaryFolder()

    /// Why a folder is refused; nil where it is taken.
    private func refusal(_ path: String?) -> SocketFolder.Refusal? {
        do throws(SocketFolder.Refusal) {
            _ = try SocketFolder(runtimeDirectory: path)
            return nil
        } catch {
            return error
        }
    }

    private func expectUnusable(_ path: String, _ why: String, in folder: String? = nil) {
        guard case .unusable(let found, let reason) = refusal(folder ?? runtime.path) else {
            Issue.record("\(path) is not refused")
            return
        }
        #expect(found == path)
        #expect(reason.contains(why), "\(reason)")
    }

    // MARK: - The runtime folder

    @Test("without a runtime folder there is no place", arguments: [nil, "", "run/user/0", "."])
    func noRuntimeDirectory(path: String?) {
        #expect(refusal(path) == .noRuntimeDirectory)
    }

    @Test("a runtime folder that is missing is refused, not made")
    func missing() {
        expectUnusable("\(runtime.path)/none", "No such file", in: "\(runtime.path)/none")
        #expect(runtime.status("none") == nil)
    }

    @Test("a link to a good folder is refused all the same, also with slashes behind it", arguments: ["", "/", "//"])
    func link(end: String) {
        runtime.make("real", mode: 0o700)
        symlink("\(runtime.path)/real", "\(runtime.path)/link")
        expectUnusable("\(runtime.path)/link", "symbolic link", in: "\(runtime.path)/link\(end)")
        #expect(runtime.status("real/focusd") == nil)
    }

    @Test("a slash behind a good folder changes nothing")
    func slash() throws {
        #expect(try SocketFolder(runtimeDirectory: "\(runtime.path)/").path == "\(runtime.path)/focusd")
    }

    @Test("a file is no folder")
    func file() {
        runtime.write("file")
        expectUnusable("\(runtime.path)/file", "not a folder", in: "\(runtime.path)/file")
    }

    @Test("a runtime folder that others may write to is refused", arguments: [0o777, 0o720, 0o702, 0o1777] as [mode_t])
    func writableByOthers(mode: mode_t) {
        chmod(runtime.path, mode)
        expectUnusable(runtime.path, "others may write to it")
        #expect(runtime.status("focusd") == nil)
    }

    @Test("one that others may only read is taken", arguments: [0o700, 0o755, 0o750] as [mode_t])
    func readableByOthers(mode: mode_t) {
        chmod(runtime.path, mode)
        #expect(refusal(runtime.path) == nil)
        #expect(runtime.status("focusd")?.mode == 0o700)
    }

    @Test("somebody else's runtime folder is refused", .enabled(if: getuid() == 0, "needs root to give a folder away"))
    func foreign() {
        runtime.make("theirs", mode: 0o700)
        chown("\(runtime.path)/theirs", 12_345, 12_345)
        expectUnusable("\(runtime.path)/theirs", "belongs to user 12345", in: "\(runtime.path)/theirs")
        #expect(runtime.status("theirs/focusd") == nil)
    }

    // MARK: - The folder in it

    @Test("the folder is made for the owner alone, whatever the process's mask")
    func made() throws {
        let folder = try SocketFolder(runtimeDirectory: runtime.path)
        #expect(folder.path == "\(runtime.path)/focusd")
        #expect(runtime.status("focusd")?.type == S_IFDIR)
        #expect(runtime.status("focusd")?.mode == 0o700)
        #expect(runtime.status("focusd/lock")?.mode == 0o600)
        #expect(runtime.status("focusd/io.focusd.Focus") == nil, "nothing listens yet")
        #expect(SocketFolder.socketPath(runtimeDirectory: runtime.path) == "\(folder.path)/io.focusd.Focus")
    }

    @Test(
        "a folder of that name that others may enter is refused, not repaired",
        arguments: [0o755, 0o777, 0o710] as [mode_t])
    func openToOthers(mode: mode_t) {
        runtime.make("focusd", mode: mode)
        expectUnusable("\(runtime.path)/focusd", "others may enter it")
        #expect(runtime.status("focusd")?.mode == mode)
        #expect(runtime.status("focusd/lock") == nil)
    }

    @Test("a link, a file or somebody else's folder in its place is refused")
    func inTheWay() {
        runtime.make("elsewhere", mode: 0o700)
        symlink("\(runtime.path)/elsewhere", "\(runtime.path)/focusd")
        expectUnusable("\(runtime.path)/focusd", "symbolic link")
        #expect(runtime.status("elsewhere/lock") == nil)
        unlink("\(runtime.path)/focusd")
        runtime.write("focusd", "mine")
        expectUnusable("\(runtime.path)/focusd", "not a folder")
        #expect(runtime.status("focusd")?.type == S_IFREG)
    }

    @Test(
        "somebody else's folder in its place is refused",
        .enabled(if: getuid() == 0, "needs root to give a folder away"))
    func foreignFolder() {
        runtime.make("focusd", mode: 0o700)
        chown("\(runtime.path)/focusd", 12_345, 12_345)
        expectUnusable("\(runtime.path)/focusd", "belongs to user 12345")
    }

    @Test("a lock that is a link is not followed")
    func linkedLock() {
        runtime.make("focusd", mode: 0o700)
        runtime.write("victim", "untouched")
        symlink("\(runtime.path)/victim", "\(runtime.path)/focusd/lock")
        expectUnusable("\(runtime.path)/focusd/lock", "symbolic link")
    }

    @Test("refusals say in words what is wrong and what to do")
    func words() {
        #expect(SocketFolder.Refusal.noRuntimeDirectory.description.contains("XDG_RUNTIME_DIR is not set"))
        #expect(
            SocketFolder.Refusal.unusable(path: "/x", why: "it burns").description.hasPrefix(
                "/x cannot hold the socket: it burns."))
        #expect(SocketFolder.Refusal.alreadyServed(path: "/x").description.contains("another focusd already serves /x"))
    }

    // MARK: - Serving

    @Test("the socket is the owner's alone")
    func socket() throws {
        let folder = try SocketFolder(runtimeDirectory: runtime.path)
        let listener = try folder.listen(backlog: 4)
        defer { close(listener) }
        #expect(runtime.status("focusd/io.focusd.Focus")?.type == S_IFSOCK)
        #expect(runtime.status("focusd/io.focusd.Focus")?.mode == 0o600)
        #expect(fcntl(listener, F_GETFL) & O_NONBLOCK != 0)
        #expect(fcntl(listener, F_GETFD) & FD_CLOEXEC != 0)
        #expect(PlainClient("\(folder.path)/io.focusd.Focus") != nil)
        folder.removeSocket()
        #expect(runtime.status("focusd/io.focusd.Focus") == nil)
        #expect(PlainClient("\(folder.path)/io.focusd.Focus") == nil)
    }

    @Test("a second one is refused, and the first is left untouched")
    func second() throws {
        let first = try SocketFolder(runtimeDirectory: runtime.path)
        let listener = try first.listen(backlog: 4)
        defer { close(listener) }
        let inode = runtime.status("focusd/io.focusd.Focus")?.inode
        for _ in 0..<3 {
            #expect(refusal(runtime.path) == .alreadyServed(path: "\(runtime.path)/focusd/io.focusd.Focus"))
        }
        #expect(runtime.status("focusd/io.focusd.Focus")?.inode == inode)
        #expect(PlainClient("\(first.path)/io.focusd.Focus") != nil)
    }

    @Test("the place is free again when the first lets go, also where it died without tidying up")
    func reclaimed() throws {
        var first: SocketFolder? = try SocketFolder(runtimeDirectory: runtime.path)
        let old = try #require(first).listen(backlog: 4)
        close(old)
        first = nil
        // Its socket file lies there still, and nobody answers.
        #expect(runtime.status("focusd/io.focusd.Focus")?.type == S_IFSOCK)
        #expect(PlainClient("\(runtime.path)/focusd/io.focusd.Focus") == nil)
        let second = try SocketFolder(runtimeDirectory: runtime.path)
        let listener = try second.listen(backlog: 4)
        defer { close(listener) }
        #expect(PlainClient("\(second.path)/io.focusd.Focus") != nil)
    }

    @Test("something else where the socket should be is refused and kept")
    func fileAtSocket() throws {
        let folder = try SocketFolder(runtimeDirectory: runtime.path)
        let makers: [(String) -> Void] = [
            { _ in runtime.write("focusd/io.focusd.Focus", "precious") },
            { path in mkdir(path, 0o700) },
            { path in symlink("\(runtime.path)/focusd/lock", path) },
            { path in mkfifo(path, 0o600) },
        ]
        for maker in makers {
            let path = "\(folder.path)/io.focusd.Focus"
            maker(path)
            let inode = runtime.status("focusd/io.focusd.Focus")?.inode
            #expect(
                throws: SocketFolder.Refusal.unusable(path: path, why: "something else than a socket of yours is there")
            ) {
                try folder.listen(backlog: 4)
            }
            #expect(runtime.status("focusd/io.focusd.Focus")?.inode == inode)
            if runtime.status("focusd/io.focusd.Focus")?.type == S_IFDIR { rmdir(path) } else { unlink(path) }
        }
    }

    @Test(
        "a socket of somebody else where the socket should be is refused and kept",
        .enabled(if: getuid() == 0, "needs root to give a socket away"))
    func foreignSocket() throws {
        let folder = try SocketFolder(runtimeDirectory: runtime.path)
        let path = "\(folder.path)/io.focusd.Focus"
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        #expect(SocketAddress.bind(descriptor, to: path) && chown(path, 65_534, 65_534) == 0)
        let inode = runtime.status("focusd/io.focusd.Focus")?.inode
        #expect(
            throws: SocketFolder.Refusal.unusable(path: path, why: "something else than a socket of yours is there")
        ) {
            try folder.listen(backlog: 4)
        }
        #expect(inode != nil && runtime.status("focusd/io.focusd.Focus")?.inode == inode)
    }

    @Test("a path too long for a socket is refused in words, and nothing is bound")
    func longPath() throws {
        let name = String(repeating: "n", count: 100)
        runtime.make(name, mode: 0o700)
        let folder = try SocketFolder(runtimeDirectory: "\(runtime.path)/\(name)")
        #expect(
            throws: SocketFolder.Refusal.unusable(path: "\(folder.path)/io.focusd.Focus", why: "File name too long")
        ) {
            try folder.listen(backlog: 4)
        }
        #expect(runtime.status("\(name)/focusd/io.focusd.Focus") == nil)
    }
}
