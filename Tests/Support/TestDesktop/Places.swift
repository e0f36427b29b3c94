import Foundation

/// Where things are: the package, the products that were built beside the tests.
public enum Places {
    /// The package's folder.
    public static let package: String = {
        var url = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { url.deleteLastPathComponent() }
        return url.path
    }()

    public static func script(_ name: String) -> String { "\(package)/scripts/\(name)" }

    public static func window(_ name: String) -> String { "\(package)/Tests/Support/windows/\(name)" }

    /// A program that was built with the tests, like `focusd`.
    public static func product(_ name: String) throws -> String {
        // The test runner's own path, or what it was given, lies in the folder of the products.
        for argument in CommandLine.arguments + [Bundle.main.executablePath ?? ""] {
            var url = URL(fileURLWithPath: argument)
            for _ in 0..<6 {
                url.deleteLastPathComponent()
                let candidate = url.appendingPathComponent(name).path
                if url.path.contains(".build"), FileManager.default.isExecutableFile(atPath: candidate) {
                    return candidate
                }
            }
        }
        let usual = "\(package)/.build/debug/\(name)"
        guard FileManager.default.isExecutableFile(atPath: usual) else {
            throw Missing(what: "\(name) is not built: run `swift build` first")
        }
        return usual
    }

    /// A folder of the test's own, 0700, below the system's temporary folder.
    public static func makeTemporaryFolder() throws -> String {
        var template = Array("/tmp/focusd-test.XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw Missing(what: "no temporary folder: \(errno)") }
        return String(cString: made)
    }
}
