import FakePeers
import Testing

extension Stage {
    /// The tree as whoever asks for all of it sees it.
    func walk(_ path: String, depth: Int = 0) async throws -> [TreeModel.Line] {
        let role = try await ask("GetRole", of: path).first?.number ?? 0
        let words = try await ask("GetState", of: path).first?.elements?.compactMap(\.number) ?? []
        var lines = [
            TreeModel.Line(
                depth: depth, path: path, role: FakeRole(rawValue: UInt32(role)),
                name: try await property("Name", of: path).text ?? "",
                states: FakeStates(rawValue: UInt64(words[0]) | UInt64(words[1]) << 32))
        ]
        for child in try await children(path) { lines += try await walk(child.path, depth: depth + 1) }
        return lines
    }
}

@Suite struct TreeRehearsalTests {
    @Test(arguments: FakeToolkit.allCases, [1, 2] as [UInt64])
    func `whatever happens, the application is what the model says`(toolkit: FakeToolkit, seed: UInt64) async throws {
        try await Stage.run({
            try FakeApplication(bus: $0.address, name: "model", toolkit: toolkit, registration: .never)
        }) { stage in
            var rehearsal = try TreeRehearsal(seed: seed, application: stage.app, nodes: 15)
            for round in 1...60 {
                try rehearsal.step(SignalDelivery.allCases[round % SignalDelivery.allCases.count])
                guard round.isMultiple(of: 10) else { continue }
                let (seen, expected) = (try await stage.walk(stage.app.root.path), rehearsal.walk())
                #expect(seen == expected, "\(rehearsal)")
                #expect(Set(stage.app.nodes.map(\.path)) == Set(expected.map(\.path)), "\(rehearsal)")
            }
            _ = try await stage.heard()
        }
    }

    @Test func `the same seed is the same life`() async throws {
        try await withBus { bus in
            let lives = try (0..<2).map { _ in
                let app = try FakeApplication(bus: bus.address, name: "model", registration: .never)
                var rehearsal = try TreeRehearsal(seed: 7, application: app)
                for _ in 0..<30 { try rehearsal.step() }
                return rehearsal
            }
            #expect(lives[0].description == lives[1].description)
            #expect(lives[0].walk() == lives[1].walk())
            #expect(lives[0].model == lives[1].model)
        }
    }

    @Test func `signals come as they are wanted`() async throws {
        try await Stage.run({
            try FakeApplication(bus: $0.address, name: "model", toolkit: .gtk4, registration: .never)
        }) { stage in
            var rehearsal = try TreeRehearsal(seed: 3, application: stage.app)
            #expect(try await stage.heard().isEmpty)
            let key = try #require(rehearsal.model.nodes["root"]?.children.first)
            try rehearsal.perform(.rename(key, "A"), .silent)
            try rehearsal.perform(.rename(key, "B"), .repeated)
            try rehearsal.perform(.rename(key, "C"), .faithful)
            #expect(try await stage.heard().map { $0.arguments[3].unwrapped } == ["B", "B", "C"])
        }
    }

    @Test(arguments: [FakeShape.flat, .chain, .fan(3), .table(columns: 4)])
    func `a large tree has as many nodes as were asked for, each in its place`(shape: FakeShape) async throws {
        try await Stage.run({ try .large(bus: $0.address, nodes: 2000, shape: shape, registration: .never) }) { stage in
            #expect(stage.app.nodes.count == 2000)
            #expect(stage.app.subtree("root").count == 2000)
            let first = try await stage.ask("GetItems", of: cachePath, cacheInterface)
            #expect(first.first?.elements?.count == 2000)
            #expect(try await stage.property("Name", of: "n1998") == "Node 1998")
            let parent = try await stage.property("Parent", of: "n1998").referenced
            let number =
                switch shape {
                case .flat: 0
                case .chain: 1997
                case .fan: 665
                case .table: 1996
                }
            #expect(parent == stage.app.reference("n\(number)"))
            #expect(try await stage.children("n\(number)").contains(stage.app.reference("n1998")))
        }
    }
}
