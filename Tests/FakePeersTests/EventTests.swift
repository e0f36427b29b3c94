import FakePeers
import Testing

@Suite struct EventTests {
    @Test func `an event may have any of three bodies`() async throws {
        try await Stage.run { stage in
            for body in [EventBody.modern, .legacy, .bare] {
                try stage.app.emit(
                    FakeEvent("Object", "StateChanged", detail: "focused", 1, anyData: 0, body: body), from: "ok")
            }
            #expect(try await stage.heard().map(\.signature) == ["siiva{sv}", "siiv(so)", "siiv"])
        }
    }

    @Test func `what a change announces can be kept and sent in any order, twice or not at all`() async throws {
        try await Stage.run(.gtk4) { stage in
            let announced = try stage.app.collect {
                try stage.app.rename("ok", to: "A")
                try stage.app.rename("ok", to: "B")
                try stage.app.rename("ok", to: "C")
            }
            #expect(announced.count == 3)
            #expect(try await stage.heard().isEmpty)
            stage.app.announce([announced[2], announced[0], announced[2]])
            #expect(try await stage.heard().map { $0.arguments[3].unwrapped } == ["C", "A", "C"])
            try stage.app.rename("ok", to: "D")
            #expect(try await stage.heard().count == 4)
        }
    }

    @Test func `floods of every kind arrive whole, in order, with calls answered meanwhile`() async throws {
        try await Stage.run { stage in
            let messages = [
                try stage.app.message(
                    .childrenChanged("add", index: 1_000_000, child: .reference(stage.app.busName, "/no/such")),
                    from: "panel"),
                try stage.app.message(.propertyChange("accessible-name", "x"), from: "ok"),
                try stage.app.message(.stateChanged("showing", 1), from: "label"),
            ]
            let flood = stage.app.flood(messages, count: 12_000, perSecond: 20_000)
            #expect(try await stage.ask("GetRole", of: "ok") == [.uint32(43)])
            #expect(try await flood.wait() == 12_000)
            let members = try await stage.heard().map(\.member)
            #expect(members.count == 12_000)
            #expect(Array(members.prefix(3)) == ["ChildrenChanged", "PropertyChange", "StateChanged"])
            let inTurn = members.indices.allSatisfy { members[$0] == members[$0 % 3] }
            #expect(inTurn)
        }
    }

    @Test(arguments: FakeToolkit.allCases)
    func `a new node is announced as its toolkit does`(toolkit: FakeToolkit) async throws {
        try await Stage.run(toolkit) { stage in
            let pair = FakeNode("box", .panel, children: [FakeNode("inner", .label)])
            try stage.app.add(pair, to: "panel", at: 1, announced: true)
            let heard = try await stage.heard()
            let cache = toolkit == .gtk3 ? ["AddAccessible", "AddAccessible"] : []
            #expect(heard.map(\.member) == cache + ["ChildrenChanged"])
            let event = try #require(heard.last)
            #expect(event.path == stage.app.node("panel").path)
            #expect(Array(event.arguments.prefix(2)) == ["add", 1])
            #expect(event.arguments[3].referenced == stage.app.reference("box"))
            #expect(event.signature == (toolkit == .qt ? "siiv(so)" : "siiva{sv}"))
        }
    }

    @Test func `a node moves, and changes its role, aloud`() async throws {
        try await Stage.run(.gtk4) { stage in
            try stage.app.add(FakeNode("box", .panel), to: "frame")
            try stage.app.move("ok", to: "box")
            try stage.app.changeRole("ok", to: .link)
            #expect(stage.app.node("box").children == [stage.app.node("ok").reference])
            #expect(try await stage.property("Parent", of: "ok").referenced == stage.app.reference("box"))
            let heard = try await stage.heard().map { "\($0.member) \($0.arguments[0].text ?? "")" }
            #expect(
                heard == [
                    "ChildrenChanged remove", "PropertyChange accessible-parent", "ChildrenChanged add",
                    "PropertyChange accessible-role",
                ])
        }
    }

    @Test func `a row made anew has new paths and the same keys`() async throws {
        try await Stage.run { stage in
            let before = stage.app.subtree("panel").map(\.path)
            let keys = stage.app.subtree("panel").map(\.key)
            try stage.app.recreate("panel")
            #expect(stage.app.subtree("panel").map(\.key) == keys)
            #expect(Set(stage.app.subtree("panel").map(\.path)).isDisjoint(with: before))
            #expect(stage.app.node("ok").name == "OK")
            try stage.app.replaceChildren(of: "panel", with: [FakeNode("one", .label), FakeNode("two", .label)])
            #expect(stage.app.nodes.map(\.key) == ["root", "frame", "panel", "one", "two"])
        }
    }
}
