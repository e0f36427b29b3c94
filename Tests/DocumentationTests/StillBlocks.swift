import Foundation
import Selectors
import TestDesktop

/// Looks at blocks that are right or wrong without a desktop: what they hold is read, compiled or checked.
struct StillBlocks {
    /// A folder of the test's own.
    let folder: String

    /// What is wrong with a block; nothing for what can only be run.
    func problems(_ block: Block) throws -> [String] {
        guard block.mark.reason == nil else { return [] }
        let said: String? =
            switch block.language {
            case "css": selectors(block)
            case "json": json(block.text)
            case "yaml":
                try check(
                    block, "/usr/bin/python3", ["-c", "import sys, yaml; yaml.safe_load(open(sys.argv[1]))"])
            case "python":
                try check(
                    block, "/usr/bin/python3", ["-c", "import sys; compile(open(sys.argv[1]).read(), 'block', 'exec')"])
            case "sh": try check(block, "/bin/sh", ["-n"])
            case "conf": try check(block, try Places.product("focusd"), ["--check-config", "--config"])
            case "swift": try swift(block)
            case "varlink": WireExchange.parsed(block.lines) == nil ? "messages that are no JSON" : nil
            default: nil
            }
        return said.map { ["\(block.place): \($0)"] } ?? []
    }

    private func selectors(_ block: Block) -> String? {
        for line in block.lines where !line.isEmpty {
            do throws(SelectorError) {
                _ = try Selector(parsing: line)
            } catch {
                return "`\(line)` is no selector: at \(error.position), expected \(error.expected)"
            }
        }
        return nil
    }

    private func json(_ text: String) -> String? {
        do {
            _ = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
            return nil
        } catch {
            return "no JSON: \(error)"
        }
    }

    /// Gives a block, as a file, to a program; what that says where it finds something wrong.
    private func check(_ block: Block, _ program: String, _ arguments: [String]) throws -> String? {
        let file = "\(folder)/block.\(block.language)"
        try block.text.write(toFile: file, atomically: true, encoding: .utf8)
        let tool = try ChildProcess(program, arguments + [file], environment: ProcessInfo.processInfo.environment)
        guard try tool.wait(within: 120) != 0 else { return nil }
        return try (tool.errors.untilEnd(within: 20) + tool.output.untilEnd(within: 20)).joined(separator: "\n")
    }

    private func swift(_ block: Block) throws -> String? {
        let file = "\(folder)/block.swift"
        try ((block.mark["with"].map { $0 + "\n" } ?? "") + block.text)
            .write(toFile: file, atomically: true, encoding: .utf8)
        let modules =
            block.text.contains("import AccessibilityFocusGTK")
            ? try widgetModules() : ["-I", "\(try StillBlocks.products())/Modules"]
        let compiler = try ChildProcess(
            "/usr/bin/env",
            [
                "swiftc", "-typecheck", "-swift-version", "6", "-warnings-as-errors", "-enable-upcoming-feature",
                "MemberImportVisibility", "-enable-upcoming-feature", "ExistentialAny",
            ] + modules + [file], environment: ProcessInfo.processInfo.environment)
        guard try compiler.wait(within: 240) != 0 else { return nil }
        return "it does not compile:\n" + (try compiler.errors.untilEnd(within: 20).joined(separator: "\n"))
    }

    /// Where focusd, focusctl and the modules were built.
    static func products() throws -> String {
        URL(fileURLWithPath: try Places.product("focusctl")).deletingLastPathComponent().path
    }

    /// What the compiler needs for the package of widgets, which is built when it is not yet.
    private func widgetModules() throws -> [String] {
        let environment = ProcessInfo.processInfo.environment
        let build = try ChildProcess(
            Places.script("build-with-gtk"), ["GTK", "widget-window"], environment: environment)
        let status = try build.wait(within: 1_800)
        guard status == 0, let program = try build.output.untilEnd(within: 20).last else {
            throw Missing(what: "the package of widgets was not built", seen: build.errors.all)
        }
        let flags = try ChildProcess("/usr/bin/pkg-config", ["--cflags", "gtk4"], environment: environment)
        try flags.wait()
        let includes = try flags.output.untilEnd(within: 20).joined(separator: " ").split(separator: " ")
        let modules = URL(fileURLWithPath: program).deletingLastPathComponent().path + "/Modules"
        return ["-I", modules] + ["CGTK4", "CMainLoop"].flatMap { ["-I", "\(Places.package)/GTK/Sources/\($0)"] }
            + includes.flatMap { ["-Xcc", String($0)] }
    }
}
