import Testing
import Varlink

@Suite struct JSONBytesTests {
    private struct Sample: Codable, Equatable {
        var z = "last letter, first member"
        var absent: Int?
        var text = "quote \" backslash \\ slash / newline \n bell \u{7} é → 😀 \u{2028}"
        var numbers: [Int64] = [0, -1, .max, .min]
        var empty: [String] = []
        var nested: [[Bool]] = [[true, false], []]
        var table = ["one": 1]
        var inner = Inner()
        var double = 0.5
        var big = UInt64.max

        struct Inner: Codable, Equatable {
            var nothing = Nothing()
            var a: UInt8 = 255
        }

        struct Nothing: Codable, Equatable {}
    }

    @Test func valuesAreWrittenInDeclaredOrderWithoutWhatIsAbsent() throws {
        #expect(
            shown(try JSONBytes.encode(Sample())) == #"{"z":"last letter, first member","#
                + #""text":"quote \" backslash \\ slash / newline \u000a bell \u0007 é → 😀"# + " \u{2028}\","
                + #""numbers":[0,-1,9223372036854775807,-9223372036854775808],"empty":[],"nested":[[true,false],[]],"#
                + #""table":{"one":1},"inner":{"nothing":{},"a":255},"double":0.5,"big":18446744073709551615}"#)
    }

    @Test func whatIsWrittenIsReadAsTheSame() throws {
        #expect(try JSONBytes.decode(Sample.self, from: JSONBytes.encode(Sample())) == Sample())
        let strange = (0...0x2FF).compactMap(Unicode.Scalar.init).map { String(Character($0)) }
        #expect(try JSONBytes.decode([String].self, from: JSONBytes.encode(strange)) == strange)
        let doubles = [0.1, -0.0, 1e300, Double.leastNonzeroMagnitude, 1_234_567_890_123_456.0, 1e16]
        #expect(try JSONBytes.decode([Double].self, from: JSONBytes.encode(doubles)) == doubles)
    }

    @Test func aNumberThatJSONDoesNotHaveThrows() {
        #expect(throws: EncodingError.self) { try JSONBytes.encode([Double.nan]) }
        #expect(throws: EncodingError.self) { try JSONBytes.encode(["a": Double.infinity]) }
    }

    @Test func valuesThatStandAloneAreWritten() throws {
        #expect(shown(try JSONBytes.encode("a")) == #""a""#)
        #expect(shown(try JSONBytes.encode(Int?.none)) == "null")
        #expect(shown(try JSONBytes.encode([Int?.none, 1])) == "[null,1]")
    }

    /// Encodes by hand: nested containers, and one that is used after another took its place.
    private struct ByHand: Encodable {
        var usesCompleteContainer: Bool

        enum Name: String, CodingKey { case first, second, third }

        func encode(to encoder: any Encoder) throws {
            var object = encoder.container(keyedBy: Name.self)
            var first = object.nestedContainer(keyedBy: Name.self, forKey: .first)
            try first.encode(1, forKey: .third)
            var second = object.nestedUnkeyedContainer(forKey: .second)
            try second.encode("x")
            var inner = second.nestedContainer(keyedBy: Name.self)
            try inner.encodeNil(forKey: .first)
            try second.encode(false)
            if usesCompleteContainer { try first.encode(2, forKey: .second) }
            try object.encode(3, forKey: .third)
        }
    }

    @Test func nestedContainersAreClosedWhenTheOuterGoesOn() throws {
        #expect(
            shown(try JSONBytes.encode(ByHand(usesCompleteContainer: false)))
                == #"{"first":{"third":1},"second":["x",{"first":null},false],"third":3}"#)
        #expect(throws: EncodingError.self) { try JSONBytes.encode(ByHand(usesCompleteContainer: true)) }
    }

    @Test func messagesAreFramed() throws {
        #expect(shown(OutgoingMessage.reply(parameters: [], continues: false)) == #"{"parameters":{}}␀"#)
        #expect(
            shown(OutgoingMessage.reply(parameters: Array(#"{"a":1}"#.utf8), continues: true))
                == #"{"parameters":{"a":1},"continues":true}␀"#)
        #expect(shown(OutgoingMessage.error("a.B\"", parameters: [])) == #"{"error":"a.B\"","parameters":{}}␀"#)
        #expect(
            shown(OutgoingMessage.call(IncomingCall(method: "a.B", wantsMore: true)))
                == #"{"method":"a.B","more":true}␀"#)
    }

    @Test func theErrorsOfVarlinkAreReadAsTheyAreWritten() throws {
        let errors: [VarlinkError] = [
            .interfaceNotFound(interface: "a"), .methodNotFound(method: "a.B"), .methodNotImplemented(method: "a.C"),
            .invalidParameter(parameter: "p\""), .permissionDenied, .expectedMore,
        ]
        let interface = try InterfaceDescription(parsing: ServiceInterface.text)
        #expect(interface.errors.map { "\(interface.name).\($0.name)" } == errors.map(\.name))
        for error in errors {
            let message = OutgoingMessage.error(error.name, parameters: error.parameters)
            let reply = try IncomingReply(reading: message.span.extracting(..<(message.count - 1)), limits: .client)
            #expect(VarlinkError(reply) == error)
        }
        #expect(VarlinkError(IncomingReply(error: "a.B")) == nil)
        #expect(VarlinkError(IncomingReply(error: "org.varlink.service.MethodNotFound")) == nil)
    }

    @Test func aMissingMethodIsBlamedOnTheInterfaceOrTheMethod() {
        let known = ["a.b", "org.varlink.service"]
        #expect(
            VarlinkError.notFound(IncomingCall(method: "a.b.C"), interfaces: known) == .methodNotFound(method: "a.b.C"))
        #expect(
            VarlinkError.notFound(IncomingCall(method: "a.c.C"), interfaces: known)
                == .interfaceNotFound(interface: "a.c"))
        #expect(
            VarlinkError.notFound(IncomingCall(method: "x"), interfaces: known) == .interfaceNotFound(interface: ""))
    }
}
