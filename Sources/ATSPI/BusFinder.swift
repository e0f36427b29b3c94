import EventLoop
import Glibc

/// Finds the accessibility bus without ever waiting for it: the environment's word, and the session bus's.
///
/// Never `atspi_get_a11y_bus`: it opens an X display and blocks. While there is no accessibility bus it stays on the
/// session bus, which tells when somebody is there to ask; for the rest the kernel tells when a socket appears.
@Loop
final class BusFinder {
    /// Where an address comes from.
    enum Source {
        case environment, session
    }

    /// Why there is no bus; the most telling last.
    enum Failure: String, Error, CaseIterable, Comparable {
        case noSessionBus, noAccessibilityBus, nobodyListens, sessionBusSilent, busSilent

        static func < (one: Failure, other: Failure) -> Bool {
            guard let first = allCases.firstIndex(of: one), let second = allCases.firstIndex(of: other) else {
                return false
            }
            return first < second
        }
    }

    /// How long the session bus may take for its first word, and for the address: the bus may have to be started.
    private static let greetingMilliseconds: Int64 = 1_000
    private static let addressMilliseconds: Int32 = 5_000

    private var session: UnansweredBus?
    private var isGreeted = false
    private var greeting: LoopTimer?
    private var watch: PathWatch?
    /// The last address that the session bus gave.
    private var lastAddress: String?

    /// There is something new: it is worth a try now.
    var onSign: (@Loop () -> Void)?

    /// Asks a source for the address, which may be stale.
    func ask(_ source: Source, _ completion: @escaping @Loop (Result<String, Failure>) -> Void) {
        switch source {
        case .environment:
            completion(BusFinder.environmentAddress.map { .success($0) } ?? .failure(.noAccessibilityBus))
        case .session: askSessionBus(completion)
        }
    }

    /// Asks `org.a11y.Bus` on the session bus, which starts the accessibility bus where it can.
    private func askSessionBus(_ completion: @escaping @Loop (Result<String, Failure>) -> Void) {
        if let session, !isGreeted, session.isOutdated { leave() }
        if let session {
            guard isGreeted else { return completion(.failure(.sessionBusSilent)) }
            return askAddress(session.connection, completion)
        }
        guard let address = BusFinder.sessionAddress, let connection = BusConnection(address: address) else {
            return completion(.failure(.noSessionBus))
        }
        let session = UnansweredBus(connection, at: address)
        self.session = session
        connection.onClose = { [weak self] in self?.lost() }
        var isOverdue = false
        greeting = LoopTimer(milliseconds: BusFinder.greetingMilliseconds) {
            isOverdue = true
            completion(.failure(.sessionBusSilent))
        }
        connection.hello(milliseconds: UnansweredBus.patienceMilliseconds) { [weak self, weak connection] failure in
            guard let self, let connection, self.session?.connection === connection else {
                if !isOverdue { completion(.failure(.noSessionBus)) }
                return
            }
            self.greeting = nil
            guard failure == nil else {
                self.leave()
                if !isOverdue { completion(.failure(.sessionBusSilent)) }
                return
            }
            self.greeted(connection)
            // Who asked was told that it is silent.
            if isOverdue { self.onSign?() } else { self.askAddress(connection, completion) }
        }
    }

    private func greeted(_ session: BusConnection) {
        isGreeted = true
        session.onSignal = { [weak self] in self?.received($0) }
        session.addMatch(
            "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',"
                + "member='NameOwnerChanged',arg0='org.a11y.Bus'")
    }

    private func askAddress(
        _ session: BusConnection, _ completion: @escaping @Loop (Result<String, Failure>) -> Void
    ) {
        session.call(
            "org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress", milliseconds: BusFinder.addressMilliseconds
        ) { [weak self] reply in
            switch reply {
            case .failure(.notResponding): completion(.failure(.sessionBusSilent))
            case .failure(.disconnected): completion(.failure(.noSessionBus))
            case .failure: completion(.failure(.noAccessibilityBus))
            case .success(var reader):
                do {
                    let address = try reader.string()
                    guard !address.isEmpty else { return completion(.failure(.noAccessibilityBus)) }
                    self?.lastAddress = address
                    completion(.success(address))
                } catch {
                    completion(.failure(.noAccessibilityBus))
                }
            }
        }
    }

    /// Who answers for the accessibility bus came or went: the next answer is another.
    private func received(_ message: IncomingMessage) {
        guard message.isMember("NameOwnerChanged"), message.isSender(BusNames.daemon) else { return }
        onSign?()
    }

    private func lost() {
        session = nil
        greeting = nil
        isGreeted = false
        onSign?()
    }

    private func leave() {
        session?.close()
        session = nil
        greeting = nil
        isGreeted = false
    }

    // MARK: - Signs

    /// Has the kernel tell when a bus may be there. False where that cannot be told: then it must be looked for.
    func waitForSigns() -> Bool {
        let addresses = [BusFinder.sessionAddress, BusFinder.environmentAddress, lastAddress].compactMap { $0 }
        let paths = addresses.map(BusFinder.socketPath)
        guard !paths.contains(nil) else {
            watch = nil
            return false
        }
        let wanted = Set(paths.compactMap { $0 })
        guard !wanted.isEmpty else { return true }
        if watch?.paths != wanted || watch?.isOutdated != false {
            watch = PathWatch(wanted) { [weak self] in self?.onSign?() }
        }
        return watch != nil
    }

    /// Gives the descriptor back that is needed to be told.
    func forgetSigns() { watch = nil }

    /// The bus was found: nothing of the session bus is needed, and nothing is looked for.
    func rest() {
        watch = nil
        leave()
    }

    /// The file of a socket's address; nil where it has none, or several.
    static func socketPath(of address: String) -> String? {
        guard address.hasPrefix("unix:"), !address.contains(";") else { return nil }
        for part in address.dropFirst("unix:".count).split(separator: ",") where part.hasPrefix("path=") {
            // The addresses of buses escape little; one that does is looked for instead.
            return part.contains("%") ? nil : String(part.dropFirst("path=".count))
        }
        return nil
    }

    // MARK: - The environment

    /// The address that the environment names: what it was when the session began.
    static var environmentAddress: String? { environment("AT_SPI_BUS_ADDRESS") }

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
