import Glibc

/// Standard output: a terminal with columns and colours, or a pipe or file with plain lines.
final class Output {
    /// The terminal's width in cells, nil where the output is none.
    let terminalWidth: Int?
    private let hasColours: Bool
    /// Where it goes: standard output, or a pager before it.
    private(set) var descriptor = STDOUT_FILENO

    private init(terminalWidth: Int?, hasColours: Bool) {
        self.terminalWidth = terminalWidth
        self.hasColours = hasColours
    }

    /// The process's standard output as it is now.
    static func standard() -> Output {
        guard isatty(STDOUT_FILENO) == 1 else { return Output(terminalWidth: nil, hasColours: false) }
        let term = environment("TERM") ?? "dumb"
        return Output(terminalWidth: measureWidth(), hasColours: term != "dumb" && environment("NO_COLOR") == nil)
    }

    var isTerminal: Bool { terminalWidth != nil }

    /// Columns for lines that belong together.
    func columns() -> Columns { Columns(terminalWidth: terminalWidth ?? .max / 4) }

    /// Writes one line at once: on a terminal in these columns, else its cells with two spaces between.
    func row(_ row: [Cell], in columns: inout Columns) throws(CommandFailure) {
        guard isTerminal else {
            return try line(row.filter { !$0.isEmpty }.map(\.whole).joined(separator: "  "))
        }
        columns.measure(row)
        try line(columns.line(row, paint: paint))
    }

    /// Writes lines that are known together, so that the columns fit all of them; the heading only on a terminal.
    func table(_ rows: [[Cell]], heading: [String]? = nil) throws(CommandFailure) {
        var columns = columns()
        var rows = rows
        if let heading, isTerminal, !rows.isEmpty {
            rows.insert(heading.map { Cell($0, style: .faint) }, at: 0)
        }
        if isTerminal { for row in rows { columns.measure(row) } }
        for row in rows { try self.row(row, in: &columns) }
    }

    /// Writes a line; it must not contain a line break.
    func line(_ line: String) throws(CommandFailure) { try text(line + "\n") }

    /// Writes text as it is.
    func text(_ text: String) throws(CommandFailure) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            // SAFETY: the pointer and count are of the same slice and do not leave the closure.
            let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                bytes = bytes.dropFirst(count)
            } else if errno == EAGAIN {
                var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&waiting, 1, -1)
            } else if errno != EINTR {
                throw errno == EPIPE ? .outputClosed : .outputFailed(code: errno)
            }
        }
    }

    /// Text in a style, where the terminal has colours.
    func paint(_ text: String, _ style: Style) -> String {
        hasColours && style != .plain ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// Writes a line to standard error; nothing can be done where that is closed.
    static func complain(_ line: String) {
        var bytes = Array((line + "\n").utf8)[...]
        while !bytes.isEmpty {
            // SAFETY: the pointer and count are of the same slice and do not leave the closure.
            let count = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno != EINTR { return }
            bytes = bytes.dropFirst(max(0, count))
        }
    }

    /// The width of lines on standard error that should not be broken.
    static func complaintWidth() -> Int { isatty(STDERR_FILENO) == 1 ? measureWidth(of: STDERR_FILENO) : 80 }

    private static func measureWidth(of descriptor: Int32 = STDOUT_FILENO) -> Int {
        var size = winsize()
        if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return max(20, Int(size.ws_col)) }
        return environment("COLUMNS").flatMap { Int($0) }.map { min(max(20, $0), 10_000) } ?? 80
    }

    /// The lines that the terminal shows at once.
    static func measureHeight() -> Int {
        var size = winsize()
        if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 { return max(2, Int(size.ws_row)) }
        return environment("LINES").flatMap { Int($0) }.map { min(max(2, $0), 10_000) } ?? 24
    }

    /// Does something while all that is written goes elsewhere.
    func redirect(to other: Int32, while body: () throws(CommandFailure) -> Void) throws(CommandFailure) {
        let usual = descriptor
        descriptor = other
        defer { descriptor = usual }
        try body()
    }
}
