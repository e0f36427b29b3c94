import Testing
import Varlink

@Suite struct ClientConversationTests {
    private var conversation = ClientConversation(limits: .client)

    private mutating func receive(_ texts: String...) -> [ClientConversation.Event] {
        var events: [ClientConversation.Event] = []
        for text in texts { wire(text).withUnsafeBytes { conversation.receive($0, into: &events) } }
        return events
    }

    @Test mutating func repliesGoToTheirCallsInOrder() {
        let first = conversation.call(IncomingCall(method: "a.B", parameters: Array(#"{"x":1}"#.utf8)))
        let second = conversation.call(IncomingCall(method: "a.C"))
        #expect(shown(first.bytes) == #"{"method":"a.B","parameters":{"x":1}}␀"#)
        #expect(conversation.isWaiting)
        let events = receive(#"{"parameters":{"n":1}}"#, #"{"error":"a.E","parameters":{"why":"x"}}"#)
        #expect(
            events == [
                .reply(first.id, IncomingReply(parameters: Array(#"{"n":1}"#.utf8))),
                .reply(second.id, IncomingReply(error: "a.E", parameters: Array(#"{"why":"x"}"#.utf8))),
            ])
        #expect(!conversation.isWaiting)
    }

    @Test mutating func aStreamGoesOnUntilAReplyDoesNotContinue() {
        let call = conversation.call(IncomingCall(method: "a.B", wantsMore: true))
        #expect(receive(#"{"parameters":{},"continues":true}"#) == [.reply(call.id, IncomingReply(continues: true))])
        #expect(conversation.isWaiting)
        #expect(receive("{}") == [.reply(call.id, IncomingReply())])
        #expect(!conversation.isWaiting)
    }

    @Test mutating func anErrorEndsAStreamWhateverItSaysOfMore() {
        let call = conversation.call(IncomingCall(method: "a.B", wantsMore: true))
        #expect(
            receive(#"{"error":"a.E","continues":true}"#)
                == [.reply(call.id, IncomingReply(error: "a.E", continues: true))])
        #expect(!conversation.isWaiting)
    }

    @Test mutating func aOnewayCallWaitsForNothing() {
        let oneway = conversation.call(IncomingCall(method: "a.B", isOneway: true))
        #expect(shown(oneway.bytes) == #"{"method":"a.B","oneway":true}␀"#)
        #expect(!conversation.isWaiting)
        let call = conversation.call(IncomingCall(method: "a.C"))
        #expect(receive("{}") == [.reply(call.id, IncomingReply())])
    }

    @Test mutating func aReplyThatNobodyAskedForEndsIt() {
        #expect(receive("{}") == [.end(.unexpectedReply, unanswered: [])])
        #expect(receive("{}") == [])
    }

    @Test mutating func continuesWhereMoreWasNotAskedEndsIt() {
        let call = conversation.call(IncomingCall(method: "a.B"))
        #expect(receive(#"{"continues":true}"#) == [.end(.unexpectedContinues, unanswered: [call.id])])
    }

    @Test mutating func garbageEndsIt() {
        let call = conversation.call(IncomingCall(method: "a.B"))
        #expect(receive("garbage") == [.end(.notAReply(.unexpectedByte(at: 0)), unanswered: [call.id])])
    }

    @Test mutating func theEndOfInputNamesTheCallsWithoutAnswer() {
        let ids = (0..<5).map { _ in conversation.call(IncomingCall(method: "a.B")).id }
        #expect(receive("{}", "{}").count == 2)
        var events: [ClientConversation.Event] = []
        conversation.receiveEndOfInput(into: &events)
        #expect(events == [.end(.endOfInput, unanswered: Array(ids[2...]))])
    }

    @Test mutating func aReplyOverTheLimitEndsItAfterThoseBefore() {
        var limits = VarlinkLimits.client
        limits.maximumMessageBytes = 10
        conversation = ClientConversation(limits: limits)
        let ids = (0..<2).map { _ in conversation.call(IncomingCall(method: "a.B")).id }
        var events: [ClientConversation.Event] = []
        (wire("{}") + wire("{           }")).withUnsafeBytes { conversation.receive($0, into: &events) }
        #expect(
            events == [
                .reply(ids[0], IncomingReply()), .end(.messageTooLong(limitBytes: 10), unanswered: [ids[1]]),
            ])
    }

    @Test func whatAServerWritesAClientReads() throws {
        var client = ClientConversation(limits: .client)
        var server = ServerConversation(limits: .server)
        let call = client.call(IncomingCall(method: "a.B", parameters: Array(#"{"x":"é"}"#.utf8), wantsMore: true))
        let dispatched = try #require(server.receive(call.bytes).dispatched.first)
        #expect(dispatched.call.method == "a.B")
        var actions: [Action] = []
        server.reply(to: dispatched.id, parameters: [], continues: true, into: &actions)
        server.fail(dispatched.id, .permissionDenied, into: &actions)
        var events: [ClientConversation.Event] = []
        for case .write(let bytes) in actions { bytes.withUnsafeBytes { client.receive($0, into: &events) } }
        #expect(
            events == [
                .reply(call.id, IncomingReply(continues: true)),
                .reply(call.id, IncomingReply(error: "org.varlink.service.PermissionDenied")),
            ])
    }
}
