import Foundation
import TestDesktop
import Testing

/// The manual pages: made from the programs, well formed, and complete.
@Suite(.enabled(if: Tools.areHere, "needs help2man, lowdown, mandoc and man: run `scripts/install-packages test`"))
struct ManualTests {
    private static let pages = ["focusd.1", "focusctl.1", "focusd.conf.5", "io.focusd.Focus.7"]

    @Test("no reader of manual pages has anything to complain about", arguments: pages)
    func isWellFormed(page: String) throws {
        let file = try Manual.file(page)
        let lint = try Run("mandoc", ["-T", "lint", "-W", "warning", file])
        #expect(lint.output + lint.errors == "")
        #expect(lint.status == 0)
        let groff = try Run(
            "man", ["--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", file],
            environment: ["MANWIDTH": "120", "LC_ALL": "C.UTF-8"])
        #expect(groff.errors == "")
        #expect(try !Manual.page(page).isEmpty)
    }

    @Test("each page names the others, and all that are named are made", arguments: pages)
    func seeAlso(page: String) throws {
        let parts = try Manual.page(page).components(separatedBy: "SEE ALSO")
        #expect(parts.count == 2)
        let named = parts[parts.count - 1].matches(of: /([A-Za-z.]+)\(([1-8])\)/).map { "\($0.1).\($0.2)" }
        #expect(named.count >= 2)
        let made = try FileManager.default.contentsOfDirectory(atPath: Manual.folder())
        for name in named where name.lowercased().hasPrefix("focus") || name.hasPrefix("io.") {
            #expect(made.contains(name) || name.lowercased() == page.lowercased(), "\(name)")
        }
    }

    @Test("focusctl(1) has every command with all that its help says")
    func commands() throws {
        let page = Self.words(try Manual.page("focusctl.1"))
        let overview = try Run(Places.products + "/focusctl", ["help"]).output
        let commands = Self.entries(of: "Commands", in: overview)
        #expect(commands.count >= 18)
        for command in commands {
            let help = try Run(Places.products + "/focusctl", ["help", command]).output
            #expect(page.contains("focusctl \(command) "), "\(command)")
            let options = Self.entries(of: "Options", in: help)
            for option in options { #expect(page.contains(" \(option) "), "\(command) \(option)") }
            // All its paragraphs; examples may be broken into lines differently.
            let text = help.components(separatedBy: "\n\n")
            for paragraph in text where !paragraph.contains("  ") && !paragraph.hasPrefix("Usage") {
                #expect(page.contains(Self.words(paragraph)), "\(command): \(paragraph)")
            }
            let examples = help.components(separatedBy: "Examples:\n").last ?? ""
            for line in examples.split(separator: "\n") where line.hasPrefix("  focusctl") {
                #expect(page.contains(Self.words(String(line))), "\(line)")
            }
        }
    }

    @Test("focusd(1) has every option of focusd")
    func options() throws {
        let page = try Manual.page("focusd.1")
        let options = try Run(Places.products + "/focusd", ["--help"]).output.matches(of: /\n +(--[a-z-]+)/)
        #expect(options.count >= 7)
        for option in options { #expect(page.contains(" \(option.1)"), "\(option.1)") }
    }

    @Test("focusd.conf(5) has every setting, with what holds without it")
    func settings() throws {
        let page = try Manual.page("focusd.conf.5")
        let settings = try Run(Places.products + "/focusd", ["--config", "/dev/null", "--print-config"]).lines
        #expect(settings.count >= 9)
        for setting in settings { #expect(page.contains(setting), "\(setting)") }
    }

    @Test("io.focusd.Focus(7) has every method, type, field and error, with its comment")
    func interface() throws {
        let page = Self.words(try Manual.page("io.focusd.Focus.7"))
        let text = try String(
            contentsOfFile: Places.package + "/Sources/FocusProtocol/io.focusd.Focus.varlink", encoding: .utf8)
        let members = text.matches(of: /(?m)^(?:method|type|error) ([A-Za-z]+)/).map { String($0.1) }
        #expect(members.count >= 40)
        for member in members { #expect(page.contains(" \(member) "), "\(member)") }
        for comment in text.components(separatedBy: "\n\n").filter({ $0.hasPrefix("# ") }) {
            let lines = comment.split(separator: "\n").prefix { $0.hasPrefix("#") }.map { String($0.dropFirst(2)) }
            let words = Self.words(lines.joined(separator: " "))
            // A comment may have paragraphs; each of its beginnings is there.
            #expect(page.contains(words.prefix(60)), "\(words)")
        }
        let fields = text.matches(of: #/(?m)^  ([a-zA-Z]+): /#).map { String($0.1) }
        for field in Set(fields) { #expect(page.contains(" \(field): ") || page.contains(" \(field) "), "\(field)") }
    }

    @Test("the date in the pages is the one of the build that can be repeated")
    func date() throws {
        let page = try Run(
            Places.products + "/focusctl", ["manual"], environment: ["SOURCE_DATE_EPOCH": "1000000000"])
        #expect(page.output.hasPrefix(".Dd September 9, 2001\n"))
    }

    // MARK: -

    /// A text with every run of white space as one space.
    private static func words(_ text: String) -> String {
        " " + text.split(whereSeparator: \.isWhitespace).joined(separator: " ") + " "
    }

    /// The first words of the lines of a section of help.
    private static func entries(of section: String, in help: String) -> [String] {
        guard let part = help.components(separatedBy: "\n\n").first(where: { $0.hasPrefix(section + ":\n") }) else {
            return []
        }
        return part.matches(of: /\n  ([a-z-][a-zA-Z-]*)/).map { String($0.1) }
    }
}
