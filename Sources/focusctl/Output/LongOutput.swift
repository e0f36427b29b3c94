/// Lines of which there may be more than the terminal shows at once; a pager takes them then.
///
/// `end` must be called after the last line.
final class LongOutput {
    private let output: Output
    /// The lines that fit on the terminal so far; nil where lines are written at once.
    private var held: [String]?
    private let height: Int
    private var pager: Pager?

    init(_ output: Output) {
        self.output = output
        height = output.isTerminal ? Output.measureHeight() : 0
        held = output.isTerminal ? [] : nil
    }

    /// What has no reader any more when nobody wants further lines.
    var destination: Int32 { pager?.input ?? output.descriptor }

    /// Takes a line. Throws `outputClosed` where the reader has seen enough.
    func line(_ line: String) throws(CommandFailure) {
        guard var lines = held else { return try write(line) }
        lines.append(line)
        held = lines
        // The shell's next prompt takes a line too.
        guard lines.count >= height else { return }
        pager = Pager.start()
        try flush()
    }

    /// Shows what is held, and waits until the reader is done with the pager.
    func end() throws(CommandFailure) {
        try flush()
        pager?.end()
    }

    private func flush() throws(CommandFailure) {
        let lines = held ?? []
        held = nil
        for line in lines { try write(line) }
    }

    private func write(_ line: String) throws(CommandFailure) {
        guard let pager else { return try output.line(line) }
        do {
            try output.redirect(to: pager.input) { () throws(CommandFailure) in try output.line(line) }
        } catch {
            // ORDER: the terminal is the pager's until it has ended.
            pager.end()
            throw error
        }
    }
}
