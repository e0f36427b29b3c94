import AccessibilityFocus
import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

extension FocusdTests {
    /// What password fields and terminals hold: not even what toolkits make of it is told to anybody.
    @Suite(.enabled(if: hasRegistry)) struct Secrets {
        private static let fields = ["attributes", "extents", "selector"]

        /// A password field and a terminal with pieces inside, whose names and the like are made of what was typed, and
        /// a label that says the same and is no secret.
        private func withSecrets(
            _ cache: CacheStyle = .modern,
            _ body: (FocusdScene, FakeApplication, (told: Secret, secret: Secret)) async throws -> Void
        ) async throws {
            let (told, secret) = (Secret(), Secret())
            try await withScene(registry: true) { scene in
                let app = try scene.application()
                app.cache = cache
                for (parent, role) in [("password", FakeRole.passwordText), ("terminal", .terminal)] {
                    if parent == "terminal" { try app.add(FakeNode("terminal", role, name: "Terminal"), to: "panel") }
                    app.node(parent).text = secret.text
                    let line = FakeNode("line of \(parent)", .paragraph)
                    let word = FakeNode("word of \(parent)", .label, interfaces: ["Accessible", "Component", "Text"])
                    try app.add(line, to: parent)
                    try app.add(word, to: line.key)
                    for node in [line, word] { say(secret, node) }
                }
                app.node("label").interfaces.append("Text")
                say(told, app.node("label"))
                try await body(scene, app, (told, secret))
            }
        }

        private func say(_ secret: Secret, _ node: FakeNode) {
            (node.name, node.description, node.text) = (secret.text, secret.text, secret.text)
            node.attributes = ["valuetext": secret.text]
        }

        private func expectHidden(_ scene: FocusdScene, _ secrets: (told: Secret, secret: Secret)) throws {
            let client = try scene.client()
            let all = try client.find("*", limit: 1_000, fields: Self.fields)
            let tree = try client.wholeTree()
            for answer in [Data("\(all)".utf8), Data("\(tree)".utf8)] {
                #expect(secrets.told.isPart(of: answer) && !secrets.secret.isPart(of: answer))
            }
            let inside = all.elements.filter { ["paragraph", "label"].contains($0.role) && $0.name.isEmpty }
            #expect(inside.count == 4 && inside.allSatisfy { $0.attributes == nil && $0.extents == nil })
            for attribute in ["name", "description", "text", "valuetext"] {
                let test = "[\(attribute)^='\(secrets.secret.text.prefix(2))']"
                #expect(try client.find(test).elements.map(\.role) == ["label"], "only what is told: \(attribute)")
                #expect(try client.find("[\(attribute)='\(secrets.secret.text)']").elements.isEmpty)
            }
        }

        @Test(arguments: [CacheStyle.modern, .legacy, .missing])
        func `pieces inside of a password field or a terminal are there, without a word of what they say`(
            _ cache: CacheStyle
        ) async throws {
            try await withSecrets(cache) { scene, app, secrets in
                try expectHidden(scene, secrets)
                // What events tell of them is no other.
                try app.rename("word of password", to: secrets.secret.text)
                try app.emit(
                    .propertyChange("accessible-description", .string(secrets.secret.text)), from: "line of terminal")
                let new = FakeNode("new", .label, name: secrets.secret.text)
                try app.add(new, to: "line of terminal", announced: true)
                try scene.wait(within: 20, "the new one") {
                    try scene.client().wholeTree("terminal").nodes.contains {
                        $0.path == new.path && $0.role == "label"
                    }
                }
                let tree = Data("\(try scene.client().wholeTree())".utf8)
                #expect(!secrets.secret.isPart(of: tree))
                for key in ["password", "terminal"] {
                    #expect(app.calls(below: key).allSatisfy { $0.interface != "org.a11y.atspi.Text" })
                    #expect(app.count("GetText", on: key) == 0 && app.count("CharacterCount", on: key) == 0)
                }
            }
        }

        @Test func `a focus inside of a password field is told without a word of what is there`() async throws {
            try await withSecrets { scene, app, secrets in
                let orca = try scene.reader()
                let watch = try await scene.watch(orca, on: "ok", of: app)
                try await orca.present("word of password", of: app)
                let focus = try watch.expect(app, "word of password", cause: "moved")
                #expect(focus.element?.name == "" && focus.element?.description == nil && focus.region == nil)
                try app.rename("word of password", to: secrets.secret.text)
                try await orca.present("label", of: app)
                let next = try watch.next(until: "label") { $0.element?.path == app.node("label").path }
                #expect(next.element?.name == secrets.told.text)
                #expect(!secrets.secret.isPart(of: Data("\(next)".utf8)))
            }
        }

        @Test func `what becomes a password field, or moves into one, is forgotten`() async throws {
            try await withSecrets { scene, app, secrets in
                let client = try scene.client()
                say(secrets.secret, app.node("entry"))
                try app.add(FakeNode("piece", .label, name: secrets.secret.text), to: "entry")
                #expect(try client.find("label[name='\(secrets.secret.text)']").elements.count == 1)
                try app.changeRole("entry", to: .passwordText)
                (app.node("entry").name, app.node("entry").description) = ("Amount", "")
                try scene.wait(within: 20, "its pieces say nothing") {
                    try client.find("label[name='\(secrets.secret.text)']").elements.isEmpty
                }
                #expect(try client.find("password-text > label").elements.map(\.name) == [""])
            }
        }

        @Test func `a field that hides what is typed from now on is not asked for its text`() async throws {
            try await withSecrets { scene, app, secrets in
                let client = try scene.client()
                app.node("entry").text = secrets.secret.text
                let guess = "[text^='\(secrets.secret.text.prefix(8))']"
                #expect(try client.find(guess).elements.map(\.name) == ["Amount"])
                let asked = app.count("GetText", on: "entry")
                // Nobody says so.
                app.node("entry").role = .passwordText
                #expect(try client.find(guess).elements.isEmpty)
                #expect(try client.find("[text='']").elements.allSatisfy { $0.name != "Amount" })
                #expect(asked == 1 && app.count("GetText", on: "entry") == asked)
                #expect(app.count("CharacterCount", on: "entry") == asked)
                #expect(try client.find("password-text").elements.map(\.name) == ["Amount", "Secret"])
            }
        }

        @Test func `where a field becomes a secret its caret is hidden from the next signal on`() async throws {
            try await withSecrets { scene, app, _ in
                let orca = try scene.reader()
                let watch = try await scene.watch(orca, on: "ok", of: app)
                let path = app.node("entry").path
                try await orca.present(mode: "caret-tracking", bus: app.busName, path: path, start: 5, end: 5)
                #expect(try watch.expect(app, "entry", cause: "moved").region == Region(start: 5, end: 5))
                try await orca.present("ok", of: app)
                try watch.expect(app, "ok", cause: "moved")
                try app.changeRole("entry", to: .passwordText)
                try app.connection.settle()
                try await orca.present(mode: "caret-tracking", bus: app.busName, path: path, start: 9, end: 9)
                #expect(try watch.expect(app, "entry", cause: "moved").region == nil)
            }
        }

        @Test func `where it is unknown what an element is inside of, its caret is hidden`() async throws {
            try await withSecrets { scene, app, _ in
                let orca = try scene.reader()
                let watch = try await scene.watch(orca, on: "ok", of: app)
                // Its parent cannot be asked: it may be a password field.
                app.script("GetRole", on: "password", .unknownObject)
                let path = app.node("line of password").path
                try await orca.present(mode: "caret-tracking", bus: app.busName, path: path, start: 9, end: 9)
                #expect(try watch.expect(app, "line of password", cause: "moved").region == nil)
            }
        }

        @Test(arguments: ["password", "word of terminal"])
        func `neither a time nor a count tells how much is typed into a secret`(_ key: String) async throws {
            try await withSecrets { scene, app, _ in
                let orca = try scene.reader()
                let watch = try await scene.watch(orca, on: "ok", of: app)
                let path = app.node(key).path
                try await orca.present(mode: "caret-tracking", bus: app.busName, path: path)
                try watch.expect(app, key, cause: "moved")
                func told() throws -> (Focus, [Int64?], [ApplicationStatistics]) {
                    let statistics = try scene.client().statistics()
                    let counters = ["signals", "moves", "transactions"].map { statistics.counters[$0] }
                    return (try scene.client().focus(of: "orca"), counters, statistics.applications)
                }
                let before = try told()
                for end: Int32 in 1...20 {
                    try await orca.present(mode: "caret-tracking", bus: app.busName, path: path, start: end, end: end)
                }
                // It is heard all the same: what is told in another mode comes after all of these.
                let typed = try told()
                #expect(typed.0 == before.0 && typed.1 == before.1)
                try await orca.present(mode: "say-all", bus: app.busName, path: path)
                try scene.wait(within: 20, "another mode") { try scene.client().focus(of: "orca").mode == "say-all" }
                let after = try told()
                #expect(zip(after.1, before.1).allSatisfy { ($0 ?? 0) - ($1 ?? 0) == 1 })
                // A question for each letter, or an answer, would tell it too; a few belong to having come there.
                #expect(zip(after.2, before.2).allSatisfy { $0.events == $1.events && $0.calls - $1.calls < 20 })
                #expect(after.0.monotonicMicroseconds > before.0.monotonicMicroseconds)
            }
        }

        @Test func `the text of a password field and of a terminal is not in focusd's memory`() async throws {
            try await withScene(registry: true) { scene in
                let app = try scene.application()
                let (told, secret) = (Secret(), Secret())
                try app.add(FakeNode("terminal", .terminal, name: "Terminal"), to: "panel")
                for key in ["password", "terminal"] { app.node(key).text = secret.text }
                app.node("entry").name = told.text
                let client = try scene.client()
                for selector in ["[text^='\(secret.text.prefix(4))']", ":has([text*='\(secret.text.prefix(5))'])"] {
                    #expect(try client.find(selector).elements.isEmpty)
                }
                let found = try MemoryImage.search(scene.focusd.process.pid, for: ["told": told, "secret": secret])
                #expect(found == ["told"])
            }
        }

        @Test(arguments: [[], ["--verbose"]])
        func `the log of a busy desktop names no accessible`(options: [String]) async throws {
            try await withScene(registry: true, options: options) { scene in
                let app = try scene.application()
                let (label, window, value) = (Secret(), Secret(), Secret())
                app.node("label").name = label.text
                app.node("frame").name = window.text
                app.node("entry").text = value.text
                let orca = try scene.reader()
                let stranger = try scene.reader("orcinus")
                let watch = try await scene.watch(orca, on: "ok", of: app)
                let client = try scene.client()
                let bound = try StateWatch(scene.runtimeFolder, ["a": "[name='\(label.text)']"], name: window.text)
                try await stranger.present("label", of: app)
                try await orca.present("label", of: app)
                try watch.expect(app, "label", cause: "moved")
                #expect(try bound.next().value == "a")
                #expect(try client.find("[text='\(value.text)']").elements.count == 1)
                _ = try client.move(to: app.referenceText("ok"), timeoutMilliseconds: 500)
                _ = try client.wholeTree()
                #expect(throws: FocusSocketError.self) { try client.find("label[name='\(label.text)'") }
                #expect(throws: FocusSocketError.self) {
                    try client.waitFor("[name='\(label.text)x']", milliseconds: 1)
                }
                try app.emit(.stateChanged("defunct", 1), from: "label")
                app.stop()
                _ = try client.find("[text='\(value.text)']")
                app.disconnect()
                try scene.wait(within: 20, "the application is gone") {
                    try !client.applications().contains { $0.busName == app.busName }
                }
                // What focusd tells of itself names none either: who asks for numbers is asked for nothing else.
                let numbers = try JSONEncoder().encode(client.statistics())
                let findings = try JSONEncoder().encode(client.diagnose())
                for told in [numbers, findings] {
                    #expect(!told.isEmpty && ![label, window, value].contains { $0.isPart(of: told) })
                }
                let lines = scene.focusd.process.errors.all
                #expect(lines.contains { $0.hasPrefix("<7>focusd: ") } == (options == ["--verbose"]))
                let log = Data(lines.joined(separator: "\n").utf8)
                #expect(!log.isEmpty && ![label, window, value].contains { $0.isPart(of: log) })
            }
        }
    }
}
