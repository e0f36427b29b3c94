import Foundation

/// A process of a test's own: lines in, lines out, ended by its process id when the test lets go of it.
public final class ChildProcess: @unchecked Sendable {
    // SAFETY: set once in `init`; Process and FileHandle are used by one test at a time, the readers lock themselves.
    private let process = Process()
    private let input = Pipe()
    public let output: LineReader
    public let errors: LineReader
    private let ended = DispatchSemaphore(value: 0)

    /// Starts a program with exactly this environment.
    public init(_ program: String, _ arguments: [String] = [], environment: [String: String]) throws {
        let outputPipe = Pipe()
        let errorPipe = Pipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = environment
        process.standardInput = input
        process.standardOutput = outputPipe
        process.standardError = errorPipe
        let name = URL(fileURLWithPath: program).lastPathComponent
        output = LineReader(outputPipe.fileHandleForReading, what: name)
        errors = LineReader(errorPipe.fileHandleForReading, what: "\(name) (errors)")
        process.terminationHandler = { [ended] _ in ended.signal() }
        try process.run()
    }

    public var pid: Int32 { process.processIdentifier }
    public var isRunning: Bool { process.isRunning }

    /// Writes a line to its standard input.
    public func send(_ line: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Ends its standard input.
    public func endInput() throws { try input.fileHandleForWriting.close() }

    public func signal(_ number: Int32) { if process.isRunning { kill(process.processIdentifier, number) } }

    /// Waits for its end and returns its status.
    @discardableResult
    public func wait(within seconds: Double = 20) throws -> Int32 {
        guard ended.wait(timeout: .now() + seconds) == .success else {
            throw Missing(what: "process \(pid) did not end within \(seconds) s", seen: errors.all)
        }
        ended.signal()
        return process.terminationStatus
    }

    /// Ends it at once and waits until it is gone.
    public func end() {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    deinit { end() }
}
