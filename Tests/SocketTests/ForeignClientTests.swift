import FakePeers
import Foundation
import TestDesktop
import Testing

/// The Python package `varlink` as a client that nobody here wrote.
@Suite(.serialized) struct ForeignClientTests {
    @Test(.enabled(if: Needs.hasForeignClient, "no .venv: run `scripts/install-packages test`"))
    func `an ordinary Varlink client works unchanged`() async throws {
        try await withBusyService { busy in
            let (application, reader) = (busy.application, busy.reader)
            try await reader.follow(true)
            try await reader.setDescendants(.follow)
            let script = "\(Places.package)/Tests/SocketTests/foreign_client.py"
            let client = try TestDesktop.ChildProcess(
                Needs.python, [script, busy.service.socket, application.referenceText("label")],
                environment: ["PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"])
            func says(_ line: String) throws {
                let step = line.split(separator: " ").first.map(String.init) ?? line
                do {
                    let said = try client.output.first(within: 30, line) { $0.hasPrefix("\(step) ") }
                    #expect(said == line)
                } catch {
                    throw Missing(what: "\(error)", seen: client.errors.all)
                }
            }
            try says(#"info ["focusd", ["io.focusd.Focus", "org.varlink.service"]]"#)
            let methods = try client.output.first("methods") { $0.hasPrefix("methods ") }
            #expect(methods.contains("GetFocus") && methods.contains("Diagnose"))
            try says(#"focus "OK""#)
            try says(#"orca "OK""#)
            try says(#"technologies [["orca", true], ["odilia", false], ["keyboard", true]]"#)
            try says(#"error ["io.focusd.Focus.UnknownTechnology", {"id": "nobody"}]"#)
            try says(#"error ["InvalidParameter", {"parameter": "element"}]"#)
            try says(#"outcome ["confirmed", "Total"]"#)
            try says(#"watching ["Total", "initial", true]"#)
            try await reader.present("cancel", of: application)
            try says(#"change ["Cancel", "moved", "Total"]"#)
            try await reader.present("help", of: application)
            try says(#"change ["Help", "moved", "Cancel"]"#)
            try await reader.present("ok", of: application)
            try says(#"change ["OK", "moved", "Help"]"#)
            try says("end null")
            #expect(try client.wait() == 0)
            #expect(try busy.service.client().call(Wire.getFocus).elementName == "OK")
        }
    }
}
