import EventLoop
import Glibc

/// A connection that a bus took and has not said hello on yet. It is kept and waited on, however long that takes.
///
/// A bus that stands still keeps each connection in the kernel's queue, also those that were closed: who connects again
/// and again fills that queue, and whoever connects to a full one stands still, too.
@Loop
final class UnansweredBus {
    /// Which file a socket is: another bus may stand at the same path.
    private struct Place: Equatable {
        var device: dev_t
        var file: ino_t
    }

    /// A hello is answered as soon as the bus goes on; a connection that is gone says so.
    static let patienceMilliseconds = Int32.max

    let address: String
    let connection: BusConnection
    private let place: Place?

    init(_ connection: BusConnection, at address: String) {
        self.connection = connection
        self.address = address
        place = UnansweredBus.place(of: address)
    }

    /// Whether another socket stands at its address by now.
    var isOutdated: Bool { UnansweredBus.place(of: address) != place }

    /// Gives the connection up; nobody is told.
    func close() {
        connection.onClose = nil
        connection.close()
    }

    private static func place(of address: String) -> Place? {
        var status = stat()
        guard let path = BusFinder.socketPath(of: address), stat(path, &status) == 0 else { return nil }
        return Place(device: status.st_dev, file: status.st_ino)
    }
}
