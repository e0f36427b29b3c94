import FakePeers
import FocusProtocol
import TestDesktop
import Testing

extension FocusdScene {
    /// What `Diagnose` finds of a kind, that says these words.
    func found(_ code: FindingCode, _ words: String = "") throws -> Finding? {
        try client().diagnose().first { $0.code == code.rawValue && $0.what.contains(words) }
    }

    /// Waits until it is found; what provokes it is done before each look.
    @discardableResult
    func expectFound(
        _ code: FindingCode, _ words: String = "", provokedBy provoke: () throws -> Void = {},
        at location: SourceLocation = #_sourceLocation
    ) throws -> Finding {
        var finding: Finding?
        try wait(within: 30, "found: \(code.rawValue) \(words)") {
            try provoke()
            finding = try found(code, words)
            return finding != nil
        }
        let told = try #require(finding)
        #expect(told.severity == code.severity.rawValue, sourceLocation: location)
        // A sentence, and something to do about it.
        #expect(told.what.hasSuffix(".") && told.whatToDo.hasSuffix("."), "\(told)", sourceLocation: location)
        return told
    }

    /// Whether it is found by a client that is there already, where no other is let in.
    func expectTold(
        _ code: FindingCode, _ words: String, to client: Client, at location: SourceLocation = #_sourceLocation
    ) throws {
        let told = try #require(
            try client.diagnose().first { $0.code == code.rawValue && $0.what.contains(words) },
            sourceLocation: location)
        #expect(told.severity == code.severity.rawValue, sourceLocation: location)
        #expect(told.what.hasSuffix(".") && told.whatToDo.hasSuffix("."), "\(told)", sourceLocation: location)
    }

    /// Waits until it is found no more.
    func expectGone(_ code: FindingCode, _ words: String = "") throws {
        try wait(within: 30, "gone: \(code.rawValue) \(words)") { try found(code, words) == nil }
    }
}

/// What stands where the registry would be, and lists nobody.
final class FakeRegistry {
    private let connection: FakeConnection

    /// A mute one takes every call and answers none.
    init(bus: PrivateBus, isMute: Bool = false) throws {
        connection = try FakeConnection(bus: bus.address)
        connection.serve { call in
            guard !isMute else { return }
            switch call.member {
            case "GetChildren": call.reply([.array("(so)", [])])
            case "GetRegisteredEvents": call.reply([.array("(ss)", [])])
            default: call.reply([])
            }
        }
        try connection.requestName(FakeApplication.registry.bus)
    }

    func leave() { connection.disconnect() }
}
