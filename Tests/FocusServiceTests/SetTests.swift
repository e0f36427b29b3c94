import AccessibilityFocus
import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

extension FocusdTests {
    /// The rules of setting a value, S1 to S10, as a client of the socket sees them.
    @Suite(.enabled(if: hasRegistry)) struct Sets {
        // MARK: - S1, S2

        @Test(arguments: FakeToolkit.allCases)
        func `S1: setting a value moves the technology there, and its signal makes it the value`(toolkit: FakeToolkit)
            async throws
        {
            try await SetScene.withReader(toolkit: toolkit) { scene, app, _ in
                let state = try scene.bind(SetScene.places)
                let outcome = try scene.client().set(state.state, to: "total")
                #expect(outcome.result == "confirmed" && outcome.route == "activeDescendant")
                #expect(outcome.element?.path == app.node("label").path)
                #expect(outcome.technologies == [TechnologyResult(id: "orca", result: "confirmed")])
                try state.expect("total", from: nil, "set", on: app, "label")
                // The change was there before the answer.
                #expect(try scene.client().state(state.state)?.value == "total")
            }
        }

        @Test func `S1: with technologies each of them must confirm, without them the first is enough`() async throws {
            try await SetScene.withReader { scene, app, _ in
                let odilia = try scene.reader("odilia", follows: false)
                try await odilia.present("cancel", of: app)
                let any = try scene.bind(SetScene.places)
                let both = try scene.bind(SetScene.places, technologies: ["orca", "odilia"])
                #expect(try scene.client().set(any.state, to: "total").result == "confirmed")
                let outcome = try scene.client().set(both.state, to: "help")
                #expect(outcome.result == "timedOut")
                #expect(
                    outcome.technologies == [
                        TechnologyResult(id: "odilia", result: "timedOut"),
                        TechnologyResult(id: "orca", result: "confirmed"),
                    ])
            }
        }

        @Test func `S1: where no technology is active it is refused`() async throws {
            try await withScene(registry: true) { scene in
                _ = try scene.application()
                let state = try scene.bind(SetScene.places)
                let outcome = try scene.client().set(state.state, to: "ok")
                #expect(outcome.result == "refused" && outcome.reason == "technologyNotActive")
            }
        }

        @Test func `S2: every set is answered with what became of it, and only a wrong one with an error`() async throws
        {
            try await SetScene.withReader(follows: false, on: "entry") { scene, app, _ in
                let state = try scene.bind([
                    "total": "label", "ghost": "label[name=Ghost]", "many": "push-button", "hidden": "[name=Hidden]",
                    "far": "application[name=nowhere] label",
                ])
                let client = try scene.client()
                let silent = try client.set(state.state, to: "total")
                #expect(silent.result == "timedOut" && silent.reason == "noConfirmation")
                let none = try client.set(state.state, to: "ghost", milliseconds: 300)
                #expect(none.result == "notFound" && none.reason == "noMatch")
                let far = try client.set(state.state, to: "far", milliseconds: 300)
                #expect(far.result == "notFound" && far.reason == "noSuchApplication")
                let many = try client.set(state.state, to: "many", milliseconds: 300)
                #expect(
                    many.result == "ambiguous" && many.matches == app.subtree("root").count { $0.role == .pushButton })
                let hidden = try client.set(state.state, to: "hidden")
                #expect(hidden.result == "refused" && hidden.reason == "elementHidden")
                #expect(try client.state(state.state)?.value == nil)
                let unknown = scene.refusal { try client.set(state.state, to: "nothing") }
                #expect(
                    unknown?.name == FocusError.UnknownValue.name && unknown?.parameters["value"] == .string("nothing"))
                let nobody = scene.refusal { try client.set("nobody", to: "total") }
                #expect(nobody?.name == FocusError.UnknownState.name)
                for milliseconds in [0, 60_001] {
                    let error = scene.refusal { try client.set(state.state, to: "total", milliseconds: milliseconds) }
                    #expect(error?.parameters["parameter"] == .string("timeoutMilliseconds"))
                }
                let route = scene.refusal { try client.set(state.state, to: "total", routes: ["magic"]) }
                #expect(route?.parameters["parameter"] == .string("routes"))
            }
        }

        @Test func `F9: the value is never what was hoped for`() async throws {
            try await SetScene.withReader(follows: false, on: "ok") { scene, app, orca in
                let state = try scene.bind(SetScene.places)
                let setting = scene.setting(state.state, to: "total")
                try scene.wait(within: 20, "the set is under way") {
                    try scene.client().state(state.state)?.pendingSets == 1
                }
                #expect(try scene.client().state(state.state)?.value == "ok")
                #expect(try setting.value(within: 60).result == "timedOut")
                #expect(try scene.client().state(state.state)?.value == "ok")
                try await orca.present("help", of: app)
                // Nothing was told between.
                try state.expect("help", from: "ok", "moved")
            }
        }

        // MARK: - S3

        @Test func `S3: a set waits for its element`() async throws {
            try await SetScene.withReader { scene, app, _ in
                let state = try scene.bind(["note": "notification > label"])
                let setting = scene.setting(state.state, to: "note")
                try scene.wait(within: 20, "it waits") { try scene.client().state(state.state)?.pendingSets == 1 }
                try app.add(FakeNode("note", .notification, name: "Mail", states: .shown), to: "frame", announced: true)
                try app.add(FakeNode("text", .label, name: "From Ada", states: .shown), to: "note", announced: true)
                let outcome = try setting.value(within: 60)
                #expect(outcome.result == "confirmed" && outcome.element?.name == "From Ada")
                try state.expect("note", from: nil, "set", on: app, "text")
                try app.remove("note")
                try state.expect(nil, from: "note", "elementGone")
                #expect(try scene.client().state(state.state)?.pendingSets == 0)
            }
        }

        @Test func `S3: of several prototypes of a value the first that has an element is taken`() async throws {
            try await SetScene.withReader { scene, _, _ in
                let state = try scene.bind(["x": "label[name=Ghost]", "x": "push-button[name=Help]", "x": "label"])
                let outcome = try scene.client().set(state.state, to: "x")
                #expect(outcome.result == "confirmed" && outcome.element?.name == "Help")
            }
        }

        // MARK: - S4

        @Test func `S4: of two that race exactly one is confirmed`() async throws {
            try await SetScene.withReader { scene, app, _ in
                let state = try scene.bind(SetScene.places, name: "race")
                for _ in 0..<20 {
                    let racers = [scene.setting("race", to: "total"), scene.setting("race", to: "help")]
                    let outcomes = try racers.map { try $0.value(within: 60) }
                    let results = outcomes.map(\.result).sorted()
                    // One after the other both are: only where they overlap one is superseded.
                    #expect(
                        results == ["confirmed", "superseded"] || results == ["confirmed", "confirmed"], "\(outcomes)")
                    let winner = try scene.client().state("race")?.value
                    if results == ["confirmed", "superseded"] {
                        #expect(winner == (outcomes[0].result == "confirmed" ? "total" : "help"))
                    }
                    #expect(try scene.client().set("race", to: "ok").result == "confirmed")
                }
                _ = state
            }
        }

        @Test func `S4: identical sets that overlap share one outcome`() async throws {
            try await SetScene.withReader(follows: false) { scene, app, orca in
                let state = try scene.bind(SetScene.places, name: "shared")
                let racers = (0..<4).map { _ in scene.setting("shared", to: "total") }
                try scene.wait(within: 20, "all are under way") { try scene.client().state("shared")?.pendingSets == 4 }
                try await orca.present("label", of: app)
                var outcomes = try racers.map { try $0.value(within: 60) }
                #expect(outcomes.allSatisfy { $0.result == "confirmed" })
                for index in outcomes.indices { outcomes[index].elapsedMilliseconds = 0 }
                #expect(Set(outcomes).count == 1)
                #expect(try state.next().value == "total")
            }
        }

        @Test func `S4: a set that waits for its element is not superseded by a move elsewhere`() async throws {
            try await SetScene.withReader { scene, app, _ in
                let waiting = try scene.bind(["note": "notification"])
                let setting = scene.setting(waiting.state, to: "note")
                try scene.wait(within: 20, "it waits") { try scene.client().state(waiting.state)?.pendingSets == 1 }
                #expect(try scene.client().move(to: app.referenceText("help")).result == "confirmed")
                try app.add(FakeNode("note", .notification, name: "Mail", states: .shown), to: "frame", announced: true)
                #expect(try setting.value(within: 60).result == "confirmed")
            }
        }

        @Test func `S4: who goes away takes the set along`() async throws {
            try await SetScene.withReader { scene, app, _ in
                let state = try scene.bind(["note": "notification"])
                do {
                    let client = try scene.client()
                    _ = try client.stream(
                        SetValue.self, .init(state: state.state, value: "note", timeoutMilliseconds: 60_000))
                    try scene.wait(within: 20, "it waits") { try scene.client().state(state.state)?.pendingSets == 1 }
                }
                try scene.wait(within: 20, "it is gone") { try scene.client().state(state.state)?.pendingSets == 0 }
                try app.add(FakeNode("note", .notification, name: "Mail", states: .shown), to: "frame", announced: true)
                #expect(try scene.client().waitFor("notification") != nil)
                #expect(try scene.client().focus(of: "orca").element?.name == "Cancel")
            }
        }

        @Test func `S4: one process has no more than its share of pending sets`() async throws {
            try await SetScene.withReader { scene, _, _ in
                let session = try SessionWatch(scene.runtimeFolder)
                let client = try scene.client()
                let states = try (0..<65).map { _ in
                    try #require(client.bind(["note": "notification"], in: session.session).state)
                }
                let sets = try PipelinedSets(scene.runtimeFolder)
                for state in states.dropLast() { try sets.send(state, "note") }
                try scene.wait(within: 20, "all wait") { try client.states().count { $0.pendingSets == 1 } == 64 }
                let error = scene.refusal { try client.set(states[64], to: "note") }
                #expect(error?.parameters["limit"] == .string("maximumPendingSetsPerProcess"))
                try client.unbind(states[0])
                #expect(try sets.next().reason == "unbound")
                let waiting = scene.setting(states[64], to: "note")
                try scene.wait(within: 20, "there is room") { try client.state(states[64])?.pendingSets == 1 }
                try client.unbind(states[64])
                #expect(try waiting.value(within: 60).reason == "unbound")
            }
        }

        // MARK: - S5

        @Test func `S5: setting the value that it has is confirmed at once, in silence`() async throws {
            try await SetScene.withReader(on: "ok") { scene, app, orca in
                let state = try scene.bind(SetScene.places)
                let before = try await orca.presentedCount()
                let outcome = try scene.client().set(state.state, to: "ok")
                #expect(outcome.result == "confirmed" && outcome.route == "none" && outcome.element?.name == "OK")
                #expect(outcome.keyboardFocus == "alreadyThere")
                #expect(try await orca.presentedCount() == before && app.count("GrabFocus") == 0)
            }
        }

        @Test func `S5: again presents the element anew`() async throws {
            try await SetScene.withReader(on: "label") { scene, app, orca in
                let state = try scene.bind(SetScene.places)
                let before = try await orca.presentedCount()
                let outcome = try scene.client().set(state.state, to: "total", again: true)
                #expect(outcome.result == "confirmed" && outcome.route == "activeDescendant")
                #expect(try await orca.presentedCount() == before + 2)
                try await orca.present("ok", of: app)
                // It never changed meanwhile.
                try state.expect("ok", from: "total", "moved")
            }
        }

        @Test func `S5: inside of a bound element counts as there`() async throws {
            try await SetScene.withReader { scene, app, orca in
                let state = try scene.bind(["window": "frame"])
                let before = try await orca.presentedCount()
                let outcome = try scene.client().set(state.state, to: "window")
                #expect(outcome.result == "confirmed" && outcome.route == "none")
                #expect(try await orca.presentedCount() == before)
            }
        }

        // MARK: - S6

        @Test func `S6: none gives the focus back to where it was before`() async throws {
            try await SetScene.withReader(on: "cancel") { scene, app, _ in
                let state = try scene.bind(["total": "label[name=Total]"])
                #expect(try scene.client().set(state.state, to: "total").result == "confirmed")
                let outcome = try scene.client().set(state.state, to: nil)
                #expect(outcome.result == "confirmed" && outcome.element?.name == "Cancel", "\(outcome)")
                try state.expect("total", from: nil, "set")
                try state.expect(nil, from: "total", "set")
                #expect(try scene.client().focus(of: "orca").element?.name == "Cancel")
                // The keyboard had not been moved, and is not.
                #expect(app.count("GrabFocus") == 0)
            }
        }

        @Test func `S6: the keyboard goes back only where a set had moved it`() async throws {
            try await SetScene.withReader(on: "ok") { scene, app, _ in
                let state = try scene.bind(["help": "push-button[name=Help]"])
                let there = try scene.client().set(state.state, to: "help")
                #expect(there.route == "grabFocus" && there.keyboardFocus == "moved")
                let back = try scene.client().set(state.state, to: nil)
                #expect(back.result == "confirmed" && back.element?.name == "OK" && back.keyboardFocus == "moved")
                #expect(app.node("ok").states.contains(.focused) && !app.node("help").states.contains(.focused))
            }
        }

        @Test func `S6: where that place is gone it is the keyboard's, else the window`() async throws {
            try await SetScene.withReader(on: "cancel") { scene, app, _ in
                let state = try scene.bind(["total": "label[name=Total]"])
                #expect(try scene.client().set(state.state, to: "total").result == "confirmed")
                try app.remove("cancel")
                let keyboards = try scene.client().set(state.state, to: nil)
                #expect(keyboards.result == "confirmed" && keyboards.element?.name == "OK", "\(keyboards)")
            }
        }

        @Test func `S6: none while it is none cancels what is pending`() async throws {
            try await SetScene.withReader { scene, app, orca in
                let state = try scene.bind(["note": "notification"])
                let setting = scene.setting(state.state, to: "note")
                try scene.wait(within: 20, "it waits") { try scene.client().state(state.state)?.pendingSets == 1 }
                let before = try await orca.presentedCount()
                let none = try scene.client().set(state.state, to: nil)
                #expect(none.result == "confirmed" && none.route == "none")
                let outcome = try setting.value(within: 20)
                #expect(outcome.result == "superseded" && outcome.reason == "newerRequest")
                try app.add(FakeNode("note", .notification, name: "Mail", states: .shown), to: "frame", announced: true)
                #expect(try scene.client().waitFor("notification") != nil)
                #expect(try await orca.presentedCount() == before)
            }
        }

        // MARK: - One connection

        @Test func `S4: on one connection a second set for the same shares the move that is under way`() async throws {
            try await SetScene.withReader(follows: false) { scene, app, orca in
                let state = try scene.bind(SetScene.places)
                let sets = try PipelinedSets(scene.runtimeFolder)
                try sets.send(state.state, "help")
                _ = try await app.waitForCall("GrabFocus", on: "help", within: .seconds(20))
                try sets.send(state.state, "help")
                try scene.wait(within: 20, "both are under way") {
                    try scene.client().state(state.state)?.pendingSets == 2
                }
                try await orca.present("help", of: app)
                for _ in 0..<2 { #expect(try sets.next().result == "confirmed") }
                #expect(app.count("GrabFocus") == 1)
            }
        }

        @Test func `on one connection a later set replaces an earlier one that waits`() async throws {
            try await SetScene.withReader { scene, _, _ in
                let state = try scene.bind(["note": "notification", "total": "label"])
                let sets = try PipelinedSets(scene.runtimeFolder)
                try sets.send(state.state, "note")
                try sets.send(state.state, "total")
                let (first, second) = (try sets.next(), try sets.next())
                #expect(first.result == "superseded" && first.reason == "newerRequest")
                #expect(second.result == "confirmed" && second.element?.name == "Total")
            }
        }
    }
}

extension FocusdScene {
    /// A set on a connection of its own, in the background.
    func setting(
        _ state: String, to value: String?, again: Bool? = nil, milliseconds: Int = 30_000
    ) -> Background<Outcome> {
        Background { [folder = runtimeFolder] in
            try Client(folder).set(state, to: value, again: again, milliseconds: milliseconds)
        }
    }
}
