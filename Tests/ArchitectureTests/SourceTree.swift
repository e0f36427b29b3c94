import Foundation
import Testing

/// The sources as they lie beside the tests.
enum SourceTree {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    struct File: Sendable, CustomTestStringConvertible {
        /// The module is the folder below `Sources`.
        let module: String
        /// From the root of the repository, as an editor opens it.
        let path: String
        let lines: [String]

        var testDescription: String { path }
    }

    /// Every Swift file under `Sources`.
    static func swiftFiles() throws -> [File] {
        let sources = root.appending(path: "Sources")
        let paths = try FileManager.default.subpathsOfDirectory(atPath: sources.path()).sorted()
        return try paths.filter { $0.hasSuffix(".swift") }.map { path in
            let text = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
            var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            // A newline at the end begins no line.
            if lines.last == "" { lines.removeLast() }
            return File(
                module: String(path.prefix { $0 != "/" }), path: "Sources/" + path, lines: lines)
        }
    }

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }
}
