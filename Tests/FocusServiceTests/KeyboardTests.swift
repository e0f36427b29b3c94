import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

extension FocusdTests {
    /// Where typed keys go: from what toolkits say, each confirmed by live state.
    @Suite struct Keyboard {
        /// A scene whose keyboard is followed and on `ok`.
        private func withKeyboard(
            toolkit: FakeToolkit = .gtk3, _ body: (FocusdScene, FakeApplication, FocusWatch) async throws -> Void
        ) async throws {
            try await withScene { scene in
                let app = try scene.application(toolkit: toolkit)
                let watch = try scene.watch("keyboard")
                try scene.settle()
                try app.moveFocus(to: "cancel")
                try watch.next(until: "cancel") { $0.element?.name == "Cancel" }
                try app.moveFocus(to: "ok")
                try watch.expect(app, "ok", cause: "moved")
                try scene.settle()
                try await body(scene, app, watch)
            }
        }

        /// The next change is to this node; `assumed` nothing, and from the one before.
        private func expectMove(
            _ watch: FocusWatch, _ app: FakeApplication, _ key: String, from name: String?,
            at location: SourceLocation = #_sourceLocation
        ) throws {
            let change = try watch.expect(app, key, cause: "moved", at: location)
            #expect(change.technology == "keyboard", sourceLocation: location)
            #expect(change.previous?.name == name, sourceLocation: location)
        }

        @Test(arguments: [false, true])
        func `the legacy focus event counts once, alone or with the other`(isBoth: Bool) async throws {
            try await withKeyboard { _, app, watch in
                app.node("ok").states.remove(.focused)
                app.node("entry").states.insert(.focused)
                try app.emit(.legacyFocus, from: "entry")
                if isBoth { try app.emitFocused("entry", 1) }
                try expectMove(watch, app, "entry", from: "OK")
                try app.moveFocus(to: "help")
                try expectMove(watch, app, "help", from: "Amount")
            }
        }

        @Test func `a claim without the FOCUSED state counts while nothing else has the state`() async throws {
            try await withKeyboard { _, app, watch in
                try app.dropFocus()
                try app.emitFocused("help", 1)
                try expectMove(watch, app, "help", from: "OK")
                // It leaves when another enters.
                try app.moveFocus(to: "entry")
                try expectMove(watch, app, "entry", from: "Help")
            }
        }

        @Test func `a claim without the FOCUSED state is nothing while another has it`() async throws {
            try await withKeyboard { scene, app, watch in
                let place = app.calls.count
                try app.emitFocused("help", 1)
                _ = try await app.waitForCall("GetState", on: "ok", from: place)
                try app.connection.settle()
                try scene.settle()
                try app.moveFocus(to: "entry")
                try expectMove(watch, app, "entry", from: "OK")
            }
        }

        @Test func `live state decides, whatever the cache said`() async throws {
            try await withKeyboard { _, app, watch in
                app.node("help").isInCache = false
                app.node("ok").states.remove(.focused)
                app.node("help").states.insert(.focused)
                try app.emitFocused("help", 1)
                try expectMove(watch, app, "help", from: "OK")
                #expect(app.count("GetItems") == 0)
            }
        }

        @Test func `focus that has gone on before it is asked ends where it is`() async throws {
            try await withKeyboard { _, app, watch in
                app.node("ok").states.remove(.focused)
                app.node("entry").states.insert(.focused)
                try app.emitFocused("help", 1)
                try app.emitFocused("entry", 1)
                try watch.next(until: "entry") { $0.element?.name == "Amount" }
                try app.moveFocus(to: "cancel")
                try expectMove(watch, app, "cancel", from: "Amount")
            }
        }

        @Test(arguments: 1...4)
        func `one move is one change, in whatever order its events come`(order: Int) async throws {
            try await withKeyboard { _, app, watch in
                app.node("ok").states.remove(.focused)
                app.node("entry").states.insert(.focused)
                switch order {
                case 1:
                    try app.emitFocused("ok", 0)
                    try app.emitFocused("entry", 1)
                    try app.emitFocused("entry", 1)
                case 2:
                    try app.emitFocused("ok", 0)
                    try app.emitFocused("entry", 1)
                    try app.emit(.window("Activate"), from: "frame")
                case 3:
                    try app.emit(.window("Activate"), from: "frame")
                    try app.emitFocused("ok", 0)
                    try app.emitFocused("entry", 1)
                default:
                    try app.emitFocused("entry", 1)
                    try app.emitFocused("ok", 0)
                }
                try expectMove(watch, app, "entry", from: "OK")
                try app.moveFocus(to: "help")
                try expectMove(watch, app, "help", from: "Amount")
            }
        }

        @Test(arguments: ["panel", "frame"])
        func `an ancestor that claims focus just after the widget is passed over`(key: String) async throws {
            try await withKeyboard { _, app, watch in
                try app.moveFocus(to: "help")
                try app.emitFocused(key, 1)
                try expectMove(watch, app, "help", from: "OK")
                _ = try await app.waitForCall("GetState", on: key)
                try app.connection.settle()
                // A move that is real: the widget has lost it, the ancestor has it.
                try app.moveFocus(to: key)
                try expectMove(watch, app, key, from: "Help")
            }
        }

        @Test func `a list that hands its focus on to an item ends on the item`() async throws {
            try await withKeyboard(toolkit: .qt) { _, app, watch in
                try app.add(
                    FakeNode(
                        "list", .list, name: "List", states: .shown.union(.focusable),
                        children: [FakeNode("item", .listItem, name: "Item", states: .shown.union(.focusable))]),
                    to: "panel")
                for _ in 0..<20 {
                    try app.moveFocus(to: "list")
                    try app.moveFocus(to: "item")
                    try watch.next(until: "item") { $0.element?.name == "Item" }
                    try app.moveFocus(to: "ok")
                    try expectMove(watch, app, "ok", from: "Item")
                }
            }
        }

        @Test(arguments: 0..<6)
        func `several applications that claim focus at once end where live state says`(seed: Int) async throws {
            try await withScene { scene in
                let apps = try ["a", "b", "c"].map { try scene.application($0) }
                for app in apps { for node in app.nodes { node.states.remove(.focused) } }
                let watch = try scene.watch("keyboard")
                try scene.settle()
                var random = SystemRandomNumberGenerator()
                for round in 0..<5 {
                    let last = (seed + round) % 3
                    let claims = [0, 1, 0, 1, 2].shuffled(using: &random)
                    for app in apps { for node in app.nodes { node.states.remove(.focused) } }
                    for (number, index) in (claims + [last]).enumerated() {
                        let key = number.isMultiple(of: 2) ? "entry" : "help"
                        for app in apps { for node in app.nodes { node.states.remove(.focused) } }
                        apps[index].node(key).states.insert(.focused)
                        try apps[index].emitFocused(key, 1)
                    }
                    let truth = apps[last].node("help")
                    try scene.wait(within: 10, "the last claim in \(claims), \(last)") {
                        let focus = try scene.client().focus(of: "keyboard")
                        return focus.element?.busName == apps[last].busName && focus.element?.path == truth.path
                    }
                }
                // Each change begins where the one before ended.
                var previous = watch.first.element?.path
                try apps[0].moveFocus(to: "label")
                try watch.next(until: "label") { change in
                    #expect(change.previous?.path == previous)
                    previous = change.element?.path
                    return change.element?.name == "Total"
                }
            }
        }

        @Test func `a switcher that only says text is never focused, and costs nothing`() async throws {
            try await withKeyboard { scene, app, watch in
                let switcher = try scene.application("wm")
                for node in switcher.nodes { node.states.subtract([.focused, .active]) }
                let other = try scene.application("other")
                let orca = try scene.reader()
                let readers = try await scene.watch(orca, on: "ok", of: app)
                try app.activate("frame")
                try app.deactivate("frame")
                let flood = try switcher.flood(
                    [(FakeEvent("Object", "TextChanged", detail: "insert", anyData: "x"), from: "label")], count: 500)
                _ = try await flood.wait()
                try readers.expect(nil, nil, cause: "windowDeactivated")
                try other.activate("frame")
                try other.moveFocus(to: "help")
                try await orca.present("help", of: other)
                try readers.expect(other, "help", cause: "moved")
                try watch.next(until: "help") {
                    #expect($0.element?.busName != switcher.busName)
                    return $0.element?.busName == other.busName
                }
                #expect(switcher.count("GetState") == 0)
            }
        }

        @Test func `an active descendant counts only where its container has the focus`() async throws {
            try await withKeyboard { _, app, watch in
                let node = FakeNode("node", .listItem, name: "Node")
                try app.add(
                    FakeNode(
                        "tree", .tree, name: "Tree", states: .shown.union([.focusable, .managesDescendants]),
                        children: [node]), to: "panel")
                for _ in 0..<20 { try app.emit(.activeDescendantChanged(app.referenceValue("node")), from: "tree") }
                _ = try await app.waitForCall("GetState", on: "tree", number: 20)
                // It has answered, too.
                try app.connection.settle()
                try app.moveFocus(to: "tree")
                try expectMove(watch, app, "tree", from: "OK")
                try app.emit(.activeDescendantChanged(app.referenceValue("node")), from: "tree")
                try expectMove(watch, app, "node", from: "Tree")
                // What names nothing is ignored.
                try app.emit(.activeDescendantChanged(.reference("", "/org/a11y/atspi/null")), from: "tree")
                try app.emit(
                    .activeDescendantChanged(.reference(app.busName, "/org/a11y/atspi/accessible/999")), from: "tree")
                try app.emit(.activeDescendantChanged("text"), from: "tree")
                try app.moveFocus(to: "help")
                try expectMove(watch, app, "help", from: "Node")
            }
        }

        @Test func `focus that is dropped for nowhere is a leave`() async throws {
            try await withKeyboard { _, app, watch in
                try app.dropFocus()
                try watch.expect(nil, nil, cause: "moved")
                try app.moveFocus(to: "help")
                try expectMove(watch, app, "help", from: nil)
            }
        }
    }
}
