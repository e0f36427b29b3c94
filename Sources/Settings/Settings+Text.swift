extension Settings {
    /// UTF-8 bytes that a line may have.
    package static let maximumLineBytes = 4_096

    /// Takes settings from a text of lines `key = value`; what it does not name is as in ``init()``.
    ///
    /// Blank lines and lines that begin with `#` say nothing. Throws at the first line that is wrong.
    package init(parsing text: String) throws(SettingsError) {
        try self.init(parsing: Array(text.utf8))
    }

    /// The same from a file's bytes, which may be anything.
    package init(parsing bytes: [UInt8]) throws(SettingsError) {
        self.init()
        var linesOfKeys: [String: Int] = [:]
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
        for (index, bytes) in text.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            let number = index + 1
            let line = trimmed(try Settings.line(bytes, number)[...])
            guard !line.isEmpty, line.first != "#" else { continue }
            let (key, value) = try Settings.parts(line, number)
            if let before = linesOfKeys.updateValue(number, forKey: key.name) {
                throw SettingsError(
                    line: number,
                    message: "`\(key.name)` is set here and in line \(before) already; keep one of the two")
            }
            do throws(SettingsKey.Wrong) {
                try key.read(&self, value)
            } catch {
                throw SettingsError(
                    line: number, message: "`\(key.name)` \(error.message), not `\(Settings.short(value))`")
            }
        }
    }

    /// All settings as a text that ``init(parsing:)`` takes.
    package var text: String {
        SettingsKey.all.map { "\($0.name) = \($0.write(self))\n" }.joined()
    }

    // MARK: -

    /// A line's text, without the carriage return that some editors end it with.
    private static func line(_ bytes: ArraySlice<UInt8>, _ number: Int) throws(SettingsError) -> String {
        let bytes = bytes.last == 0x0D ? bytes.dropLast() : bytes
        guard bytes.count <= maximumLineBytes else {
            throw SettingsError(
                line: number, message: "the line has \(bytes.count) bytes; at most \(maximumLineBytes) are allowed")
        }
        if let control = bytes.first(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) {
            let digits = String(control, radix: 16, uppercase: true)
            throw SettingsError(
                line: number,
                message: "there is a control character (0x\(control < 16 ? "0" : "")\(digits)) in it; "
                    + "only text and tabs are allowed")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw SettingsError(line: number, message: "this is not UTF-8 text; save the file as UTF-8")
        }
        return text
    }

    private static func parts(
        _ line: Substring, _ number: Int
    ) throws(SettingsError) -> (key: SettingsKey, value: String) {
        guard let sign = line.firstIndex(of: "=") else {
            let advice = line.first == "[" ? "; there are no sections" : ""
            throw SettingsError(
                line: number, message: "`\(short(String(line)))` is not a setting: write `key = value`\(advice)")
        }
        let name = String(trimmed(line[..<sign]))
        let value = String(trimmed(line[line.index(after: sign)...]))
        guard let key = SettingsKey.all.first(where: { $0.name == name }) else {
            let names = SettingsKey.all.map(\.name)
            let nearest = NearestKey.find(name, among: names).map { "did you mean `\($0)`? " } ?? ""
            throw SettingsError(
                line: number,
                message: "`\(short(name))` is not a setting; \(nearest)"
                    + "there are \(names.map { "`\($0)`" }.joined(separator: ", "))")
        }
        guard !value.isEmpty else {
            throw SettingsError(
                line: number,
                message: "`\(key.name)` has no value; without the line it is `\(key.write(Settings()))`")
        }
        return (key, value)
    }

    /// The beginning of what somebody wrote, for a message.
    private static func short(_ text: String) -> String {
        text.count > 64 ? text.prefix(64) + "…" : text
    }
}
