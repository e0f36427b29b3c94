import Testing
import Varlink

@Suite struct ServerConversationTests {
    private var conversation = ServerConversation(limits: .server)

    private static let call = #"{"method":"a.B"}"#
    private static let stream = #"{"method":"a.S","more":true}"#
    private static let oneway = #"{"method":"a.O","oneway":true}"#
    private static let one = Array(#"{"n":1}"#.utf8)

    private mutating func begin(_ text: String) throws -> CallID {
        try #require(conversation.receive(text).dispatched.first).id
    }

    private mutating func reply(_ id: CallID, continues: Bool = false) -> [Action] {
        conversation.actions { $0.reply(to: id, parameters: Self.one, continues: continues, into: &$1) }
    }

    // MARK: - Calls and their order

    @Test mutating func aCallIsDispatchedAndItsReplyFramed() throws {
        let id = try begin(Self.call)
        #expect(reply(id).written == [#"{"parameters":{"n":1}}␀"#])
    }

    @Test mutating func callsAreDispatchedOneAtATimeInTheirOrder() throws {
        let actions = conversation.receive(wire(#"{"method":"a.First"}"#) + wire(#"{"method":"a.Second"}"#))
        #expect(actions.dispatched.map(\.call.method) == ["a.First"])
        let next = reply(try #require(actions.dispatched.first).id)
        #expect(next.written.count == 1)
        #expect(next.dispatched.map(\.call.method) == ["a.Second"])
    }

    @Test mutating func anAnswerToACallThatIsOverIsIgnored() throws {
        let id = try begin(Self.call)
        _ = reply(id)
        #expect(reply(id) == [])
        #expect(conversation.actions { $0.fail(id, .expectedMore, into: &$1) } == [])
    }

    @Test mutating func anErrorEndsACall() throws {
        let id = try begin(Self.call)
        #expect(
            conversation.actions { $0.fail(id, .methodNotFound(method: "a.B"), into: &$1) }.written
                == [#"{"error":"org.varlink.service.MethodNotFound","parameters":{"method":"a.B"}}␀"#])
        #expect(conversation.receive(Self.call).dispatched.count == 1)
    }

    @Test mutating func aCallIsTheSameWhereverItIsCut() throws {
        let bytes = wire(#"{"method":"a.B","parameters":{"x":"é"}}"#)
        for cut in 1..<bytes.count {
            #expect(conversation.receive(Array(bytes[..<cut])) == [], "cut at \(cut)")
            let dispatched = try #require(conversation.receive(Array(bytes[cut...])).dispatched.first, "cut at \(cut)")
            #expect(dispatched.call == IncomingCall(method: "a.B", parameters: Array(#"{"x":"é"}"#.utf8)))
            #expect(reply(dispatched.id).written.count == 1)
        }
    }

    @Test mutating func aParameterThatCannotBeATextIsAnsweredWithoutDispatch() {
        let bad = #"{"method":"a.B","parameters":{"name":"\ud800"}}"#
        let actions = conversation.receive(wire(bad) + wire(Self.call))
        #expect(
            actions.written == [#"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"name"}}␀"#]
        )
        #expect(actions.dispatched.map(\.call.method) == ["a.B"])
    }

    // MARK: - more

    @Test mutating func aStreamContinuesUntilItsLastReply() throws {
        let id = try begin(Self.stream)
        #expect(conversation.isStreaming)
        #expect(reply(id, continues: true).written == [#"{"parameters":{"n":1},"continues":true}␀"#])
        #expect(reply(id, continues: true).written == [#"{"parameters":{"n":1},"continues":true}␀"#])
        #expect(reply(id) == [.write(wire(#"{"parameters":{"n":1}}"#))])
        #expect(!conversation.isStreaming)
    }

    @Test mutating func aStreamOccupiesItsConnection() throws {
        let id = try begin(Self.stream)
        #expect(conversation.receive(Self.call) == [])
        #expect(reply(id, continues: true).dispatched.isEmpty)
        #expect(reply(id).dispatched.map(\.call.method) == ["a.B"])
    }

    @Test mutating func nothingContinuesWhereMoreWasNotAsked() throws {
        let id = try begin(Self.call)
        #expect(reply(id, continues: true) == [.write(wire(#"{"parameters":{"n":1}}"#)), .cancel(id)])
        #expect(reply(id, continues: true) == [])
    }

    @Test mutating func aMethodThatStreamsCanAskForMore() throws {
        let id = try begin(Self.call)
        #expect(
            conversation.actions { $0.fail(id, .expectedMore, into: &$1) }.written
                == [#"{"error":"org.varlink.service.ExpectedMore","parameters":{}}␀"#])
    }

    // MARK: - oneway and upgrade

    @Test mutating func onewayGetsNeitherReplyNorError() throws {
        #expect(reply(try begin(Self.oneway)) == [])
        let id = try begin(Self.oneway)
        #expect(conversation.actions { $0.fail(id, .expectedMore, into: &$1) } == [])
        #expect(conversation.receive(#"{"method":"a.O","oneway":true,"parameters":{"x":"\u0000"}}"#) == [])
        #expect(conversation.receive(Self.call).dispatched.count == 1)
    }

    @Test mutating func aOnewayCallKeepsItsPlaceInTheOrder() throws {
        let id = try begin(Self.oneway)
        #expect(conversation.receive(Self.call) == [])
        #expect(reply(id).dispatched.map(\.call.method) == ["a.B"])
    }

    @Test mutating func upgradeClosesTheConnection() {
        #expect(conversation.receive(#"{"method":"a.B","upgrade":true}"#) == [.close(.upgradeAsked)])
        #expect(conversation.receive(Self.call) == [])
    }

    @Test mutating func onewayWithMoreClosesTheConnection() {
        #expect(conversation.receive(#"{"method":"a.B","oneway":true,"more":true}"#) == [.close(.onewayWithMore)])
    }

    // MARK: - Garbage

    @Test(arguments: ["", "garbage", "[]", "{}", #"{"method":1}"#, #"{"method":"a.B"}}"#])
    func aMessageThatIsNoCallClosesTheConnectionOnce(_ text: String) throws {
        var conversation = ServerConversation(limits: .server)
        let actions = conversation.receive(wire(text) + wire(Self.call))
        #expect(actions.count == 1)
        let reason = try #require(actions.closed.first)
        #expect(reason.isFaultOfClient)
        #expect(conversation.isClosed)
        #expect(!conversation.wantsInput)
    }

    @Test mutating func garbageBehindACallWaitsForTheCallsAnswer() throws {
        let actions = conversation.receive(wire(Self.call) + wire("garbage"))
        let next = reply(try #require(actions.dispatched.first).id)
        #expect(next.written.count == 1)
        #expect(next.closed == [.notACall(.unexpectedByte(at: 0))])
    }

    @Test mutating func aMessageOverTheLimitClosesAtOnceAndCancels() throws {
        var limits = VarlinkLimits.server
        limits.maximumMessageBytes = 100
        conversation = ServerConversation(limits: limits)
        let id = try begin(Self.stream)
        #expect(conversation.receive([UInt8](repeating: 0x20, count: 100)) == [])
        #expect(conversation.receive([0x20]) == [.cancel(id), .close(.messageTooLong(limitBytes: 100))])
        #expect(conversation.receive([UInt8](repeating: 0x20, count: 100)) == [])
        #expect(reply(id) == [])
    }

    // MARK: - Limits

    @Test mutating func readingStopsWhileEnoughCallsWait() throws {
        let id = try begin(Self.stream)
        for _ in 0..<VarlinkLimits.server.maximumQueuedCalls {
            #expect(conversation.wantsInput)
            _ = conversation.receive(Self.call)
        }
        #expect(!conversation.wantsInput)
        _ = reply(id)
        #expect(conversation.wantsInput)
    }

    @Test mutating func readingStopsWhileEnoughBytesWait() throws {
        _ = try begin(Self.stream)
        let padding = String(repeating: " ", count: VarlinkLimits.server.maximumQueuedBytes / 2)
        _ = conversation.receive(padding + Self.call)
        #expect(conversation.wantsInput)
        _ = conversation.receive(padding + Self.call)
        #expect(!conversation.wantsInput)
    }

    @Test mutating func aLongMessageIsReadToItsEndWhereNothingWaits() throws {
        _ = try begin(Self.stream)
        _ = conversation.receive([UInt8](repeating: 0x20, count: VarlinkLimits.server.maximumMessageBytes))
        #expect(conversation.wantsInput)
    }

    @Test mutating func nothingIsDispatchedWhilePaused() throws {
        let id = try begin(Self.call)
        _ = conversation.receive(Self.call)
        conversation.pause()
        #expect(!conversation.wantsInput)
        #expect(reply(id).dispatched.isEmpty)
        #expect(conversation.actions { $0.resume(into: &$1) }.dispatched.count == 1)
        #expect(conversation.wantsInput)
    }

    @Test mutating func aThousandCallsInOnePieceAreAllAnswered() {
        var actions = conversation.receive((0..<1000).flatMap { _ in wire(Self.call) })
        var answered = 0
        var index = 0
        while index < actions.count {
            if case .dispatch(let id, _) = actions[index] {
                conversation.reply(to: id, parameters: [], into: &actions)
                answered += 1
            }
            index += 1
        }
        #expect(answered == 1000)
        #expect(actions.written.count == 1000)
        #expect(conversation.callCount == 1000)
    }

    // MARK: - Ends

    @Test mutating func afterTheEndOfInputPendingCallsAreAnsweredThenItCloses() throws {
        let actions = conversation.receive(wire(Self.call) + wire(Self.call))
        #expect(conversation.actions { $0.receiveEndOfInput(into: &$1) } == [])
        let next = reply(try #require(actions.dispatched.first).id)
        #expect(next.dispatched.count == 1)
        let last = reply(try #require(next.dispatched.first).id)
        #expect(last == [.write(wire(#"{"parameters":{"n":1}}"#)), .close(.endOfInput)])
    }

    @Test mutating func theEndOfInputEndsAStreamWithItsLastReplyAgain() throws {
        let id = try begin(Self.stream)
        _ = reply(id, continues: true)
        #expect(
            conversation.actions { $0.receiveEndOfInput(into: &$1) }
                == [.write(wire(#"{"parameters":{"n":1}}"#)), .cancel(id), .close(.endOfInput)])
    }

    @Test mutating func aStreamWithoutReplyGetsOneAfterTheEndOfInput() throws {
        let id = try begin(Self.stream)
        #expect(conversation.actions { $0.receiveEndOfInput(into: &$1) } == [])
        #expect(
            reply(id, continues: true)
                == [.write(wire(#"{"parameters":{"n":1}}"#)), .cancel(id), .close(.endOfInput)])
    }

    @Test mutating func theEndOfInputWhileIdleCloses() {
        #expect(conversation.actions { $0.receiveEndOfInput(into: &$1) } == [.close(.endOfInput)])
        #expect(conversation.actions { $0.receiveEndOfInput(into: &$1) } == [])
    }

    @Test mutating func halfAMessageAtTheEndIsNoCall() {
        #expect(conversation.receive(Array(Self.call.utf8)) == [])
        #expect(conversation.actions { $0.receiveEndOfInput(into: &$1) } == [.close(.endOfInputInsideMessage)])
    }

    @Test(arguments: [call, stream]) func aClientThatGoesCancelsItsCall(_ text: String) throws {
        var conversation = ServerConversation(limits: .server)
        let id = try #require(conversation.receive(wire(text) + wire(Self.call)).dispatched.first).id
        #expect(conversation.actions { $0.connectionLost(into: &$1) } == [.cancel(id), .close(.connectionLost)])
    }

    @Test mutating func onewayCallsOfAClientThatWentAreStillServed() throws {
        let actions = conversation.receive(wire(Self.oneway) + wire(Self.call) + wire(Self.oneway))
        let first = try #require(actions.dispatched.first).id
        #expect(conversation.actions { $0.receiveEndOfInput(into: &$1) } == [])
        #expect(conversation.actions { $0.connectionLost(into: &$1) } == [])
        let next = reply(first)
        #expect(next.dispatched.map(\.call.method) == ["a.O"])
        #expect(reply(try #require(next.dispatched.first).id) == [.close(.connectionLost)])
    }

    @Test mutating func stoppingCancelsAndDropsWhatWaits() throws {
        let id = try begin(Self.stream)
        _ = conversation.receive(Self.call)
        #expect(conversation.actions { $0.stop(into: &$1) } == [.cancel(id), .close(.stopped)])
        #expect(conversation.actions { $0.stop(into: &$1) } == [])
    }

    @Test mutating func aSlowStreamEndsWithItsErrorAndNothingAfterIt() throws {
        let id = try begin(Self.stream)
        _ = conversation.receive(Self.call)
        let actions = conversation.actions { conversation, actions in
            conversation.pause()
            conversation.fail(id, error: "a.TooSlow", parameters: [], into: &actions)
            conversation.stop(into: &actions)
        }
        #expect(actions == [.write(wire(#"{"error":"a.TooSlow","parameters":{}}"#)), .close(.stopped)])
    }
}
