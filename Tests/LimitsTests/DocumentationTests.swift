import Foundation
import Testing
import Varlink

@testable import FocusService

/// docs/limits.md tells the limits as they are.
@Suite struct DocumentationTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The numbers in the table, by the names in its first column; a size may be written with its unit.
    private static func table() throws -> [String: Int] {
        let text = try String(contentsOf: root.appendingPathComponent("docs/limits.md"), encoding: .utf8)
        var limits: [String: Int] = [:]
        for line in text.split(separator: "\n") where line.hasPrefix("| `") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            try #require(cells.count >= 3, "\(line)")
            let words = cells[1].replacingOccurrences(of: ",", with: "").split(separator: " ")
            let number = try #require(words.first.flatMap { Int($0) }, "\(line)")
            let unit = words.dropFirst().first.map { $0 == "MiB" ? 1 << 20 : $0 == "KiB" ? 1 << 10 : 1 } ?? 1
            let name = cells[0].trimmingCharacters(in: CharacterSet(charactersIn: "`"))
            #expect(limits[name] == nil, "\(name) stands there twice")
            limits[name] = number * unit
        }
        return limits
    }

    @Test func `the table of limits is that of the code`() throws {
        let limits = ServiceLimits()
        var expected: [String: Int] = [:]
        for resource in SharedResource.allCases {
            let (names, share) = (resource.names, limits.share(of: resource))
            expected[names.ofProcess] = share.ofProcess
            expected[names.ofAll] = share.ofAll
        }
        for limit in SingleLimit.allCases { expected[limit.rawValue] = limits.value(of: limit) }
        let table = try DocumentationTests.table()
        #expect(Set(table.keys) == Set(expected.keys))
        for (name, value) in expected { #expect(table[name] == value, "\(name)") }
    }
}
