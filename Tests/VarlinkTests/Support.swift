import Testing
import Varlink

typealias Action = ServerConversation.Action
typealias CallID = ServerConversation.CallID

/// A message as it goes over the wire: the text and its NUL.
func wire(_ text: String) -> [UInt8] { Array(text.utf8) + [0] }

/// Bytes as the text they are, with the NULs shown as `␀`.
func shown(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self).replacing("\0", with: "␀") }

/// Reads a text as a call.
func readCall(_ text: String, limits: VarlinkLimits = .server) throws(MessageFault) -> IncomingCall {
    try IncomingCall(reading: Array(text.utf8).span, limits: limits)
}

/// Reads bytes as a call.
func readCall(_ bytes: [UInt8]) throws(MessageFault) -> IncomingCall {
    try IncomingCall(reading: bytes.span, limits: .server)
}

extension ServerConversation {
    mutating func receive(_ bytes: [UInt8], into actions: inout [Action]) {
        bytes.withUnsafeBytes { receive($0, into: &actions) }
    }

    mutating func receive(_ bytes: [UInt8]) -> [Action] {
        var actions: [Action] = []
        receive(bytes, into: &actions)
        return actions
    }

    mutating func receive(_ text: String) -> [Action] { receive(wire(text)) }

    /// Runs one step and gives the actions that came of it.
    mutating func actions(of step: (inout ServerConversation, inout [Action]) -> Void) -> [Action] {
        var actions: [Action] = []
        step(&self, &actions)
        return actions
    }
}

extension [Action] {
    /// The calls that are dispatched.
    var dispatched: [(id: CallID, call: IncomingCall)] {
        compactMap { if case .dispatch(let id, let call) = $0 { (id, call) } else { nil } }
    }

    /// What is written, with the NULs shown.
    var written: [String] { compactMap { if case .write(let bytes) = $0 { shown(bytes) } else { nil } } }

    var cancelled: [CallID] { compactMap { if case .cancel(let id) = $0 { id } else { nil } } }

    var closed: [ServerConversation.CloseReason] {
        compactMap { if case .close(let reason) = $0 { reason } else { nil } }
    }
}

/// Numbers that look random and come again with the same seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
