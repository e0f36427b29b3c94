import AccessibilityFocus
import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

extension FocusdTests {
    /// The mirror of an application is what the application is, whatever its signals do.
    @Suite(.enabled(if: hasRegistry)) struct Mirrors {
        /// What a test compares: depth, path, role, name and states of every node, in the order of the tree.
        private static func lines(_ nodes: [Node]) -> [String] {
            nodes.map { "\($0.depth) \($0.path) \($0.role) \($0.name.debugDescription) \($0.states.sorted())" }
        }

        private static func lines(_ walk: [TreeModel.Line]) -> [String] {
            walk.map {
                "\($0.depth) \($0.path) \(roleName($0.role)) \($0.name.debugDescription) \(stateNames($0.states))"
            }
        }

        private static func roleName(_ role: FakeRole) -> String {
            let names: [FakeRole: String] = [
                .application: "application", .frame: "frame", .panel: "panel", .list: "list", .listItem: "list-item",
                .pushButton: "push-button", .label: "label", .checkBox: "check-box", .table: "table",
                .tableCell: "table-cell",
            ]
            return names[role] ?? "role \(role.rawValue)"
        }

        private static func stateNames(_ states: FakeStates) -> [String] {
            let names: [(FakeStates, String)] = [
                (.active, "active"), (.busy, "busy"), (.checked, "checked"), (.collapsed, "collapsed"),
                (.editable, "editable"), (.enabled, "enabled"), (.expandable, "expandable"), (.expanded, "expanded"),
                (.focusable, "focusable"), (.focused, "focused"), (.resizable, "resizable"),
                (.selectable, "selectable"), (.selected, "selected"), (.sensitive, "sensitive"),
                (.showing, "showing"), (.visible, "visible"), (.managesDescendants, "manages-descendants"),
            ]
            return names.filter { states.contains($0.0) }.map(\.1).sorted()
        }

        /// Waits until the tree that focusd tells is the model's; else says where they first differ.
        private func expectEqual(
            _ client: Client, _ rehearsal: TreeRehearsal, within seconds: Double, _ when: String
        ) throws {
            let wanted = Self.lines(rehearsal.walk())
            let deadline = Date(timeIntervalSinceNow: seconds)
            var told = Self.lines(try client.wholeTree().nodes)
            while told != wanted {
                guard Date() < deadline else {
                    let place =
                        zip(told, wanted).enumerated().first { $1.0 != $1.1 }?.offset ?? min(told.count, wanted.count)
                    Issue.record(
                        """
                        \(when): \(told.count) nodes are told of \(wanted.count); line \(place):
                        told \(place < told.count ? told[place] : "nothing")
                        is   \(place < wanted.count ? wanted[place] : "nothing")
                        \(rehearsal)
                        """)
                    throw Missing(what: "the tree of seed \(rehearsal.seed)")
                }
                told = Self.lines(try client.wholeTree().nodes)
            }
        }

        private func withRehearsal(
            _ toolkit: FakeToolkit, seed: UInt64, nodes: Int = 30,
            _ body: (FocusdScene, Client, inout TreeRehearsal) throws -> Void
        ) async throws {
            try await withScene(registry: true) { scene in
                let app = scene.adopt(
                    try FakeApplication(bus: scene.bus.address, name: "model", toolkit: toolkit))
                var rehearsal = try TreeRehearsal(seed: seed, application: app, nodes: nodes)
                let client = try scene.client()
                try expectEqual(client, rehearsal, within: 20, "at first")
                try body(scene, client, &rehearsal)
                #expect(app.count("GetAll") == 0)
            }
        }

        @Test(arguments: [FakeToolkit.gtk3, .gtk4, .qt], [UInt64](1...4))
        func `random changes that are signalled leave the mirror equal to the model`(
            _ toolkit: FakeToolkit, _ seed: UInt64
        ) async throws {
            try await withRehearsal(toolkit, seed: seed) { scene, client, rehearsal in
                for round in 1...8 {
                    for _ in 0..<5 { try rehearsal.step() }
                    try expectEqual(client, rehearsal, within: 30, "after round \(round)")
                }
                // By its signals alone, not because somebody looked.
                #expect(try scene.counter("mirrorReloads") == 0 && scene.counter("mirrorRepairs") == 0)
            }
        }

        @Test(arguments: [SignalDelivery.shuffled, .repeated, .lossy, .silent], [UInt64](11...13))
        func `signals in any order, twice or not at all are made good at the next look`(
            _ delivery: SignalDelivery, _ seed: UInt64
        ) async throws {
            let toolkit: FakeToolkit = seed % 2 == 0 ? .gtk4 : .gtk3
            try await withRehearsal(toolkit, seed: seed) { _, client, rehearsal in
                for round in 1...3 {
                    for _ in 0..<6 { try rehearsal.step(delivery) }
                    // Without any event nobody looks: an application that is idle is left in peace.
                    try rehearsal.step()
                    try expectEqual(client, rehearsal, within: 60, "after round \(round)")
                }
            }
        }

        @Test func `what an event says while the mirror is looked at is looked at after that`() async throws {
            try await withScene(registry: true) { scene in
                let app = try scene.application()
                let client = try scene.client()
                #expect(try client.find("push-button[name=Help]").elements.count == 1)
                try app.rename("ok", to: "Fine")
                // The look lasts as long as this at least.
                app.script("GetChildren", .truth.delayed(by: .milliseconds(400)))
                let before = app.count("Name", on: "help")
                try scene.wait(within: 20, "a look has come to it") { app.count("Name", on: "help") > before }
                #expect(app.count("GetChildren") > 0)
                try app.rename("cancel", to: "Away")
                try scene.wait(within: 20, "the event") { try !client.find("push-button[name=Away]").elements.isEmpty }
                // Nothing says that it is another than it was when it was compared.
                app.node("help").name = "Aid"
                try scene.wait(within: 20, "what came in silence") {
                    try client.find("push-button[name=Aid]").elements.count == 1
                }
            }
        }

        @Test func `an application that says nothing is asked nothing`() async throws {
            try await withRehearsal(.gtk3, seed: 21) { scene, client, rehearsal in
                try rehearsal.step()
                try expectEqual(client, rehearsal, within: 30, "after a change")
                // A wait that cannot be fulfilled is a clock: in that time every look that is due comes to its end. It is
                // about another application, for where somebody waits for something the silent are looked at again.
                let clock = "application[name=\"nobody\"] #nothing"
                #expect(throws: FocusSocketError.self) { try client.waitFor(clock, milliseconds: 6_000) }
                let asked = rehearsal.application.calls.all.count
                #expect(throws: FocusSocketError.self) { try client.waitFor(clock, milliseconds: 6_000) }
                #expect(rehearsal.application.calls.all.count == asked)
                #expect(try scene.counter("mirrorChecks") > 0)
            }
        }
    }
}
