import Glibc

/// The text of a manual page, in the macros of mdoc(7), which groff and mandoc both read.
///
/// What it holds is ASCII alone: `man` shows it the same on every system.
struct ManualPage {
    private(set) var text: String

    /// Begins a page. The date is the one of the environment's `SOURCE_DATE_EPOCH`, so that a build can be repeated.
    init(_ name: String, section: Int, what: String, version: String) {
        text = """
            .Dd \(Self.date())
            .Dt \(name.uppercased()) \(section)
            .Os "focusd \(version)"
            .Sh NAME
            .Nm \(name)
            .Nd \(Self.escaped(what))

            """
    }

    /// A line of macros, as it is.
    mutating func macro(_ line: String) { text += line + "\n" }

    /// Begins a section.
    mutating func section(_ title: String) { macro(".Sh " + title) }

    /// Begins a part of a section.
    mutating func subsection(_ title: String) { macro(".Ss " + title) }

    /// Paragraphs of running text; each sentence is a line of its own, which is how the macros know its end.
    mutating func paragraphs(_ paragraphs: [String]) {
        for (index, paragraph) in paragraphs.enumerated() {
            if index > 0 { macro(".Pp") }
            prose(paragraph)
        }
    }

    /// One paragraph of running text.
    mutating func prose(_ paragraph: String) {
        var rest = paragraph[...]
        while let end = rest.firstRange(of: ". ") {
            macro(Self.escaped(String(rest[..<end.lowerBound]) + "."))
            rest = rest[end.upperBound...]
        }
        macro(Self.escaped(String(rest)))
    }

    /// Lines that are shown as they are.
    mutating func literal(_ lines: [String]) {
        macro(".Bd -literal -offset indent")
        for line in lines { macro(Self.escaped(line)) }
        macro(".Ed")
    }

    /// A list of terms with what is said of each. A term is macros; nothing is written where there is none.
    mutating func list(_ entries: [(term: String, what: String)]) {
        guard !entries.isEmpty else { return }
        macro(".Bl -tag -width Ds")
        for entry in entries {
            macro(".It " + entry.term)
            if !entry.what.isEmpty { prose(entry.what) }
        }
        macro(".El")
    }

    /// Ends the page with the pages that say more.
    mutating func seeAlso(_ pages: [(name: String, section: Int)]) {
        section("SEE ALSO")
        for (index, page) in pages.enumerated() {
            macro(".Xr \(page.name) \(page.section)" + (index < pages.count - 1 ? " ," : ""))
        }
    }

    /// A text in which nothing is taken for a macro or an escape, and in which quotes and dashes stay what they are.
    static func escaped(_ text: String) -> String {
        var result = ""
        for (index, character) in text.unicodeScalars.enumerated() {
            switch character {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "'": result += "\\(aq"
            case "\"": result += "\\(dq"
            case "`": result += "\\(ga"
            case "^": result += "\\(ha"
            case "~": result += "\\(ti"
            case "." where index == 0: result += "\\&."
            case _ where character.isASCII: result.unicodeScalars.append(character)
            default:
                let digits = String(character.value, radix: 16, uppercase: true)
                result += "\\[u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "]"
            }
        }
        return result
    }

    private static func date() -> String {
        let epoch = getenv("SOURCE_DATE_EPOCH").flatMap { time_t(String(cString: $0)) }
        var seconds = epoch ?? time(nil)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let months = [
            "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
            "November", "December",
        ]
        return "\(months[Int(parts.tm_mon)]) \(parts.tm_mday), \(parts.tm_year + 1900)"
    }
}
