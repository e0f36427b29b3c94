import ATSPI
import AccessibilityTree
import EventLoop
import FocusRegistry

/// Finds out where typed keys go: from toolkits' events, each confirmed by live state before it counts.
@Loop
final class KeyboardFollower {
    struct Limits {
        /// How long after `focused 0` a new `focused 1` is waited for before live state is asked.
        var settleMilliseconds: Int64 = 100
        /// How long after a window's activation a focus event is waited for before the window is searched.
        var silenceMilliseconds: Int64 = 150
        /// Windows whose last focused element is remembered.
        var maximumRememberedWindows = 64
    }

    private unowned let desk: FocusDesk
    private let limits: Limits
    private var candidates: UInt64 = 0
    private var lastAccepted: UInt64 = 0
    /// The last that live state confirmed: what is only claimed never stands in the way of a later one of these.
    private var lastConfirmed: UInt64 = 0
    /// What live state confirmed and whose path is still being read.
    private var found: ObjectReference?
    private var settling: LoopTimer?
    private var silence: LoopTimer?
    private var lastFocused: [ObjectReference: ObjectReference] = [:]

    init(desk: FocusDesk, limits: Limits = Limits()) {
        self.desk = desk
        self.limits = limits
    }

    /// An element says that it has the keyboard focus now.
    func claimed(_ element: ObjectReference, at time: Microseconds) {
        candidates += 1
        confirm(element, candidates, at: time, attempt: 0)
    }

    /// A container says which of its children is the one; that counts where the container has the keyboard focus.
    func activeDescendantChanged(_ container: ObjectReference, _ descendant: ObjectReference, at time: Microseconds) {
        candidates += 1
        let candidate = candidates
        desk.bus.live?.readStates(container) { [weak self] result in
            guard let self, case .success(let states) = result, states.contains(.focused) else { return }
            self.accept(descendant, candidate, at: time)
        }
    }

    /// An element says that it lost the keyboard focus.
    func lost(_ element: ObjectReference) {
        guard desk.registry.position(of: .keyboard)?.element == element else { return }
        settling = LoopTimer(milliseconds: limits.settleMilliseconds) { [weak self] in self?.checkStillFocused(element)
        }
    }

    func windowActivated(_ window: ObjectReference) {
        let before = candidates
        let time = desk.now
        silence = LoopTimer(milliseconds: limits.silenceMilliseconds) { [weak self] in
            guard let self, self.candidates == before else { return }
            // Nothing was said: it kept its focus while it was away, or said so before anybody listened.
            self.search(window, at: time)
        }
    }

    func forget(_ busName: String) {
        lastFocused = lastFocused.filter { $0.key.busName != busName }
    }

    /// The bus is gone: other windows have the same names on the next.
    func forgetAll() {
        lastFocused = [:]
        found = nil
        settling = nil
        silence = nil
    }

    // MARK: - Confirming

    private func confirm(_ element: ObjectReference, _ candidate: UInt64, at time: Microseconds, attempt: Int) {
        guard let connection = desk.bus.live else { return }
        connection.readStates(element) { [weak self] result in
            guard let self, candidate > self.lastConfirmed else { return }
            switch result {
            case .success(let states) where states.contains(.focused):
                self.accept(element, candidate, at: time)
            case .success:
                self.acceptUnlessAnotherHasIt(element, candidate, at: time)
            case .failure(.unknownObject), .failure(.notSupported):
                // GTK 4 speaks of objects before they answer: once more, a little later.
                guard attempt == 0 else { return }
                Loop.task { [weak self] in
                    await Loop.pause(milliseconds: 60)
                    self?.confirm(element, candidate, at: time, attempt: 1)
                }
            case .failure: return
            }
        }
    }

    /// Some toolkits never set FOCUSED on what they announce. Such a claim counts while nothing else has the state.
    private func acceptUnlessAnotherHasIt(_ element: ObjectReference, _ candidate: UInt64, at time: Microseconds) {
        guard candidate > lastAccepted else { return }
        let confirmedBefore = lastConfirmed
        guard let current = found ?? desk.registry.position(of: .keyboard)?.element else {
            return acceptClaim(element, candidate, at: time, unlessConfirmedSince: confirmedBefore)
        }
        guard current != element else { return }
        desk.bus.live?.readStates(current) { [weak self] result in
            guard let self, candidate > self.lastAccepted else { return }
            if case .success(let states) = result, states.contains(.focused) { return }
            self.acceptClaim(element, candidate, at: time, unlessConfirmedSince: confirmedBefore)
        }
    }

    /// Takes what is only claimed, unless another has been confirmed while it was looked at: then that is asked.
    private func acceptClaim(
        _ element: ObjectReference, _ candidate: UInt64, at time: Microseconds,
        unlessConfirmedSince confirmedBefore: UInt64
    ) {
        desk.loader.load(element) { [weak self] result in
            guard let self, candidate > self.lastAccepted, case .success(let path) = result else { return }
            guard self.found == nil, self.lastConfirmed == confirmedBefore else {
                return self.acceptUnlessAnotherHasIt(element, candidate, at: time)
            }
            self.settle(path, candidate, at: time)
        }
    }

    /// Takes what live state confirmed.
    private func accept(_ element: ObjectReference, _ candidate: UInt64, at time: Microseconds) {
        guard candidate > lastConfirmed else { return }
        found = element
        desk.loader.load(element) { [weak self] result in
            guard let self else { return }
            if self.found == element { self.found = nil }
            guard candidate > self.lastConfirmed, case .success(let path) = result else { return }
            self.lastConfirmed = candidate
            self.settle(path, candidate, at: time)
        }
    }

    private func settle(_ path: FocusPath, _ candidate: UInt64, at time: Microseconds) {
        lastAccepted = max(lastAccepted, candidate)
        settling = nil
        remember(path)
        desk.keyboardMoved(path, at: time)
    }

    private func remember(_ path: FocusPath) {
        guard let window = path.window?.reference else { return }
        if lastFocused.count >= limits.maximumRememberedWindows { lastFocused.removeAll() }
        lastFocused[window] = path.element.reference
    }

    private func checkStillFocused(_ element: ObjectReference) {
        guard desk.registry.position(of: .keyboard)?.element == element else { return }
        desk.bus.live?.readStates(element) { [weak self] result in
            guard let self, self.desk.registry.position(of: .keyboard)?.element == element else { return }
            if case .success(let states) = result, states.contains(.focused) { return }
            self.desk.keyboardLeft()
        }
    }

    // MARK: - Searching

    private func search(_ window: ObjectReference, at time: Microseconds) {
        candidates += 1
        let candidate = candidates
        Loop.task { [weak self] in
            guard let self, let connection = self.desk.bus.live else { return }
            let search = LiveFocusSearch(connection: connection)
            if let last = self.lastFocused[window], await search.hasFocus(last) {
                return self.accept(last, candidate, at: time)
            }
            guard let found = await search.focused(in: window) else { return }
            self.accept(found, candidate, at: time)
        }
    }

    /// Looks where the focus is on the whole desktop, for a start in the middle of things.
    func searchDesktop() async -> ObjectReference? {
        guard let connection = desk.bus.live else { return nil }
        return await LiveFocusSearch(connection: connection).focusedOnDesktop()
    }
}
