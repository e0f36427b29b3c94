import Testing
import Varlink

/// Random clients and services: whatever they do, the conversation keeps its promises.
@Suite struct ServerConversationPropertyTests {
    enum Operation: CaseIterable {
        case call, callMore, callOneway, callUnusable, half, garbage, endOfInput, loseConnection
        case set, setAgain, setOneway, setMore
        case reply, replyContinuing, fail, replyToStranger, pause, resume
    }

    /// A call in flight.
    private struct InFlight {
        var id: CallID
        var call: IncomingCall
        /// Whether it was sent as one that may overlap others.
        var overlaps: Bool { call.method.hasPrefix("o.") && !call.wantsMore }
    }

    /// What a connection may have seen so far, kept apart from the conversation itself.
    private struct Model {
        static let limits = {
            var limits = VarlinkLimits.server
            limits.maximumOverlappingCalls = 3
            return limits
        }()

        var conversation = ServerConversation(limits: limits, overlapping: ["o.Set"])
        /// Calls that nobody answered yet.
        var unanswered: [InFlight] = []
        /// Where the answer goes that each call with a place in the order is owed: its number once it has one.
        var owed: [(id: CallID, answer: Int?)] = []
        var answers = 0
        var isClosed = false
        var hasEnded = false
        var isGone = false
        /// Numbers of the calls sent, and of those dispatched.
        var sent: [Int] = []
        var dispatched: [Int] = []
        var next = 0
        var over: [CallID] = []
        /// The first promise that was broken.
        var broken: String?

        mutating func apply(_ operation: Operation, choosing random: inout SeededGenerator) {
            var actions: [Action] = []
            let before = unanswered
            let chosen = unanswered.randomElement(using: &random)
            perform(operation, chosen, &actions)
            for action in actions { check(action, after: operation, chosen, before) }
        }

        private mutating func perform(_ operation: Operation, _ chosen: InFlight?, _ actions: inout [Action]) {
            switch operation {
            case .call: send("a.M", "", &actions)
            case .callMore: send("a.M", #","more":true"#, &actions)
            case .callOneway: send("a.M", #","oneway":true"#, &actions)
            case .set, .setAgain: send("o.Set", "", &actions)
            case .setOneway: send("o.Set", #","oneway":true"#, &actions)
            case .setMore: send("o.Set", #","more":true"#, &actions)
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
            case .reply, .replyContinuing, .fail:
                guard let chosen else { return }
                answer(chosen, operation, &actions)
            case .replyToStranger:
                if let stranger = over.last { conversation.reply(to: stranger, parameters: [], into: &actions) }
                promise(actions.isEmpty, "a call that is over has no answer")
            case .pause: conversation.pause()
            case .resume: conversation.resume(into: &actions)
            }
        }

        private mutating func send(_ method: String, _ flags: String, _ actions: inout [Action]) {
            next += 1
            if !hasEnded, !isClosed { sent.append(next) }
            conversation.receive(
                wire(#"{"method":"\#(method)","parameters":{"n":\#(next)}\#(flags)}"#), into: &actions)
        }

        private mutating func answer(_ chosen: InFlight, _ operation: Operation, _ actions: inout [Action]) {
            let goesOn = operation == .replyContinuing && chosen.call.wantsMore && !hasEnded
            answers += 1
            let parameters = Array("{\"a\":\(answers)}".utf8)
            if operation == .fail {
                conversation.fail(chosen.id, error: "a.E", parameters: parameters, into: &actions)
            } else {
                conversation.reply(
                    to: chosen.id, parameters: parameters, continues: operation == .replyContinuing, into: &actions)
            }
            guard !goesOn else { return }
            finish(chosen.id)
            if let place = owed.firstIndex(where: { $0.id == chosen.id }) { owed[place].answer = answers }
        }

        private mutating func finish(_ id: CallID) {
            unanswered.removeAll { $0.id == id }
            over.append(id)
        }

        private mutating func check(
            _ action: Action, after operation: Operation, _ chosen: InFlight?, _ before: [InFlight]
        ) {
            promise(!isClosed, "nothing comes after the close")
            switch action {
            case .dispatch(let id, let call): began(InFlight(id: id, call: call))
            case .write(let bytes): wrote(bytes)
            case .cancel(let id):
                let call = before.first { $0.id == id }
                promise(call != nil, "only calls in flight are cancelled")
                promise(call?.call.isOneway == false || operation == .replyContinuing, "oneway calls go on")
                promise(
                    id == chosen?.id || operation != .replyContinuing, "who answers cancels nobody else")
                finish(id)
                if operation != .replyContinuing { owed.removeAll { $0.id == id } }
            case .close:
                isClosed = true
                promise(unanswered.allSatisfy(\.call.isOneway), "no call is left behind")
                unanswered = []
            }
        }

        private mutating func began(_ call: InFlight) {
            promise(
                unanswered.isEmpty && owed.isEmpty || call.overlaps && unanswered.allSatisfy(\.overlaps),
                "only named methods overlap")
            promise(!isGone || call.call.isOneway, "only oneway calls outlive their caller")
            unanswered.append(call)
            if !call.call.isOneway { owed.append((call.id, nil)) }
            promise(max(unanswered.count, owed.count) <= Self.limits.maximumOverlappingCalls, "only so many at once")
            dispatched.append(number(in: call.call.parameters))
        }

        private mutating func wrote(_ bytes: [UInt8]) {
            promise(bytes.last == 0 && bytes.dropLast().firstIndex(of: 0) == nil, "whole messages")
            promise(!isGone, "nobody reads it")
            let text = shown(bytes)
            if text.contains("InvalidParameter") {
                return promise(unanswered.isEmpty && owed.isEmpty, "an error keeps its place in the order")
            }
            if text.contains("continues") {
                return promise(
                    unanswered.count == 1 && unanswered[0].call.wantsMore && !hasEnded,
                    "continues only where more was asked")
            }
            guard let first = owed.first else { return promise(false, "no answer to a oneway call, and none twice") }
            promise(first.answer == nil || first.answer == number(in: bytes), "answers come in the order of the calls")
            promise(
                first.answer != nil || unanswered.contains { $0.id == first.id && $0.call.wantsMore } && hasEnded,
                "no answer that the service did not give")
            owed.removeFirst()
        }

        private func number(in bytes: [UInt8]) -> Int {
            Int(String(decoding: bytes.filter { (48...57).contains($0) }, as: UTF8.self)) ?? -1
        }

        private mutating func promise(_ isKept: Bool, _ promise: String) {
            if !isKept, broken == nil { broken = promise }
        }

        mutating func checkInvariants() {
            promise(conversation.isClosed == isClosed, "it knows that it is closed")
            promise(!isClosed || !conversation.wantsInput, "nothing is read after the close")
            promise(
                conversation.isStreaming == unanswered.contains(where: \.call.wantsMore), "it knows whether it streams")
            promise(unanswered.allSatisfy { conversation.isInProgress($0.id) }, "it knows what wants an answer")
            promise(!over.contains { conversation.isInProgress($0) }, "what is over wants no answer")
            promise(isGone || isClosed || owed.first.map { $0.answer == nil } ?? true, "an answer that is due is out")
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
            model.apply(operation, choosing: &random)
            model.checkInvariants()
            if let broken = model.broken {
                Issue.record("seed \(seed): \(broken) after \(operations)")
                return
            }
        }
    }
}
