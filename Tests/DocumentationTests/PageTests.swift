import Foundation
import TestDesktop
import Testing

/// The documentation is right: its code is read, compiled or run. One Orca at a time: in order.
@Suite(
    .serialized,
    .enabled(
        if: Requirements.hasDesktop, "needs Orca and a private process-id namespace: run `make test`"))
struct PageTests {
    /// Blocks that nothing looks at have to stay few.
    private static let mostNotRun = 16

    /// README.md, and every page of `docs` and `Examples`.
    static let pages: [String] = {
        let found = ["docs", "Examples", "GTK"].flatMap { folder in
            (FileManager.default.enumerator(atPath: "\(Places.package)/\(folder)")?.allObjects ?? [])
                .compactMap { $0 as? String }
                .filter { $0.hasSuffix(".md") && !$0.contains(".build/") }.map { "\(folder)/\($0)" }
        }
        return ["README.md"] + found.sorted()
    }()

    @Test("each block says what it is and how it runs, and few say why they do not")
    func marks() throws {
        let pages = try PageTests.pages.map { try Page(path: $0) }
        #expect(pages.count > 10)
        for problem in pages.flatMap(\.problems) { Issue.record("\(problem)") }
        let blocks = pages.flatMap(\.blocks)
        let notRun = blocks.filter { $0.mark.reason != nil }
        print("Of \(blocks.count) blocks in \(pages.count) pages, \(notRun.count) are not run:")
        for block in notRun { print("  \(block.place): \(block.mark.reason ?? "")") }
        #expect(notRun.count <= PageTests.mostNotRun)
    }

    @Test("what can be judged without a desktop is right: selectors, settings, Swift, JSON, YAML, and all syntax")
    func still() throws {
        let folder = try Places.makeTemporaryFolder()
        defer { remove(folder) }
        for page in PageTests.pages {
            for block in try Page(path: page).blocks {
                for problem in try StillBlocks(folder: folder).problems(block) { Issue.record("\(problem)") }
            }
        }
    }

    @Test("the programs and recordings of a page do what it says", arguments: try pagesWithPrograms())
    func programs(path: String) throws {
        let page = try Page(path: path)
        for problem in try PageTests.problems(of: page) { Issue.record("\(problem)") }
        try Recording.write(page)
    }

    /// Runs all programs of a page in their order; what is wrong with them.
    static func problems(of page: Page) throws -> [String] {
        let stage = try Stage(for: page)
        var problems: [String] = []
        var beside: [(left: Int, run: Stage.Run)] = []
        for block in page.blocks where block.isProgram {
            let run: Stage.Run
            do {
                run = try stage.begin(block)
            } catch {
                problems.append("\(block.place): \(error)")
                continue
            }
            for index in beside.indices { beside[index].left -= 1 }
            if let count = block.mark["beside"].flatMap(Int.init) {
                beside.append((count, run))
                continue
            }
            problems += finish(run, block.place)
            while let index = beside.firstIndex(where: { $0.left <= 0 }) {
                problems += finish(beside.remove(at: index).run, page.path)
            }
        }
        for (_, run) in beside { problems += finish(run, page.path) }
        return problems
    }

    private static func finish(_ run: Stage.Run, _ place: String) -> [String] {
        do {
            return try run.finish()
        } catch {
            return ["\(place): \(error)"]
        }
    }

    private func remove(_ folder: String) {
        do { try FileManager.default.removeItem(atPath: folder) } catch { Issue.record("\(error)") }
    }
}

private func pagesWithPrograms() throws -> [String] {
    // Who works on one page names it in FOCUSD_PAGES.
    let wanted = ProcessInfo.processInfo.environment["FOCUSD_PAGES"]
    return try PageTests.pages.filter {
        try (wanted?.contains($0) ?? true) && Page(path: $0).blocks.contains(where: \.isProgram)
    }
}
