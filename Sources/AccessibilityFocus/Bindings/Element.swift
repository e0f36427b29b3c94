/// An element of the desktop that values can be bound to: whatever its selector matches, now or later.
///
///     Element("application[name='notes'] #status")
///     Element(":self #status") { widget.takeFocus() ? .moved : .declined(reason: "it is not shown") }
public struct Element: Sendable {
    /// Which element it is, in focusd's language of selectors; empty where a source tells that.
    public let selector: String
    let source: (any ElementSource)?
    let move: (@Sendable () async -> MoveAnswer)?

    /// An element that focusd moves to.
    ///
    /// A selector that cannot be read is reported when the element is bound: see ``FocusClient/problems``.
    public init(_ selector: String) {
        self.selector = selector
        source = nil
        move = nil
    }

    /// An element that the app itself gives the focus to when focusd asks for it.
    ///
    /// The closure is called on no thread in particular. It is kept as long as the binding: capture widgets weakly.
    public init(_ selector: String, move: @escaping @Sendable () async -> MoveAnswer) {
        self.selector = selector
        source = nil
        self.move = move
    }

    /// An element that is another one for focusd from time to time, as its source tells, and the same for the app.
    public init(source: any ElementSource, move: @escaping @Sendable () async -> MoveAnswer) {
        selector = ""
        self.source = source
        self.move = move
    }

    /// The same element by what its source told last.
    func with(_ selector: String) -> Element { move.map { Element(selector, move: $0) } ?? Element(selector) }
}

/// What an app answers when it was asked to give the focus to its own element.
public enum MoveAnswer: Hashable, Sendable {
    /// It was done. focusd still waits until the technology says that it is there.
    case moved
    /// It cannot be done, so focusd tries its other routes; the reason is for people who read logs.
    case declined(reason: String)
}

extension Element {
    /// Binds the element to a Boolean: true while the focus is on it or inside of it; setting true moves the focus there.
    @discardableResult
    public func accessibilityFocused(_ binding: AccessibilityFocusState<Bool>.Binding) -> AccessibilityFocusAttachment {
        binding.storage.attach(self, for: true)
    }

    /// Binds the element to one value: the state has it while the focus is on the element or inside of it.
    @discardableResult
    public func accessibilityFocused<V: Hashable & Sendable>(
        _ binding: AccessibilityFocusState<V?>.Binding, equals value: V
    ) -> AccessibilityFocusAttachment {
        binding.storage.attach(self, for: value)
    }
}

/// That an element is bound to a value. It stays so when this is thrown away, until the state itself ends.
public struct AccessibilityFocusAttachment: Sendable {
    private let end: @Sendable () -> Void

    init(end: @escaping @Sendable () -> Void) { self.end = end }

    /// Ends it, for this element alone. Further calls do nothing.
    public func cancel() { end() }
}
