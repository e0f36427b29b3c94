/// How many cells of a terminal text takes, and text cut to a number of cells.
enum TextWidth {
    /// Cells of the text; counting stops where there are more than the limit.
    static func cells(of text: String, limit: Int = .max) -> Int {
        var width = 0
        for character in text {
            width += cells(of: character)
            if width > limit { break }
        }
        return width
    }

    /// The text where it fits, else as much of it as fits with `…` at its end.
    static func cut(_ text: String, to width: Int) -> String {
        guard cells(of: text, limit: width) > width else { return text }
        guard width > 0 else { return "" }
        var result = ""
        var used = 1
        for character in text {
            used += cells(of: character)
            if used > width { break }
            // Marks stacked without end would take no cell and all the output.
            result.unicodeScalars.append(contentsOf: character.unicodeScalars.prefix(16))
        }
        return result + "…"
    }

    private static func cells(of character: Character) -> Int {
        if character.isASCII { return 1 }
        guard let first = character.unicodeScalars.first else { return 0 }
        if isWide(first.value) || character.unicodeScalars.contains("\u{FE0F}") { return 2 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return 1
        }
    }

    /// East Asian wide characters and pictures, by the blocks that they are in.
    private static func isWide(_ value: UInt32) -> Bool {
        switch value {
        case 0..<0x1100: false
        case 0x1100...0x115F, 0x231A...0x231B, 0x23E9...0x23EC, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF,
            0x4E00...0x9FFF, 0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF,
            0x1FA70...0x1FAFF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
