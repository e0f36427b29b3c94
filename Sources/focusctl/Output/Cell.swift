/// What stands in one column of a line.
struct Cell {
    /// A part of a cell: words of ours or the daemon's, or a name of the desktop's in quotes.
    struct Piece {
        fileprivate let text: String
        fileprivate let isQuoted: Bool

        static func text(_ text: String) -> Piece { Piece(text: SafeText.escaped(text), isQuoted: false) }
        static func name(_ text: String) -> Piece { Piece(text: SafeText.escapedForQuotes(text), isQuoted: true) }

        fileprivate func shown(cutTo width: Int) -> String {
            let cut = width == .max ? text : TextWidth.cut(text, to: max(0, width - (isQuoted ? 2 : 0)))
            return SafeText.isolated(isQuoted ? "\"\(cut)\"" : cut)
        }

        fileprivate func cells(limit: Int) -> Int {
            TextWidth.cells(of: text, limit: limit) + (isQuoted ? 2 : 0)
        }
    }

    private let pieces: [Piece]
    let style: Style
    /// Whether this column gives way where the line is wider than the terminal.
    let isFlexible: Bool
    /// Whether the others give way before it does: cut, it would be of no use.
    let isWhole: Bool

    init(_ pieces: [Piece], style: Style = .plain, isFlexible: Bool = false, isWhole: Bool = false) {
        self.pieces = pieces
        self.isWhole = isWhole
        self.style = style
        self.isFlexible = isFlexible
    }

    init(_ text: String, style: Style = .plain, isFlexible: Bool = false, isWhole: Bool = false) {
        self.init(text.isEmpty ? [] : [.text(text)], style: style, isFlexible: isFlexible, isWhole: isWhole)
    }

    static let empty = Cell("")

    var isEmpty: Bool { pieces.isEmpty }

    /// All of it, without colours.
    var whole: String { pieces.map { $0.shown(cutTo: .max) }.joined() }

    /// Cells of a terminal that all of it takes; counting stops beyond the limit.
    func cells(limit: Int) -> Int { pieces.reduce(0) { $0 + $1.cells(limit: limit) } }

    /// Cells that its words take and that no name could give.
    func fixedCells(limit: Int) -> Int { pieces.filter { !$0.isQuoted }.reduce(0) { $0 + $1.cells(limit: limit) } }

    /// As much of it as fits: the names are cut first, each by its share, so that the words around them stay.
    func fitted(to width: Int) -> String {
        guard cells(limit: width) > width else { return whole }
        let names = pieces.filter(\.isQuoted)
        let fixed = fixedCells(limit: width)
        guard !names.isEmpty, width - fixed >= names.count * 6 else { return TextWidth.cut(whole, to: width) }
        var left = width - fixed
        var toPlace = names.count
        var shares: [Int: Int] = [:]
        // The short names first: what they do not need goes to the long ones.
        let quoted = pieces.indices.filter { pieces[$0].isQuoted }
        for index in quoted.sorted(by: { pieces[$0].cells(limit: width) < pieces[$1].cells(limit: width) }) {
            let share = min(pieces[index].cells(limit: width), left / toPlace)
            shares[index] = share
            left -= share
            toPlace -= 1
        }
        return pieces.indices.map { pieces[$0].shown(cutTo: shares[$0] ?? .max) }.joined()
    }
}

/// How a cell stands out on a terminal with colours.
enum Style: String {
    case plain = ""
    case strong = "1"
    case faint = "2"
    case technology = "1;36"
    case good = "32"
    case warning = "33"
    case bad = "1;31"
}
