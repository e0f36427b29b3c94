import FocusProtocol
import Foundation
import Glibc
import Testing

@Suite struct WatchTests {
    private func watching(
        _ focuses: [Focus], thenHangUp: Bool = false, technology: String? = nil
    ) throws -> Desktop {
        var steps = try focuses.map { try Samples.reply(GetFocus.Reply(focus: $0), continues: true) }
        if thenHangUp { steps.append(.hangUp) }
        return try Desktop(replies: ["GetFocus": steps])
    }

    @Test func eachMoveIsALineAtOnceAndTheServicesEndIsFour() throws {
        let desktop = try watching([
            Samples.orca(on: Samples.button()),
            Samples.orca(on: Samples.button(name: "Cancel"), cause: "moved"),
            Samples.orca(on: Samples.button(name: "Help"), cause: "set"),
            Samples.orca(on: nil, mode: nil, cause: "windowDeactivated"),
        ])
        defer { desktop.end() }
        let watch = try Focusctl(["watch"], runtimeFolder: desktop.folder.path)
        let place = #"in "Save changes?" of gedit  focus-tracking"#
        #expect(try watch.readLine() == #"orca  push-button  "Save"  \#(place)  1 min ago"#)
        #expect(try watch.readLine() == #"orca  push-button  "Cancel"  \#(place)"#)
        #expect(try watch.readLine() == #"orca  push-button  "Help"  \#(place)  (moved by focusd)"#)
        #expect(try watch.readLine() == "orca  nowhere  (the window was left)")
        // All of this was written while the stream was open; only now the service goes away.
        desktop.end()
        let result = try watch.finish()
        #expect(result.exitCode == 4)
        #expect(
            result.errors == """
                focusctl: focusd closed the connection at \(desktop.folder.socket)
                It was stopped or restarted. 'focusctl doctor' looks for the reason.

                """)
        #expect(desktop.service.calls == [#"{"method":"io.focusd.Focus.GetFocus","more":true,"parameters":{}}"#])
    }

    @Test func technologyAndUpdatesAreAskedFor() throws {
        let desktop = try watching([Samples.keyboard()], thenHangUp: true)
        defer { desktop.end() }
        _ = try Focusctl.run("watch", "--updates", "keyboard", in: desktop.folder)
        #expect(
            desktop.service.calls == [
                #"{"method":"io.focusd.Focus.GetFocus","more":true,"parameters":{"technology":"keyboard","updates":true}}"#
            ])
    }

    @Test func jsonIsOneFocusALine() throws {
        let focuses = [Samples.orca(on: Samples.button()), Samples.orca(on: Samples.button(name: "B"), cause: "moved")]
        let desktop = try watching(focuses, thenHangUp: true)
        defer { desktop.end() }
        let result = try Focusctl.run("watch", "--json", in: desktop.folder)
        let lines = result.output.split(separator: "\n")
        #expect(try lines.map { try JSONDecoder().decode(Focus.self, from: Data($0.utf8)) } == focuses)
        #expect(result.exitCode == 4)
    }

    @Test func noActiveTechnologyIsSaidAndWatchedOn() throws {
        let none = Focus(assumed: false, cause: "initial", revision: 1, monotonicMicroseconds: 0)
        let desktop = try watching([none, Samples.orca(on: Samples.button(), cause: "moved")], thenHangUp: true)
        defer { desktop.end() }
        let lines = try Focusctl.run("watch", in: desktop.folder).output.split(separator: "\n")
        #expect(lines.first == "no assistive technology is active")
        #expect(lines.count == 2)
    }

    @Test func readerThatGoesAwayEndsItQuietlyWithoutAnotherMove() throws {
        let desktop = try watching([Samples.orca(on: Samples.button())])
        defer { desktop.end() }
        let watch = try Focusctl(["watch"], runtimeFolder: desktop.folder.path)
        _ = try watch.readLine()
        watch.closeOutput()
        let result = try watch.finish()
        #expect(result.exitCode == 0)
        #expect(result.errors == "")
    }

    @Test func interruptEndsIt() throws {
        let desktop = try watching([Samples.orca(on: Samples.button())])
        defer { desktop.end() }
        let watch = try Focusctl(["watch"], runtimeFolder: desktop.folder.path)
        _ = try watch.readLine()
        watch.send(signal: SIGINT)
        let result = try watch.finish()
        #expect(result.exitCode == 128 + SIGINT)
        #expect(result.errors == "")
    }

    @Test func streamThatEndsInOrderIsShownToItsEnd() throws {
        let last = try Samples.reply(GetFocus.Reply(focus: Samples.orca(on: Samples.button())))
        let desktop = try Desktop(replies: ["GetFocus": [last]])
        defer { desktop.end() }
        let result = try Focusctl.run("watch", in: desktop.folder)
        #expect(result.output.split(separator: "\n").count == 1)
        #expect(result.exitCode == 4)
    }

    @Test func slowReaderIsToldWhy() throws {
        let desktop = try Desktop(replies: ["GetFocus": [Samples.error("io.focusd.Focus.SubscriberTooSlow")]])
        defer { desktop.end() }
        let result = try Focusctl.run("watch", in: desktop.folder)
        #expect(result.errors.hasPrefix("focusctl: focusd ended the stream, because it was not read fast enough\n"))
        #expect(result.exitCode == 1)
    }

    @Test func manyMovesInPiecesOfAnySizeAreAllShownInOrder() throws {
        var bytes: [UInt8] = []
        for number in 0..<500 {
            let focus = Samples.orca(on: Samples.button(name: String(number)), cause: "moved")
            guard case .message(let text) = try Samples.reply(GetFocus.Reply(focus: focus), continues: true) else {
                return
            }
            bytes += Array(text.utf8) + [0]
        }
        let pieces = stride(from: 0, to: bytes.count, by: 997).map {
            ScriptedService.Step.bytes(Array(bytes[$0..<min($0 + 997, bytes.count)]))
        }
        let desktop = try Desktop(replies: ["GetFocus": pieces + [.hangUp]])
        defer { desktop.end() }
        let result = try Focusctl.run("watch", in: desktop.folder)
        let names = result.output.split(separator: "\n").map { $0.split(separator: "\"")[1] }
        #expect(names == (0..<500).map { Substring(String($0)) })
    }
}
