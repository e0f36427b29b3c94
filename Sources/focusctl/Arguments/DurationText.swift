/// Durations as people write them on a command line.
enum DurationText {
    private static let units: [(suffix: String, milliseconds: Double)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("", 1000),
    ]

    /// The duration that `2s`, `500ms`, `1.5`, `1m` or `1h` means; nil where it means none from 1 ms to 24 h.
    static func parse(_ text: String) -> Duration? {
        guard let unit = units.first(where: { text.hasSuffix($0.suffix) || $0.suffix.isEmpty }) else { return nil }
        let number = text.dropLast(unit.suffix.count)
        guard let first = number.first, first.isASCIIDigit || first == ".",
            number.allSatisfy({ $0.isASCIIDigit || $0 == "." }), let amount = Double(number)
        else { return nil }
        let milliseconds = (amount * unit.milliseconds).rounded()
        guard (1...86_400_000).contains(milliseconds) else { return nil }
        return .milliseconds(Int64(milliseconds))
    }

    /// The duration in the largest unit that shows it whole.
    static func text(_ duration: Duration) -> String {
        let milliseconds = duration.wholeMilliseconds
        return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
    }
}

extension Duration {
    /// Milliseconds, without what is less than one.
    var wholeMilliseconds: Int {
        Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000)
    }
}

extension Character {
    /// Whether it is one of 0 to 9 and no other script's digit.
    var isASCIIDigit: Bool { isASCII && isWholeNumber }
}
