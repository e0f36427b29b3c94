import Testing
import Varlink

@Suite struct InterfaceDescriptionTests {
    private static let text = """
        # What it is for.
        # Two lines.
        interface org.example-1.ftl2

        # A license that belongs to nothing.

        # One drive.
        type Drive (
          # How it is.
          state: (idle, spooling, busy_now), # behind something
          parts: []Part,
          tags: ?[string]?[]int,
          raw: object, load: float, on: ?bool
        )
        type Part (name: string, inner: (a: int, b: ()))
        type Kind (one, two)
        # Jumps.
        method Jump(configuration: Drive) -> ()
        method Wait()->(kind:Kind)
        error NotEnoughEnergy ()
        error Broken (drive: ?Drive)
        """

    @Test func everyKindOfMemberIsRead() throws {
        let interface = try InterfaceDescription(parsing: Self.text)
        #expect(interface.name == "org.example-1.ftl2")
        #expect(interface.documentation == "What it is for.\nTwo lines.")
        #expect(interface.types.map(\.name) == ["Drive", "Part", "Kind"])
        #expect(interface.methods.map(\.name) == ["Jump", "Wait"])
        #expect(interface.errors.map(\.name) == ["NotEnoughEnergy", "Broken"])
        let drive = try #require(interface.type(named: "Drive"))
        #expect(drive.documentation == "One drive.")
        #expect(
            drive.type
                == .structure([
                    .init(
                        name: "state", type: .enumeration(["idle", "spooling", "busy_now"]), documentation: "How it is."
                    ),
                    .init(name: "parts", type: .array(.named("Part"))),
                    .init(name: "tags", type: .optional(.dictionary(.optional(.array(.int))))),
                    .init(name: "raw", type: .object),
                    .init(name: "load", type: .float),
                    .init(name: "on", type: .optional(.bool)),
                ]))
        #expect(interface.type(named: "Kind")?.type == .enumeration(["one", "two"]))
        #expect(interface.method(named: "Jump")?.documentation == "Jumps.")
        #expect(interface.method(named: "Jump")?.reply == [])
        #expect(interface.error(named: "Broken")?.parameters.first?.isOptional == true)
    }

    @Test func theInterfaceOfEveryServiceIsRead() throws {
        let interface = try InterfaceDescription(parsing: ServiceInterface.text)
        #expect(interface.name == ServiceInterface.name)
        #expect(
            interface.methods.map { "\(interface.name).\($0.name)" } == [
                ServiceInterface.GetInfo.name, ServiceInterface.GetInterfaceDescription.name,
            ])
    }

    @Test(
        arguments: [
            ("", 1, 1, "'interface'"),
            ("interface", 1, 10, "an interface's name, like 'org.example.name'"),
            ("interface org", 1, 11, "an interface's name, like 'org.example.name'"),
            ("interface org.-a", 1, 11, "an interface's name, like 'org.example.name'"),
            ("interface 1.a", 1, 11, "an interface's name, like 'org.example.name'"),
            ("interface a.b\nfoo", 2, 1, "'type', 'method' or 'error'"),
            ("interface a.b\ntype foo (a: int)", 2, 6, "a name that begins with a capital letter"),
            ("interface a.b\ntype Foo", 2, 9, "'('"),
            ("interface a.b\ntype Foo (a: int", 2, 17, "')'"),
            ("interface a.b\ntype Foo (a: integer)", 2, 14, "a type"),
            ("interface a.b\ntype Foo (a: ??int)", 2, 15, "one '?' only"),
            ("interface a.b\ntype Foo (a: Bar)", 2, 14, "a type of this interface, not 'Bar'"),
            ("interface a.b\ntype Foo (a: int, a: int)", 2, 19, "a name that was not there before"),
            ("interface a.b\ntype Foo (a: int, b)", 2, 20, "':' and a type"),
            ("interface a.b\ntype Foo (a, b: int)", 2, 16, "',' or ')', as no name before has a type"),
            ("interface a.b\ntype Foo (_a: int)", 2, 11, "a field's name"),
            ("interface a.b\ntype Foo (a__b: int)", 2, 11, "a field's name"),
            ("interface a.b\ntype Foo (a: int,)", 2, 18, "a field's name"),
            ("interface a.b\ntype Foo ()\nmethod Foo() -> ()", 3, 8, "a name that was not there before"),
            ("interface a.b\nmethod Foo()", 2, 13, "'->'"),
            ("interface a.b\nmethod Foo() -> (a, b)", 2, 17, "fields with types"),
            ("interface a.b\nerror Foo (a, b)", 2, 11, "fields with types"),
            ("interface a.b\n# é\nerror Foo (é: int)", 3, 12, "a field's name"),
        ] as [(String, Int, Int, String)])
    func whatIsNoInterfaceIsRefusedWithItsPlace(_ text: String, _ line: Int, _ column: Int, _ expected: String) throws {
        let error = try #require(throws: InterfaceSyntaxError.self) { try InterfaceDescription(parsing: text) }
        #expect(error.line == line)
        #expect(error.column == column)
        #expect(error.expected == expected)
    }

    @Test(arguments: ["(a: ", "[]", "[string]", "?[]"]) func deepTypesAreRefusedNotFollowed(_ opening: String) {
        let text = "interface a.b\ntype Foo (a: " + String(repeating: opening, count: 200_000)
        #expect(throws: InterfaceSyntaxError.self) { try InterfaceDescription(parsing: text) }
    }

    @Test func everyBeginningOfAnInterfaceIsReadOrRefused() {
        let bytes = Array(Self.text.utf8)
        for count in 0..<bytes.count { attempt(Array(bytes[..<count])) }
    }

    @Test func noTextTrapsTheReader() {
        var random = SeededGenerator(seed: 11)
        for _ in 0..<5000 {
            var bytes = Array(Self.text.utf8)
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(contentsOf: bytes[place...].prefix(5), at: place)
                }
            }
            attempt(bytes)
        }
    }

    /// Reads bytes as an interface: an interface or a syntax error, with its place inside the text.
    private func attempt(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        do throws(InterfaceSyntaxError) {
            _ = try InterfaceDescription(parsing: text)
        } catch {
            #expect(0...text.utf8.count ~= error.position)
        }
    }
}
