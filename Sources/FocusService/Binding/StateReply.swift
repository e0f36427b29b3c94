import EventLoop
import FocusProtocol
import FocusRegistry
import Varlink

/// The JSON of a state's change, made for every move that concerns it: the element's own JSON, which is kept, is put in.
@Loop
enum StateReply {
    /// What each change of a state begins with.
    static func head(of state: FocusStateID) -> [UInt8] {
        var bytes: [UInt8] = Array("{\"change\":{\"state\":".utf8)
        bytes.appendJSONString(state.rawValue)
        return bytes
    }

    /// A reply's parameters with a change and nothing else.
    static func bytes(
        _ state: BoundState, _ current: StateValue, previous: StateValue?, cause: String, revision: Int64,
        renderer: ElementRenderer
    ) -> [UInt8] {
        let element = current.element.flatMap { renderer.json(of: $0) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(state.head.count + 160 + (element?.count ?? 0))
        bytes.append(contentsOf: state.head)
        if let value = current.value {
            bytes.append(contentsOf: ",\"value\":".utf8)
            bytes.appendJSONString(value)
        }
        if let previous = previous?.value {
            bytes.append(contentsOf: ",\"previous\":".utf8)
            bytes.appendJSONString(previous)
        }
        if let element {
            bytes.append(contentsOf: ",\"element\":".utf8)
            bytes.append(contentsOf: element)
        }
        bytes.append(contentsOf: (current.isAssumed ? ",\"assumed\":true" : ",\"assumed\":false").utf8)
        bytes.append(contentsOf: ",\"cause\":".utf8)
        bytes.appendJSONString(cause)
        bytes.append(contentsOf: ",\"revision\":".utf8)
        bytes.append(contentsOf: String(revision).utf8)
        bytes.append(contentsOf: "}}".utf8)
        assert(
            isFaithful(bytes, state, current, previous, cause, revision),
            "what is written by hand is not the protocol's shape")
        return bytes
    }

    /// Whether the shape of the protocol reads the same out of the bytes; checked in debug builds only.
    private static func isFaithful(
        _ bytes: [UInt8], _ state: BoundState, _ current: StateValue, _ previous: StateValue?, _ cause: String,
        _ revision: Int64
    ) -> Bool {
        do {
            var read = try JSONBytes.decode(Bind.Reply.self, from: bytes)
            read.change?.element = nil
            return read
                == Bind.Reply(
                    change: FocusProtocol.StateChange(
                        state: state.id.rawValue, value: current.value, previous: previous?.value,
                        assumed: current.isAssumed, cause: cause, revision: revision))
        } catch {
            return false
        }
    }
}
