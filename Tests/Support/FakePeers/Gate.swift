/// Holds answers back until a test opens it: the way to keep a race open without a sleep.
package final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = Locked(State())

    /// A closed gate.
    package init() {}

    /// How many answers wait.
    package var waiting: Int { state.withLock { $0.waiting.count } }

    /// Lets everything through, in the order in which it came, and from now on everything at once.
    package func open() {
        let passing = state.withLock { state in
            defer { state = State(isOpen: true) }
            return state.waiting
        }
        for action in passing { action() }
    }

    func pass(_ action: @escaping @Sendable () -> Void) {
        let isOpen = state.withLock { state in
            if !state.isOpen { state.waiting.append(action) }
            return state.isOpen
        }
        if isOpen { action() }
    }
}
