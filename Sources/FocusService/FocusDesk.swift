import ATSPI
import AccessibilityTree
import EventLoop
import FocusRegistry

/// Where observations become transactions: joins the bus, what is known of the tree, and the registry.
///
/// The path of a move: ``observed(_:)`` → ``ScreenReaderFollower`` → ``technologyMoved(_:_:mode:region:at:isFromMemory:)``
/// → ``publish(_:)``, in one go where the element's path is known.
@Loop
final class FocusDesk {
    let configuration: Configuration
    let bus: AccessibilityBus
    let desktop: Desktop
    let loader: PathLoader
    let renderer: ElementRenderer
    let recogniser: Recogniser
    var registry: FocusRegistry
    var tally = Tally()
    /// What the doctor tells of beside how things are now.
    var incidents: Incidents
    private(set) var focusRuns: FocusRuns
    /// Technologies that were refused because their place is taken, by their connections.
    var rivals: [String: TechnologyID] = [:]
    let memory = MemoryReturn()
    private(set) lazy var screenReaders = ScreenReaderFollower(desk: self)
    private(set) lazy var keyboard = KeyboardFollower(desk: self)
    private(set) lazy var moves = MoveDriver(desk: self)
    private(set) lazy var selectors = SelectorBook(desk: self)
    private(set) lazy var arrivals = SilentArrivals(desk: self)
    private(set) lazy var unreadable = UnreadableElements(desk: self)
    /// What outlives this run.
    let lastPlaces: PlaceKeeper
    /// Whether it has been looked once what there is.
    let firstLook = FirstLook()
    /// Held until there is a bus, or is known to be none.
    private var searching: FirstLook.Part?
    private var registryTimer: LoopTimer?
    var refreshing = Refreshing()
    private var watched: [String] = []
    private var keyboardInterest = 0
    private var keyboardInterestTimer: LoopTimer?
    var isFollowingFocus: Bool { followingSince != nil }
    private(set) var followingSince: Microseconds?
    /// Transactions that came while one was being told.
    private var unpublished: [Transaction] = []
    private var isPublishing = false
    /// Who looks again after each transaction, by number.
    var focusObservers: [UInt64: @Loop () -> Void] = [:]
    var lastFocusObserver: UInt64 = 0

    /// Something that a user can see came or went, in words for the log.
    var onStep: (@Loop (String) -> Void)?
    /// The world misbehaved, in words for the log.
    var onTrouble: (@Loop (String) -> Void)?
    /// Told of every transaction, in order.
    var onTransaction: (@Loop (Transaction) -> Void)?
    /// The accessibility bus was found or lost.
    var onBusChanged: (@Loop () -> Void)?
    /// A connection joined or left the bus.
    var onConnectionsChanged: (@Loop () -> Void)?
    /// An element shown from memory turned out to have changed.
    var onElementCorrected: (@Loop (ObjectReference) -> Void)?
    /// An element of which nothing could be shown was read.
    var onElementRead: (@Loop (ObjectReference) -> Void)?

    init(
        configuration: Configuration = Configuration(), bus: AccessibilityBus = AccessibilityBus(),
        lastPlaces: PlaceKeeper = PlaceKeeper()
    ) {
        self.configuration = configuration
        self.lastPlaces = lastPlaces
        self.bus = bus
        desktop = Desktop(configuration: configuration.desktop, bus: bus)
        loader = PathLoader(bus: bus)
        renderer = ElementRenderer(loader: loader)
        recogniser = Recogniser(bus: bus, names: configuration.technologies)
        incidents = Incidents(memory: configuration.troubleMemory)
        focusRuns = FocusRuns(memory: configuration.troubleMemory)
        registry = FocusRegistry(firstRevision: SystemClock.bootMicroseconds)
    }

    var now: Microseconds { SystemClock.monotonicMicroseconds }

    func start() {
        bus.onConnected = { [weak self] in self?.busConnected() }
        bus.onLost = { [weak self] in self?.busLost() }
        bus.onRegistryReplaced = { [weak self] in self?.desktop.registryReplaced() }
        bus.onSignalsMissed = { [weak self] in self?.desktop.signalsMissed() }
        bus.onObservation = { [weak self] in self?.observed($0) }
        bus.onRefused = { [weak self] refusal, sender in
            self?.tally.count(refusal == .forged ? .forgedMessages : .malformedMessages)
            self?.note(refusal == .forged ? .forgedMessage : .malformedMessage, by: sender)
        }
        bus.onCallSent = { [weak self] in self?.tally.countCall(to: $0) }
        bus.onCallRefused = { [weak self] name in
            self?.tally.count(.callsRefused)
            self?.note(.callRefused, by: name)
        }
        bus.onLimitMet = { [weak self] in
            guard let self else { return }
            self.note(.busRefused, by: .nobody)
        }
        bus.onTimeout = { [weak self] name in
            self?.tally.countTimeout(of: name)
            self?.applicationDidNotAnswer(name)
            self?.desktop.didNotAnswer(name)
        }
        // It left before it was asked: it was forgotten then, and is again.
        bus.onNobody = { [weak self] in self?.tally.forget($0) }
        desktop.onInterestChanged = { [weak self] in self?.tellInterest() }
        selectors.onChange = { [weak self] in self?.rematch() }
        selectors.onDemand = { [weak self] in self?.tellInterest() }
        desktop.onLetGo = { [weak self] in self?.memory.letGo($0) }
        desktop.onCount = { [weak self] in self?.tally.count($0, by: $1) }
        desktop.onEventsDropped = { [weak self] in self?.note(.heldEvents, by: $0) }
        searching = firstLook.begin(atMostMilliseconds: configuration.firstLookMilliseconds)
        bus.onAbsent = { [weak self] in self?.searching = nil }
        bus.start()
    }

    // MARK: - The bus

    private func busConnected() {
        onBusChanged?()
        onStep?("on the accessibility bus")
        adjustDemand()
        desktop.busConnected()
        let look = searching
        searching = nil
        // Who was there before: assistive technologies have registered for events.
        bus.live?.readListeners { [weak self] result in
            guard let self, case .success(let names) = result else { return }
            for name in names { self.recognise(name, look) }
        }
    }

    private func busLost() {
        onBusChanged?()
        onTrouble?("the accessibility bus has gone: looking for it")
        followingSince = nil
        watched = []
        rivals = [:]
        desktop.busLost()
        tellInterest()
        loader.removeAll()
        recogniser.forgetAll()
        screenReaders.forgetAll()
        keyboard.forgetAll()
        unreadable.forgetAll()
        // On the next bus others have these names.
        refreshing = Refreshing()
        let transaction = registry.busLeft(at: now)
        moves.tellAll(.busLeft)
        arrivals.tell(.busLeft)
        publish(transaction)
    }

    private func observed(_ observation: Observation) {
        if desktop.hasMirrors, let (busName, event) = TreeEvent.from(observation) {
            desktop.apply(event, from: busName)
        }
        switch observation {
        case .screenReaderMode(let sender, let mode): screenReaders.entered(mode: mode, sender: sender)
        case .screenReaderRegion(let sender, let target, let start, let end):
            screenReaders.reached(target, start: start, end: end, sender: sender, at: now)
        case .stateChanged(let reference, let state, let isOn):
            tally.countEvent(of: reference.busName)
            stateChanged(reference, state, isOn)
        case .legacyFocus(let reference):
            tally.countEvent(of: reference.busName)
            keyboard.claimed(reference, at: now)
        case .activeDescendantChanged(let container, let descendant):
            tally.countEvent(of: container.busName)
            guard container.busName != bus.uniqueName else { return }
            keyboard.activeDescendantChanged(container, descendant, at: now)
        case .windowActivated(let window):
            tally.countEvent(of: window.busName)
            focusRuns.interrupted(window.busName)
            registry.windowActivated(window, at: now)
            keyboard.windowActivated(window)
            armRegistryTimer()
        case .windowDeactivated(let window):
            tally.countEvent(of: window.busName)
            focusRuns.interrupted(window.busName)
            registry.windowDeactivated(window, at: now)
            armRegistryTimer()
        case .windowDestroyed(let window):
            tally.countEvent(of: window.busName)
            elementGone(window)
        case .childRemoved(_, let child):
            tally.countEvent(of: child.busName)
            elementGone(child)
        case .nameChanged(let reference, _), .descriptionChanged(let reference, _), .roleChanged(let reference, _):
            tally.countEvent(of: reference.busName)
            // At once, and not when it was read: a text may just have become a secret.
            if case .roleChanged(_, let role?) = observation { loader.setRole(role, of: reference) }
            if loader.paths[reference] != nil { refresh(reference) }
            if case .nameChanged = observation { renamed(reference) }
        case .attributesChanged(let reference):
            tally.countEvent(of: reference.busName)
            if loader.paths[reference] != nil { refresh(reference) }
        case .windowCreated(let reference), .childAdded(let reference, _, _), .childrenUnclear(let reference),
            .parentChanged(let reference, _), .itemRemoved(let reference):
            tally.countEvent(of: reference.busName)
        case .itemAdded(let busName, _): tally.countEvent(of: busName)
        case .applicationAdded, .applicationRemoved: desktop.listChanged()
        case .connectionLeft(let busName):
            connectionLeft(busName)
            onConnectionsChanged?()
        case .connectionJoined: onConnectionsChanged?()
        case .listenerRegistered(let busName): recognise(busName)
        }
    }

    private func stateChanged(_ reference: ObjectReference, _ state: State, _ isOn: Bool) {
        let isNews = loader.setState(state, isOn, of: reference)
        if isNews, selectors.dependsOn(state) { nodeChanged(reference) }
        switch state {
        case .focused:
            guard isOn else {
                focusRuns.interrupted(reference.busName)
                return keyboard.lost(reference)
            }
            focusRuns.focused(reference, at: now)
            keyboard.claimed(reference, at: now)
        case .defunct where isOn: elementGone(reference)
        case .showing, .visible:
            guard !isOn, isNews else { return }
            leaveHidden(below: reference)
        default: break
        }
    }

    func elementGone(_ reference: ObjectReference) {
        publish(registry.elementGone(reference, at: now))
        loader.remove(reference)
        arrivals.tell(.elementGone(reference))
    }

    /// A node of a focus's path went out of sight: that focus is gone in every mode, unless it was only scrolled.
    private func leaveHidden(below reference: ObjectReference) {
        for element in registry.focusedElements(inside: reference) {
            guard let path = loader.known(element), path.visibility() == .hidden else { continue }
            publish(registry.elementGone(element, cause: .elementHidden, at: now))
        }
    }

    private func connectionLeft(_ busName: String) {
        let id = registry.technology(at: busName)
        screenReaders.forget(busName, id)
        recogniser.forget(busName)
        rivals[busName] = nil
        if let id {
            onStep?("\(id.rawValue) has left (\(busName))")
            let transaction = registry.technologyLeft(busName: busName, at: now)
            let next = recogniser.placeIsFree(of: id)
            rivals = rivals.filter { $0.value != id }
            adjustDemand()
            publish(transaction)
            moves.tellAll(.technologyLeft(id))
            arrivals.tell(.technologyLeft(id))
            for name in next { recognise(name) }
        }
        publish(registry.applicationGone(busName, at: now))
        // ORDER: the bus tells that it left before it fails what it was asked; that must find nobody who waits.
        screenReaders.applicationLeft(busName)
        moves.applicationLeft(busName)
        keyboard.forget(busName)
        unreadable.forget(busName)
        loader.removeApplication(busName)
        renderer.forget(busName)
        tally.forget(busName)
        incidents.left(busName)
        focusRuns.forget(busName)
        desktop.connectionLeft(busName)
        watched.removeAll { $0 == busName }
        tellInterest()
    }

    // MARK: - What is needed

    /// Somebody needs the keyboard focus: it is followed while anybody does. Each call wants one ``releaseKeyboard()``.
    func retainKeyboard() {
        keyboardInterest += 1
        adjustDemand()
    }

    func releaseKeyboard() {
        keyboardInterest -= 1
        keyboardInterestTimer = LoopTimer(milliseconds: configuration.keyboardInterestMilliseconds) { [weak self] in
            self?.keyboardInterestTimer = nil
            self?.adjustDemand()
        }
    }

    /// Begins following focus events where somebody needs them, and stops where nobody does.
    func adjustDemand() {
        let isWanted =
            !registry.activeTechnologies.isEmpty || keyboardInterest > 0 || keyboardInterestTimer != nil
        guard isWanted != isFollowingFocus, bus.live != nil else { return }
        followingSince = isWanted ? now : nil
        tellInterest()
        if !isWanted { publish(registry.keyboardLeft(cause: .moved, at: now)) }
    }

    func tellInterest() {
        var interest = bus.interest
        interest.followsStates = selectors.dependsOnStates
        interest.followsDescriptions = selectors.dependsOnDescriptions
        interest.followsIDs = selectors.dependsOnIDs
        interest.followsFocus = isFollowingFocus
        interest.focusApplications = Set(watched)
        interest.mirroredApplications = desktop.mirrored
        interest.mirrorsAll = desktop.mirrorsAll
        interest.followsApplicationList = desktop.isWanted
        bus.setInterest(interest)
    }

    /// Whether what is known of an application is kept true by what it tells.
    func isHeard(_ busName: String) -> Bool {
        watched.contains(busName) || desktop.application(busName)?.mirror != nil
    }

    // MARK: - Afterwards

    func publish(_ transaction: Transaction?) {
        guard let transaction else { return }
        unpublished.append(transaction)
        guard !isPublishing else { return }
        // ORDER: what follows from telling one, like the end of a client, is told after it, whole (F7).
        isPublishing = true
        while !unpublished.isEmpty {
            let transaction = unpublished.removeFirst()
            tally.count(.transactions)
            onTransaction?(transaction)
            lastPlaces.remember(transaction, of: registry, onBus: bus.live?.serverID)
            watchFocusedApplications(transaction)
            showInMirrors(transaction)
            for observer in focusObservers.values { observer() }
        }
        isPublishing = false
    }

    /// Hears the applications that focus is in, and a few where it was: what is remembered of others grows stale.
    private func watchFocusedApplications(_ transaction: Transaction) {
        var isNews = false
        for change in transaction.changes {
            guard let busName = change.current?.element.busName, watched.last != busName else { continue }
            if !watched.contains(busName) { isNews = true }
            watched.removeAll { $0 == busName }
            watched.append(busName)
        }
        guard isNews else { return }
        let focused = Set(registry.focusedElements.map(\.busName))
        while watched.count > configuration.maximumWatchedApplications,
            let oldest = watched.firstIndex(where: { !focused.contains($0) })
        {
            loader.removeApplication(watched.remove(at: oldest))
        }
        tellInterest()
        // What happened between the reading of its path and now was not heard.
        refreshLater()
    }

    func armRegistryTimer() {
        guard let deadline = registry.nextDeadline else {
            registryTimer = nil
            return
        }
        let milliseconds = (deadline - now + 999) / 1_000
        registryTimer = LoopTimer(milliseconds: milliseconds) { [weak self] in self?.advanceRegistry() }
    }

    private func advanceRegistry() {
        let (transactions, candidates) = registry.advance(to: now)
        for transaction in transactions { publish(transaction) }
        for candidate in candidates { restore(candidate) }
        armRegistryTimer()
    }
}
