import Synchronization

/// Knows which element something of the app's is, where that changes: a widget that is known by its text, for instance.
public protocol ElementSource: Sendable {
    /// Tells the selector at once, and again whenever it is another one; nil when there is no element any more.
    ///
    /// It is called once for each binding. A selector that is told on the caller's own thread before this returns is
    /// bound before anything that the caller asks for next.
    ///
    /// - Parameter tell: Answers whether it wants to be told more. It never waits, and calls of it must not overlap.
    /// - Returns: Ends it. It may be called on any thread.
    func follow(_ tell: @escaping @Sendable (_ selector: String?) -> Bool) -> @Sendable () -> Void

    /// The element's value is being assigned: what is true now is to be told now, as far as this thread can find it out.
    func update()

    /// The same where there is time to go to another thread.
    func updateAnywhere() async
}

/// What is bound for a source now: always the element that it told last.
final class CurrentAttachment: Sendable {
    private struct State {
        var attachment: AccessibilityFocusAttachment?
        var isOver = false
    }
    private let state = Mutex(State())

    /// Puts another attachment in the place of the last one. Answers whether more are wanted.
    func replace(with new: AccessibilityFocusAttachment?) -> Bool {
        // ORDER: the new one is there before the old one goes, so that both are told to focusd at once.
        let (old, isOver) = state.withLock { state in
            guard !state.isOver else { return (new, true) }
            defer { state.attachment = new }
            return (state.attachment, false)
        }
        old?.cancel()
        return !isOver
    }

    func end() {
        let last = state.withLock { state in
            state.isOver = true
            defer { state.attachment = nil }
            return state.attachment
        }
        last?.cancel()
    }
}
