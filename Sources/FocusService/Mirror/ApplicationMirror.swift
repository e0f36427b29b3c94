import ATSPI
import AccessibilityTree
import EventLoop

/// The mirror of one application: read whole once, then kept true by events, and looked after.
///
/// Nothing of it waits for another: it has its own queue of questions, and its own breaker, which opens when the
/// application stops answering and closes when it answers a probe.
@Loop
final class ApplicationMirror {
    enum Life: String, Sendable {
        /// Who it is, is being asked.
        case appearing
        case loading
        case live
        /// It does not answer; what is shown of it is what it last said.
        case unresponsive
        case gone
    }

    let busName: String
    let limits: MirrorLimits
    let connection: BusConnection
    let questions: Questions
    private(set) lazy var facts = FactBook(self)
    private unowned let desktop: Desktop
    private(set) var life = Life.appearing
    /// Whether it was read whole since it is mirrored, so that what is shown is at least what once was.
    private(set) var hasLoaded = false
    private var live: TreeReader
    /// The one that is being read and takes the place of the other when it is whole.
    private var fresh: TreeReader?
    /// Events that came while the cache was taken: they are newer than it.
    private var held: [TreeEvent] = []
    private var isHolding = false
    private var cacheReading: CacheReading?
    private var checkTimer: LoopTimer?
    private var check: MirrorCheck?
    /// Whether an event came while live state was compared.
    private var isChangedInCheck = false
    private var checkMilliseconds: Int64
    private var checksLeft = 0
    private var lastCheck: Int64 = 0
    /// Found since the last comparison began.
    private var differences = 0
    /// Where the next check's part in turn begins.
    private var nextChecked = 0
    private var reloadMilliseconds: Int64
    private var lastReload: Int64 = .min
    /// It was read with its cache and was still not what it is.
    private var distrustsCache = false
    /// It is being read because of differences: whether they are gone is looked at, without an event.
    private var mustCheck = false
    /// Signals were missed while it was read.
    private var mustLoadAgain = false
    private var timeouts = 0
    private var lastTimeout: Int64 = 0
    private var probe: LoopTimer?
    private var probeMilliseconds: Int64
    private(set) var lastAnswer: Int64 = 0

    init(_ application: ApplicationNode, roots: [String], desktop: Desktop, connection: BusConnection) {
        busName = application.busName
        self.desktop = desktop
        self.connection = connection
        limits = desktop.limits
        probeMilliseconds = limits.firstProbeMilliseconds
        questions = Questions(connection, busName: application.busName, limits: desktop.limits.questions)
        reloadMilliseconds = limits.reloadMilliseconds
        checkMilliseconds = limits.firstCheckMilliseconds
        var tree = ApplicationTree(busName: application.busName, limits: desktop.treeLimits)
        tree.application = application
        for root in roots { _ = tree.insertRoot(root) }
        live = TreeReader(tree, questions: questions, limits: desktop.limits)
    }

    /// What is known of the application.
    var tree: ApplicationTree {
        get { live.tree }
        _modify { yield &live.tree }
    }

    /// Nodes in memory: where it is read anew the new tree takes the place of the other.
    var heldNodes: Int { max(live.tree.nodeCount, fresh?.tree.nodeCount ?? 0) }

    /// Whether it was read, or will not let itself be read now.
    var hasLife: Bool { life == .live || life == .unresponsive }

    /// Whether nothing will change without an event.
    var isSettled: Bool { life == .live ? !live.isBusy : life == .unresponsive || life == .gone }

    // MARK: - Loading

    /// Reads everything anew. What is known stays until the new tree is whole.
    func load() {
        guard life != .gone, fresh == nil else { return }
        desktop.count(.mirrorLoads)
        life = .loading
        check = nil
        checkTimer = nil
        held = []
        isHolding = true
        mustLoadAgain = false
        var limits = desktop.treeLimits
        limits.maximumNodes = desktop.room(for: self)
        var tree = ApplicationTree(busName: busName, limits: limits)
        tree.application = self.tree.application
        for root in self.tree.roots { _ = tree.insertRoot(self.tree.path(of: root)) }
        let reader = TreeReader(tree, questions: questions, limits: self.limits)
        fresh = reader
        reader.older = live
        reader.room = { [weak self] in self.map { $0.desktop.room(for: $0) } ?? 0 }
        reader.onAnswer = { [weak self] in self?.answered() }
        guard !distrustsCache else { return cacheTaken(.failure(.notSupported), reader) }
        // GTK 4 lists objects in its cache between a stack and its pages that the stack does not list itself: who is
        // whose child is asked for there.
        let tellsParents = tree.application.setsShowing
        cacheReading = connection.readCache(
            of: busName, limits: self.limits.cache,
            step: { [weak reader] items in
                guard let reader else { return }
                reader.takeRoom()
                for var item in items {
                    if !tellsParents { item.parent = nil }
                    reader.tree.take(reader.sharing(item))
                }
            },
            completion: { [weak self, weak reader] result in
                guard let self, let reader, self.fresh === reader else { return }
                self.cacheTaken(result.map { _ in () }, reader)
            })
    }

    private func cacheTaken(_ result: Result<Void, CallFailure>, _ reader: TreeReader) {
        cacheReading = nil
        isHolding = false
        switch result {
        case .failure(.notResponding), .failure(.disconnected), .failure(.noSuchName): return becomeUnresponsive()
        // Many have no cache, or one that cannot be used: everything is asked for then.
        case .failure: break
        case .success: answered()
        }
        let uncertain = reader.tree.arrange()
        let events = held
        held = []
        // ORDER: what was sent while the cache was taken is newer than it, and older than what is asked from now on.
        for event in events { reader.apply(event) }
        reader.onIdle = { [weak self, weak reader] in
            guard let self, let reader, self.fresh === reader else { return }
            let isWhole = events.count < self.limits.maximumHeldEvents
            if !isWhole { self.desktop.onEventsDropped?(self.busName) }
            self.loaded(reader, isWhole: isWhole)
        }
        // Some caches do not know the children of their root.
        for root in reader.tree.roots where reader.tree.isRead(root) { reader.read(root) }
        reader.readMissing(uncertain: uncertain)
    }

    private func loaded(_ reader: TreeReader, isWhole: Bool) {
        // Whoever does not even say what its root is may do so later, without a word.
        let roots = reader.tree.roots
        guard roots.isEmpty || roots.contains(where: { reader.tree.isRead($0) }) else { return becomeUnresponsive() }
        probeMilliseconds = limits.firstProbeMilliseconds
        fresh = nil
        live.stop()
        reader.older = nil
        // It may have said who it is only meanwhile.
        reader.tree.application = tree.application
        live = reader
        reader.onIdle = { [weak self] in self?.idle() }
        reader.onChange = { [weak self] in self?.publish() }
        reader.tree.prune()
        reader.tree.recordsChanges = true
        _ = reader.takeTouched()
        hasLoaded = true
        life = .live
        // The messages and questions of a large application took more than its tree does.
        if tree.nodeCount > limits.nodesUntilGivingBack { Memory.giveBack() }
        desktop.mirrorChanged(self, [.everything])
        if mustLoadAgain { return load() }
        if !isWhole { reload() }
        if mustCheck, life == .live {
            mustCheck = false
            checkMilliseconds = limits.firstCheckMilliseconds
            checkLater()
        }
    }

    /// Some of what it told was not heard.
    func signalsMissed() {
        if life == .live { load() } else { mustLoadAgain = true }
    }

    /// The application has one more tree.
    func rootAppeared(_ path: String) {
        for reader in [live, fresh] {
            guard let reader, let slot = reader.tree.insertRoot(path), life != .appearing else { continue }
            reader.read(slot)
        }
    }

    /// Reads everything anew because of what was missed. False where that was done only just now.
    @discardableResult
    private func reload() -> Bool {
        let now = SystemClock.monotonicMicroseconds
        guard now - max(lastReload, 0) > reloadMilliseconds * 1_000 || lastReload == .min else { return false }
        if lastReload != .min, now - lastReload < reloadMilliseconds * 4_000 {
            reloadMilliseconds = min(reloadMilliseconds * 2, limits.reloadMilliseconds * 16)
        } else {
            reloadMilliseconds = limits.reloadMilliseconds
        }
        lastReload = now
        desktop.count(.mirrorReloads)
        load()
        return true
    }

    /// Differences were found that mending does not end. Where reading with the cache did not end them either, it is
    /// the cache that is wrong.
    private func reloadForDifferences() {
        let wasReadAnew =
            lastReload != .min
            && SystemClock.monotonicMicroseconds - lastReload < reloadMilliseconds * 4_000
        if wasReadAnew { distrustsCache = true }
        mustCheck = true
        checkMilliseconds = limits.firstCheckMilliseconds
        if !reload() { checkLater() }
    }

    private func idle() {
        // Whoever waits for a mirror to be true looks again.
        desktop.mirrorChanged(self, tree.takeChanges())
    }

    // MARK: - Events

    func apply(_ event: TreeEvent) {
        if let fresh {
            guard isHolding else { return fresh.apply(event) }
            if held.count < limits.maximumHeldEvents { held.append(event) }
            return
        }
        guard life == .live else { return }
        live.apply(event)
        publish()
        checkLater()
    }

    /// A look at live state is due a while after events, never without.
    private func checkLater() {
        guard check == nil else { return isChangedInCheck = true }
        guard checkTimer == nil else { return }
        let now = SystemClock.monotonicMicroseconds
        if now - lastCheck > 10_000_000 { checkMilliseconds = limits.firstCheckMilliseconds }
        lastCheck = now
        checkTimer = LoopTimer(milliseconds: checkMilliseconds) { [weak self] in self?.look() }
    }

    /// Compares the mirror with live state now, for somebody who waits for what is announced by no event.
    func look() {
        guard life == .live, check == nil else { return }
        checkTimer = nil
        isChangedInCheck = false
        checksLeft = limits.checksInTurn
        differences = 0
        compare()
    }

    private func compare() {
        guard life == .live, check == nil else { return }
        desktop.count(.mirrorChecks)
        checksLeft -= 1
        let check = MirrorCheck(live, questions: questions, limits: limits, from: nextChecked) {
            [weak self] differences, next in
            guard let self, self.life == .live else { return }
            self.check = nil
            self.nextChecked = next
            self.compared(differences)
        }
        self.check = check
        check.begin()
    }

    private func compared(_ found: Int) {
        publish()
        differences += found
        desktop.count(.mirrorRepairs, by: found)
        let checked = (limits.checksInTurn - checksLeft) * limits.checkedNodes
        if differences >= limits.differencesUntilReload {
            reloadForDifferences()
        } else if checksLeft > 0, checked < tree.nodeCount {
            compare()
        } else if differences > 0 {
            // Where something was missed there may be more.
            checkMilliseconds = limits.firstCheckMilliseconds
            checkLater()
        } else {
            checkMilliseconds = min(checkMilliseconds * 2, limits.longestCheckMilliseconds)
            // What an event was about may have been compared before it was so.
            if isChangedInCheck { checkLater() }
        }
    }

    /// Tells what changed in the tree since the last time.
    func publish() {
        let changes = tree.takeChanges()
        if !changes.isEmpty { desktop.mirrorChanged(self, changes) }
    }

    // MARK: - Answers

    func answered() {
        timeouts = 0
        lastAnswer = SystemClock.monotonicMicroseconds
    }

    /// It did not answer by a deadline.
    func didNotAnswer() {
        // What was asked at once is not answered at once: that is one silence, not many.
        let now = SystemClock.monotonicMicroseconds
        guard now - lastTimeout > 500_000 else { return }
        lastTimeout = now
        timeouts += 1
        if timeouts >= limits.timeoutsUntilUnresponsive, life != .unresponsive { becomeUnresponsive() }
    }

    private func becomeUnresponsive() {
        guard life != .gone else { return }
        cacheReading?.cancel()
        cacheReading = nil
        fresh?.stop()
        fresh = nil
        isHolding = false
        held = []
        check = nil
        checkTimer = nil
        // ORDER: who is told that facts are not coming asks for the next; by then nothing may be asked any more.
        life = .unresponsive
        questions.cancelAll()
        facts.cancelAll()
        desktop.mirrorChanged(self, [])
        askLater()
    }

    private func askLater() {
        let delay = probeMilliseconds
        probeMilliseconds = min(probeMilliseconds * 2, limits.longestProbeMilliseconds)
        probe = LoopTimer(milliseconds: delay) { [weak self] in self?.ask() }
    }

    /// Asks a question whose answer does not matter, but that comes when the application goes on. It is read anew then:
    /// it may have missed to tell, and was missed to be asked.
    private func ask() {
        guard life == .unresponsive, let root = tree.roots.first else { return }
        connection.readStates(tree.reference(of: root), milliseconds: limits.longQuestionMilliseconds) {
            [weak self] result in
            guard let self, self.life == .unresponsive else { return }
            if case .failure(.notResponding) = result { return self.askLater() }
            self.timeouts = 0
            self.load()
        }
    }

    /// Asks whether it still answers, if nobody knows that of the last second: whoever asks next is told the truth.
    func confirmResponding() {
        guard life == .live, SystemClock.monotonicMicroseconds - lastAnswer > 1_000_000, let root = tree.roots.first
        else { return }
        lastAnswer = SystemClock.monotonicMicroseconds
        connection.readStates(tree.reference(of: root)) { [weak self] result in
            guard let self, self.life == .live else { return }
            if case .failure(.notResponding) = result { return self.becomeUnresponsive() }
            self.answered()
        }
    }

    func end() {
        life = .gone
        cacheReading?.cancel()
        cacheReading = nil
        fresh?.stop()
        fresh = nil
        live.stop()
        check = nil
        checkTimer = nil
        probe = nil
        questions.cancelAll()
        facts.cancelAll()
    }
}
