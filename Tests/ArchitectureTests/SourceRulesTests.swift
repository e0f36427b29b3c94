import Testing

/// Rules that every file under `Sources` keeps.
struct SourceRulesTests {
    static let maximumLines = 400
    /// How far from what is unsafe its reason may stand.
    static let safetyDistance = 3

    @Test("no file is longer than 400 lines")
    func fileLength() throws {
        for file in try SourceTree.swiftFiles() {
            #expect(file.lines.count <= SourceRulesTests.maximumLines, "\(file.path): \(file.lines.count) lines")
        }
    }

    @Test("whatever the compiler cannot check says beside it why it holds")
    func unsafeIsExplained() throws {
        for file in try SourceTree.swiftFiles() {
            for index in file.lines.indices where isUnsafe(file.lines[index]) {
                let near = file.lines[
                    max(
                        0, index - SourceRulesTests.safetyDistance)...min(
                            file.lines.count - 1, index + SourceRulesTests.safetyDistance)]
                #expect(
                    near.contains { $0.contains("// SAFETY:") },
                    "\(file.path):\(index + 1) has no `// SAFETY:` within \(SourceRulesTests.safetyDistance) lines")
            }
        }
    }

    @Test("no error is swallowed in silence by an empty catch")
    func noEmptyCatch() throws {
        for file in try SourceTree.swiftFiles() {
            for (index, line) in file.lines.enumerated() {
                let words = line.filter { $0 != " " }
                #expect(!words.hasSuffix("catch{}"), "\(file.path):\(index + 1)")
            }
        }
    }

    @Test(
        "what is unsafe is seen",
        arguments: [
            "try unsafeBitCast(operation, to: (() -> Void).self)()", "nonisolated(unsafe) var daemon: Daemon?",
            "final class Box: @unchecked Sendable {", "unowned(unsafe) let parent: Parent", "value.unsafelyUnwrapped",
            "String(unsafeUninitializedCapacity: 4) { _ in 0 }", "let x = unsafe pointer.pointee",
            "unsafeDowncast(a, to: B.self)",
        ])
    func seesUnsafe(line: String) {
        #expect(isUnsafe(line))
    }

    @Test(
        "words and names that only sound like it are not",
        arguments: [
            "/// where the folder is unsafe.", "case unsafeDirectory(path: String)",
            "throw .unsafeDirectory(path: path)",
            "private static func unsafe(_ folder: String) {", "let text = \"unsafeDirectory\"",
            "// @unchecked would be wrong",
        ])
    func ignoresWords(line: String) {
        #expect(!isUnsafe(line))
    }
}

/// Whether a line of Swift uses one of the language's ways past the compiler's checks.
private func isUnsafe(_ line: String) -> Bool {
    let code = line[..<(line.firstRange(of: "//")?.lowerBound ?? line.endIndex)]
    let marks = [
        "@unchecked", "(unsafe)", "unsafeBitCast", "unsafeDowncast", "unsafelyUnwrapped", "unsafeUninitialized",
        "= unsafe ", "try unsafe ", "return unsafe ", "unsafeAddress",
    ]
    return marks.contains { code.contains($0) }
}
