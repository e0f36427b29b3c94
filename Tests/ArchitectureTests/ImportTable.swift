/// What may import what, as ARCHITECTURE.md's table says it.
struct ImportTable {
    struct Row: Equatable {
        let module: String
        let mayImport: Set<String>
    }

    let rows: [Row]

    /// Reads the table under the heading `## What may import what`; empty where there is none.
    init(markdown: String) {
        var rows: [Row] = []
        var isInSection = false
        for line in markdown.split(separator: "\n", omittingEmptySubsequences: true) {
            if line.hasPrefix("#") {
                isInSection = line == "## What may import what"
                continue
            }
            guard isInSection, line.hasPrefix("|") else { continue }
            let cells = line.split(separator: "|", omittingEmptySubsequences: true)
            guard cells.count == 2, let module = ImportTable.names(cells[0]).first else { continue }
            rows.append(Row(module: module, mayImport: Set(ImportTable.names(cells[1]))))
        }
        self.rows = rows
    }

    subscript(module: String) -> Set<String>? { rows.first { $0.module == module }?.mayImport }

    /// What stands between backticks.
    private static func names(_ cell: Substring) -> [String] {
        cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
    }
}

/// The module that a line of Swift imports, whatever stands around the word; nil where it imports none.
func importedModule(_ line: String) -> String? {
    var words = line.split { $0 == " " || $0 == "\t" || $0 == ";" }
    while let first = words.first, first.hasPrefix("@") || importAccess.contains(String(first)) { words.removeFirst() }
    guard words.first == "import", words.count > 1 else { return nil }
    words.removeFirst()
    if importKinds.contains(String(words[0])) { words.removeFirst() }
    return words.first.map { String($0.prefix { $0 != "." }) }
}

private let importAccess: Set = ["public", "package", "internal", "fileprivate", "private"]
private let importKinds: Set = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var", "actor"]
