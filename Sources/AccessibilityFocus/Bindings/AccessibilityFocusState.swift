/// A value that follows the focus of a screen reader, and moves it when it is assigned.
///
///     @AccessibilityFocusState var isNotificationFocused: Bool
///     Element("#notification").accessibilityFocused($isNotificationFocused)
///     isNotificationFocused = true                       // the screen reader goes there and reads it
///
/// The value is what the technology confirmed, never what was assigned. It is a Boolean, or an Optional of anything
/// that tells elements apart. It may be read and assigned on any thread, and neither ever waits. Copies share it; when
/// the last one is released, the binding ends.
@propertyWrapper
public struct AccessibilityFocusState<Value: Hashable & Sendable>: Sendable {
    let storage: FocusStateStorage<Value>

    /// A Boolean that follows any screen reader.
    public init() where Value == Bool {
        self.init(for: [], engine: .shared)
    }

    /// A Boolean that follows these technologies.
    public init(for technologies: AccessibilityTechnologies) where Value == Bool {
        self.init(for: technologies, engine: .shared)
    }

    /// A value or nil, which follows any screen reader.
    public init<V: Hashable & Sendable>() where Value == V? {
        self.init(for: [], engine: .shared)
    }

    /// A value or nil, which follows these technologies.
    public init<V: Hashable & Sendable>(for technologies: AccessibilityTechnologies) where Value == V? {
        self.init(for: technologies, engine: .shared)
    }

    /// A Boolean with an engine of its own, for tests.
    package init(for technologies: AccessibilityTechnologies = [], engine: FocusEngine) where Value == Bool {
        storage = FocusStateStorage(none: false, technologies: technologies, engine: engine) { _ in "true" }
    }

    /// A value or nil with an engine of its own, for tests.
    package init<V: Hashable & Sendable>(
        for technologies: AccessibilityTechnologies = [], engine: FocusEngine
    ) where Value == V? {
        storage = FocusStateStorage(none: nil, technologies: technologies, engine: engine) { value in
            value.map { String(describing: $0) } ?? ""
        }
    }

    /// The value as it was confirmed last. Assigning asks for a move, also where the value is the same.
    ///
    /// What becomes of an assignment shows in the value only; ``Binding/set(_:again:routes:timeout:)`` tells it.
    public var wrappedValue: Value {
        get { storage.value }
        nonmutating set { storage.assign(newValue) }
    }

    /// What elements are bound to.
    public var projectedValue: Binding { Binding(storage: storage) }
}

extension AccessibilityFocusState {
    /// The state as it is passed on: elements are bound to it, and others read it, set it and follow it.
    @propertyWrapper
    public struct Binding: Sendable {
        let storage: FocusStateStorage<Value>

        /// The value as it was confirmed last. Assigning asks for a move, also where the value is the same.
        public var wrappedValue: Value {
            get { storage.value }
            nonmutating set { storage.assign(newValue) }
        }

        /// The binding itself.
        public var projectedValue: Binding { self }

        /// The value with what is known of it: whether it is assumed, why it is so, and the element.
        public var current: AccessibilityFocusChange<Value> { storage.current }

        /// Moves the focus to the element of a value and tells what became of that, when it is known.
        ///
        /// False or nil gives the focus back to where it was before. An outcome that is not `confirmed` is no error.
        ///
        /// - Parameters:
        ///   - value: One that an element is bound to, or false or nil.
        ///   - again: Presents the element anew where the state has the value already.
        ///   - routes: The routes allowed; nil allows all.
        ///   - timeout: How long to try, waiting for the element to appear included: 1 ms to 60 s, and 2 s where nil. Any
        ///     other counts as the nearest of these.
        /// - Throws: `noService` without a daemon, `nothingBound` where no element has the value, `refused` where the
        ///   request itself is wrong, `cancelled` where the task is; the move goes on then.
        public func set(
            _ value: Value, again: Bool = false, routes: [FocusRoute]? = nil, timeout: Duration? = nil
        ) async throws(FocusClientError) -> Outcome {
            try await storage.set(value, again: again, routes: routes, timeout: timeout)
        }

        /// The value as it is and then every change of it. Each use of this property is a sequence of its own.
        ///
        /// It ends when the state is released, and does not keep the state alive. Who reads it slowly gets the newest
        /// ``AccessibilityFocusLimits/waitingChanges`` of what it did not read.
        public var changes: AsyncStream<AccessibilityFocusChange<Value>> { storage.changes }

        /// Calls a closure at every change, until that is cancelled or the state is released.
        ///
        /// - Parameters:
        ///   - initial: Whether the closure is called at once with the value as it is.
        ///   - context: Runs the closure it is given where changes are wanted, like a main loop's thread, in order. Without
        ///     it they are delivered on the library's own thread, which must not be held up.
        ///   - action: Gets each change.
        @discardableResult
        public func onChange(
            initial: Bool = false,
            on context: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { $0() },
            perform action: @escaping @Sendable (AccessibilityFocusChange<Value>) -> Void
        ) -> AccessibilityFocusObservation {
            storage.observe(initial: initial, context: context, action: action)
        }
    }
}

/// That a closure is called at changes. It goes on when this is thrown away, until the state itself ends.
public final class AccessibilityFocusObservation: Sendable {
    private let end: @Sendable () -> Void

    init(end: @escaping @Sendable () -> Void) { self.end = end }

    /// Ends it. Where it is called in the context that changes are delivered in, no call comes after it.
    public func cancel() { end() }
}

/// What the library keeps for an app at most.
public enum AccessibilityFocusLimits {
    /// Changes that wait for a slow reader of one sequence; of more, the oldest are left out and ``FocusClient/problems`` tells so.
    public static let waitingChanges = 1024
    /// Replies that wait for a slow reader of one ``FocusStream``; with more it ends with `tooSlow`.
    public static let waitingReplies = 1024
    /// Sets of one state that wait to be sent; of more, the oldest assignment is left out, or the newest explicit set refused.
    public static let waitingSets = 1024
}
