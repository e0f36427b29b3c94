import AccessibilityTree
import FocusRegistry
import EventLoop
import Selectors

/// The selectors of all focus states, each kept once: says which of them match a path, at every move.
///
/// What a path alone decides is asked of an index. The others need the trees of applications: those are kept while such
/// a selector is bound, and what it matches in them is kept true.
@Loop
final class SelectorBook {
    private struct Identity: Hashable {
        var text: String
        /// For `:self`; 0 where the selector does not ask.
        var ownPID: Int
    }

    private struct Entry {
        let identity: Identity
        var uses: Int
        let dependsOnFocus: Bool
    }

    private struct Watched {
        let watch: SelectorWatch
        var matched: Set<ObjectReference> = []
    }

    private unowned let desk: FocusDesk
    private var keys: [Identity: SelectorKey] = [:]
    private var entries: [SelectorKey: Entry] = [:]
    private var index = SelectorIndex<SelectorKey>()
    private var watched: [SelectorKey: Watched] = [:]
    /// The watched selectors that match an element: a path is looked up by its nodes, however many are watched.
    private var keysOfElement: [ObjectReference: Set<SelectorKey>] = [:]
    private var turn: LoopTimer?
    private var lastKey: Int32 = 0
    private var focusDependents = 0

    /// What a selector matches in the trees changed.
    var onChange: (@Loop () -> Void)?

    init(desk: FocusDesk) {
        self.desk = desk
    }

    var isEmpty: Bool { entries.isEmpty }

    /// Whether where technologies are can decide about a match, beside the path that is asked about.
    var dependsOnFocus: Bool { focusDependents > 0 }

    /// Whether states besides those that decide about focus can decide about a match.
    var dependsOnStates: Bool { index.sensitivity.states.bits & ~SelectorBook.heardStates.bits != 0 }

    var dependsOnDescriptions: Bool { index.sensitivity.facts.contains(.descriptions) }
    var dependsOnIDs: Bool { index.sensitivity.facts.contains(.ids) }

    /// Heard of applications with focus in any case.
    private static let heardStates = StateSet(.focused, .showing, .visible, .defunct)

    /// What must be heard of applications may be other than before.
    var onDemand: (@Loop () -> Void)?

    /// Whether a state of a path's nodes can decide about a match.
    func dependsOn(_ state: State) -> Bool { index.sensitivity.states.contains(state) }

    // MARK: - Keeping

    /// Keeps a selector; each call wants one ``release(_:)``.
    func retain(_ selector: Selector, ownPID: Int) -> SelectorKey {
        let text = selector.description
        let identity = Identity(text: text, ownPID: SelectorBook.asksForOwn(text) ? ownPID : 0)
        if let key = keys[identity] {
            entries[key]?.uses += 1
            return key
        }
        let key = nextKey()
        keys[identity] = key
        entries[key] = Entry(identity: identity, uses: 1, dependsOnFocus: selector.dependsOnFocus)
        if selector.dependsOnFocus { focusDependents += 1 }
        if selector.isDecidedByPath {
            let before = index.sensitivity
            index.insert(selector, ownPID: ownPID, as: key)
            if index.sensitivity != before { onDemand?() }
        } else {
            watch(selector, ownPID: ownPID, key)
        }
        return key
    }

    func release(_ key: SelectorKey) {
        guard let entry = entries[key] else { return }
        guard entry.uses == 1 else {
            entries[key]?.uses -= 1
            return
        }
        entries[key] = nil
        keys[entry.identity] = nil
        if entry.dependsOnFocus { focusDependents -= 1 }
        if let watched = watched.removeValue(forKey: key) {
            watched.watch.end()
            for element in watched.matched { forget(key, at: element) }
        } else {
            index.remove(key)
            onDemand?()
        }
        // What thousands of selectors were kept in goes with the last of them.
        if entries.isEmpty { (keys, entries, watched, keysOfElement) = ([:], [:], [:], [:]) }
    }

    /// Whether a selector means another thing for each process. A name with these letters in it counts too, which costs little.
    static func asksForOwn(_ text: String) -> Bool { text.contains(":self") }

    private func nextKey() -> SelectorKey {
        repeat { lastKey = lastKey == .max ? 1 : lastKey + 1 } while entries[SelectorKey(rawValue: lastKey)] != nil
        return SelectorKey(rawValue: lastKey)
    }

    private func watch(_ selector: Selector, ownPID: Int, _ key: SelectorKey) {
        let watch = SelectorWatch(selector, desk: desk, ownPID: ownPID)
        watched[key] = Watched(watch: watch)
        watch.onChange = { [weak self] in self?.changed(key) }
        watch.begin()
        changed(key)
    }

    private func changed(_ key: SelectorKey) {
        guard let watch = watched[key]?.watch else { return }
        var matched: Set<ObjectReference> = []
        for match in watch.matches {
            if let tree = match.application.mirror?.tree { matched.insert(tree.reference(of: match.slot)) }
        }
        guard let before = watched[key]?.matched, matched != before else { return }
        for element in before.subtracting(matched) { forget(key, at: element) }
        for element in matched.subtracting(before) { keysOfElement[element, default: []].insert(key) }
        watched[key]?.matched = matched
        tellLater()
    }

    private func forget(_ key: SelectorKey, at element: ObjectReference) {
        keysOfElement[element]?.remove(key)
        if keysOfElement[element]?.isEmpty == true { keysOfElement[element] = nil }
    }

    /// Tells once for all that changed in this turn of the loop: one application that comes may change a thousand.
    private func tellLater() {
        guard turn == nil else { return }
        turn = LoopTimer(milliseconds: 0) { [weak self] in
            self?.turn = nil
            self?.onChange?()
        }
    }

    // MARK: - Matching

    /// Which selectors match a node of a path. `focused` are the elements that assistive technologies are on.
    func matches(of path: FocusPath, focused: Set<ObjectReference>) -> SelectorMatches {
        guard !entries.isEmpty else { return SelectorMatches() }
        var found = index.isEmpty ? [] : index.matches(path, focused: focused.contains)
        if !keysOfElement.isEmpty {
            for (depth, node) in path.nodes.enumerated() {
                for key in keysOfElement[node.reference] ?? [] { found.append((key, depth)) }
            }
        }
        return found.isEmpty ? SelectorMatches() : SelectorMatches(found)
    }
}
