import FocusProtocol
import FoundationEssentials
import Testing
import Varlink

/// The messages in `wire/` are what clients see: a change that breaks one breaks clients.
///
/// One file a method. Lines beginning with `>` are calls, with `<` replies, with `!` errors; `#` is a comment. The
/// bytes must be read, and written again, exactly as they stand there.
@Suite struct GoldenWireTests {
    static let methods: [any MethodCall.Type] = ContractTests.methods

    @Test(arguments: methods.map { $0.name }) func messagesAreReadAndWrittenAsTheyStandInTheFile(_ name: String) throws
    {
        let method = try #require(Self.methods.first { $0.name == name })
        try check(method)
    }

    private func check<Method: MethodCall>(_ method: Method.Type) throws {
        let lines = try Self.lines(of: String(describing: method))
        #expect(lines.contains { $0.hasPrefix("> ") } && lines.contains { $0.hasPrefix("< ") })
        for line in lines {
            let text = String(line.dropFirst(2))
            switch line.prefix(2) {
            case "> ": #expect(try Self.rewrittenCall(text, Method.self) == text)
            case "< ": #expect(try Self.rewrittenReply(text, Method.Reply.self) == text)
            case "! ": #expect(try Self.rewrittenError(text) == text)
            default: Issue.record("a line of no kind: \(line)")
            }
        }
    }

    private static func lines(of method: String) throws -> [Substring] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "wire/\(method).txt")
        let text = try String(contentsOf: file, encoding: .utf8)
        return text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    }

    private static func rewrittenCall<Method: MethodCall>(_ text: String, _ method: Method.Type) throws -> String {
        let read = try IncomingCall(reading: Array(text.utf8).span, limits: .server)
        #expect(read.method == Method.name)
        let parameters = try read.decodeParameters(as: Method.Parameters.self)
        return written(
            OutgoingMessage.call(
                IncomingCall(
                    method: Method.name, parameters: try JSONBytes.encode(parameters), wantsMore: read.wantsMore,
                    isOneway: read.isOneway)))
    }

    private static func rewrittenReply<Reply: Codable>(_ text: String, _ reply: Reply.Type) throws -> String {
        let read = try IncomingReply(reading: Array(text.utf8).span, limits: .client)
        #expect(read.error == nil)
        let value = try JSONBytes.decode(Reply.self, from: read.parameters)
        return written(OutgoingMessage.reply(parameters: try JSONBytes.encode(value), continues: read.continues))
    }

    private static func rewrittenError(_ text: String) throws -> String {
        let read = try IncomingReply(reading: Array(text.utf8).span, limits: .client)
        let name = try #require(read.error)
        if let error = VarlinkError(read) {
            return written(OutgoingMessage.error(error.name, parameters: error.parameters))
        }
        let failure = try #require(ContractTests.errors.first { $0.name == name })
        let value = try JSONBytes.decode(failure, from: read.parameters)
        return written(OutgoingMessage.error(name, parameters: try JSONBytes.encode(value)))
    }

    private static func written(_ message: [UInt8]) -> String {
        #expect(message.last == 0)
        return String(decoding: message.dropLast(), as: UTF8.self)
    }
}
