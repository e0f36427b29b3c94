/// The columns of lines that stand below each other on a terminal; they grow with what is shown in them.
struct Columns {
    private var widths: [Int] = []
    private var flexible: Set<Int> = []
    private let terminalWidth: Int
    private static let gap = 2
    /// No flexible column is made narrower.
    private static let narrowest = 10

    init(terminalWidth: Int) { self.terminalWidth = terminalWidth }

    /// Makes room for a line that will be shown.
    mutating func measure(_ row: [Cell]) {
        // A single cell is a remark of its own and aligns with nothing.
        guard row.count > 1 else { return }
        for (index, cell) in row.enumerated() {
            let cap = cell.isFlexible ? max(24, terminalWidth / 3) : 32
            let width = min(cap, cell.cells(limit: cap))
            if index < widths.count { widths[index] = max(widths[index], width) } else { widths.append(width) }
            if cell.isFlexible { flexible.insert(index) }
        }
    }

    /// The cells below those of the lines before, cut to the terminal's width.
    func line(_ row: [Cell], paint: (String, Style) -> String) -> String {
        if let remark = row.first, row.count == 1 { return paint(remark.fitted(to: terminalWidth), remark.style) }
        let widths = fittedWidths()
        let last = row.lastIndex { !$0.isEmpty } ?? -1
        var line = ""
        var left = terminalWidth
        for index in row.indices where index <= last && widths[index] > 0 && left > 0 {
            // The last cell may take what is left: there is nothing to align after it.
            let room = index == last ? left : min(widths[index], left)
            let text = row[index].fitted(to: room)
            line += text.isEmpty ? "" : paint(text, row[index].style)
            let used = row[index].isEmpty ? 0 : TextWidth.cells(of: text)
            guard index != last else { break }
            line += String(repeating: " ", count: max(0, min(widths[index] - used + Self.gap, left - used)))
            left -= widths[index] + Self.gap
        }
        return line
    }

    /// The widths with the flexible columns made narrower, the widest first, until a line fits.
    private func fittedWidths() -> [Int] {
        var widths = widths
        var excess = widths.filter { $0 > 0 }.reduce(-Self.gap) { $0 + $1 + Self.gap } - terminalWidth
        while excess > 0, let widest = flexible.max(by: { widths[$0] < widths[$1] }), widths[widest] > Self.narrowest {
            widths[widest] -= 1
            excess -= 1
        }
        return widths
    }
}
