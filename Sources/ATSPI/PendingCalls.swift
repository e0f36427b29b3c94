import EventLoop

/// The calls of a connection that wait for their answers, by the serial of their message, and until when.
///
/// libdbus can do that, too; for each call it makes a timer of the loop and the message of the error that comes of it.
@Loop
final class PendingCalls {
    struct Call {
        let destination: String
        let completion: BusConnection.Completion
    }

    /// Calls with the same patience end in the order in which they began.
    private struct Line {
        var waiting: [(serial: UInt32, deadline: Int64)] = []
        var first = 0
    }

    private var calls: [UInt32: Call] = [:]
    private var lines: [Int32: Line] = [:]
    private var timer: LoopTimer?
    private var timerDeadline = Int64.max

    /// A call was not answered in time; it is no longer here.
    var onTimeout: (@Loop (Call) -> Void)?

    func insert(_ call: Call, serial: UInt32, milliseconds: Int32) {
        let deadline = SystemClock.monotonicMicroseconds + Int64(milliseconds) * 1_000
        calls[serial] = call
        lines[milliseconds, default: Line()].waiting.append((serial, deadline))
        if deadline < timerDeadline { arm(deadline) }
    }

    /// Who has a well-known name, where that is known: nobody else may answer what was asked of it.
    var owners: [String: String] = [:]
    /// Somebody answered what was asked of another.
    var onForgery: (@Loop (_ sender: String) -> Void)?

    /// The call that a reply is for; nil where it is too late or was never made to its sender.
    func take(serial: UInt32, from sender: String?) -> Call? {
        guard let call = calls[serial] else { return nil }
        // What was asked of a connection only that connection, or the bus for it, may answer. Before the bus has said
        // hello it stamps no sender.
        if let sender, sender != BusNames.daemon, !mayAnswer(call.destination, sender) {
            onForgery?(sender)
            return nil
        }
        calls[serial] = nil
        return call
    }

    private func mayAnswer(_ destination: String, _ sender: String) -> Bool {
        if destination.hasPrefix(":") { return sender == destination }
        if destination == BusNames.daemon { return false }
        return owners[destination].map { $0 == sender } ?? true
    }

    /// All of them, in the order in which they were made; none is left here.
    func takeAll() -> [Call] {
        defer {
            calls = [:]
            lines = [:]
            timer = nil
            timerDeadline = .max
        }
        return calls.sorted { $0.key < $1.key }.map(\.value)
    }

    private func arm(_ deadline: Int64) {
        timerDeadline = deadline
        let milliseconds = (deadline - SystemClock.monotonicMicroseconds + 999) / 1_000
        timer = LoopTimer(milliseconds: max(0, milliseconds)) { [weak self] in self?.expire() }
    }

    private func expire() {
        timer = nil
        timerDeadline = .max
        let now = SystemClock.monotonicMicroseconds
        var late: [Call] = []
        var next = Int64.max
        for (patience, var line) in lines {
            while line.first < line.waiting.count {
                let (serial, deadline) = line.waiting[line.first]
                if calls[serial] != nil {
                    guard deadline <= now else {
                        next = min(next, deadline)
                        break
                    }
                    if let call = calls.removeValue(forKey: serial) { late.append(call) }
                }
                line.first += 1
            }
            line.waiting.removeFirst(line.first)
            line.first = 0
            lines[patience] = line.waiting.isEmpty ? nil : line
        }
        if next < .max { arm(next) }
        for call in late { onTimeout?(call) }
    }
}
