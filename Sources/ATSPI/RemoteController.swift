import EventLoop
import Glibc

/// Orca's remote controller: the service on the session bus by which newer versions are told what to say.
///
/// It is never started by this, and the session bus is left alone until there is something to say. Who owns the names
/// is asked anew each time.
@Loop
package final class RemoteController {
    package struct Limits: Sendable {
        /// How long each question may take.
        package var callMilliseconds: Int32 = 1_000
        /// How long a session bus that could not be reached is left alone.
        package var retryMilliseconds: Int64 = 5_000
        /// Texts whose delivery is under way; for more it counts as absent.
        package var maximumInFlight = 32
        package init() {}
    }

    /// What the service is called, which is also the name of its own interface: the newest first.
    private enum Generation: CaseIterable {
        /// From version 51 on.
        case second
        /// Versions 49 and 50.
        case first

        var name: String { self == .second ? "org.gnome.Orca1.Service" : "org.gnome.Orca.Service" }
        var path: String { self == .second ? "/org/gnome/Orca1/Service" : "/org/gnome/Orca/Service" }
    }

    private typealias Service = (generation: Generation, owner: String)

    private let limits: Limits
    private var retryAt: Int64 = 0
    private var inFlight = 0

    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Has the screen reader with this process id say a text, in speech and braille; false where it cannot be told so.
    ///
    /// True means that it was told: one that does not answer in time may say it later, or never.
    package func present(
        _ text: String, isUrgent: Bool, to pid: Int, _ completion: @escaping @Loop (Bool) -> Void
    ) {
        guard inFlight < limits.maximumInFlight else { return completion(false) }
        inFlight += 1
        let finish: @Loop (Bool) -> Void = { [weak self] isTold in
            self?.inFlight -= 1
            completion(isTold)
        }
        withSession { [weak self] session in
            guard let self, let session else { return finish(false) }
            self.findService(of: pid, among: Generation.allCases[...], session) { [weak self] service in
                guard let self, let service else { return finish(false) }
                if isUrgent { self.interrupt(service, session) }
                self.present(text, by: service, session, finish)
            }
        }
    }

    /// The version that the screen reader with this process id says it is of, like `51.1`; nil where it says none.
    package func readVersion(of pid: Int, _ completion: @escaping @Loop (String?) -> Void) {
        withSession { [weak self] session in
            guard let self, let session else { return completion(nil) }
            self.findService(of: pid, among: Generation.allCases[...], session) { [weak self] service in
                guard let self, let service else { return completion(nil) }
                session.call(
                    service.owner, service.generation.path, service.generation.name, "GetVersion",
                    milliseconds: self.limits.callMilliseconds
                ) { reply in
                    do {
                        var reader = try reply.get()
                        // What follows the number is a revision.
                        let version = try reader.string().prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
                        completion(version.isEmpty ? nil : String(version.prefix(32)))
                    } catch {
                        completion(nil)
                    }
                }
            }
        }
    }

    private func present(
        _ text: String, by service: Service, _ session: BusConnection, _ completion: @escaping @Loop (Bool) -> Void
    ) {
        session.call(
            service.owner, service.generation.path, service.generation.name, "PresentMessage",
            milliseconds: limits.callMilliseconds, { $0.string(text) }
        ) { reply in
            switch reply {
            case .success(var reader):
                // What is no truth value is an answer all the same.
                do { completion(try reader.boolean()) } catch { completion(true) }
            // It has the message, and may come to it.
            case .failure(.notResponding): completion(true)
            case .failure: completion(false)
            }
        }
    }

    /// Ends what is being said: a message by itself waits for that.
    private func interrupt(_ service: Service, _ session: BusConnection) {
        let path = service.generation.path
        switch service.generation {
        case .second:
            session.send(service.owner, "\(path)/SpeechManager", "org.gnome.Orca1.SpeechManager", "InterruptSpeech") {
                $0.boolean(false)
            }
        case .first:
            // The module of version 50, and what it was called in 49.
            for module in ["SpeechManager", "SpeechAndVerbosityManager"] {
                session.send(service.owner, "\(path)/\(module)", "org.gnome.Orca.Module", "ExecuteCommand") {
                    $0.string("InterruptSpeech")
                    $0.boolean(false)
                }
            }
        }
    }

    // MARK: - Who it is

    /// Finds the newest service that this process has. Anybody may own a name: what counts is whose it is.
    private func findService(
        of pid: Int, among generations: ArraySlice<Generation>, _ session: BusConnection,
        _ completion: @escaping @Loop (Service?) -> Void
    ) {
        guard let generation = generations.first else { return completion(nil) }
        let next: @Loop () -> Void = { [weak self] in
            guard let self else { return completion(nil) }
            self.findService(of: pid, among: generations.dropFirst(), session, completion)
        }
        // ORDER: the owner is called by its own name, which starts nothing and cannot become another's.
        session.call(
            BusNames.daemon, BusNames.daemonPath, BusNames.daemon, "GetNameOwner",
            milliseconds: limits.callMilliseconds,
            { $0.string(generation.name) }
        ) { reply in
            guard case .success(var reader) = reply else { return next() }
            let owner: String
            do { owner = try reader.string() } catch { return next() }
            session.readCredentials(of: owner) { credentials in
                guard case .success(let credentials) = credentials, credentials.uid == getuid(), credentials.pid == pid
                else { return next() }
                completion((generation, owner))
            }
        }
    }

    // MARK: - The session bus

    private func withSession(_ body: @escaping @Loop (BusConnection?) -> Void) {
        guard SystemClock.monotonicMicroseconds >= retryAt else { return body(nil) }
        SessionBus.shared.joinForGood { [weak self] session in
            if session == nil, let self {
                self.retryAt = SystemClock.monotonicMicroseconds + self.limits.retryMilliseconds * 1_000
            }
            body(session)
        }
    }
}
