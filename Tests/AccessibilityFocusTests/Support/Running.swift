import Foundation

/// What a program said on both of its outputs, and its exit status.
func run(
    _ program: String, _ arguments: [String], in folder: URL? = nil, environment: [String: String] = [:]
) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.currentDirectoryURL = folder
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
}

/// Removes a folder with everything in it.
func remove(_ folder: URL) {
    do { try FileManager.default.removeItem(at: folder) } catch { print("\(folder.path()) was not removed: \(error)") }
}
