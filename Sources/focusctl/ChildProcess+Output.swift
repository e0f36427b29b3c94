import AccessibilityFocus
import Glibc

extension ChildProcess {
    /// Why there is no output to read.
    enum OutputFailure: Error {
        /// There is no such program.
        case notStarted(code: Int32)
        /// It ended with something else than 0.
        case failed
        /// It was not over by the deadline, and was ended.
        case timedOut
    }

    /// More is not read: what is asked for is some lines.
    private static let maximumOutputBytes = 1 << 20

    /// What a program writes to standard output until it ends; its complaints go nowhere. Waits no longer than this.
    static func output(of words: [String], deadline: Deadline) throws(OutputFailure) -> String {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw .notStarted(code: errno) }
        let (reading, writing) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(reading) }
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        let started = start(words, input: nothing, output: writing, errors: nothing, ownGroup: true)
        close(writing)
        if nothing >= 0 { close(nothing) }
        let process: pid_t
        switch started {
        case .success(let pid): process = pid
        case .failure(let failure): throw .notStarted(code: failure.code)
        }
        let bytes = read(reading, deadline: deadline)
        guard let bytes, let status = wait(for: process, deadline: deadline) else {
            kill(-process, SIGKILL)
            while waitpid(process, nil, 0) < 0, errno == EINTR {}
            throw .timedOut
        }
        guard status == 0 else { throw .failed }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// All that comes until the end; nil where that is not by the deadline.
    private static func read(_ descriptor: Int32, deadline: Deadline) -> [UInt8]? {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while bytes.count < maximumOutputBytes {
            var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&watched, 1, deadline.remainingMilliseconds)
            if ready > 0 {
                let count = Glibc.read(descriptor, &chunk, chunk.count)
                if count == 0 { return bytes }
                if count > 0 { bytes += chunk[..<count] }
            } else if deadline.hasPassed {
                return nil
            }
        }
        return nil
    }

    /// How it ended; nil where it has not by the deadline. Who has closed its output is about to end.
    private static func wait(for process: pid_t, deadline: Deadline) -> Int32? {
        var status: Int32 = 0
        while true {
            let ended = waitpid(process, &status, WNOHANG)
            if ended == process { return status }
            guard ended == 0 || errno == EINTR, !deadline.hasPassed else { return nil }
            poll(nil, 0, 5)
        }
    }
}
