import Foundation
import TestDesktop

/// Writes much for a client on another thread, so that the test can read meanwhile.
final class Sender: @unchecked Sendable {
    // SAFETY: `result` is written before `done` is signalled and read after it; sending touches no state of the
    // client that receiving does.
    private var result: Result<Bool, any Error> = .success(true)
    private let done = DispatchSemaphore(value: 0)
    private let client: RawClient

    init(_ client: RawClient, _ bytes: [UInt8]) {
        self.client = client
        Thread.detachNewThread { [self] in
            result = Result { try self.client.send(bytes: bytes) }
            done.signal()
        }
    }

    func wait() throws {
        guard done.wait(timeout: .now() + 30) == .success, try result.get() else {
            throw Missing(what: "not all was sent")
        }
    }
}
