import FocusProtocol
import Foundation
import Testing

@Suite struct TerminalTests {
    private func desktop(name: String = "Save", title: String = "Save changes?") throws -> Desktop {
        let window = Window(busName: ":1.5", path: "/w", name: title)
        return try Desktop(
            focus: [
                "orca": Samples.orca(on: Samples.button(name: name, window: window), assumed: true),
                "keyboard": Samples.keyboard(),
            ],
            replies: [
                "Diagnose": [
                    try Samples.reply(
                        Diagnose.Reply(
                            findings: [Finding(code: "x", severity: "error", what: "Bad.", whatToDo: "Mend it.")],
                            version: focusdVersion))
                ]
            ])
    }

    @Test func columnsAreAlignedAndNothingIsColouredWhereTheTerminalIsDumb() throws {
        let desktop = try desktop()
        defer { desktop.end() }
        for environment in [["TERM": "dumb"], [:], ["TERM": "xterm", "NO_COLOR": "1"]] {
            let result = try Focusctl.run(in: desktop.folder, environment: environment, terminalWidth: 120)
            #expect(
                result.output == """
                    orca      push-button  "Save"     in "Save changes?" of gedit  focus-tracking  (assumed)  1 min ago
                    keyboard  entry        (no name)  of "LibreOffice Writer"                                 1 min ago

                    """)
        }
    }

    @Test func coloursMarkWhatMatters() throws {
        let desktop = try desktop()
        defer { desktop.end() }
        let result = try Focusctl.run(
            "get", "orca", in: desktop.folder, environment: ["TERM": "xterm"], terminalWidth: 120)
        #expect(
            result.output
                == "\u{1B}[1;36morca\u{1B}[0m  push-button  \u{1B}[1m\"Save\"\u{1B}[0m  \u{1B}[2min \"Save changes?\" of gedit"
                + "\u{1B}[0m  focus-tracking  \u{1B}[33m(assumed)\u{1B}[0m  \u{1B}[2m1 min ago\u{1B}[0m\n")
        let systemctl = try FakeSystemctl(in: desktop.folder)
        let doctor = try Focusctl.run(
            "doctor", in: desktop.folder, environment: ["TERM": "xterm", "PATH": systemctl.path], terminalWidth: 80)
        #expect(doctor.output == "\u{1B}[1;31merror: \u{1B}[0mBad.\n    Mend it.\n")
    }

    @Test func headingsAreOnTerminalsOnly() throws {
        let desktop = try desktop()
        defer { desktop.end() }
        let result = try Focusctl.run("technologies", in: desktop.folder, terminalWidth: 80)
        #expect(
            result.output == """
                technology  state       version  process  bus name
                keyboard    active
                orca        active      43.1     pid 99   :1.7
                odilia      not active

                """)
    }

    @Test(arguments: [20, 40, 60, 80, 100, 200] as [UInt16]) func noLineIsWiderThanTheTerminal(width: UInt16) throws {
        for name in ["a name that is long enough to be cut everywhere", String(repeating: "漢字", count: 300)] {
            let desktop = try desktop(name: name, title: String(repeating: "long title ", count: 30))
            defer { desktop.end() }
            let result = try Focusctl.run(in: desktop.folder, terminalWidth: width)
            let lines = result.output.split(separator: "\n")
            #expect(lines.count == 2)
            for line in lines {
                let cells = line.unicodeScalars.reduce(0) { $0 + ((0x4E00...0x9FFF).contains($1.value) ? 2 : 1) }
                #expect(cells <= width, "\(line)")
            }
        }
    }

    @Test func longNamesAreCutAndTheWordsAroundThemStay() throws {
        let desktop = try desktop(
            name: "A button whose name goes on and on and on", title: "A window whose title goes on and on and on")
        defer { desktop.end() }
        let result = try Focusctl.run("get", "orca", in: desktop.folder, terminalWidth: 100)
        #expect(
            result.output == """
                orca  push-button  "A button who…"  in "A window wh…" of gedit  focus-tracking  (assumed)  1 min ago

                """)
    }

    @Test func noActiveTechnologyIsSaidOnATerminal() throws {
        let desktop = try Desktop(focus: ["keyboard": Samples.keyboard(on: nil)], technologies: [])
        defer { desktop.end() }
        #expect(
            try Focusctl.run(in: desktop.folder, terminalWidth: 80).output == """
                no assistive technology is active
                keyboard  nowhere

                """)
        #expect(try Focusctl.run(in: desktop.folder).output == "keyboard  nowhere\n")
    }
}
