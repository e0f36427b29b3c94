import EventLoop
import Glibc

/// Finds the accessibility bus without ever waiting for it: the environment's word, else the session bus's.
///
/// Never `atspi_get_a11y_bus`: it opens an X display and blocks.
@Loop
final class BusFinder {
    private var session: BusConnection?

    /// Why there is no address.
    enum Failure: String, Error {
        case noSessionBus, sessionBusSilent, noAccessibilityBus
    }

    /// The address that the environment names, which may be stale.
    static var environmentAddress: String? { environment("AT_SPI_BUS_ADDRESS") }

    /// Asks `org.a11y.Bus` on the session bus, which starts the accessibility bus where it can.
    func askSessionBus(_ completion: @escaping @Loop (Result<String, Failure>) -> Void) {
        guard let address = BusFinder.sessionAddress, let session = BusConnection(address: address) else {
            return completion(.failure(.noSessionBus))
        }
        self.session = session
        session.hello { [weak self] failure in
            guard let self, let session = self.session else { return }
            guard failure == nil else { return self.finish(.failure(.sessionBusSilent), completion) }
            session.call("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress", milliseconds: 5_000) {
                [weak self] reply in
                guard let self else { return }
                do {
                    var reader = try reply.get()
                    let address = try reader.string()
                    self.finish(address.isEmpty ? .failure(.noAccessibilityBus) : .success(address), completion)
                } catch {
                    self.finish(.failure(.noAccessibilityBus), completion)
                }
            }
        }
    }

    private func finish(
        _ result: Result<String, Failure>, _ completion: @Loop (Result<String, Failure>) -> Void
    ) {
        session?.close()
        session = nil
        completion(result)
    }

    static var sessionAddress: String? {
        if let address = environment("DBUS_SESSION_BUS_ADDRESS") { return address }
        return environment("XDG_RUNTIME_DIR").map { "unix:path=\($0)/bus" }
    }

    private static func environment(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }
}
