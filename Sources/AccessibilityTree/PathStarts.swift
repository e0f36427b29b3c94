/// What the paths of one application have in common: all before the last `/`, kept once.
///
/// What is left of a path is a number in most toolkits, which a Swift string holds without memory of its own.
struct PathStarts: Sendable {
    private var texts = [""]
    private var numbers: [String: UInt16] = [:]
    private var last: UInt16 = 0

    subscript(number: UInt16) -> String { texts[Int(number)] }

    /// A path as the number of its beginning, and its end. Where there are too many beginnings, the end is all of it.
    mutating func split(_ path: String) -> (start: UInt16, end: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (0, path) }
        let end = path.utf8.index(after: slash)
        let text = path[..<end]
        if texts[Int(last)] == text { return (last, String(path[end...])) }
        if let known = numbers[String(text)] {
            last = known
        } else {
            guard let number = UInt16(exactly: texts.count) else { return (0, path) }
            texts.append(String(text))
            numbers[String(text)] = number
            last = number
        }
        return (last, String(path[end...]))
    }
}

extension ApplicationTree {
    func path(_ entry: Entry) -> String { pathStarts[entry.pathStart] + entry.pathEnd }

    func hasPath(_ entry: Entry, _ path: String) -> Bool {
        let start = pathStarts[entry.pathStart]
        guard path.utf8.count == start.utf8.count + entry.pathEnd.utf8.count else { return false }
        let end = path.utf8.index(path.utf8.startIndex, offsetBy: start.utf8.count)
        return path[end...] == entry.pathEnd && path[..<end] == start
    }
}
