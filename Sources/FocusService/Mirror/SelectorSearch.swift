import ATSPI
import AccessibilityTree
import EventLoop
import FocusProtocol
import Selectors

/// Finds the elements that a selector matches: at once where the mirrors are true and complete, else when they are.
@Loop
final class SelectorSearch {
    struct Match: Hashable {
        let application: ObjectIdentifier
        let reference: ObjectReference
    }

    struct Found {
        let application: DesktopApplication
        let slot: ApplicationTree.Slot
    }

    struct Result {
        var elements: [Found] = []
        /// How many match, also beyond the limit.
        var total = 0
        /// False where something could not be looked at or was too much work.
        var isComplete = true
        var stale: [StaleApplication] = []
        /// Whether any application is there that the selector could be about.
        var hasApplication = false
    }

    /// Nil where the roots of all applications are meant.
    private let selector: Selector?
    private unowned let desk: FocusDesk
    private let ownPID: Int
    private let limit: Int
    private let deadline: Int64
    private var completion: (@Loop (Result) -> Void)?
    private var demand: Demand?
    private var observer: UInt64?
    private var timer: LoopTimer?
    private var rounds = 0
    private var texts: [ObjectReference: String] = [:]
    private var isFetching = false
    private var fetch: FactFetch?
    private var hasLookedForMade = false
    /// When it is no longer waited for applications that are just being asked for something new.
    private var busyTimer: LoopTimer?
    private var acceptsBusy = false

    /// An application that changes all the time is never without questions: as long as this is waited for it.
    private static let busyMilliseconds: Int64 = 300
    /// Questions to applications after each of which the selector is matched again.
    private static let maximumRounds = 16

    /// The deadline is on the monotonic clock: what is not known by then is left out and named.
    init(
        _ selector: Selector?, desk: FocusDesk, ownPID: Int, limit: Int, deadline: Int64,
        _ completion: @escaping @Loop (Result) -> Void
    ) {
        self.selector = selector
        self.desk = desk
        self.ownPID = ownPID
        self.limit = limit
        self.deadline = deadline
        self.completion = completion
    }

    private var desktop: Desktop { desk.desktop }

    /// Answers before it returns where nothing must be asked.
    func begin() {
        if let ready = desktop.ready(for: selector, ownPID: ownPID) { return evaluate(ready) }
        demand = desktop.demand(selector, ownPID: ownPID)
        observer = desktop.addObserver { [weak self] _, _ in self?.look() }
        let milliseconds = max(0, (deadline - SystemClock.monotonicMicroseconds) / 1_000)
        timer = LoopTimer(milliseconds: milliseconds) { [weak self] in self?.timeIsOver() }
        busyTimer = LoopTimer(milliseconds: SelectorSearch.busyMilliseconds) { [weak self] in
            self?.acceptsBusy = true
            self?.look()
        }
        look()
    }

    /// Nobody wants the answer any more.
    func cancel() {
        completion = nil
        letGo()
    }

    private func letGo() {
        timer = nil
        busyTimer = nil
        fetch?.cancel()
        fetch = nil
        if let observer { desktop.removeObserver(observer) }
        observer = nil
        demand?.end()
        demand = nil
    }

    private func look() {
        guard completion != nil, !isFetching,
            let ready = desktop.ready(for: selector, ownPID: ownPID, acceptsBusy: acceptsBusy)
        else { return }
        evaluate(ready)
    }

    private func timeIsOver() {
        guard completion != nil else { return }
        var (result, needs) = match(desktop.applications.filter { selector?.admits($0.facts, ownPID: ownPID) ?? true })
        if !needs.isEmpty { result.isComplete = false }
        for need in needs where !result.stale.contains(where: { $0.busName == need.mirror.busName }) {
            result.stale.append(
                StaleApplication(
                    busName: need.mirror.busName, name: need.mirror.tree.application.name, reason: "loading"))
        }
        needs = []
        finish(result)
    }

    private func evaluate(_ applications: [DesktopApplication]) {
        if !hasLookedForMade, let made = selector.flatMap({ MadeChildren(of: $0) }) {
            hasLookedForMade = true
            isFetching = true
            armTimer()
            return made.look(
                in: applications.compactMap(\.mirror),
                { self.desk.matchContext(for: $0, ownPID: self.ownPID, texts: self.texts) }
            ) { [weak self] in self?.goOn() }
        }
        let (result, needs) = match(applications)
        let isOver = rounds >= SelectorSearch.maximumRounds || SystemClock.monotonicMicroseconds >= deadline
        guard !needs.isEmpty, !isOver else {
            var result = result
            if !needs.isEmpty { result.isComplete = false }
            return finish(result)
        }
        rounds += 1
        isFetching = true
        armTimer()
        let fetch = FactFetch(needs)
        self.fetch = fetch
        fetch.begin { [weak self] texts in
            self?.texts.merge(texts) { $1 }
            self?.goOn()
        }
    }

    private func armTimer() {
        guard timer == nil else { return }
        let milliseconds = max(1, (deadline - SystemClock.monotonicMicroseconds) / 1_000)
        timer = LoopTimer(milliseconds: milliseconds) { [weak self] in self?.timeIsOver() }
    }

    /// What was asked for is there. It may have taken so long that the mirrors are others.
    private func goOn() {
        guard completion != nil else { return }
        isFetching = false
        if let ready = desktop.ready(for: selector, ownPID: ownPID, acceptsBusy: acceptsBusy) {
            evaluate(ready)
        } else if demand == nil {
            begin()
        }
    }

    private func match(
        _ applications: [DesktopApplication]
    ) -> (result: Result, needs: [FactFetch.Needs]) {
        var result = Result()
        var needs: [FactFetch.Needs] = []
        for application in applications {
            result.hasApplication = true
            guard let mirror = application.mirror, mirror.hasLoaded else {
                result.isComplete = false
                let isSilent = application.isSilent || application.mirror?.life == .unresponsive
                result.stale.append(stale(application, isSilent ? "notResponding" : "loading"))
                continue
            }
            if let reason = staleness(mirror) {
                result.isComplete = false
                result.stale.append(stale(application, reason))
            }
            desktop.keep(application)
            mirror.confirmResponding()
            guard let selector else {
                result.elements += mirror.tree.roots.map { Found(application: application, slot: $0) }
                result.total += mirror.tree.roots.count
                continue
            }
            let found = selector.matches(
                in: mirror.tree, desk.matchContext(for: mirror, ownPID: ownPID, texts: texts),
                limit: limit - result.elements.count)
            result.elements += found.matches.map { Found(application: application, slot: $0) }
            result.total += found.total
            if found.isBudgetExceeded { result.isComplete = false }
            if !found.needs.isEmpty { needs.append(FactFetch.Needs(mirror: mirror, needs: found.needs)) }
        }
        return (result, needs)
    }

    private func staleness(_ mirror: ApplicationMirror) -> String? {
        switch mirror.life {
        case .unresponsive, .gone: "notResponding"
        case .appearing, .loading: "loading"
        case .live: mirror.tree.isCut ? "limitReached" : mirror.isSettled ? nil : "loading"
        }
    }

    private func stale(_ application: DesktopApplication, _ reason: String) -> StaleApplication {
        StaleApplication(busName: application.busName, name: application.node.name, reason: reason)
    }

    private func finish(_ result: Result) {
        let completion = completion
        self.completion = nil
        letGo()
        completion?(result)
    }
}
