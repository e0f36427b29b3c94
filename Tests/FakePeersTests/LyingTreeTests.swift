import FakePeers
import Testing

@Suite struct LyingTreeTests {
    @Test func `every part of a node can be set`() async throws {
        try await Stage.run { stage in
            let ok = stage.app.node("ok")
            ok.update { content in
                content.role = FakeRole(rawValue: 250)
                content.roleName = "Schaltfläche"
                content.localizedRoleName = "bouton"
                content.name = "Line\nbreak \u{202E} \u{1}"
                content.description = "What it is"
                content.accessibleID = "ok-button"
                content.attributes = ["id": "dom", "toolkit": "gtk"]
                content.states = [.managesDescendants, .readOnly]
                content.interfaces = ["Accessible", "Text"]
                content.text = "Text"
                content.relations = [(2, [FakeReference(path: ok.path), .null])]
            }
            #expect(try await stage.ask("GetRole", of: "ok") == [.uint32(250)])
            #expect(try await stage.ask("GetRoleName", of: "ok") == ["Schaltfläche"])
            #expect(try await stage.ask("GetLocalizedRoleName", of: "ok") == ["bouton"])
            #expect(try await stage.property("Name", of: "ok") == "Line\nbreak \u{202E} \u{1}")
            #expect(try await stage.property("Description", of: "ok") == "What it is")
            #expect(try await stage.property("AccessibleId", of: "ok") == "ok-button")
            #expect(try await stage.ask("GetState", of: "ok") == [.array("u", [.uint32(1 << 31), .uint32(1 << 11)])])
            #expect(
                try await stage.ask("GetInterfaces", of: "ok")
                    == [.strings(["org.a11y.atspi.Accessible", "org.a11y.atspi.Text"])])
            #expect(
                try await stage.ask("GetAttributes", of: "ok") == [.stringDictionary(["id": "dom", "toolkit": "gtk"])])
            #expect(try await stage.ask("GetText", of: "ok", "org.a11y.atspi.Text", [0, -1]) == ["Text"])
            let relations = try await stage.ask("GetRelationSet", of: "ok")
            let targets = DBusValue.array(
                "(so)", [stage.app.referenceValue("ok"), .reference("", "/org/a11y/atspi/null")])
            #expect(relations == [.array("(ua(so))", [.structure([.uint32(2), targets])])])
            #expect(
                try await stage.failure(of: "GetExtents", of: "ok", "org.a11y.atspi.Component", [.uint32(0)]) != nil)
            ok.accessibleID = nil
            await #expect(throws: FakePeerError.self) { try await stage.property("AccessibleId", of: "ok") }
        }
    }

    @Test func `children may be anything, and the tree below a node still ends`() async throws {
        try await Stage.run { stage in
            let other = FakeReference(bus: ":9.9", path: "/foreign")
            let unknown = FakeReference(path: "/org/a11y/atspi/accessible/424242")
            let odd: [FakeReference] = [
                .null, .nullRoot, FakeReference(bus: ":9.9", path: FakeReference.null.path), other, unknown,
            ]
            stage.app.node("ok").children = odd + [stage.app.node("ok").reference]
            let said = try await stage.children("ok")
            #expect(
                said == [
                    .null, .nullRoot, odd[2], other, FakeReference(bus: stage.app.busName, path: unknown.path),
                    stage.app.reference("ok"),
                ])
            #expect(try await stage.failure(of: "GetRole", of: unknown.path) == "UnknownObject")
            stage.app.makeClique(["cancel", "help", "entry"])
            #expect(try await stage.children("help").count == 3)
            #expect(stage.app.subtree("cancel").map(\.key) == ["cancel", "help", "entry"])
            stage.app.node("ok").children = [stage.app.node("frame").reference]
            #expect(stage.app.subtree("frame").count == stage.app.nodes.count - 1)
            try stage.app.remove("frame")
            #expect(stage.app.nodes.map(\.key) == ["root"])
        }
    }

    @Test func `a parent may be nothing, the node itself, a stranger or dead`() async throws {
        try await Stage.run { stage in
            let ok = stage.app.node("ok")
            for parent in [
                FakeReference.null, stage.app.reference("ok"), FakeReference(bus: ":9.9", path: "/x"),
                FakeReference(bus: stage.app.busName, path: "/org/a11y/atspi/accessible/424242"),
            ] {
                ok.parent = parent
                let said = try await stage.property("Parent", of: "ok")
                #expect(said.referenced == parent)
                #expect(try await stage.ask("GetIndexInParent", of: "ok") == [-1])
            }
        }
    }

    @Test(arguments: [-1, 0, 1 << 30, .max] as [Int32])
    func `a count of children may be false`(count: Int32) async throws {
        try await Stage.run { stage in
            stage.app.node("panel").childCount = count
            #expect(try await stage.property("ChildCount", of: "panel") == .int32(count))
            #expect(try await stage.children("panel").count == 7)
            let panel = try await stage.items().first { $0[0].referenced == stage.app.reference("panel") }
            #expect(panel?[4] == .int32(count))
        }
    }

    @Test func `a huge table makes its cells when they are asked for`() async throws {
        try await Stage.run { stage in
            let table = FakeNode("sheet", .table, states: .shown.union(.managesDescendants))
            (table.rows, table.columns, table.childCount) = (1 << 20, 1 << 10, 1 << 30)
            table.makesChildren = { FakeNode("cell \($0)", .tableCell, name: "C\($0)") }
            try stage.app.add(table, to: "panel")
            let last = try await stage.ask("GetChildAtIndex", of: "sheet", accessible, [.int32(1 << 30 - 1)])
            let path = try #require(last.first?.referenced?.path)
            #expect(try await stage.property("Name", of: path) == .string("C\(1 << 30 - 1)"))
            #expect(try await stage.ask("GetIndexInParent", of: path) == [.int32(1 << 30 - 1)])
            #expect(try await stage.property("Parent", of: path).referenced == stage.app.reference("sheet"))
            let same = try await stage.ask(
                "GetAccessibleAt", of: "sheet", "org.a11y.atspi.Table", [.int32(1 << 20 - 1), 1023])
            #expect(same.first?.referenced?.path == path)
            for index in [-1, 1 << 30] as [Int32] {
                let none = try await stage.ask("GetChildAtIndex", of: "sheet", accessible, [.int32(index)])
                #expect(none.first?.referenced == .null)
            }
            #expect(stage.app.count("GetChildren") == 0)
            #expect(stage.app.calls(below: "sheet").map(\.path) == [path, path, path])
            table.keepsMadeChildren = false
            let anew = try await stage.ask("GetChildAtIndex", of: "sheet", accessible, [.int32(1 << 30 - 1)])
            #expect(anew.first?.referenced?.path != path)
            #expect(try await stage.failure(of: "GetRole", of: path) == "UnknownObject")
        }
    }

    @Test(arguments: [[0xFF], [0x41, 0xC3], [0xED, 0xA0, 0x80]] as [[UInt8]])
    func `the bus ends who says a name that is no text`(name: [UInt8]) async throws {
        try await Stage.run { stage in
            stage.app.node("ok").nameBytes = name
            let busName = DBusValue.string(stage.app.busName)
            await #expect(throws: FakePeerError.self) { try await stage.property("Name", of: "ok") }
            _ = try await stage.app.connection.ended.wait()
            _ = try await stage.client.signals.wait {
                $0.member == "NameOwnerChanged" && $0.arguments == [busName, busName, ""]
            }
        }
    }

    @Test func `a name given as bytes that are text is a name`() async throws {
        try await Stage.run { stage in
            stage.app.node("ok").nameBytes = Array("é\u{1}\u{2028}👩‍👩‍👧".utf8)
            let name = try await stage.property("Name", of: "ok")
            #expect(name == "é\u{1}\u{2028}👩‍👩‍👧")
            stage.app.node("help").name = String(repeating: "x", count: 1 << 20)
            #expect(try await stage.property("Name", of: "help").text?.utf8.count == 1 << 20)
        }
    }

    @Test func `a chain of five thousand is made, served and removed`() async throws {
        try await Stage.run { stage in
            try stage.app.addChain("deep", depth: 5000, to: "panel")
            #expect(stage.app.subtree("deep0").count == 5000)
            #expect(try await stage.children("deep4998") == [stage.app.reference("deep4999")])
            #expect(try await stage.items().count == stage.app.nodes.count)
            try stage.app.remove("deep0", announced: false)
            #expect(stage.app.find("deep4999") == nil)
        }
    }
}
