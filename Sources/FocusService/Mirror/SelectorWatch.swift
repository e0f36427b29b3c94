import ATSPI
import AccessibilityTree
import EventLoop
import Selectors

/// Keeps what a selector matches true while trees change: only what a change can have touched is matched again.
@Loop
final class SelectorWatch {
    private struct Watched {
        let application: DesktopApplication
        var query: LiveQuery
        var isFetching = false
    }

    private let selector: Selector
    private unowned let desk: FocusDesk
    private let ownPID: Int
    private var demand: Demand?
    private var observer: UInt64?
    private var focusObserver: UInt64?
    private var watched: [String: Watched] = [:]
    private var texts: [ObjectReference: String] = [:]
    private var turn: LoopTimer?
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
        for application in desktop.applications { changed(application, [.everything]) }
        tellLater()
        if looksAgain { lookAgain(in: SelectorWatch.firstLookMilliseconds) }
    }

    /// When an application is looked at for what it does not announce; doubled up to the longest.
    private static let firstLookMilliseconds: Int64 = 250
    private static let longestLookMilliseconds: Int64 = 4_000

    /// GTK 4.8 tells of a new widget only where somebody has asked for its neighbours before, GTK 3 never of a packed one.
    private func lookAgain(in milliseconds: Int64) {
        lookTimer = LoopTimer(milliseconds: milliseconds) { [weak self] in
            guard let self else { return }
            self.desktop.lookForApplications()
            for (_, one) in self.watched where one.query.count == 0 {
                one.application.mirror?.look()
            }
            self.lookAgain(in: min(milliseconds * 2, SelectorWatch.longestLookMilliseconds))
        }
    }

    func end() {
        turn = nil
        lookTimer = nil
        onChange = nil
        if let observer { desktop.removeObserver(observer) }
        if let focusObserver { desk.removeFocusObserver(focusObserver) }
        observer = nil
        focusObserver = nil
        demand?.end()
        demand = nil
        watched = [:]
    }

    // MARK: - What it knows

    /// The matches, by application in the order of the list, in each in the order of its tree.
    var matches: [SelectorSearch.Found] {
        desktop.applications.flatMap { application -> [SelectorSearch.Found] in
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
        return desktop.applications.allSatisfy { application in
            guard application.isKnown else { return false }
            guard selector.admits(application.facts, ownPID: ownPID) ?? true else { return true }
            if application.isSilent || application.mirror?.life == .unresponsive { return besidesSilent }
            guard let mirror = application.mirror, mirror.life == .live, mirror.isSettled else { return false }
            return watched[application.busName].map { !$0.isFetching && !$0.query.isUndecided } ?? false
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
            if watched.removeValue(forKey: busName) != nil || changes.isEmpty { tellLater() }
            return
        }
        if changes.isEmpty, watched[busName] != nil { return tellLater() }
        update(application, mirror, changes)
    }

    /// Matches again what changes can have touched; none where only the focus or what was fetched changed.
    private func update(_ application: DesktopApplication, _ mirror: ApplicationMirror, _ changes: [TreeChange]) {
        let busName = application.busName
        guard selector.admits(application.facts, ownPID: ownPID) ?? true else { return }
        var one = watched[busName] ?? Watched(application: application, query: LiveQuery(selector))
        if one.application !== application { one = Watched(application: application, query: LiveQuery(selector)) }
        let context = desk.matchContext(for: mirror, ownPID: ownPID, texts: texts)
        let needs = one.query.update(changes, in: mirror.tree, context)
        // One that does not answer is read anew when it does, and looked at then.
        let mustFetch = !needs.isEmpty && !one.isFetching && mirror.life == .live
        if mustFetch { one.isFetching = true }
        let isNew = watched[busName] == nil
        // ORDER: before anything is asked, for an answer may come at once.
        watched[busName] = one
        tellLater()
        if mustFetch { fetch(needs, mirror, application) }
        if isNew { MadeChildren(of: selector)?.look(in: [mirror], { _ in context }) {} }
    }

    private func fetch(_ needs: [Need], _ mirror: ApplicationMirror, _ application: DesktopApplication) {
        FactFetch([FactFetch.Needs(mirror: mirror, needs: needs)]).begin { [weak self, weak mirror] found in
            guard let self, let mirror, application.mirror === mirror else { return }
            self.texts.merge(found) { $1 }
            self.watched[application.busName]?.isFetching = false
            // Texts are in no tree, so that no change tells of them.
            self.update(application, mirror, [])
        }
    }

    private func focusMoved() {
        for application in desktop.applications {
            if let mirror = application.mirror, watched[application.busName] != nil { update(application, mirror, []) }
        }
    }

    /// Tells at the next turn of the loop: one signal may change much.
    private func tellLater() {
        guard turn == nil else { return }
        turn = LoopTimer(milliseconds: 0) { [weak self] in
            self?.turn = nil
            self?.onChange?()
        }
    }
}
