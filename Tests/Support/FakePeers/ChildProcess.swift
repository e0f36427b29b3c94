import Foundation

/// A program that talks in lines on its standard input and output, and that is ended with this object's `end`.
///
/// If this process dies, the child reads the end of its input: what is started so must then end by itself.
package final class ChildProcess: Sendable {
    /// Its process id.
    package let pid: Int32
    /// Every line that it wrote.
    package let lines = Observations<String>()
    /// Its wait status, as soon as it has ended and nobody holds its output any more.
    package let exited = Observations<Int32>()
    private let channel: SocketPair
    private let sentLines = Locked(0)

    /// Starts the executable with these words as its command line, the first included.
    package init(executable: String, commandLine: [String], environment: [String: String] = [:]) throws {
        channel = try SocketPair()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, channel.far, 0)
        posix_spawn_file_actions_adddup2(&actions, channel.far, 1)
        for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
            // What some other code left inheritable must not be held open by the child.
            if let open = Int32(name), open > 2 { posix_spawn_file_actions_addclose(&actions, open) }
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Threads of a pool block signals, and a child that inherited that could not be ended with SIGTERM.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var words: [UnsafeMutablePointer<CChar>?] = commandLine.map { strdup($0) } + [nil]
        let all = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var variables: [UnsafeMutablePointer<CChar>?] = all.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + variables { free(text) } }
        var pid: pid_t = 0
        let result = posix_spawn(&pid, executable, &actions, &attributes, &words, &variables)
        guard result == 0 else { throw FakePeerError.cannotRun("\(executable): error \(result)") }
        self.pid = pid
        channel.closeFar()
        Thread { self.readLines() }.start()
    }

    /// Writes a line; answers how many lines have been written by then.
    @discardableResult
    package func send(_ line: String) throws -> Int {
        try sentLines.withLock { count in
            let bytes = Array((line + "\n").utf8)
            var done = 0
            while done < bytes.count {
                let sent = Foundation.send(channel.near, Array(bytes[done...]), bytes.count - done, Int32(MSG_NOSIGNAL))
                guard sent > 0 else { throw FakePeerError.disconnected }
                done += sent
            }
            count += 1
            return count
        }
    }

    /// Sends the process a signal, by its id; nothing if it has ended.
    package func signal(_ number: Int32) { if exited.count == 0 { kill(pid, number) } }

    /// Ends its input, waits until it has ended, and kills it, by its id, where it does not end by itself.
    package func end(within patience: Duration = .seconds(5)) {
        shutdown(channel.near, Int32(SHUT_WR))
        do {
            _ = try exited.waitBlocking(within: patience)
        } catch {
            kill(pid, SIGKILL)
            do { _ = try exited.waitBlocking() } catch { preconditionFailure("process \(pid) cannot be ended") }
        }
    }

    private func readLines() {
        var pending: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(channel.near, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            pending += buffer[..<count]
            while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                lines.append(String(decoding: pending[..<end], as: UTF8.self))
                pending.removeSubrange(...end)
            }
        }
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        exited.append(status)
    }
}
