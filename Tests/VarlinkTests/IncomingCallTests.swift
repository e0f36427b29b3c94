import Testing
import Varlink

@Suite struct IncomingCallTests {
    @Test func everyMemberIsRead() throws {
        let call = try readCall(
            #" { "parameters" : { "a" : [1, {"b": null}] } , "more":true, "oneway":false,"upgrade":true,"method":"x.y.Z"} "#
        )
        #expect(call.method == "x.y.Z")
        #expect(call.wantsMore)
        #expect(!call.isOneway)
        #expect(call.wantsUpgrade)
        #expect(shown(call.parameters) == #"{ "a" : [1, {"b": null}] }"#)
        #expect(call.interfaceName == "x.y")
        #expect(call.memberName == "Z")
    }

    @Test(arguments: [
        #"{"method":"a.B"}"#, #"{"method":"a.B","parameters":null}"#, #"{"method":"a.B","parameters":{}}"#,
        #"{"method":"a.B","parameters":{ }}"#, #"{"method":"a.B","more":null,"oneway":null,"upgrade":null}"#,
    ]) func absentNullAndEmptyParametersAreTheSame(_ text: String) throws {
        #expect(try readCall(text) == IncomingCall(method: "a.B"))
    }

    @Test func membersThatVarlinkDoesNotKnowAreIgnored() throws {
        let text =
            #"{"x":[1,-2.5e+3,0,true,false,null,"\u00e9\n",{"method":"no"}],"method":"a.B","z":{"parameters":{"q":1}}}"#
        #expect(try readCall(text) == IncomingCall(method: "a.B"))
    }

    @Test func escapesInNamesAndMethodAreUnderstood() throws {
        let call = try readCall(#"{"m\u0065thod":"a\u002eB\/\"\\\b\f\n\r\t\ud83d\ude00é"}"#)
        #expect(call.method == "a.B/\"\\\u{8}\u{C}\n\r\t😀é")
        #expect(try readCall(#"{"method":"gibberish"}"#).interfaceName == "")
    }

    @Test(
        arguments: [
            ("", MessageFault.endsEarly), ("{", .endsEarly), (#"{"method""#, .endsEarly),
            (#"{"method":"a.B""#, .endsEarly),
            (#"{"method":"a.B"}x"#, .unexpectedByte(at: 16)), (#"{"method":"a.B"}{}"#, .unexpectedByte(at: 16)),
            (#"{"method":"a.B",}"#, .unexpectedByte(at: 16)), (#"{,"method":"a.B"}"#, .unexpectedByte(at: 1)),
            (#"["method"]"#, .unexpectedByte(at: 0)), ("null", .unexpectedByte(at: 0)),
            ("GET / HTTP/1.1", .unexpectedByte(at: 0)),
            ("{}", .missing(.method)), (#"{"method":null}"#, .missing(.method)),
            (#"{"method":7}"#, .wrongType(of: .method)),
            (#"{"method":"a.B","more":1}"#, .wrongType(of: .more)),
            (#"{"method":"a.B","oneway":"yes"}"#, .wrongType(of: .oneway)),
            (#"{"method":"a.B","upgrade":{}}"#, .wrongType(of: .upgrade)),
            (#"{"method":"a.B","parameters":[]}"#, .wrongType(of: .parameters)),
            (#"{"method":"a.B","parameters":"x"}"#, .wrongType(of: .parameters)),
            (#"{"method":"a.B","method":"a.C"}"#, .repeated(.method)),
            (#"{"method":"a.B","parameters":{},"parameters":null}"#, .repeated(.parameters)),
            (#"{"method":"a\u0000B"}"#, .wrongType(of: .method)), (#"{"method":"a\ud800B"}"#, .wrongType(of: .method)),
            (#"{"method":"a.B","x":01}"#, .unexpectedByte(at: 21)),
            (#"{"method":"a.B","x":1.}"#, .unexpectedByte(at: 22)),
            (#"{"method":"a.B","x":+1}"#, .unexpectedByte(at: 20)),
            (#"{"method":"a.B","x":1e}"#, .unexpectedByte(at: 22)),
            (#"{"method":"a.B","x":-}"#, .unexpectedByte(at: 21)),
            (#"{"method":"a.B","x":NaN}"#, .unexpectedByte(at: 20)),
            (#"{"method":"a.B","x":tru}"#, .unexpectedByte(at: 23)),
            (#"{"method":"a.B","x":[1,]}"#, .unexpectedByte(at: 23)),
            (#"{"method":"a.B","x":[1 2]}"#, .unexpectedByte(at: 23)),
            (#"{"method":"a.B","x":"\x"}"#, .unexpectedByte(at: 22)),
            (#"{"method":"a.B","x":"\u12G4"}"#, .unexpectedByte(at: 25)),
            (#"{'method':"a.B"}"#, .unexpectedByte(at: 1)),
            ("{\"method\":\"a.B\",\"x\":\"\n\"}", .unexpectedByte(at: 21)),
        ] as [(String, MessageFault)]) func whatIsNoCallIsRefusedWithItsPlace(_ text: String, _ fault: MessageFault)
    {
        #expect(throws: fault) { try readCall(text) }
    }

    @Test func aTrailingCommaIsRefused() {
        #expect(throws: MessageFault.self) { try readCall(#"{"method":"a.B",}"#) }
        #expect(throws: MessageFault.self) { try readCall(#"{"method":"a.B","parameters":{"a":1,}}"#) }
    }

    @Test(
        arguments: [
            [0xFF], [0x80], [0xC3], [0xC0, 0xAF], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xE2, 0x82], [0xED, 0xA0, 0x80],
            [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x28, 0xA1],
            [0xF0, 0x9F, 0x98, 0x28],
        ] as [[UInt8]]) func bytesThatAreNotUTF8AreRefused(_ bytes: [UInt8])
    {
        for text in [#"{"method":"a.B","parameters":{"a":""#, #"{"method":"a.B","x":""#, #"{"method":""#] {
            let message = Array(text.utf8) + bytes + Array(#""}}"#.utf8)
            #expect(throws: MessageFault.self) { try readCall(message) }
        }
    }

    @Test func everyScalarIsTaken() throws {
        for value in stride(from: 0x80, through: 0x10FFFF, by: 97) {
            guard let scalar = Unicode.Scalar(UInt32(value)) else { continue }
            #expect(try readCall(#"{"method":"\#(Character(scalar))"}"#).method == String(Character(scalar)))
        }
    }

    @Test func depthUpToTheLimitIsTakenAndOneMoreIsNot() throws {
        func nested(_ depth: Int) -> String {
            // The message's own object and the parameters are two.
            let arrays = depth - 2
            return #"{"method":"a.B","parameters":{"a":"# + String(repeating: "[", count: arrays)
                + String(repeating: "]", count: arrays) + "}}"
        }
        let limit = VarlinkLimits.server.maximumDepth
        #expect(try !readCall(nested(limit)).parameters.isEmpty)
        #expect(throws: MessageFault.self) { try readCall(nested(limit + 1)) }
        let start = #"{"method":"a.B","parameters":{"a":"#
        #expect(throws: MessageFault.tooDeep(at: start.utf8.count + limit - 2)) {
            try readCall(start + String(repeating: "[", count: 500_000))
        }
    }

    @Test(arguments: [#"\u0000"#, #"\ud800"#, #"\udc00"#, #"\ud800\ud800"#, #"\ud800x"#, #"\ud800\n"#])
    func aTextThatCannotBeIsBlamedOnItsParameter(_ escape: String) throws {
        let call = try readCall(#"{"method":"a.B","parameters":{"good":1,"bad":["\#(escape)"],"more":2}}"#)
        #expect(call.unusableParameter == "bad")
        #expect(try readCall(#"{"method":"a.B","parameters":{"bad\#(escape)":1}}"#).unusableParameter != nil)
        #expect(try readCall(#"{"method":"a.B","x":"\#(escape)","parameters":{"a":1}}"#).unusableParameter == nil)
    }

    @Test func noTextTrapsTheReader() {
        var random = SeededGenerator(seed: 7)
        let seeds = [
            #"{"method":"io.focusd.Focus.MoveFocus","parameters":{"a":[1,{"b":"\ud83d\ude00ü"}],"c":-1.5e3},"more":true}"#,
            #"{"error":"a.B","parameters":{"x":null},"continues":false,"q":"\u0000"}"#,
        ].map { Array($0.utf8) }
        for round in 0..<20_000 {
            var bytes = seeds[round % seeds.count]
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(contentsOf: bytes[place...].prefix(3), at: place)
                }
            }
            do {
                let call = try readCall(bytes)
                // What is taken must be JSON for the decoder too: it reads the same bytes again.
                if call.unusableParameter == nil { _ = try JSONBytes.decode(AnyJSON.self, from: call.parameters) }
            } catch is MessageFault {
                continue
            } catch {
                Issue.record("taken, but not decoded: \(shown(bytes)): \(error)")
            }
        }
    }

    // MARK: - Parameters

    private struct Example: Codable, Equatable {
        var text: String?
        var count: Int?
    }

    private struct Strict: Codable, Equatable {
        var text: String
    }

    private func decode<T: Decodable>(_ type: T.Type, _ parameters: String, known: [String]? = nil) throws(VarlinkError)
        -> T
    {
        try IncomingCall(method: "a.B", parameters: Array(parameters.utf8)).decodeParameters(
            as: type, knownNames: known)
    }

    @Test func parametersAreDecoded() throws {
        #expect(try decode(Example.self, "") == Example())
        #expect(try decode(Example.self, #"{"text":"é","count":null}"#) == Example(text: "é"))
    }

    @Test func aParameterOfTheWrongTypeOrMissingIsNamed() {
        #expect(throws: VarlinkError.invalidParameter(parameter: "count")) {
            try decode(Example.self, #"{"count":"1"}"#)
        }
        // The decoder does not say which number was too large.
        #expect(throws: VarlinkError.invalidParameter(parameter: "parameters")) {
            try decode(Example.self, #"{"count":1e99}"#)
        }
        #expect(throws: VarlinkError.invalidParameter(parameter: "text")) { try decode(Strict.self, "") }
        #expect(throws: VarlinkError.invalidParameter(parameter: "text")) { try decode(Strict.self, #"{"text":null}"#) }
    }

    @Test func aParameterUnknownOrGivenTwiceIsNamedWhereTheNamesAreKnown() throws {
        let known = ["text", "count"]
        #expect(try decode(Example.self, #"{"text":"a","count":1}"#, known: known) == Example(text: "a", count: 1))
        #expect(throws: VarlinkError.invalidParameter(parameter: "txet")) {
            try decode(Example.self, #"{"count":1,"txet":{"a":[]}}"#, known: known)
        }
        #expect(throws: VarlinkError.invalidParameter(parameter: "count")) {
            try decode(Example.self, #"{"count":1,"count":2}"#, known: known)
        }
        #expect(try decode(Example.self, #"{"other":1}"#) == Example())
    }
}

/// Decodes any JSON and keeps nothing.
struct AnyJSON: Decodable {
    private struct Name: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init?(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        if let object = try? decoder.container(keyedBy: Name.self) {
            for name in object.allKeys { _ = try object.decode(AnyJSON.self, forKey: name) }
        }
    }
}
