import FocusProtocol
import Foundation
import Testing

/// The codes of the doctor's findings, the page about them, and the tests of them go together.
@Suite struct FindingTests {
    private let package: URL

    init() {
        var url = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { url.deleteLastPathComponent() }
        package = url
    }

    /// Code, severity, meaning and what to do of each row in docs/doctor.md.
    private func rows() throws -> [[String]] {
        let text = try String(contentsOf: package.appendingPathComponent("docs/doctor.md"), encoding: .utf8)
        return text.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    @Test func `docs/doctor.md has a row for each code, and no other`() throws {
        let rows = try rows()
        #expect(rows.allSatisfy { $0.count == 4 && !$0.contains("") })
        let documented = rows.map { $0[0].trimmingCharacters(in: ["`"]) }
        #expect(documented.count == Set(documented).count)
        #expect(Set(documented) == Set(FindingCode.allCases.map(\.rawValue)))
    }

    @Test func `docs/doctor.md says how bad each is`() throws {
        for row in try rows() {
            let code = FindingCode(rawValue: row[0].trimmingCharacters(in: ["`"]))
            #expect(row[1] == code?.severity.rawValue, "\(row[0])")
        }
    }

    /// A finding is used in a test by its case, or stands in the name of one.
    @Test func `each code has a test that provokes it`() throws {
        var text = ""
        for folder in ["FocusServiceTests", "FocusctlTests"] {
            let place = package.appendingPathComponent("Tests/\(folder)")
            for file in try FileManager.default.contentsOfDirectory(at: place, includingPropertiesForKeys: nil)
            where file.lastPathComponent.hasSuffix("Tests.swift") {
                text += try String(contentsOf: file, encoding: .utf8)
            }
        }
        let words = Set(text.split { !($0.isLetter || $0.isNumber) }.map(String.init))
        // What takes long to come to at a socket is provoked at the ledger: ClientLimitFindingTests goes through all
        // resources and limits of clients there are, and IncidentTests shows that each name has a code.
        let shared = FindingCode.allCases.filter { "\($0)".hasPrefix("limit") && !words.contains("\($0)") }
        #expect(shared.count <= 22, "\(shared)")
        for code in FindingCode.allCases where !shared.contains(code) {
            #expect(words.contains("\(code)") || words.contains(code.rawValue), "\(code) is in no test")
        }
    }
}
