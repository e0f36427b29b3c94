import Testing
import Varlink

/// Calls of methods that need not wait for each other.
@Suite struct OverlappingCallTests {
    private var conversation = ServerConversation(limits: .server, overlapping: ["a.Set"])

    private static let set = #"{"method":"a.Set"}"#
    private static let onewaySet = #"{"method":"a.Set","oneway":true}"#
    private static let other = #"{"method":"a.B"}"#

    /// Sends messages in one piece and gives the calls that are dispatched then, which must be so many.
    private mutating func send(_ texts: String..., dispatching count: Int) throws -> [CallID] {
        let ids = conversation.receive(texts.flatMap(wire)).dispatched.map(\.id)
        try #require(ids.count == count)
        return ids
    }

    private mutating func reply(_ id: CallID, _ number: Int) -> [Action] {
        conversation.actions { $0.reply(to: id, parameters: Array("{\"n\":\(number)}".utf8), into: &$1) }
    }

    private static func answer(_ number: Int) -> String { #"{"parameters":{"n":\#(number)}}␀"# }

    @Test mutating func aLaterSetIsDispatchedWhileAnEarlierOneIsUnanswered() throws {
        _ = try send(Self.set, dispatching: 1)
        _ = try send(Self.set, Self.set, dispatching: 2)
        #expect(conversation.callCount == 3)
        #expect(!conversation.isStreaming)
    }

    @Test mutating func answersGoOutInTheOrderOfTheCalls() throws {
        let ids = try send(Self.set, Self.set, Self.set, dispatching: 3)
        #expect(reply(ids[2], 3) == [])
        #expect(!conversation.isInProgress(ids[2]))
        #expect(conversation.isInProgress(ids[1]))
        #expect(reply(ids[0], 1).written == [Self.answer(1)])
        #expect(reply(ids[1], 2).written == [Self.answer(2), Self.answer(3)])
        #expect(reply(ids[2], 3) == [])
    }

    @Test mutating func anErrorKeepsItsPlaceToo() throws {
        let ids = try send(Self.set, Self.set, dispatching: 2)
        #expect(conversation.actions { $0.fail(ids[1], .permissionDenied, into: &$1) } == [])
        #expect(
            reply(ids[0], 1).written
                == [Self.answer(1), #"{"error":"org.varlink.service.PermissionDenied","parameters":{}}␀"#])
    }

    @Test mutating func aMethodThatIsNotNamedWaitsUntilAllBeforeItAreAnswered() throws {
        let ids = try send(Self.set, Self.set, Self.other, Self.set, dispatching: 2)
        #expect(reply(ids[1], 2) == [])
        let last = reply(ids[0], 1)
        #expect(last.written == [Self.answer(1), Self.answer(2)])
        #expect(last.dispatched.map(\.call.method) == ["a.B"])
        // And no set overlaps it.
        #expect(reply(try #require(last.dispatched.first).id, 3).dispatched.map(\.call.method) == ["a.Set"])
    }

    @Test(arguments: ["a.B", "a.S\",\"more\":true,\"x\":\""]) func nothingOverlapsAnotherCall(_ method: String) throws {
        var conversation = ServerConversation(limits: .server, overlapping: ["a.Set"])
        let actions = conversation.receive(wire("{\"method\":\"\(method)\"}") + wire(Self.set))
        #expect(actions.dispatched.count == 1)
        #expect(conversation.receive(Self.set) == [])
        let id = try #require(actions.dispatched.first).id
        #expect(conversation.actions { $0.reply(to: id, parameters: [], into: &$1) }.dispatched.count == 2)
    }

    @Test mutating func aStreamOfANamedMethodDoesNotOverlap() throws {
        let ids = try send(Self.set, #"{"method":"a.Set","more":true}"#, Self.set, dispatching: 1)
        let next = reply(ids[0], 1)
        #expect(next.dispatched.count == 1)
        #expect(conversation.isStreaming)
    }

    @Test mutating func onewaySetsOverlapAndHoldUpNoAnswer() throws {
        let ids = try send(Self.onewaySet, Self.set, Self.onewaySet, dispatching: 3)
        #expect(reply(ids[1], 2).written == [Self.answer(2)])
        _ = try send(Self.other, dispatching: 0)
        #expect(reply(ids[2], 3) == [])
        #expect(reply(ids[0], 1).dispatched.map(\.call.method) == ["a.B"])
    }

    @Test mutating func onlySoManyAreInFlight() throws {
        var limits = VarlinkLimits.server
        limits.maximumOverlappingCalls = 2
        conversation = ServerConversation(limits: limits, overlapping: ["a.Set"])
        let ids = try send(Self.set, Self.set, Self.set, dispatching: 2)
        // An answer that is held still takes a place.
        #expect(reply(ids[1], 2) == [])
        #expect(reply(ids[0], 1).dispatched.count == 1)
    }

    @Test mutating func whatWaitsBehindThemIsBoundedAsEver() throws {
        _ = try send(Self.set, dispatching: 1)
        for _ in 0..<VarlinkLimits.server.maximumQueuedCalls {
            #expect(conversation.wantsInput)
            _ = try send(Self.other, dispatching: 0)
        }
        #expect(!conversation.wantsInput)
    }

    @Test mutating func manyBytesBehindThemStopTheReadingAsEver() throws {
        _ = try send(Self.set, dispatching: 1)
        let padding = String(repeating: " ", count: VarlinkLimits.server.maximumQueuedBytes - Self.other.utf8.count)
        _ = try send(padding + Self.other, dispatching: 0)
        #expect(!conversation.wantsInput)
    }

    @Test mutating func nothingMoreIsDispatchedWhilePausedButAnswersGoOut() throws {
        let ids = try send(Self.set, Self.set, dispatching: 2)
        conversation.pause()
        _ = try send(Self.set, dispatching: 0)
        #expect(reply(ids[1], 2) == [])
        #expect(reply(ids[0], 1).written == [Self.answer(1), Self.answer(2)])
        #expect(conversation.actions { $0.resume(into: &$1) }.dispatched.count == 1)
    }

    @Test mutating func aClientThatGoesCancelsAllThatAreUnanswered() throws {
        let ids = try send(Self.set, Self.onewaySet, Self.set, Self.set, dispatching: 4)
        _ = reply(ids[2], 3)
        #expect(conversation.actions { $0.connectionLost(into: &$1) } == [.cancel(ids[0]), .cancel(ids[3])])
        #expect(!conversation.isInProgress(ids[0]))
        #expect(reply(ids[1], 2) == [.close(.connectionLost)])
    }

    @Test mutating func afterTheEndOfInputAllAreAnswered() throws {
        let ids = try send(Self.set, Self.set, dispatching: 2)
        #expect(conversation.actions { $0.receiveEndOfInput(into: &$1) } == [])
        #expect(reply(ids[1], 2) == [])
        #expect(
            reply(ids[0], 1)
                == [
                    .write(wire(#"{"parameters":{"n":1}}"#)), .write(wire(#"{"parameters":{"n":2}}"#)),
                    .close(.endOfInput),
                ])
    }

    @Test mutating func stoppingCancelsAllAndDropsHeldAnswers() throws {
        let ids = try send(Self.set, Self.set, dispatching: 2)
        _ = reply(ids[1], 2)
        #expect(conversation.actions { $0.stop(into: &$1) } == [.cancel(ids[0]), .close(.stopped)])
    }

    @Test mutating func garbageBehindThemWaitsForTheirAnswers() throws {
        let ids = try send(Self.set, Self.set, "garbage", dispatching: 2)
        #expect(reply(ids[0], 1).closed == [])
        #expect(reply(ids[1], 2).closed == [.notACall(.unexpectedByte(at: 0))])
    }

    @Test mutating func aSetThatCannotBeReadKeepsItsPlace() throws {
        let ids = try send(Self.set, #"{"method":"a.Set","parameters":{"x":"\u0000"}}"#, Self.set, dispatching: 1)
        let next = reply(ids[0], 1)
        #expect(next.written.count == 2)
        #expect(next.written.first == Self.answer(1))
        #expect(next.dispatched.count == 1)
    }
}
