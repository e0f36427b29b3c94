import Foundation
import TestDesktop
import Testing

/// Links between pages lead somewhere.
struct LinkTests {
    @Test("each link to a file or a heading of this repository leads to one that is there")
    func links() throws {
        var count = 0
        for path in PageTests.pages + ["ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"] {
            let text = try LinkTests.text(path)
            let folder = path.split(separator: "/").dropLast().joined(separator: "/")
            for match in text.matches(of: /\]\(([^)\s]+)\)/) where !match.1.hasPrefix("http") {
                count += 1
                if let problem = try LinkTests.problem(String(match.1), in: folder, of: path) {
                    Issue.record("\(path): \(problem)")
                }
            }
        }
        #expect(count > 50)
        #expect(try LinkTests.problem("docs/nowhere.md", in: "", of: "README.md") != nil)
        #expect(try LinkTests.problem("docs/moving.md#no-such-heading", in: "", of: "README.md") != nil)
    }

    private static func text(_ path: String) throws -> String {
        try String(contentsOfFile: "\(Places.package)/\(path)", encoding: .utf8)
    }

    /// What is wrong with a link; nil where it leads to something.
    private static func problem(_ link: String, in folder: String, of page: String) throws -> String? {
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let target = parts[0].isEmpty ? page : folder.isEmpty ? parts[0] : "\(folder)/\(parts[0])"
        guard FileManager.default.fileExists(atPath: "\(Places.package)/\(target)") else { return "no \(link)" }
        guard parts.count > 1, target.hasSuffix(".md") else { return nil }
        return try anchors(target).contains(parts[1]) ? nil : "no heading for \(link)"
    }

    /// What a page's headings are called in links.
    private static func anchors(_ path: String) throws -> Set<String> {
        Set(
            try text(path).split(separator: "\n").filter { $0.hasPrefix("#") }.map { line in
                let words = line.drop { $0 == "#" || $0 == " " }.lowercased()
                return String(words.filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) })
                    .replacing(" ", with: "-")
            })
    }
}
