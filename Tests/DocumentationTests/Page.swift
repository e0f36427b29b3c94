import Foundation
import TestDesktop

/// A page of the documentation: its fenced blocks, and what its marks say of them.
///
/// A mark is an HTML comment, which no reader sees. `scene` stands anywhere in a page; the others right before a fence:
///
///     <!-- scene: desktop -->        its blocks run on a private desktop with a real Orca
///     <!-- scene: notes -->          the same, with focusd and the window of Examples/Notes
///     <!-- run: KEY=VALUE... -->     how the block runs: see `Mark.keys`
///     <!-- not run: REASON -->       why it does not
struct Page {
    enum Scene: String { case none, desktop, notes }

    /// Its path from the package's folder on.
    let path: String
    private(set) var scene = Scene.none
    private(set) var blocks: [Block] = []
    /// What is wrong with its marks and fences.
    private(set) var problems: [String] = []

    init(path: String) throws {
        let text = try String(contentsOfFile: "\(Places.package)/\(path)", encoding: .utf8)
        self.init(path: path, text: text)
    }

    init(path: String, text: String) {
        self.path = path
        var mark: Mark?
        var open: (fence: String, language: String, line: Int, mark: Mark?)?
        var lines: [String] = []
        var before = ""
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init).enumerated()
        {
            if let current = open {
                guard line.trimmingCharacters(in: .whitespaces) == current.fence else {
                    lines.append(line)
                    continue
                }
                blocks.append(
                    Block(
                        path: path, line: current.line, language: current.language, lines: lines,
                        mark: current.mark ?? Mark()))
                (open, lines, mark) = (nil, [], nil)
            } else if line.hasPrefix("```") {
                let language = String(line.drop { $0 == "`" })
                open = (String(line.prefix { $0 == "`" }), language, index + 1, mark)
            } else if line.hasPrefix("<!--") {
                read(line, at: index + 1, into: &mark)
            } else if line.hasPrefix("    "), before.isEmpty, line.contains(where: { $0 != " " }) {
                problems.append("\(path):\(index + 1): an indented block; use a fence that says what is in it")
            } else if !line.isEmpty {
                if mark != nil { problems.append("\(path):\(index + 1): a mark that no block follows") }
                mark = nil
            }
            before = line
        }
        if let open { problems.append("\(path):\(open.line): the fence has no end") }
        problems += blocks.filter { !Block.languages.contains($0.language) }.map {
            "\($0.place): a block has to say what is in it: one of \(Block.languages.sorted().joined(separator: ", "))"
        }
    }

    private mutating func read(_ line: String, at number: Int, into mark: inout Mark?) {
        let comment = line.dropFirst(4)
        guard comment.hasSuffix("-->") else {
            problems.append("\(path):\(number): a mark is one line, and ends with -->")
            return
        }
        let words = comment.dropLast(3).trimmingCharacters(in: .whitespaces)
        do throws(Mark.Wrong) {
            if words.hasPrefix("scene:") {
                let name = words.dropFirst("scene:".count).trimmingCharacters(in: .whitespaces)
                guard let scene = Scene(rawValue: name) else { throw Mark.Wrong(what: "there is no scene `\(name)`") }
                self.scene = scene
            } else {
                mark = try Mark(words)
            }
        } catch {
            problems.append("\(path):\(number): \(error.what)")
        }
    }
}

/// One fenced block.
struct Block {
    static let languages: Set<String> = [
        "sh", "console", "python", "swift", "json", "yaml", "css", "conf", "varlink", "text",
    ]

    let path: String
    let line: Int
    let language: String
    let lines: [String]
    let mark: Mark

    var place: String { "\(path):\(line)" }
    var text: String { lines.map { $0 + "\n" }.joined() }
    /// Whether only running it shows whether it is right.
    var isProgram: Bool { ["sh", "console", "python", "varlink"].contains(language) && mark.reason == nil }
}

/// What a page says of the block that follows.
struct Mark {
    /// A mark cannot be read.
    struct Wrong: Error { let what: String }

    /// Each with what it is for.
    static let keys = [
        "at": "the name of the element that the keyboard and Orca are on when it begins",
        "keys": "keys that are pressed, one after each line of its output",
        "press": "keys that are pressed as soon as it has begun",
        "until": "it is ended when its output has this text",
        "stays": "it goes on to the end of the page; the next block begins when its output has this text",
        "beside": "it goes on beside this many of the following blocks, and is looked at after them",
        "after": "keys that are pressed when it is over",
        "exit": "the code it ends with, where that is not 0",
        "prints": "a text that its output has; may come more than once",
        "speaks": "a text that Orca speaks",
        "args": "what it is called with",
        "save": "it is kept in the working folder under this name, and not run by itself",
        "with": "Swift that goes before it",
    ]

    private var values: [(key: String, value: String)] = []
    /// Why it is not run.
    private(set) var reason: String?

    init() {}

    init(_ words: String) throws(Wrong) {
        if words.hasPrefix("not run:") {
            let reason = words.dropFirst("not run:".count).trimmingCharacters(in: .whitespaces)
            guard reason.count > 4 else { throw Wrong(what: "say why it is not run") }
            self.reason = reason
            return
        }
        guard words.hasPrefix("run:") else { throw Wrong(what: "a mark is `run:`, `not run:` or `scene:`") }
        var rest = words.dropFirst("run:".count).drop { $0 == " " }
        while !rest.isEmpty {
            guard let equals = rest.firstIndex(of: "=") else { throw Wrong(what: "`\(rest)` has no =") }
            let key = String(rest[..<equals])
            guard Mark.keys[key] != nil else { throw Wrong(what: "there is no `\(key)` in marks") }
            rest = rest[rest.index(after: equals)...]
            let isQuoted = rest.first == "\""
            if isQuoted { rest.removeFirst() }
            let value = rest.prefix { $0 != (isQuoted ? "\"" : " ") }
            values.append((key, String(value)))
            rest = rest.dropFirst(value.count + (isQuoted ? 1 : 0)).drop { $0 == " " }
        }
    }

    subscript(key: String) -> String? { values.first { $0.key == key }?.value }
    func all(_ key: String) -> [String] { values.filter { $0.key == key }.map(\.value) }
    func words(_ key: String) -> [String] { self[key]?.split(separator: " ").map(String.init) ?? [] }
}
