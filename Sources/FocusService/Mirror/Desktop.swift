import ATSPI
import AccessibilityTree
import EventLoop
import Selectors

/// The applications on the accessibility bus and the mirrors of those that somebody asks about.
///
/// Nothing is read and nothing is listened to for its sake until there is a ``Demand``. A while after the last one ended
/// everything is let go of, so that applications are left in peace.
@Loop
final class Desktop {
    struct Configuration: Sendable {
        var tree = ApplicationTree.Limits()
        var limits = MirrorLimits()
        /// All applications are mirrored all the time.
        var mirrorsAll = false
        /// How long a mirror is kept after the last one who needed it.
        var keepMilliseconds: Int64 = 60_000
    }

    let configuration: Configuration
    let bus: AccessibilityBus
    private(set) var applications: [DesktopApplication] = []
    private var byName: [String: DesktopApplication] = [:]
    private var demands: [ObjectIdentifier: Demand] = [:]
    /// Until when the list is kept without anybody who needs it, on the monotonic clock.
    private var keepListUntil: Int64 = .min
    private var sweep: LoopTimer?
    private var standing: Demand?
    private(set) var hasList = false
    private var isReadingList = false
    private var mustReadListAgain = false
    private var isLookingAtList = false
    private var listTimer: LoopTimer?
    /// When the list is asked for again where that was not answered.
    private lazy var listRetryMilliseconds = limits.firstProbeMilliseconds
    /// Told of changes in a mirror; an empty list where only its life changed.
    private var observers: [UInt64: @Loop (DesktopApplication, [TreeChange]) -> Void] = [:]
    private var lastObserver: UInt64 = 0
    private var mirrorCount = 0
    /// When who keeps matches true looks again.
    let matchingTurns = MatchingTurns()

    /// What must be listened to changed.
    var onInterestChanged: (@Loop () -> Void)?
    var onCount: (@Loop (Tally.Counter, Int) -> Void)?
    /// An application sent more than is kept while it was being read.
    var onEventsDropped: (@Loop (String) -> Void)?
    /// A mirror of so many bytes, roughly, is not kept any more.
    var onLetGo: (@Loop (Int) -> Void)?

    init(configuration: Configuration, bus: AccessibilityBus) {
        self.configuration = configuration
        self.bus = bus
    }

    var limits: MirrorLimits { configuration.limits }
    var treeLimits: ApplicationTree.Limits { configuration.tree }
    var nodeCount: Int { applications.reduce(0) { $0 + ($1.mirror?.tree.nodeCount ?? 0) } }

    var hasMirrors: Bool { mirrorCount > 0 }

    func count(_ counter: Tally.Counter, by number: Int = 1) { onCount?(counter, number) }

    func application(_ busName: String) -> DesktopApplication? { byName[busName] }

    /// Nodes that one mirror may hold now, beside what all others hold: several may be read at the same time.
    func room(for mirror: ApplicationMirror) -> Int {
        let others = applications.reduce(0) { $1.mirror === mirror ? $0 : $0 + ($1.mirror?.heldNodes ?? 0) }
        return max(0, min(configuration.tree.maximumNodes, limits.maximumNodes - others))
    }

    /// Whether the bus takes so few match rules that all applications share the same.
    var sharesRules: Bool { bus.sharesRules }

    /// What a node takes with its strings, roughly.
    private static let bytesOfNode = 256

    // MARK: - Demand

    var isWanted: Bool { !demands.isEmpty || SystemClock.monotonicMicroseconds < keepListUntil }

    /// The applications whose trees are listened to.
    var mirrored: Set<String> { Set(applications.lazy.filter { $0.mirror != nil }.map(\.busName)) }

    /// Whether all applications are wanted, whichever come.
    var mirrorsAll: Bool {
        configuration.mirrorsAll || demands.values.contains { $0.selector == nil }
    }

    /// Mirrors the applications that a selector can match, nil for all, until the demand ends and a while longer.
    func demand(_ selector: Selector?, ownPID: Int? = nil) -> Demand {
        let demand = Demand(selector, ownPID: ownPID, desktop: self)
        demands[ObjectIdentifier(demand)] = demand
        adjust()
        return demand
    }

    func demandEnded(_ demand: Demand) {
        guard demands.removeValue(forKey: ObjectIdentifier(demand)) != nil else { return }
        for application in applications where application.mirror != nil && demand.admits(application) {
            keep(application)
        }
        keepList(until: SystemClock.monotonicMicroseconds + configuration.keepMilliseconds * 1_000)
    }

    /// Somebody looked at a mirror: it is kept for a while longer.
    func keep(_ application: DesktopApplication) {
        application.keepUntil = SystemClock.monotonicMicroseconds + configuration.keepMilliseconds * 1_000
        keepList(until: application.keepUntil)
    }

    private func keepList(until time: Int64) {
        keepListUntil = max(keepListUntil, time)
        if sweep == nil { sweepLater() }
    }

    private func sweepLater() {
        let rest = keepListUntil - SystemClock.monotonicMicroseconds
        sweep = LoopTimer(milliseconds: max(1, rest / 1_000 + 1)) { [weak self] in
            guard let self else { return }
            self.sweep = nil
            self.adjust()
            if SystemClock.monotonicMicroseconds < self.keepListUntil { self.sweepLater() }
        }
    }

    /// The applications that a selector can match, if all that can is known and read; nil where that takes time.
    ///
    /// With `acceptsBusy` also such as are just being asked for something that an event told of.
    func ready(
        for selector: Selector?, ownPID: Int?, acceptsBusy: Bool = false
    ) -> [DesktopApplication]? {
        guard hasList, !isReadingList else { return nil }
        var admitted: [DesktopApplication] = []
        for application in applications {
            guard application.isKnown else { return nil }
            guard selector?.admits(application.facts, ownPID: ownPID) ?? true else { continue }
            guard let mirror = application.mirror, mirror.hasLife, acceptsBusy || mirror.isSettled else { return nil }
            admitted.append(application)
        }
        return admitted
    }

    /// Begins and ends mirrors as they are wanted now.
    func adjust() {
        guard bus.live != nil else { return }
        if isWanted {
            if !hasList {
                // ORDER: who comes from now on is heard of; only then is it asked who is there.
                onInterestChanged?()
                readList()
            }
        } else {
            hasList = false
            let before = applications
            applications = []
            byName = [:]
            for application in before { end(application) }
        }
        let now = SystemClock.monotonicMicroseconds
        for application in applications {
            let isDemanded = demands.values.contains { $0.admits(application) }
            if isDemanded, application.mirror == nil, application.isKnown { begin(application) }
            if !isDemanded, application.mirror != nil, now >= application.keepUntil { end(application) }
        }
        onInterestChanged?()
    }

    private func begin(_ application: DesktopApplication) {
        guard let connection = bus.live, application.busName != bus.uniqueName else { return }
        let mirror = ApplicationMirror(
            application.node, roots: application.roots, desktop: self, connection: connection)
        application.mirror = mirror
        mirrorCount += 1
        // ORDER: what happens from now on is heard; only then is it read.
        onInterestChanged?()
        mirror.load()
    }

    private func end(_ application: DesktopApplication) {
        guard let mirror = application.mirror else { return }
        onLetGo?((application.mirror?.heldNodes ?? 0) * Desktop.bytesOfNode)
        application.mirror = nil
        mirrorCount -= 1
        mirror.end()
        notify(application, [.everything])
    }

    // MARK: - The bus

    func busConnected() {
        if configuration.mirrorsAll, standing == nil { standing = demand(nil) }
        adjust()
    }

    func busLost() {
        hasList = false
        isReadingList = false
        let before = applications
        applications = []
        byName = [:]
        for application in before { end(application) }
    }

    func connectionLeft(_ busName: String) {
        guard let application = byName.removeValue(forKey: busName) else { return }
        applications.removeAll { $0 === application }
        let hadMirror = application.mirror != nil
        end(application)
        if !hadMirror { notify(application, [.everything]) }
        onInterestChanged?()
    }

    // MARK: - The list

    /// The registry's list changed, or may have.
    func listChanged() {
        guard isWanted else {
            hasList = false
            return
        }
        readList()
    }

    private func readList() {
        guard let connection = bus.live else { return }
        guard !isReadingList else {
            mustReadListAgain = true
            return
        }
        isReadingList = true
        connection.readApplications { [weak self] result in
            guard let self else { return }
            self.isReadingList = false
            switch result {
            case .success(let roots): self.took(roots)
            case .failure(.notResponding): self.readListLater()
            // There is no registry: the next is told of.
            case .failure: break
            }
            if self.mustReadListAgain {
                self.mustReadListAgain = false
                self.readList()
            }
        }
    }

    /// The registry is busy, or stands still for a moment: nothing would tell when it goes on.
    private func readListLater() {
        let delay = listRetryMilliseconds
        listRetryMilliseconds = min(delay * 2, limits.longestProbeMilliseconds)
        listTimer = LoopTimer(milliseconds: delay) { [weak self] in
            if self?.isWanted == true { self?.readList() }
        }
    }

    /// Looks whether the registry lists somebody of whom nothing was heard, for somebody who waits.
    func lookAtList() {
        guard hasList, !isReadingList, !isLookingAtList, let connection = bus.live else { return }
        isLookingAtList = true
        connection.readApplications { [weak self] result in
            guard let self else { return }
            self.isLookingAtList = false
            guard case .success(let roots) = result, self.hasList else { return }
            let isWhole = roots.allSatisfy { self.byName[$0.busName] != nil || $0.busName == self.bus.uniqueName }
            if !isWhole { self.listChanged() }
        }
    }

    private func took(_ roots: [ObjectReference]) {
        guard isWanted else { return }
        hasList = true
        listRetryMilliseconds = limits.firstProbeMilliseconds
        var listed: [DesktopApplication] = []
        for root in roots where root.busName != bus.uniqueName {
            if let application = listed.first(where: { $0.busName == root.busName }) {
                if !application.roots.contains(root.path) {
                    application.roots.append(root.path)
                    application.mirror?.rootAppeared(root.path)
                }
                continue
            }
            let application = byName[root.busName] ?? DesktopApplication(busName: root.busName, roots: [])
            application.isFromFormerRegistry = false
            if application.roots.isEmpty { application.roots = [root.path] }
            listed.append(application)
        }
        // From at-spi2-core 2.60 on, who does not respond is taken from the list and comes back: it is kept till it leaves.
        for application in applications where !listed.contains(where: { $0 === application }) {
            if application.isSilent || application.mirror?.life == .unresponsive || application.isFromFormerRegistry {
                listed.append(application)
            } else {
                end(application)
            }
        }
        applications = listed
        byName = Dictionary(uniqueKeysWithValues: listed.map { ($0.busName, $0) })
        for application in listed where !application.isKnown { askWho(application) }
        adjust()
        notifyList()
    }

    // MARK: - Changes

    /// What applications said was not heard for a moment.
    func signalsMissed() {
        for application in applications { application.mirror?.signalsMissed() }
    }

    /// Another registry took the place of the one that listed the applications.
    func registryReplaced() {
        for application in applications { application.isFromFormerRegistry = true }
        listChanged()
    }

    func apply(_ event: TreeEvent, from busName: String) {
        byName[busName]?.mirror?.apply(event)
    }

    /// An application did not answer by a deadline, whoever asked.
    func didNotAnswer(_ busName: String) {
        byName[busName]?.mirror?.didNotAnswer()
    }

    func mirrorChanged(_ mirror: ApplicationMirror, _ changes: [TreeChange]) {
        guard let application = byName[mirror.busName], application.mirror === mirror else { return }
        if let root = mirror.tree.roots.first, mirror.tree.isRead(root),
            mirror.tree.name(of: root) != application.node.name
        {
            application.node.name = mirror.tree.name(of: root)
            mirror.tree.application.name = application.node.name
        }
        notify(application, changes)
    }

    /// Who wants to know of changes; ends with ``removeObserver(_:)``.
    func addObserver(_ observer: @escaping @Loop (DesktopApplication, [TreeChange]) -> Void) -> UInt64 {
        lastObserver += 1
        observers[lastObserver] = observer
        return lastObserver
    }

    func removeObserver(_ number: UInt64) { observers[number] = nil }

    func notify(_ application: DesktopApplication, _ changes: [TreeChange]) {
        for observer in observers.values { observer(application, changes) }
    }

    private func notifyList() {
        for application in applications { notify(application, []) }
    }
}
