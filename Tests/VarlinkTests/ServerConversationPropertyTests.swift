import Testing
import Varlink

/// Random clients and services: whatever they do, the conversation keeps its promises.
@Suite struct ServerConversationPropertyTests {
    enum Operation: CaseIterable {
        case call, callMore, callOneway, callUnusable, half, garbage, endOfInput, loseConnection
        case reply, replyContinuing, fail, replyToStranger, pause, resume
    }

    /// What a connection may have seen so far, kept apart from the conversation itself.
    private struct Model {
        var conversation = ServerConversation(limits: .server)
        var current: (id: CallID, call: IncomingCall)?
        var hasContinued = false
        var isClosed = false
        var hasEnded = false
        var isGone = false
        var sent: [String] = []
        var dispatched: [String] = []
        var next = 0
        var ids: [CallID] = []
        /// The first promise that was broken.
        var broken: String?

        mutating func apply(_ operation: Operation) {
            var actions: [Action] = []
            let before = current
            perform(operation, &actions)
            for action in actions { check(action, after: operation, before) }
        }

        private mutating func perform(_ operation: Operation, _ actions: inout [Action]) {
            let stranger = ids.last { $0 != current?.id }
            switch operation {
            case .call: send("", &actions)
            case .callMore: send(#","more":true"#, &actions)
            case .callOneway: send(#","oneway":true"#, &actions)
            case .callUnusable:
                conversation.receive(wire(#"{"method":"u","parameters":{"x":"\u0000"}}"#), into: &actions)
            case .half: conversation.receive(Array(#"{"method":"#.utf8), into: &actions)
            case .garbage: conversation.receive(wire("garbage"), into: &actions)
            case .endOfInput:
                hasEnded = true
                conversation.receiveEndOfInput(into: &actions)
            case .loseConnection:
                (hasEnded, isGone) = (true, true)
                conversation.connectionLost(into: &actions)
            case .reply, .replyContinuing:
                guard let current else { return }
                conversation.reply(
                    to: current.id, parameters: [], continues: operation == .replyContinuing, into: &actions)
                finish(current, goesOn: operation == .replyContinuing && current.call.wantsMore && !hasEnded)
            case .fail:
                guard let current else { return }
                conversation.fail(current.id, .permissionDenied, into: &actions)
                finish(current, goesOn: false)
            case .replyToStranger:
                if let stranger { conversation.reply(to: stranger, parameters: [], into: &actions) }
                promise(actions.isEmpty, "a call that is over has no answer")
            case .pause: conversation.pause()
            case .resume: conversation.resume(into: &actions)
            }
        }

        private mutating func send(_ flags: String, _ actions: inout [Action]) {
            next += 1
            if !hasEnded, !isClosed { sent.append("a.M\(next)") }
            conversation.receive(wire(#"{"method":"a.M\#(next)"\#(flags)}"#), into: &actions)
        }

        private mutating func finish(_ call: (id: CallID, call: IncomingCall), goesOn: Bool) {
            if goesOn { hasContinued = true } else { current = nil }
        }

        private mutating func check(
            _ action: Action, after operation: Operation, _ before: (id: CallID, call: IncomingCall)?
        ) {
            promise(!isClosed, "nothing comes after the close")
            switch action {
            case .dispatch(let id, let call):
                promise(current == nil, "one call at a time")
                promise(!isGone || call.isOneway, "only oneway calls outlive their caller")
                current = (id, call)
                hasContinued = false
                ids.append(id)
                dispatched.append(call.method)
            case .write(let bytes):
                promise(bytes.last == 0 && bytes.dropLast().firstIndex(of: 0) == nil, "whole messages")
                promise(!isGone, "nobody reads it")
                let text = shown(bytes)
                promise(
                    !text.contains("continues") || (before?.call.wantsMore == true && !hasEnded),
                    "continues only where more was asked")
                promise(
                    text.contains("InvalidParameter") || before?.call.isOneway == false, "no answer to a oneway call")
            case .cancel(let id):
                promise(id == before?.id, "only the call in progress is cancelled")
                promise(before?.call.isOneway == false || operation == .replyContinuing, "oneway calls go on")
                if current?.id == id { current = nil }
            case .close:
                isClosed = true
                if current?.call.isOneway == true { current = nil }
                promise(current == nil, "no call is left behind")
            }
        }

        private mutating func promise(_ isKept: Bool, _ promise: String) {
            if !isKept, broken == nil { broken = promise }
        }

        mutating func checkInvariants() {
            promise(conversation.isClosed == isClosed, "it knows that it is closed")
            promise(!isClosed || !conversation.wantsInput, "nothing is read after the close")
            promise(conversation.isStreaming == (current?.call.wantsMore ?? false), "it knows whether it streams")
            // Oneway calls may overtake those that died with their caller; else the order is the client's.
            promise(
                isGone || dispatched.elementsEqual(sent.prefix(dispatched.count)), "calls keep their order")
        }
    }

    @Test(arguments: 0..<300 as Range<UInt64>) func noOrderOfEventsBreaksAPromise(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var model = Model()
        var operations: [Operation] = []
        // The ends are rare and come late, so that most runs get somewhere.
        let rare: Set<Operation> = [.garbage, .endOfInput, .loseConnection, .half]
        for step in 0..<80 {
            guard let operation = Operation.allCases.randomElement(using: &random) else { return }
            if rare.contains(operation), step < 10 || Int.random(in: 0..<6, using: &random) > 0 { continue }
            operations.append(operation)
            model.apply(operation)
            model.checkInvariants()
            if let broken = model.broken {
                Issue.record("seed \(seed): \(broken) after \(operations)")
                return
            }
        }
    }
}
