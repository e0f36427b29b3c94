import AccessibilityTree
import CDBus
import EventLoop

/// The connection to the accessibility bus: found and found again in the background, observations out, calls in.
@Loop
package final class AccessibilityBus {
    package enum Status: Hashable, Sendable {
        case searching
        case connected(uniqueName: String)
        /// Not found; tried again in a moment.
        case absent(reason: String)
    }

    typealias Failure = BusFinder.Failure

    private let limits: Limits
    private var connection: BusConnection?
    /// Silent buses that are waited on.
    private var unanswered: [UnansweredBus] = []
    private var greeting: LoopTimer?
    private let finder = BusFinder()
    private var retry: LoopTimer?
    private var retryMilliseconds: Int64
    private var lastSign = Int64.min
    /// The sources of an address, in the order in which they are asked.
    private var sources: [BusFinder.Source] = [.environment, .session]
    private var registryRetry: LoopTimer?
    private var registryMilliseconds: Int64
    private var registryLostAt = Int64.min
    private var decoder = EventDecoder()
    private let ownAccessible = OwnAccessible()
    package private(set) var interest = Interest()
    /// What this connection was told.
    private var listening = Listening()
    package private(set) var status = Status.searching
    /// Whether the bus took fewer match rules than one set for each application needs: all share the same then.
    package private(set) var sharesRules = false

    package var onConnected: (@Loop () -> Void)?
    package var onLost: (@Loop () -> Void)?
    /// It was searched for and not found; it is searched for again later.
    package var onAbsent: (@Loop () -> Void)?
    /// There is another registry than before: it lists only who told it so since.
    package var onRegistryReplaced: (@Loop () -> Void)?
    /// What applications said may not have been heard for a moment.
    package var onSignalsMissed: (@Loop () -> Void)?
    package var onObservation: (@Loop (Observation) -> Void)?
    package var onRefused: (@Loop (Refusal, _ sender: String) -> Void)?
    /// A connection was asked something.
    package var onCallSent: (@Loop (String) -> Void)?
    /// A question was not asked, for its application has too many unanswered ones.
    package var onCallRefused: (@Loop (String) -> Void)?
    /// The bus carried a question no further, for a limit of its own.
    package var onLimitMet: (@Loop () -> Void)?
    /// An application did not answer a call by its deadline.
    package var onTimeout: (@Loop (String) -> Void)?
    /// A connection that was asked had left.
    package var onNobody: (@Loop (String) -> Void)?

    package init(limits: Limits = Limits()) {
        self.limits = limits
        retryMilliseconds = limits.firstRetryMilliseconds
        registryMilliseconds = limits.firstRegistryMilliseconds
    }

    /// The connection, while there is one that the bus daemon answered.
    package var live: BusConnection? {
        if case .connected = status { connection } else { nil }
    }

    package var uniqueName: String? {
        if case .connected(let name) = status { name } else { nil }
    }

    /// Begins to search. Returns at once.
    package func start() {
        finder.onSign = { [weak self] in self?.sawSign() }
        search()
    }

    private func search() {
        retry = nil
        status = .searching
        ask(sources[...], failure: nil)
    }

    /// Asks one source after the other until an address leads to a bus.
    private func ask(_ sources: ArraySlice<BusFinder.Source>, failure: Failure?) {
        // A bus that was silent may have said hello meanwhile.
        guard live == nil else { return }
        guard let source = sources.first else { return tryLater((failure ?? .noAccessibilityBus).rawValue) }
        let rest = sources.dropFirst()
        let next: @Loop (Failure) -> Void = { [weak self] other in
            self?.ask(rest, failure: failure.map { max($0, other) } ?? other)
        }
        finder.ask(source) { [weak self] result in
            switch result {
            case .success(let address): self?.connect(address, next)
            // An environment that names no address is no failure.
            case .failure where source == .environment: self?.ask(rest, failure: failure)
            case .failure(let reason): next(reason)
            }
        }
    }

    private func connect(_ address: String, _ failed: @escaping @Loop (Failure) -> Void) {
        guard live == nil else { return }
        for bus in unanswered where bus.isOutdated { stopWaiting(on: bus) }
        guard !unanswered.contains(where: { $0.address == address }) else { return failed(.busSilent) }
        guard let connection = BusConnection(address: address, limits: limits.connection) else {
            return failed(.nobodyListens)
        }
        self.connection = connection
        connection.onClose = { [weak self] in self?.lost() }
        connection.onCallSent = { [weak self] name in self?.onCallSent?(name) }
        connection.onCallRefused = { [weak self] name in self?.onCallRefused?(name) }
        connection.onLimitMet = { [weak self] in self?.onLimitMet?() }
        connection.onTimeout = { [weak self] name in self?.onTimeout?(name) }
        connection.onNobody = { [weak self] name in self?.onNobody?(name) }
        connection.onForgery = { [weak self] name in self?.onRefused?(.forged, name) }
        connection.onSignal = { [weak self] message in self?.received(message) }
        connection.onCall = { [weak self] message in self?.ownAccessible.answer(message) ?? false }
        let bus = UnansweredBus(connection, at: address)
        greeting = LoopTimer(milliseconds: limits.greetingMilliseconds) { [weak self] in
            self?.waitLonger(on: bus)
            failed(.busSilent)
        }
        connection.hello(milliseconds: UnansweredBus.patienceMilliseconds) { [weak self, weak bus] failure in
            guard let self, let bus else { return }
            let isOverdue = self.unanswered.contains { $0 === bus }
            guard isOverdue || self.connection === bus.connection else { return }
            guard failure == nil else {
                guard !isOverdue else { return self.stopWaiting(on: bus) }
                self.connection = nil
                self.greeting = nil
                bus.close()
                return failed(.busSilent)
            }
            self.connected(bus.connection)
        }
    }

    /// It is silent, which is told; its hello counts whenever it comes.
    private func waitLonger(on bus: UnansweredBus) {
        connection = nil
        unanswered.append(bus)
        // The environment's and the session's: what other addresses led to is nobody's any more.
        while unanswered.count > 2, let oldest = unanswered.first { stopWaiting(on: oldest) }
        bus.connection.onClose = { [weak self, weak bus] in
            guard let self, let bus else { return }
            self.unanswered.removeAll { $0 === bus }
            self.sawSign()
        }
    }

    private func stopWaiting(on bus: UnansweredBus) {
        unanswered.removeAll { $0 === bus }
        bus.close()
    }

    private func connected(_ connection: BusConnection) {
        // Another may have been greeted when this one answered at last.
        if let other = self.connection, other !== connection {
            other.onClose = nil
            other.close()
        }
        self.connection = connection
        connection.onClose = { [weak self] in self?.lost() }
        greeting = nil
        retry = nil
        unanswered.removeAll { $0.connection === connection }
        for bus in unanswered { stopWaiting(on: bus) }
        status = .connected(uniqueName: connection.uniqueName)
        retryMilliseconds = limits.firstRetryMilliseconds
        finder.rest()
        ownAccessible.busName = connection.uniqueName
        connection.addMatch("type='signal',interface='org.a11y.atspi.Event.ScreenReader'")
        connection.addMatch(
            "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged'")
        connection.addMatch("type='signal',interface='org.a11y.atspi.Registry',member='EventListenerRegistered'")
        askRegistryName(connection)
        listen()
        onConnected?()
    }

    private func askRegistryName(_ connection: BusConnection) {
        connection.call(
            BusNames.daemon, BusNames.daemonPath, BusNames.daemon, "GetNameOwner", { $0.string(BusNames.registry) }
        ) { [weak self, weak connection] reply in
            switch reply {
            case .success(var reader):
                do { self?.registryIs(try reader.string()) } catch { self?.registryIs(nil) }
            // ORDER: what it says counts from when it is known; the bus is busy, and tells no more of who was there.
            case .failure(.notResponding):
                if let connection, self?.connection === connection { self?.askRegistryName(connection) }
            case .failure: break
            }
        }
    }

    /// Who the registry is, by the bus daemon's word.
    private func registryIs(_ owner: String?) {
        decoder.registryName = owner
        connection?.setOwner(owner, of: BusNames.registry)
    }

    private func lost() {
        let wasLive = live != nil
        connection = nil
        greeting = nil
        decoder.registryName = nil
        listening = Listening()
        sharesRules = false
        interest.focusApplications = []
        interest.mirroredApplications = []
        registryRetry = nil
        // ORDER: the address that the environment names may be that of the bus that died: the session bus is asked first.
        sources = [.session, .environment]
        if wasLive { onLost?() }
        tryLater("busClosed")
    }

    private func tryLater(_ reason: String) {
        status = .absent(reason: reason)
        onAbsent?()
        // What does not answer gives no sign when it does again; nor can be told what has no descriptor to be told on.
        let isSilent = reason == Failure.busSilent.rawValue || reason == Failure.sessionBusSilent.rawValue
        let isTold = !isSilent && Descriptors.isOneFree(besides: 1) && finder.waitForSigns()
        if !isTold { finder.forgetSigns() }
        let longest = isTold ? limits.longestRetryMilliseconds : limits.longestBlindRetryMilliseconds
        let delay = min(retryMilliseconds, longest)
        retryMilliseconds = min(retryMilliseconds * 2, longest)
        retry = LoopTimer(milliseconds: delay) { [weak self] in self?.search() }
    }

    /// A bus may be there now.
    private func sawSign() {
        let now = SystemClock.monotonicMicroseconds
        let isNews = lastSign == .min || now - lastSign > limits.signsApartMilliseconds * 1_000
        if isNews { lastSign = now }
        // ORDER: what fails each time it is started, because it was asked, must not be started again at once for ever.
        retryMilliseconds = min(retryMilliseconds, isNews ? limits.signMilliseconds : limits.laterSignMilliseconds)
        // A search that is under way ends soon, and is followed by another.
        guard case .absent = status else { return }
        retry = LoopTimer(milliseconds: retryMilliseconds) { [weak self] in self?.search() }
    }

    private func received(_ message: IncomingMessage) {
        switch decoder.decode(message) {
        case .observation(let observation):
            if case .connectionLeft(let busName) = observation { connection?.unlisted.connectionLeft(busName) }
            onObservation?(observation)
        case .refused(let refusal): onRefused?(refusal, message.sender)
        case .registry(let owner):
            registryIs(owner)
            registryChanged(isThere: owner != nil)
        case .irrelevant: break
        }
    }

    // MARK: - What is listened to

    /// Hears from now on exactly what is needed: only the difference is sent, to the bus and to the registry.
    ///
    /// It stays in force when the bus is lost and found, but for the applications, whose names mean others then. While
    /// nobody needs anything nothing is registered: from at-spi2-core 2.61 on that is what switches accessibility on.
    package func setInterest(_ interest: Interest) {
        guard interest != self.interest else { return }
        self.interest = interest
        listen()
    }

    private func listen() {
        guard let connection = live else { return }
        let wanted = Listening(sharesRules ? interest.shared : interest)
        // ORDER: what is new before what goes, so that nothing is missed where one rule takes another's place.
        for rule in wanted.rules.subtracting(listening.rules).sorted() {
            connection.addMatch(rule) { [weak self, weak connection] in
                if let connection { self?.ruleRefused(connection) }
            }
        }
        for rule in listening.rules.subtracting(wanted.rules).sorted() { connection.removeMatch(rule) }
        let gone = listening.events.subtracting(wanted.events)
        for event in wanted.events.subtracting(listening.events).sorted() { register(event, connection) }
        let lost = wanted.lostBy(deregistering: gone)
        // ORDER: what goes with others is deregistered first and registered again afterwards. GTK 4 counts both.
        for event in lost + gone.sorted() { deregister(event, connection) }
        for event in lost { register(event, connection) }
        listening = wanted
        if !gone.isEmpty { checkDeregistering(connection) }
    }

    /// The bus has a limit of rules: fewer must do, and hear more.
    private func ruleRefused(_ connection: BusConnection) {
        guard live === connection, !sharesRules else { return }
        sharesRules = true
        // ORDER: first what goes, for there is no room for both; what was refused is asked for again.
        for rule in listening.rules.sorted() { connection.removeMatch(rule) }
        listening.rules = []
        listen()
        onSignalsMissed?()
    }

    /// Some registries keep what was registered for all applications whatever they are told (at-spi2-core 2.61). From
    /// those everything is taken back at once, which they do, and what is needed is registered anew.
    private func checkDeregistering(_ connection: BusConnection) {
        let expected = listening
        connection.readRegisteredEvents(of: connection.uniqueName) { [weak self] result in
            guard let self, case .success(let events) = result, self.live === connection, self.listening == expected,
                events.count > expected.events.count
            else { return }
            self.deregister("", connection)
            self.registerAgain()
        }
    }

    /// A new registry knows nothing of what was registered with the old one. Where one went, who needs it asks for it.
    private func registryChanged(isThere: Bool) {
        registryRetry = nil
        guard !isThere else {
            registerAgain()
            connection?.unlisted.registryReplaced()
            onRegistryReplaced?()
            return
        }
        let now = SystemClock.monotonicMicroseconds
        let isFlapping = registryLostAt != .min && now - registryLostAt < limits.longestRegistryMilliseconds * 2_000
        registryMilliseconds =
            isFlapping
            ? min(registryMilliseconds * 2, limits.longestRegistryMilliseconds) : limits.firstRegistryMilliseconds
        registryLostAt = now
        registryRetry = LoopTimer(milliseconds: registryMilliseconds) { [weak self] in self?.registerAgain() }
    }

    private func registerAgain() {
        guard let connection = live else { return }
        for event in listening.events.sorted() { register(event, connection) }
    }

    private func register(_ event: String, _ connection: BusConnection) {
        connection.send(BusNames.registry, BusNames.registryPath, BusNames.registry, "RegisterEvent") {
            $0.string(event)
            $0.array(of: "s") { _ in }
            $0.string("")
        }
    }

    private func deregister(_ event: String, _ connection: BusConnection) {
        connection.send(BusNames.registry, BusNames.registryPath, BusNames.registry, "DeregisterEvent") {
            $0.string(event)
        }
    }

    // MARK: - Moving a technology

    /// Sends a technology the event that makes it go to `target`: any accessible, focusable or not.
    ///
    /// The target's application must have answered just before: naming a stopped one freezes Orca for seconds.
    package func presentActiveDescendant(_ target: ObjectReference, to technology: String) {
        guard let connection = live else { return }
        ownAccessible.emitActiveDescendant(target, to: technology, over: connection)
    }

    /// Sends a technology to the blank accessible of focusd's own, which answers with the target's parent as its own.
    package func presentBlank(insteadOf target: ObjectReference, parent: ObjectReference?, to technology: String) {
        guard let connection = live else { return }
        ownAccessible.blankParent = parent
        ownAccessible.emitActiveDescendant(ownAccessible.blank, to: technology, over: connection)
    }

    // MARK: - Announcing

    /// Sends a technology a text to say, from an accessible of focusd's own; false where there is no bus.
    ///
    /// `isAnnouncement` where it listens to announcements, which can be urgent; else a notification is shown to it.
    package func announce(_ text: String, isAnnouncement: Bool, isUrgent: Bool, to technology: String) -> Bool {
        guard let connection = live else { return false }
        let politeness: Int32? = isAnnouncement ? (isUrgent ? 2 : 1) : nil
        ownAccessible.announce(text, politeness: politeness, to: technology, over: connection)
        return true
    }
}
