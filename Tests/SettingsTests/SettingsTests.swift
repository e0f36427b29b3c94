import Settings
import Testing

/// What the file may say, and what it means.
struct SettingsTests {
    private func error(_ text: String) -> SettingsError? {
        do throws(SettingsError) {
            _ = try Settings(parsing: text)
            return nil
        } catch {
            return error
        }
    }

    @Test("Nothing, blank lines and comments leave everything as it is", arguments: ["", "\n\n", "# a\n  \t\n\t# = b"])
    func nothing(text: String) throws {
        #expect(try Settings(parsing: text) == Settings())
    }

    @Test("Every setting is taken")
    func everything() throws {
        let text = """
            technologies = nvda-like , my.reader
            mirror=desktop
             keep-mirror\t=\t5m
            max-nodes-per-application = 300_000
            max-nodes = 2000000
            max-children-per-object = 100
            max-depth = 10
            max-name-bytes = 65536
            max-calls-in-flight = 8
            remember-trouble = 1h
            """
        var wanted = Settings()
        wanted.technologies = ["nvda-like", "my.reader"]
        wanted.mirror = .desktop
        wanted.keepMirrorSeconds = 300
        wanted.nodesPerApplication = 300_000
        wanted.nodes = 2_000_000
        wanted.childrenPerObject = 100
        wanted.depth = 10
        wanted.nameBytes = 65_536
        wanted.rememberTroubleSeconds = 3_600
        wanted.callsInFlight = 8
        #expect(try Settings(parsing: text) == wanted)
        #expect(try Settings(parsing: wanted.text) == wanted)
    }

    @Test("Settings written and read again are the same")
    func roundTrip() throws {
        #expect(try Settings(parsing: Settings().text) == Settings())
    }

    @Test("Lines may end as other systems end them, and the file may begin with a byte order mark")
    func lineEnds() throws {
        #expect(try Settings(parsing: "\u{FEFF}mirror = desktop\r\nmax-depth = 20\r\n").mirror == .desktop)
    }

    @Test(
        "Times have units",
        arguments: [("0", 0), ("60", 60), ("90s", 90), ("5m", 300), ("24h", 86_400), ("86_400", 86_400)])
    func times(text: String, seconds: Int) throws {
        #expect(try Settings(parsing: "keep-mirror = \(text)").keepMirrorSeconds == seconds)
    }

    @Test(
        "A wrong time says what a time is",
        arguments: [
            "s", "m", "-1", "1.5m", "5 m", "1d", "25h", "86401", "999999999999999999999", "9223372036854775807h", "٣",
        ])
    func wrongTimes(text: String) {
        let error = error("\n\nkeep-mirror = \(text)")
        #expect(error?.line == 3)
        #expect(error?.message.contains("is a time") == true)
        #expect(error?.message.hasSuffix("not `\(text)`") == true)
    }

    @Test(
        "A number outside its range says the range",
        arguments: [
            ("max-nodes-per-application", 1_000...2_000_000), ("max-nodes", 1_000...10_000_000),
            ("max-children-per-object", 100...1_000_000), ("max-depth", 10...10_000), ("max-name-bytes", 64...65_536),
            ("max-calls-in-flight", 8...1_024),
        ])
    func ranges(key: String, range: ClosedRange<Int>) {
        for value in [range.lowerBound, range.upperBound] { #expect(error("\(key) = \(value)") == nil) }
        for value in [
            "\(range.lowerBound - 1)", "\(range.upperBound + 1)", "many", "-5", "1e3", "0x10", "1_", "__", "+9",
        ] {
            let error = error("\(key) = \(value)")
            #expect(
                error?.message
                    == "`\(key)` is a whole number from \(range.lowerBound) to \(range.upperBound), not `\(value)`")
        }
    }

    @Test(
        "Wrong names of programs say what a name is",
        arguments: ["orca,", ",", "or ca", "orca # this", "../orca", "órca"])
    func wrongNames(text: String) {
        #expect(error("technologies = \(text)")?.message.contains("is one or more names of programs") == true)
    }

    @Test("A name of a program given twice, or too many, is wrong")
    func tooManyNames() {
        #expect(error("technologies = orca, orca")?.message.contains("names `orca` twice") == true)
        let many = (0..<17).map { "p\($0)" }.joined(separator: ",")
        #expect(error("technologies = \(many)")?.message.contains("at most 16 names") == true)
    }

    @Test("Another mirror names both that there are")
    func wrongMirror() {
        #expect(
            error("mirror = always")?.description == "line 1: `mirror` is `demand` or `desktop`, not `always`")
    }

    @Test(
        "An unknown key names the nearest and all",
        arguments: [
            ("mirorr", "mirror"), ("keepmirror", "keep-mirror"), ("keep_mirror", "keep-mirror"), ("Mirror", "mirror"),
            ("max-node", "max-nodes"), ("max-nodes-per-app", "max-nodes-per-application"),
            ("technology", "technologies"),
        ])
    func unknownKey(written: String, nearest: String) {
        let message = error("# hm\n\(written) = 1")?.description ?? ""
        #expect(message.hasPrefix("line 2: `\(written)` is not a setting; did you mean `\(nearest)`? there are "))
        #expect(message.contains("`max-calls-in-flight`"))
    }

    @Test("A key like no other names all")
    func strangeKey() {
        let message = error("colour = blue")?.message ?? ""
        #expect(message.hasPrefix("`colour` is not a setting; there are `technologies`, "))
    }

    @Test("A key given twice names both lines")
    func repeated() {
        let error = error("max-depth = 20\n\n# again\nmax-depth = 20")
        #expect(error?.line == 4)
        #expect(error?.message == "`max-depth` is set here and in line 1 already; keep one of the two")
    }

    @Test("A line without a value, without `=`, or of a section says what a line is")
    func noSetting() {
        #expect(error("mirror =")?.message == "`mirror` has no value; without the line it is `demand`")
        #expect(error("mirror")?.message == "`mirror` is not a setting: write `key = value`")
        #expect(error("[mirror]")?.message.hasSuffix("there are no sections") == true)
        #expect(error("= demand")?.message.hasPrefix("`` is not a setting") == true)
    }

    @Test("Control characters, lines too long and bytes that are no text are named with their line")
    func noText() {
        #expect(
            error("mirror = demand\n\u{0}")?.description.hasPrefix("line 2: there is a control character (0x00)")
                == true)
        #expect(error("mirror = \u{1B}[1m")?.message.contains("0x1B") == true)
        #expect(error("a\rb = 1")?.message.contains("0x0D") == true)
        #expect(error("# " + String(repeating: "x", count: Settings.maximumLineBytes - 2)) == nil)
        let long = error("\n# " + String(repeating: "x", count: Settings.maximumLineBytes))
        #expect(long?.description == "line 2: the line has 4098 bytes; at most 4096 are allowed")
        let bytes = Array("# fine\nmirror = ".utf8) + [0xFF, 0xFE]
        #expect(throws: SettingsError(line: 2, message: "this is not UTF-8 text; save the file as UTF-8")) {
            try Settings(parsing: bytes)
        }
    }

    @Test("A message shows the beginning of a long value alone")
    func longValue() {
        let message = error("mirror = " + String(repeating: "x", count: 4_000))?.message ?? ""
        #expect(message.count < 120)
    }

    @Test("No bytes end the program", arguments: 0..<20)
    func anyBytes(seed: UInt64) {
        var state = seed
        func random(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
        let words = [
            "mirror", "=", " ", "\n", "#", "5m", "max-depth", "_", "\t", "\r", "é", "99999999999999999999", ",", "[",
        ]
        for _ in 0..<500 {
            var bytes: [UInt8] = []
            for _ in 0..<random(12) {
                if random(5) == 0 { bytes.append(UInt8(random(256))) } else { bytes += words[random(words.count)].utf8 }
            }
            do throws(SettingsError) {
                let settings = try Settings(parsing: bytes)
                #expect((0...86_400).contains(settings.keepMirrorSeconds))
            } catch {
                #expect(error.line >= 1 && error.line <= bytes.count + 1 && !error.message.isEmpty)
            }
        }
    }
}
