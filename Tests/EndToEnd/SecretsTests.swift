import AccessibilityFocus
import FocusProtocol
import Foundation
import TestDesktop
import Testing

/// What is typed into password fields and terminals of real windows, with a real Orca, is nobody else's business.
@Suite(
    .serialized,
    .enabled(if: Requirements.hasDesktop, "needs Orca and a private process-id namespace: run `make test`"))
struct SecretsTests {
    /// Windows with a part named Secret that hides what is typed, and what its role is.
    enum Place: String, CaseIterable {
        case gtk3, gtk4, firefox, terminal

        var role: String { self == .terminal ? "terminal" : "password-text" }
    }

    @Test(
        "secrets (password fields, terminals) are never stored, sent or logged, nor guessed letter by letter",
        arguments: Place.allCases)
    func neverTold(place: Place) throws {
        let desktop = try PrivateDesktop()
        let focusd = try FocusdProcess(environment: desktop.environment, arguments: ["--verbose"])
        var technologies = try Client(desktop.runtimeFolder).technologies()
        let orca = try RealOrca(on: desktop)
        try technologies.waitUntilActive("orca")
        let window = try SecretWindow(place, on: desktop)
        let client = try Client(desktop.runtimeFolder)
        let tap = Wiretap(desktop.runtimeFolder)
        // Somebody follows all that can be followed, from before the first letter.
        for parameters in [#""technology":"orca","updates":true"#, #""technology":"keyboard","updates":true"#, ""] {
            try tap.stream("GetFocus", parameters)
        }
        try tap.stream("ListApplications")
        try tap.stream("Bind", #""prototypes":[{"value":"all","selector":"*"}]"#)
        try tap.stream("Bind", #""prototypes":[{"value":"secret","selector":"\#(place.role)"}]"#)

        // So that the search is seen to find: what is a name is told, and what is typed elsewhere is read when asked for.
        let (name, plain, secret) = (Secret(), Secret(), Secret())
        try window.tell("rename Second=\(name.text)")
        try window.type(plain, into: "Entry", client)
        let entry = try client.find("[name='Entry'][text^='\(plain.text.prefix(3))']", fields: ["attributes"]).elements
        #expect(entry.map(\.name) == ["Entry"], "what is typed into a plain field is found")

        // Orca's signals come in order: when it has told of the next element it has told of all that was typed.
        try window.come(to: "Secret", client)
        let before = try client.statistics().counters
        try window.type(secret, into: "Secret", client)
        try desktop.press("Left", "Left", "shift+Left", "Right")
        try tap.look(into: place.role)
        try window.come(to: "Entry", client)
        let after = try client.statistics().counters
        for counter in ["signals", "moves", "transactions", "events"] {
            let count = after[counter, default: 0] - before[counter, default: 0]
            // Coming to the field and leaving it sends up to twelve events, however much is typed between.
            let most = counter == "events" ? Secret.length : Secret.length / 2
            #expect(count < Int64(most), "\(counter) tell how much was typed: \(count)")
        }
        try window.come(to: "Secret", client)
        try tap.look(into: place.role)

        #expect(tap.contains(name), "a name is told")
        #expect(!tap.contains(secret), "what was typed is told")
        let said = Data((focusd.process.errors.all + focusd.process.output.all).joined(separator: "\n").utf8)
        #expect(!said.isEmpty && ![name, plain, secret].contains { $0.isPart(of: said) }, "the log tells")
        let found = try MemoryImage.search(focusd.process.pid, for: ["name": name, "secret": secret])
        #expect(found == ["name"], "what is in focusd's memory")

        try guess(secret, place, client, desktop.runtimeFolder)
        withExtendedLifetime((orca, window)) {}
    }

    /// Selectors that would be right of a secret, were they told: none may match what hides it, or anything in it.
    private func guess(_ secret: Secret, _ place: Place, _ client: Client, _ runtimeFolder: String) throws {
        let text = secret.text
        for count in 1...text.count {
            let begin = "'\(text.prefix(count))'"
            var guesses = ["\(place.role)[text^=\(begin)]"]
            if [2, 12, text.count].contains(count) {
                let tests = [
                    "^=\(begin)", "*=\(begin)", "$='\(text.suffix(count))'", "=\(begin)", "==\(begin)", "^=\(begin) i",
                ]
                for attribute in ["text", "name", "description", "id", "valuetext"] {
                    guesses += tests.map { "\(place.role)[\(attribute)\($0)]" }
                }
                let inside = "[text^=\(begin)]"
                guesses += [
                    "\(place.role) \(inside)", "\(place.role):has(\(inside))", "\(place.role):is(frame, \(inside))",
                    "\(place.role):not(:not(\(inside)))", "*:has(> \(place.role)\(inside))",
                    "\(place.role) [name*=\(begin)]",
                ]
            }
            for guess in guesses {
                let found = try client.find(guess)
                // Looked for in all there is, and not left out for want of an answer.
                #expect(found.elements.isEmpty && found.complete, "\(guess): \(found)")
            }
        }
        let right = "\(place.role)[text^='\(text.prefix(2))']"
        #expect(throws: (any Error).self) { try client.waitFor(right, milliseconds: 100) }
        #expect(throws: (any Error).self) { try client.waitFor(right, .focused, milliseconds: 100) }
        #expect(try StateWatch(runtimeFolder, ["right": right]).first.value == nil)
    }
}

/// A real window with a field that hides what is typed into it.
private final class SecretWindow {
    let application: String
    private let process: ChildProcess
    private let window: TestWindow?
    private let desktop: PrivateDesktop
    private let role: String

    init(_ place: SecretsTests.Place, on desktop: PrivateDesktop) throws {
        self.desktop = desktop
        role = place.role
        if let toolkit = TestWindow.Toolkit(rawValue: place.rawValue) {
            let window = try TestWindow(toolkit, on: desktop)
            (self.window, process, application) = (window, window.process, window.application)
        } else {
            process = try ChildProcess(Places.window("terminal-window"), environment: desktop.environment)
            (window, application) = (nil, "terminal-window")
            try process.output.line("READY", within: 40)
        }
    }

    func tell(_ command: String) throws {
        try process.send(command)
        try process.output.line("ok \(command)", within: 30)
    }

    /// Puts the keyboard focus on a part and waits until Orca says that it is there.
    func come(to name: String, _ client: Client) throws {
        let selector = "application[name='\(application)'] " + (name == "Secret" ? role : "[name='\(name)']")
        for _ in 0..<4 {
            // Orca misses what GTK 4 says before the registry lists the new application: it is said again then.
            try tell("focus First")
            try tell("focus \(name)")
            do {
                _ = try client.waitFor(selector, .focused, technology: "orca", milliseconds: 5_000)
                return
            } catch FocusSocketError.refused {
                continue
            }
        }
        throw Missing(what: "Orca did not come to \(name) of \(application)")
    }

    /// Types a text with keys, and waits until the field has it.
    func type(_ secret: Secret, into name: String, _ client: Client) throws {
        try come(to: name, client)
        if name != "Secret" { try desktop.press("ctrl+a") }
        try desktop.press(keys: secret.text.map { String($0) })
        try tell("typed \(name)=\(secret.text)")
    }
}
