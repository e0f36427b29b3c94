import Foundation
import TestDesktop

/// Writes what terminals really showed into the pages, where `FOCUSD_RECORD=1` asks for that.
enum Recording {
    static let isOn = ProcessInfo.processInfo.environment["FOCUSD_RECORD"] == "1"
    // SAFETY: the suite is serial, and only its tests come here.
    nonisolated(unsafe) private static var recorded: [String: [(block: Block, lines: [String])]] = [:]

    static func add(_ block: Block, _ lines: [String]) { recorded[block.path, default: []].append((block, lines)) }

    /// Puts what was recorded of a page in the place of what it showed.
    static func write(_ page: Page) throws {
        guard let blocks = recorded.removeValue(forKey: page.path) else { return }
        let path = "\(Places.package)/\(page.path)"
        var lines = try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n")
        for (block, recording) in blocks.sorted(by: { $0.block.line > $1.block.line }) {
            lines.replaceSubrange(block.line..<(block.line + block.lines.count), with: recording)
        }
        try lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
    }
}
