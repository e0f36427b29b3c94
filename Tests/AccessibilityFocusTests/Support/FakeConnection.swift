import Glibc
import Synchronization
import Varlink

/// One client of the fake's: its calls in, and the answers out in the order of the calls.
final class FakeConnection: Sendable {
    private struct Slot {
        let number: Int
        let isSet: Bool
        /// What is to be written; nil while the test still owes it.
        var bytes: [UInt8]?
        /// Whether more replies follow: then nothing after it is ever written.
        var isStream = false
    }
    private struct State {
        var slots: [Slot] = []
        /// Calls that wait until those before them are answered.
        var held: [FakeFocusd.Call] = []
        var lastNumber = 0
        var isClosed = false
    }

    let number: Int
    private let descriptor: Int32
    private let state = Mutex(State())

    init(number: Int, descriptor: Int32) {
        self.number = number
        self.descriptor = descriptor
    }

    /// Both ends learn that it is over; the thread that reads closes it.
    func hangUp() {
        state.withLock { state in
            if !state.isClosed { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    private let serving = Mutex<(@Sendable (FakeFocusd.Call) -> FakeFocusd.Answer)?>(nil)

    /// Reads until the client goes.
    func readCalls(_ serve: @escaping @Sendable (FakeFocusd.Call) -> FakeFocusd.Answer) {
        serving.withLock { $0 = serve }
        var splitter = MessageSplitter(maximumMessageBytes: 1 << 20)
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else { break }
            chunk[..<count].withUnsafeBytes { splitter.append($0) }
            while let call = splitter.takeMessage({ bytes in self.read(bytes) }) {
                guard let call else { return end() }
                take(call)
            }
        }
        end()
    }

    private func end() {
        serving.withLock { $0 = nil }
        state.withLock { state in
            state.isClosed = true
            close(descriptor)
        }
    }

    private func read(_ bytes: Span<UInt8>) -> FakeFocusd.Call? {
        do {
            let call = try IncomingCall(reading: bytes, limits: .server)
            let number = state.withLock { state in
                state.lastNumber += 1
                return state.lastNumber
            }
            return FakeFocusd.Call(
                connection: self.number, number: number, name: String(call.memberName), parameters: call.parameters,
                wantsMore: call.wantsMore)
        } catch {
            return nil
        }
    }

    private func take(_ call: FakeFocusd.Call) {
        let isHeld = state.withLock { state in
            let isSet = call.name == "SetValue"
            let mayBegin = state.held.isEmpty && (state.slots.isEmpty || isSet && state.slots.allSatisfy(\.isSet))
            if mayBegin {
                state.slots.append(Slot(number: call.number, isSet: isSet))
            } else {
                state.held.append(call)
            }
            return !mayBegin
        }
        if !isHeld { begin(call) }
    }

    private func begin(_ call: FakeFocusd.Call) {
        guard let serve = serving.withLock({ $0 }) else { return }
        fill(call.number, with: serve(call))
    }

    /// Answers a call; what is ready is written in the order of the calls.
    func fill(_ number: Int, with answer: FakeFocusd.Answer) {
        let bytes: [UInt8]
        switch answer {
        case .later: return
        case .reply(let parameters, let continues):
            bytes = OutgoingMessage.reply(parameters: parameters, continues: continues)
        case .error(let name, let parameters): bytes = OutgoingMessage.error(name, parameters: parameters)
        case .rubbish(let rubbish): bytes = rubbish
        case .hangUp: return hangUp()
        }
        let next = state.withLock { state -> [FakeFocusd.Call] in
            guard let index = state.slots.firstIndex(where: { $0.number == number }) else { return [] }
            state.slots[index].bytes = bytes
            if case .reply(_, true) = answer { state.slots[index].isStream = true }
            while let first = state.slots.first, let ready = first.bytes {
                send(ready, &state)
                if first.isStream {
                    state.slots[0].bytes = []
                    break
                }
                state.slots.removeFirst()
            }
            guard state.slots.isEmpty else { return [] }
            var begun: [FakeFocusd.Call] = []
            while let call = state.held.first, begun.allSatisfy({ $0.name == "SetValue" }) {
                guard begun.isEmpty || call.name == "SetValue" else { break }
                begun.append(state.held.removeFirst())
                state.slots.append(Slot(number: call.number, isSet: call.name == "SetValue"))
            }
            return begun
        }
        for call in next { begin(call) }
    }

    /// Writes bytes as they are.
    func write(_ bytes: [UInt8]) { state.withLock { send(bytes, &$0) } }

    private func send(_ bytes: [UInt8], _ state: inout State) {
        var rest = bytes[...]
        while !state.isClosed, !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
