/// A setting as it is written in the file: its name, what it may be, and where it is kept.
struct SettingsKey: Sendable {
    /// What is wrong with a value: the end of a sentence that begins with the key.
    struct Wrong: Error {
        let message: String
    }

    let name: String
    /// Takes a value as it is written.
    let read: @Sendable (inout Settings, String) throws(Wrong) -> Void
    /// The value as it would be written.
    let write: @Sendable (Settings) -> String

    /// All there are, in the order in which they are shown.
    static let all: [SettingsKey] = [
        SettingsKey(
            name: "technologies",
            read: { (settings, text) throws(Wrong) in settings.technologies = try technologies(text) },
            write: { $0.technologies.joined(separator: ", ") }),
        SettingsKey(
            name: "mirror",
            read: { (settings, text) throws(Wrong) in settings.mirror = try mirror(text) },
            write: { $0.mirror.rawValue }),
        SettingsKey(
            name: "keep-mirror",
            read: { (settings, text) throws(Wrong) in settings.keepMirrorSeconds = try seconds(text, in: 0...86_400) },
            write: { "\($0.keepMirrorSeconds)s" }),
        number("max-nodes-per-application", \.nodesPerApplication, in: 1_000...2_000_000),
        number("max-nodes", \.nodes, in: 1_000...10_000_000),
        number("max-children-per-object", \.childrenPerObject, in: 100...1_000_000),
        number("max-depth", \.depth, in: 10...10_000),
        number("max-name-bytes", \.nameBytes, in: 64...65_536),
        number("max-calls-in-flight", \.callsInFlight, in: 8...1_024),
        SettingsKey(
            name: "remember-trouble",
            read: { (settings, text) throws(Wrong) in
                settings.rememberTroubleSeconds = try seconds(text, in: 1...86_400)
            },
            write: { "\($0.rememberTroubleSeconds)s" }),
    ]

    private static func number(
        _ name: String, _ place: any WritableKeyPath<Settings, Int> & Sendable, in range: ClosedRange<Int>
    ) -> SettingsKey {
        SettingsKey(
            name: name,
            read: { (settings, text) throws(Wrong) in
                guard let value = digits(text), range.contains(value) else {
                    throw Wrong(message: "is a whole number from \(range.lowerBound) to \(range.upperBound)")
                }
                settings[keyPath: place] = value
            },
            write: { "\($0[keyPath: place])" })
    }

    private static func technologies(_ text: String) throws(Wrong) -> [String] {
        var names: [String] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let name = String(trimmed(part))
            guard isProgram(name) else {
                throw Wrong(
                    message: "is one or more names of programs with commas between them, like `orca, odilia`; "
                        + "a name has letters, digits, `-`, `_`, `.` and at most 64 of them")
            }
            guard !names.contains(name) else { throw Wrong(message: "names `\(name)` twice; once is enough") }
            names.append(name)
        }
        guard names.count <= 16 else { throw Wrong(message: "is at most 16 names") }
        return names
    }

    private static func isProgram(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }

    private static func mirror(_ text: String) throws(Wrong) -> Settings.Mirror {
        guard let mirror = Settings.Mirror(rawValue: text) else {
            throw Wrong(message: "is `demand` or `desktop`")
        }
        return mirror
    }

    /// A time: seconds, or a number with `s`, `m` or `h` behind it.
    private static func seconds(_ text: String, in range: ClosedRange<Int>) throws(Wrong) -> Int {
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3_600]
        let unit = text.last.flatMap { units[$0] }
        let count = digits(unit == nil ? text : String(text.dropLast()))
        guard let count else { throw Wrong(message: "is a time like `60s`, `5m`, `1h`, or a number of seconds") }
        let (value, isTooMuch) = count.multipliedReportingOverflow(by: unit ?? 1)
        guard !isTooMuch, range.contains(value) else {
            throw Wrong(message: "is a time from \(range.lowerBound) to \(range.upperBound) seconds")
        }
        return value
    }

    /// A number of digits alone, which may be set apart by single `_`.
    private static func digits(_ text: String) -> Int? {
        let groups = text.split(separator: "_", omittingEmptySubsequences: false)
        guard groups.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isDigit) }) else { return nil }
        return Int(groups.joined())
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

/// A text without the spaces and tabs around it.
func trimmed(_ text: Substring) -> Substring {
    var text = text
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
}
