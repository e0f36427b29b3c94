import ATSPI
import AccessibilityTree
import EventLoop
import Selectors

/// Keeps what a selector matches true while trees change: only what a change can have touched is matched again.
///
/// Changes are collected until it has its turn (``MatchingTurns``), or somebody asks before what it matches.
@Loop
final class SelectorWatch {
    private struct Watched {
        let application: DesktopApplication
        var query: LiveQuery
        var fetch: FactFetch?
    }

    /// Changes of one application that are kept; with more of them all of it is matched again.
    private static let maximumPending = 4_096

    private let selector: Selector
    private unowned let desk: FocusDesk
    private let ownPID: Int
    private var demand: Demand?
    private var observer: UInt64?
    private var focusObserver: UInt64?
    private var watched: [String: Watched] = [:]
    /// What changed in the trees of applications since they were matched, by bus name.
    private var pending: [String: [TreeChange]] = [:]
    private var texts: [ObjectReference: String] = [:]
    private var hasAskedForTurn = false
    private var lookTimer: LoopTimer?

    /// The matches may be others, or are certain now. Not called from inside ``begin()``'s caller before it returns.
    var onChange: (@Loop () -> Void)?

    init(_ selector: Selector, desk: FocusDesk, ownPID: Int) {
        self.selector = selector
        self.desk = desk
        self.ownPID = ownPID
    }

    private var desktop: Desktop { desk.desktop }

    /// `looksAgain` where somebody waits for what is not there yet: not every toolkit says when it comes.
    func begin(looksAgain: Bool = false) {
        demand = desktop.demand(selector, ownPID: ownPID)
        observer = desktop.addObserver { [weak self] in self?.changed($0, $1) }
        if selector.dependsOnFocus {
            focusObserver = desk.addFocusObserver { [weak self] in self?.focusMoved() }
        }
        hasAskedForTurn = true
        desktop.matchingTurns.askFirst(self)
        for application in desktop.applications { changed(application, [.everything]) }
        if looksAgain { lookAgain(in: SelectorWatch.firstLookMilliseconds) }
    }

    /// When an application is looked at for what it does not announce; doubled up to the longest.
    private static let firstLookMilliseconds: Int64 = 250
    private static let longestLookMilliseconds: Int64 = 4_000

    /// GTK 4.8 tells of a new widget only where somebody has asked for its neighbours before, GTK 3 never of a packed one.
    private func lookAgain(in milliseconds: Int64) {
        lookTimer = LoopTimer(milliseconds: milliseconds) { [weak self] in
            guard let self else { return }
            for (_, one) in self.watched where one.query.count == 0 {
                one.application.mirror?.look()
            }
            // Of applications, too, not all is heard: what comes before anybody listens, or while the registry is busy.
            if self.watched.values.allSatisfy({ $0.query.count == 0 }) { self.desktop.lookAtList() }
            self.lookAgain(in: min(milliseconds * 2, SelectorWatch.longestLookMilliseconds))
        }
    }

    func end() {
        lookTimer = nil
        onChange = nil
        if let observer { desktop.removeObserver(observer) }
        if let focusObserver { desk.removeFocusObserver(focusObserver) }
        observer = nil
        focusObserver = nil
        demand?.end()
        demand = nil
        for one in watched.values { one.fetch?.cancel() }
        watched = [:]
        pending = [:]
        texts = [:]
    }

    // MARK: - What it knows

    /// The matches, by application in the order of the list, in each in the order of its tree.
    var matches: [SelectorSearch.Found] {
        matchPending()
        return desktop.applications.flatMap { application -> [SelectorSearch.Found] in
            guard let one = watched[application.busName], one.application === application,
                let tree = application.mirror?.tree
            else { return [] }
            return one.query.matches(in: tree).map { SelectorSearch.Found(application: application, slot: $0) }
        }
    }

    /// Whether everything that could match is known and was looked at.
    var isSettled: Bool { isSettled(besidesSilent: false) }

    /// The same, but nobody waits for applications that do not answer.
    var isDecided: Bool { isSettled(besidesSilent: true) }

    private func isSettled(besidesSilent: Bool) -> Bool {
        guard desktop.hasList else { return false }
        matchPending()
        return desktop.applications.allSatisfy { application in
            guard application.isKnown else { return false }
            guard selector.admits(application.facts, ownPID: ownPID) ?? true else { return true }
            if application.isSilent || application.mirror?.life == .unresponsive { return besidesSilent }
            guard let mirror = application.mirror, mirror.life == .live, mirror.isSettled else { return false }
            guard let one = watched[application.busName], pending[application.busName] == nil else { return false }
            return one.fetch == nil && !one.query.isUndecided
        }
    }

    /// Why it matches nothing, in the protocol's words.
    var reasonOfNothing: String {
        let admitted = desktop.applications.filter { selector.admits($0.facts, ownPID: ownPID) ?? true }
        if admitted.isEmpty { return desktop.hasList ? "noSuchApplication" : "stillLoading" }
        if !isDecided { return "stillLoading" }
        return isSettled ? "noMatch" : "applicationNotResponding"
    }

    // MARK: - Changes

    private func changed(_ application: DesktopApplication, _ changes: [TreeChange]) {
        let busName = application.busName
        guard let mirror = application.mirror, mirror.hasLoaded, desktop.application(busName) === application else {
            pending[busName] = nil
            if !texts.isEmpty { texts = texts.filter { $0.key.busName != busName } }
            let before = watched.removeValue(forKey: busName)
            before?.fetch?.cancel()
            if before != nil || changes.isEmpty { askForTurn() }
            return
        }
        if changes.isEmpty, watched[busName] != nil { return askForTurn() }
        collect(changes, of: busName)
    }

    /// Changes that are to be matched; none where only the focus or what was fetched changed.
    private func collect(_ changes: [TreeChange], of busName: String) {
        pending[busName, default: []] += changes
        if pending[busName, default: []].count > SelectorWatch.maximumPending { pending[busName] = [.everything] }
        askForTurn()
    }

    private func askForTurn() {
        guard !hasAskedForTurn else { return }
        hasAskedForTurn = true
        desktop.matchingTurns.ask(self)
    }

    /// Matches again what changed, and tells.
    func takeTurn() {
        hasAskedForTurn = false
        matchPending()
        onChange?()
    }

    private func matchPending() {
        guard !pending.isEmpty else { return }
        let all = pending
        pending = [:]
        for (busName, changes) in all {
            guard let application = desktop.application(busName), let mirror = application.mirror, mirror.hasLoaded
            else { continue }
            update(application, mirror, changes)
        }
    }

    /// Matches again what changes can have touched.
    private func update(_ application: DesktopApplication, _ mirror: ApplicationMirror, _ changes: [TreeChange]) {
        let busName = application.busName
        guard selector.admits(application.facts, ownPID: ownPID) ?? true else { return }
        // Taken out, so that it is changed in place.
        let before = watched.removeValue(forKey: busName)
        let isNew = before == nil
        var one = before ?? Watched(application: application, query: LiveQuery(selector))
        if one.application !== application {
            one.fetch?.cancel()
            one = Watched(application: application, query: LiveQuery(selector))
        }
        forgetTexts(of: mirror.tree)
        let context = desk.matchContext(for: mirror, ownPID: ownPID, texts: texts)
        let needs = one.query.update(changes, in: mirror.tree, context)
        // One that does not answer is read anew when it does, and looked at then.
        let mustFetch = !needs.isEmpty && one.fetch == nil && mirror.life == .live
        if mustFetch { one.fetch = FactFetch([FactFetch.Needs(mirror: mirror, needs: needs)]) }
        // ORDER: before anything is asked, for an answer may come at once.
        watched[busName] = one
        if mustFetch, let fetch = one.fetch { begin(fetch, mirror, application) }
        if isNew { MadeChildren(of: selector)?.look(in: [mirror], { _ in context }) {} }
    }

    private func begin(_ fetch: FactFetch, _ mirror: ApplicationMirror, _ application: DesktopApplication) {
        fetch.begin { [weak self, weak mirror] found in
            guard let self, let mirror, application.mirror === mirror else { return }
            self.texts.merge(found) { $1 }
            self.watched[application.busName]?.fetch = nil
            // Texts are in no tree, so that no change tells of them.
            self.collect([], of: application.busName)
        }
    }

    /// Texts of what is gone; at its path there may be another some day.
    private func forgetTexts(of tree: ApplicationTree) {
        guard !texts.isEmpty else { return }
        texts = texts.filter { $0.key.busName != tree.busName || tree.slot(at: $0.key.path) != nil }
    }

    private func focusMoved() {
        for application in desktop.applications where application.mirror != nil {
            if watched[application.busName] != nil { collect([], of: application.busName) }
        }
    }
}
