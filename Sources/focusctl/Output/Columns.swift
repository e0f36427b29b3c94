/// The columns of lines that stand below each other on a terminal; they grow with what is shown in them.
struct Columns {
    private var widths: [Int] = []
    /// For each flexible column the cells that its names cannot give.
    private var fixed: [Int: Int] = [:]
    private let terminalWidth: Int
    private static let gap = 2
    /// The names of a flexible column are not cut shorter.
    private static let shortestName = 8

    init(terminalWidth: Int) { self.terminalWidth = terminalWidth }

    /// Makes room for a line that will be shown.
    mutating func measure(_ row: [Cell]) {
        // A single cell is a remark of its own and aligns with nothing.
        guard row.count > 1 else { return }
        for (index, cell) in row.enumerated() {
            let cap = cell.isWhole ? terminalWidth : cell.isFlexible ? max(24, terminalWidth / 3) : 32
            let width = min(cap, cell.cells(limit: cap))
            if index < widths.count { widths[index] = max(widths[index], width) } else { widths.append(width) }
            if cell.isFlexible { fixed[index] = max(fixed[index] ?? 0, cell.fixedCells(limit: cap)) }
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
        while line.hasSuffix(" ") { line.removeLast() }
        return line
    }

    /// The widths with the flexible columns made narrower, the longest names first, until a line fits.
    private func fittedWidths() -> [Int] {
        var widths = widths
        var excess = widths.filter { $0 > 0 }.reduce(-Self.gap) { $0 + $1 + Self.gap } - terminalWidth
        // Of two that are as long the one further to the right gives way.
        let flexible = fixed.sorted { $0.key > $1.key }
        while excess > 0, let column = flexible.max(by: { widths[$0.key] - $0.value < widths[$1.key] - $1.value }),
            widths[column.key] - column.value > Self.shortestName
        {
            widths[column.key] -= 1
            excess -= 1
        }
        return widths
    }
}
