import Foundation
import TestDesktop
import Testing

/// How a program ended, and what it wrote.
struct Run {
    let output: String
    let errors: String
    let status: Int32

    /// Runs a program to its end, in the folder of the repository.
    init(_ program: String, _ arguments: [String] = [], environment: [String: String] = [:]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.currentDirectoryURL = URL(filePath: Places.package)
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let (output, errors) = (Pipe(), Pipe())
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        // Both at once: a full pipe would hold the program.
        let complaints = Background { try errors.fileHandleForReading.readToEnd() ?? Data() }
        let text = Background { try output.fileHandleForReading.readToEnd() ?? Data() }
        self.output = String(decoding: try text.value(within: 60), as: UTF8.self)
        self.errors = String(decoding: try complaints.value(within: 60), as: UTF8.self)
        process.waitUntilExit()
        status = process.terminationStatus
    }

    var lines: [String] { output.split(separator: "\n").map(String.init) }
}

extension Places {
    /// The folder of the programs that were built beside the tests.
    static var products: String {
        get throws { URL(filePath: try product("focusctl")).deletingLastPathComponent().path }
    }
}

/// What these tests need from the machine; the purpose `test` of scripts/packages installs it.
enum Tools {
    static let areHere =
        ProcessInfo.processInfo.environment["FOCUSD_REQUIRE_ALL"] == "1"
        || ["help2man", "lowdown", "man", "mandoc", "zsh", "fish"].allSatisfy {
            FileManager.default.isExecutableFile(atPath: "/usr/bin/" + $0)
        }
}

/// A folder that is gone with its owner.
final class Folder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "focusd-packaging-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            Issue.record("\(path) is left: \(error)")
        }
    }

    /// Everything in it, by its path from here.
    func contents() throws -> [String] { try FileManager.default.subpathsOfDirectory(atPath: path).sorted() }
}

/// The pages and completions, made once from the programs that were built beside the tests.
enum Manual {
    private static let made = Result { () throws -> String in
        let folder = Places.package + "/.build/manual-of-tests"
        let run = try Run("scripts/build-manual", [Places.products, folder])
        guard run.status == 0 else { throw Missing(what: "no manual: \(run.errors)") }
        return folder
    }

    /// Where they are.
    static func folder() throws -> String { try made.get() }

    /// The path of one of them.
    static func file(_ name: String) throws -> String { try folder() + "/" + name }

    /// A page as a reader sees it, without what makes letters bold.
    static func page(_ name: String) throws -> String {
        let shown = try Run("mandoc", ["-T", "utf8", "-O", "width=100", file(name)])
        var text = ""
        for character in shown.output.unicodeScalars {
            if character == "\u{8}" { text.unicodeScalars.removeLast() } else { text.unicodeScalars.append(character) }
        }
        return text
    }
}
