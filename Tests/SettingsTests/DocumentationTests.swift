import Foundation
import Settings
import Testing

/// docs/configuration.md says what is true.
struct DocumentationTests {
    private let text: String

    init() throws {
        var url = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { url.deleteLastPathComponent() }
        text = try String(contentsOf: url.appendingPathComponent("docs/configuration.md"), encoding: .utf8)
    }

    private var example: String {
        let parts = text.components(separatedBy: "```")
        return parts.first { $0.hasPrefix("conf\n") }.map { String($0.dropFirst("conf\n".count)) } ?? ""
    }

    @Test("The example is right, and is what holds without a file")
    func exampleIsDefault() throws {
        #expect(try Settings(parsing: example) == Settings())
    }

    @Test("The example and the table have every setting as it is")
    func complete() {
        let lines = example.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
        #expect(lines == Settings().text.split(separator: "\n").map(String.init))
        for line in lines {
            let parts = line.components(separatedBy: " = ")
            let row = text.split(separator: "\n").first { $0.hasPrefix("| `\(parts[0])` |") }
            #expect(row?.hasSuffix("| `\(parts[1])` |") == true, "\(parts[0])")
        }
    }

    @Test("The message that is shown is the one that comes")
    func message() {
        #expect(throws: SettingsError.self) { try Settings(parsing: "\n\nmirror = always") }
        do {
            _ = try Settings(parsing: "\n\nmirror = always")
        } catch {
            #expect(text.contains("focusd.conf, \(error)\n"))
        }
    }
}
