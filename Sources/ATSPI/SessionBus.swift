import EventLoop

/// The session bus, for whoever has a question for it now and then: one connection for all of them.
///
/// A bus that stands still is not connected to again. Its connection is waited on, and until it answers there is none.
@Loop
final class SessionBus {
    /// The environment names one for the whole process.
    static let shared = SessionBus()

    /// How long it may take for its first word.
    private static let greetingMilliseconds: Int64 = 1_000

    private var bus: UnansweredBus?
    private var isGreeted = false
    private var greeting: LoopTimer?
    private var waiting: [@Loop (BusConnection?) -> Void] = []
    private var isKept = false
    private var users = 0

    /// Hands over a connection, and nil where there is none or it does not answer. Who has one calls ``leave(_:)``.
    func join(_ body: @escaping @Loop (BusConnection?) -> Void) {
        if let bus, isGreeted {
            users += 1
            return body(bus.connection)
        }
        if let bus, bus.isOutdated { end() }
        // It was silent for too long already.
        guard bus == nil || greeting != nil else { return body(nil) }
        waiting.append(body)
        if bus == nil { connect() }
    }

    /// Hands over a connection that stays for the next time.
    func joinForGood(_ body: @escaping @Loop (BusConnection?) -> Void) {
        join { [weak self] connection in
            if let connection {
                self?.isKept = true
                self?.leave(connection)
            }
            body(connection)
        }
    }

    /// Nothing more is asked by one who joined.
    func leave(_ connection: BusConnection) {
        guard bus?.connection === connection, users > 0 else { return }
        users -= 1
        restIfUnused()
    }

    private func connect() {
        guard let address = BusFinder.sessionAddress, let connection = BusConnection(address: address) else {
            return answer(nil)
        }
        let bus = UnansweredBus(connection, at: address)
        self.bus = bus
        connection.onClose = { [weak self] in self?.end() }
        greeting = LoopTimer(milliseconds: SessionBus.greetingMilliseconds) { [weak self] in
            self?.greeting = nil
            self?.answer(nil)
        }
        connection.hello(milliseconds: UnansweredBus.patienceMilliseconds) { [weak self, weak bus] failure in
            guard let self, let bus, self.bus === bus else { return }
            guard failure == nil else { return self.end() }
            self.greeting = nil
            self.isGreeted = true
            self.answer(bus.connection)
            self.restIfUnused()
        }
    }

    private func answer(_ connection: BusConnection?) {
        let waiting = waiting
        self.waiting = []
        if connection != nil { users += waiting.count }
        for body in waiting { body(connection) }
    }

    private func restIfUnused() {
        if isGreeted, users == 0, !isKept { end() }
    }

    /// The connection is lost, or not needed.
    private func end() {
        let bus = bus
        // ORDER: those that are told of it may join again.
        (self.bus, isGreeted, greeting, isKept, users) = (nil, false, nil, false, 0)
        bus?.close()
        answer(nil)
    }
}
