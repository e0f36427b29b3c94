import EventLoop

/// Holds what is written while many clients are told of one change: all are told first, and then written to.
///
/// Who reads too slowly is cut off after that: undoing all that such a client began must not hold up those behind it.
@Loop
final class FlushLine {
    private(set) var isHeld = false
    private var line: [ClientConnection] = []
    private var slow: [ClientConnection] = []

    /// Tells, and then writes to each client, in the order of telling, all that it was told.
    func hold(_ tell: () -> Void) {
        guard !isHeld else { return tell() }
        isHeld = true
        tell()
        // What follows from writing is written at once.
        isHeld = false
        let (told, late) = (line, slow)
        line.removeAll(keepingCapacity: true)
        slow.removeAll(keepingCapacity: true)
        for client in told { client.takeFlush() }
        for client in late { client.takeJudgement() }
    }

    /// To be written to at the end; once for each time that it is held.
    func join(_ client: ClientConnection) { line.append(client) }

    /// To be looked at again when all others have been written to.
    func judgeLater(_ client: ClientConnection) { slow.append(client) }
}
