import FakePeers
import Testing

@Suite struct CacheTests {
    @Test func `the answer is the tree, and new when anything changed`() async throws {
        try await Stage.run { stage in
            let before = try await stage.items()
            #expect(before.map { $0[0].referenced?.path } == stage.app.nodes.map(\.path))
            #expect(before.map { $0[3].number } == [-1, 0, 0, 0, 1, 2, 3, 4, 5, 6])
            let same = try await stage.items()
            #expect(same == before)
            stage.app.node("ok").name = "New"
            let ok = try await stage.items().first { $0[0].referenced == stage.app.reference("ok") }
            #expect(ok?[6] == "New")
            stage.app.node("help").isInCache = false
            #expect(try await stage.items().count == before.count - 1)
        }
    }

    @Test func `the list can be edited at will`() async throws {
        try await Stage.run { stage in
            stage.app.editCache { items in
                var lies = items.reversed() + items
                lies[0].parent = .null
                lies[1].childCount = 77
                lies[2].reference = FakeReference(bus: ":9.9", path: "/foreign")
                return lies
            }
            let lies = try await stage.items()
            #expect(lies.count == 20)
            #expect(lies[0][2].referenced == .null)
            #expect(lies[1][4] == 77)
            #expect(lies[2][0].referenced == FakeReference(bus: ":9.9", path: "/foreign"))
            stage.app.editCache(nil)
            #expect(try await stage.items().count == 10)
        }
    }

    @Test func `it can be empty, missing, nonsense, late or never there`() async throws {
        try await Stage.run { stage in
            stage.app.cache = .modernEmpty
            let empty = try await stage.ask("GetItems", of: cachePath, cacheInterface)
            #expect(empty.map(\.typeSignature) == ["a((so)(so)(so)iiassusau)"])
            stage.app.cache = .values([.array("(su)", [.structure(["a", .uint32(1)])]), true])
            let odd = try await stage.ask("GetItems", of: cachePath, cacheInterface)
            #expect(odd.map(\.typeSignature) == ["a(su)", "b"])
            stage.app.cache = .missing
            #expect(try await stage.failure(of: "GetItems", of: cachePath, cacheInterface) == "UnknownMethod")
            stage.app.cache = .modern
            let gate = Gate()
            stage.app.script("GetItems", .truth.held(by: gate))
            async let late = stage.items()
            _ = try await stage.app.waitForCall("GetItems", number: 4)
            gate.open()
            #expect(try await late.count == 10)
        }
    }

    @Test(arguments: [FakeToolkit.gtk3, .qt])
    func `its signals have the signature of the toolkit, or the one asked for`(toolkit: FakeToolkit) async throws {
        try await Stage.run(toolkit) { stage in
            let ok = stage.app.node("ok")
            try stage.app.emitCacheAddition(of: ok)
            try stage.app.emitCacheAddition(of: ok, body: .modern)
            try stage.app.emitCacheAddition(of: ok, body: .legacy)
            try stage.app.emitCacheRemoval(of: ok.reference)
            try stage.app.emitCacheRemoval(of: .null)
            let heard = try await stage.heard()
            let (modern, legacy) = ("((so)(so)(so)iiassusau)", "((so)(so)(so)a(so)assusau)")
            #expect(heard.map(\.signature) == [toolkit == .qt ? legacy : modern, modern, legacy, "(so)", "(so)"])
            #expect(Set(heard.map(\.path)) == [cachePath])
            #expect(
                heard.map(\.member) == Array(repeating: "AddAccessible", count: 3)
                    + Array(repeating: "RemoveAccessible", count: 2))
            #expect(heard[1].arguments[0].elements?[6] == "OK")
            #expect(heard[4].arguments[0].referenced == .null)
        }
    }
}
