import AccessibilityFocus
import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

extension FocusdTests {
    /// The rules of focus states, F1 to F12, as a client of the socket sees them.
    @Suite struct Binds {
        /// A screen reader on a button of an application.
        private func withReader(
            toolkit: FakeToolkit = .gtk3, on key: String = "cancel", registry: Bool = false,
            _ body: (FocusdScene, FakeApplication, FakeScreenReaderProcess) async throws -> Void
        ) async throws {
            try await withScene(registry: registry) { scene in
                let app = try scene.application(toolkit: toolkit)
                let orca = try scene.reader()
                _ = try await scene.watch(orca, on: key, of: app)
                try await body(scene, app, orca)
            }
        }

        @Test(arguments: FakeToolkit.allCases)
        func `F1 F2: focus that enters an element makes its value the state's, and leaving it makes it none`(
            toolkit: FakeToolkit
        ) async throws {
            try await withReader(toolkit: toolkit) { scene, app, orca in
                let state = try scene.bind(["true": "label[name=Total]"])
                #expect(state.first.value == nil && state.first.cause == "initial")
                try await orca.present("label", of: app)
                try state.expect("true", from: nil, "moved", on: app, "label")
                try await orca.present("ok", of: app)
                try state.expect(nil, from: "true", "moved")
            }
        }

        @Test func `F1: a descendant of a bound element is inside of it`() async throws {
            try await withReader { scene, app, orca in
                try app.add(FakeNode("dialog", .dialog, name: "Save", states: .shown), to: "root")
                try app.add(
                    FakeNode("yes", .pushButton, name: "Yes", states: .shown.union(.focusable)), to: "dialog")
                let state = try scene.bind(["dialog": "dialog[name=Save]"])
                try await orca.present("yes", of: app)
                try state.expect("dialog", from: nil, "moved", on: app, "dialog")
            }
        }

        @Test func `F3: straight from one bound element to another is one change`() async throws {
            try await withReader(on: "ok") { scene, app, orca in
                let state = try scene.bind(["a": "push-button[name=OK]", "b": "push-button[name=Cancel]"])
                #expect(state.first.value == "a" && state.first.element?.name == "OK")
                try await orca.present("cancel", of: app)
                try state.expect("b", from: "a", "moved", on: app, "cancel")
                try await orca.present("ok", of: app)
                try state.expect("a", from: "b", "moved", on: app, "ok")
            }
        }

        @Test func `F4: moves inside of the same bound element change nothing`() async throws {
            try await withReader { scene, app, orca in
                let state = try scene.bind(["window": "frame"])
                #expect(state.first.value == "window")
                for key in ["ok", "help", "label"] { try await orca.present(key, of: app) }
                try await orca.present("ok", of: app, mode: "caret-tracking")
                app.disconnect()
                // The next that comes is the end, and nothing came between.
                try state.expect(nil, from: "window", "applicationGone")
            }
        }

        @Test func `F5: the innermost of nested elements wins, and of two for one element the first listed`()
            async throws
        {
            try await withReader { scene, app, orca in
                let nested = try scene.bind([
                    "window": "frame", "panel": "panel", "first": "push-button[name=OK]", "second": "panel > [name=OK]",
                ])
                #expect(nested.first.value == "panel" && nested.first.element?.role == "panel")
                try await orca.present("ok", of: app)
                try nested.expect("first", from: "panel", "moved", on: app, "ok")
                try await orca.present("help", of: app)
                try nested.expect("panel", from: "first", "moved", on: app, "panel")
            }
        }

        @Test(arguments: [
            ("elementGone", "removed"), ("elementHidden", "hidden"), ("applicationGone", "ended"),
            ("technologyGone", "reader"), ("windowDeactivated", "window"),
        ])
        func `F6: no technology says that it leaves, and the value goes all the same`(cause: String, event: String)
            async throws
        {
            try await withReader { scene, app, orca in
                let state = try scene.bind(["true": "push-button[name=Cancel]"])
                #expect(state.first.value == "true")
                switch event {
                case "removed": try app.remove("panel")
                case "hidden": try app.setState(.showing, named: "showing", false, on: "panel")
                case "ended": app.disconnect()
                case "reader": orca.crash()
                default: try app.deactivate("frame")
                }
                try state.expect(nil, from: "true", cause)
            }
        }

        @Test func `F7: one move is one transaction of one revision, leaves first`() async throws {
            try await withReader(on: "ok") { scene, app, orca in
                let session = try SessionWatch(scene.runtimeFolder)
                let client = try scene.client()
                // Those that will enter are made before those that will leave.
                let entering = try (0..<20).map { _ in
                    try #require(client.bind(["in": "label[name=Total]"], in: session.session).state)
                }
                let leaving = try (0..<20).map { _ in
                    try #require(client.bind(["out": "push-button[name=OK]"], in: session.session).state)
                }
                try await orca.present("label", of: app)
                let changes = try (0..<40).map { _ in try session.nextChange() }
                #expect(Set(changes.map(\.revision)).count == 1)
                #expect(changes.prefix(20).map(\.state) == leaving && changes.prefix(20).allSatisfy { $0.value == nil })
                #expect(changes.suffix(20).map(\.state) == entering)
                #expect(changes.suffix(20).allSatisfy { $0.value == "in" && $0.previous == nil })
                #expect(try #require(changes.first).revision == client.focus(of: "orca").revision)
            }
        }

        @Test func `F8: who binds is told the whole value first, then every change`() async throws {
            try await withReader(on: "ok") { scene, app, orca in
                let early = try scene.bind(["a": "push-button[name=OK]", "b": "label"], name: "shared")
                try await orca.present("label", of: app)
                try early.expect("b", from: "a", "moved")
                let late = try scene.bind(["a": "push-button[name=OK]", "b": "label"], name: "shared")
                #expect(late.first.value == "b" && late.first.cause == "initial" && late.first.element?.name == "Total")
                for _ in 0..<50 {
                    try await orca.present("ok", of: app)
                    try await orca.present("label", of: app)
                }
                for watch in [early, late] {
                    for _ in 0..<50 {
                        try watch.expect("a", from: "b", "moved")
                        try watch.expect("b", from: "a", "moved")
                    }
                }
            }
        }

        @Test(.enabled(if: hasRegistry)) func `F9: what is assumed is marked, and what is said then is not`()
            async throws
        {
            try await withScene(registry: true) { scene in
                let app = try scene.application()
                let state = try scene.bind(["true": "push-button[name=OK]"])
                // It is there already and has said nothing yet: it is taken to be where the keyboard is.
                let orca = try scene.reader(registers: true)
                _ = orca
                let assumed = try scene.bindUntilAssumed(state)
                #expect(assumed.value == "true" && assumed.assumed)
                try await orca.present("ok", of: app)
                let said = try state.next()
                #expect(said.value == "true" && said.previous == "true" && !said.assumed)
            }
        }

        @Test func `F10: an element that is renamed matches now, or no longer`() async throws {
            try await withReader { scene, app, _ in
                let state = try scene.bind(["true": "push-button[name=Go]"])
                #expect(state.first.value == nil)
                try app.rename("cancel", to: "Go")
                try state.expect("true", from: nil, "matchChanged", on: app, "cancel")
                try app.rename("cancel", to: "Stop")
                try state.expect(nil, from: "true", "matchChanged")
            }
        }

        @Test func `F10: an element named after what is in it is matched when only that says so`() async throws {
            try await withReader { scene, app, _ in
                try app.add(FakeNode("text", .label, name: "Cancel"), to: "cancel")
                let state = try scene.bind(["true": "push-button[name=Go]"])
                #expect(state.first.value == nil)
                for (name, value, before) in [("Go", "true", nil), ("Stop", nil, "true")] {
                    app.node("cancel").name = name
                    try app.rename("text", to: name)
                    let change = try state.next()
                    #expect(change.value == value && change.previous == before && change.cause == "matchChanged")
                }
            }
        }

        @Test func `F10: an id that an element gets while a technology is on it is matched`() async throws {
            try await withReader { scene, app, _ in
                let early = try scene.bind(["early": "#early", "late": "#late"])
                #expect(early.first.value == nil)
                app.node("cancel").accessibleID = "late"
                try app.emit(.propertyChange("accessible-id", "late"), from: "cancel")
                try early.expect("late", from: nil, "matchChanged", on: app, "cancel")
                // Nobody says so; who binds it is told all the same.
                app.node("cancel").accessibleID = "early"
                let later = try scene.bind(["early": "#early"])
                if later.first.value == nil { try later.expect("early", from: nil, "matchChanged", on: app, "cancel") }
                try early.expect("early", from: "late", "matchChanged", on: app, "cancel")
            }
        }

        @Test func `F10: an application that was started again is matched again`() async throws {
            try await withReader(on: "ok") { scene, app, orca in
                let state = try scene.bind(["true": "application[name=calc] push-button[name=OK]"])
                #expect(state.first.value == "true")
                app.disconnect()
                try state.expect(nil, from: "true", "applicationGone")
                let again = try scene.application()
                try await orca.present("ok", of: again)
                try state.expect("true", from: nil, "moved", on: again, "ok")
            }
        }

        @Test func `F10: states and ancestors that change are matched again`() async throws {
            try await withReader { scene, app, _ in
                let state = try scene.bind(["true": "push-button:checked", "away": "panel[name=Archive]"])
                try app.setState(.checked, named: "checked", true, on: "cancel")
                try state.expect("true", from: nil, "matchChanged", on: app, "cancel")
                try app.setState(.checked, named: "checked", false, on: "cancel")
                try state.expect(nil, from: "true", "matchChanged")
                try app.rename("panel", to: "Archive")
                try state.expect("away", from: nil, "matchChanged", on: app, "panel")
            }
        }

        @Test(.enabled(if: hasRegistry))
        func `F10: what a bound selector looks at is registered for, and no longer when it is gone`() async throws {
            try await withReader(registry: true) { scene, app, _ in
                let peer = try scene.peer()
                let before = try scene.registeredEvents(peer)
                #expect(!before.isEmpty && !before.contains(FocusdScene.plain("object:state-changed")))
                do {
                    let state = try scene.bind(["on": ":checked", "told": "[description^=Sends]"])
                    try scene.settle()
                    let during = try scene.registeredEvents(peer)
                    #expect(during.contains(FocusdScene.plain("object:state-changed")))
                    #expect(during.contains(FocusdScene.plain("object:property-change:accessible-description")))
                    #expect(state.first.value == nil)
                }
                try scene.wait(within: 20, "as before") { try scene.registeredEvents(peer) == before }
            }
        }

        @Test(.enabled(if: hasRegistry))
        func `F10: what only the whole tree tells is matched when the tree changes`() async throws {
            try await withReader(registry: true) { scene, app, orca in
                let state = try scene.bind([
                    "second": "push-button:nth-child(2)", "total": "panel:has(> label[name=Sum]) > push-button",
                ])
                try scene.wait(within: 20, "the tree is known") {
                    try scene.client().state(state.state)?.value == "second"
                }
                try state.expect("second", from: nil, "matchChanged", on: app, "cancel")
                try await orca.present("ok", of: app)
                try state.expect(nil, from: "second", "moved")
                try app.rename("label", to: "Sum")
                try state.expect("total", from: nil, "matchChanged", on: app, "ok")
                try await orca.present("label", of: app)
                try state.expect(nil, from: "total", "moved")
            }
        }

        @Test func `F11: a window that comes back with a silent technology has its value again, assumed`() async throws
        {
            try await withReader(on: "ok") { scene, app, orca in
                try app.moveFocus(to: "ok")
                let state = try scene.bind(["true": "push-button[name=OK]"])
                #expect(state.first.value == "true")
                try app.deactivate("frame")
                try state.expect(nil, from: "true", "windowDeactivated")
                try app.activate("frame")
                let back = try state.expect("true", from: nil, "restored", on: app, "ok")
                #expect(back.assumed)
                try await orca.present("ok", of: app)
                #expect(try !state.next().assumed)
            }
        }

        @Test func `F12: where a technology may move in silence the value is assumed`() async throws {
            try await withReader { scene, app, orca in
                try app.add(FakeNode("page", .documentWeb, name: "Page", states: .shown), to: "panel")
                try app.add(FakeNode("link", .link, name: "More", states: .shown.union(.focusable)), to: "page")
                let state = try scene.bind(["true": "link"])
                try await orca.present("link", of: app)
                #expect(try state.expect("true", from: nil, "moved").assumed)
            }
        }
    }
}

extension FocusdScene {
    /// Binds a state: values with their selectors.
    func bind(
        _ prototypes: KeyValuePairs<String, String>, technologies: [String]? = nil, modes: [String]? = nil,
        name: String? = nil, moves: Bool? = nil
    ) throws -> StateWatch {
        try StateWatch(
            runtimeFolder, prototypes, technologies: technologies, modes: modes, name: name, moves: moves)
    }

    /// The next change that is assumed.
    fileprivate func bindUntilAssumed(_ state: StateWatch) throws -> StateChange {
        if state.first.assumed { return state.first }
        return try state.next()
    }
}

extension StateWatch {
    /// The next change must be this one.
    @discardableResult
    func expect(
        _ value: String?, from previous: String?, _ cause: String, on app: FakeApplication? = nil, _ key: String? = nil,
        within seconds: Int = 20, at location: SourceLocation = #_sourceLocation
    ) throws -> StateChange {
        let change = try next(within: seconds)
        #expect(change.value == value && change.previous == previous, "\(change)", sourceLocation: location)
        #expect(change.cause == cause, sourceLocation: location)
        #expect((change.element == nil) == (value == nil), sourceLocation: location)
        if let app, let key {
            #expect(change.element?.path == app.find(key)?.path, sourceLocation: location)
            #expect(change.element?.busName == app.busName, sourceLocation: location)
        }
        return change
    }
}
