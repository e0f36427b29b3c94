import FocusProtocol
import Synchronization
import Testing

@testable import AccessibilityFocus

/// What is bound for an element whose selector changes.
struct ElementSourceTests {
    /// Tells what the test tells it, and on `update` what is due.
    private final class Widget: ElementSource {
        private let tells = Mutex<[@Sendable (String?) -> Bool]>([])
        private let due = Mutex<String?>(nil)
        let isFollowed = Flag()
        let hasEnded = Flag()

        func follow(_ tell: @escaping @Sendable (String?) -> Bool) -> @Sendable () -> Void {
            isFollowed.set()
            tells.withLock { $0.append(tell) }
            _ = tell("#first")
            return { [hasEnded] in hasEnded.set() }
        }

        func update() {
            if let due = due.withLock({ $0 }) { tell(due) }
        }

        func updateAnywhere() async { update() }

        /// What is true from now on, and told only when it is asked for.
        func becomes(_ selector: String) { due.withLock { $0 = selector } }

        /// Answers whether anybody wants to hear more.
        @discardableResult
        func tell(_ selector: String?) -> Bool {
            tells.withLock { $0 }.map { $0(selector) }.contains(true)
        }
    }

    private func prototypes(_ selectors: String...) -> [Prototype] {
        selectors.map { Prototype(value: "true", selector: $0, moves: true) }
    }

    @Test("it is bound by what its source tells, at once and at each change, with one call each")
    func follows() async throws {
        let scene = try Scene()
        let focusd = try FakeFocusd(in: scene.folder)
        @AccessibilityFocusState(engine: scene.engine) var isFocused: Bool
        let widget = Widget()
        Element(source: widget) { .moved }.accessibilityFocused($isFocused)
        #expect(try await focusd.next(Bind.self).prototypes == prototypes("#first"))
        _ = scene.inOneTurn { widget.tell("#second") }
        #expect(try await focusd.next(Bind.self).prototypes == prototypes("#second"))
        try await scene.settle()
        #expect(focusd.calls("Bind").count == 2)
    }

    @Test("before it is set, its source is asked once more")
    func updates() async throws {
        let scene = try Scene()
        let focusd = try FakeFocusd(in: scene.folder)
        @AccessibilityFocusState(engine: scene.engine) var isFocused: Bool
        let widget = Widget()
        Element(source: widget) { .moved }.accessibilityFocused($isFocused)
        _ = try await focusd.next(Bind.self)
        widget.becomes("#moved")
        scene.inOneTurn { [binding = $isFocused] in binding.wrappedValue = true }
        #expect(try await focusd.next(Bind.self).prototypes == prototypes("#moved"))
        #expect(try await focusd.next(SetValue.self).state == "#2")
    }

    @Test("an element that is no more is bound no more, and its source is forgotten")
    func ends() async throws {
        let scene = try Scene()
        let focusd = try FakeFocusd(in: scene.folder)
        @AccessibilityFocusState(engine: scene.engine) var isFocused: Bool
        let widget = Widget()
        Element(source: widget) { .moved }.accessibilityFocused($isFocused)
        Element("#other").accessibilityFocused($isFocused)
        _ = try await focusd.next(Bind.self)
        widget.tell(nil)
        let other = [Prototype(value: "true", selector: "#other")]
        while try await focusd.next(Bind.self).prototypes != other {}
        widget.becomes("#never")
        isFocused = true
        _ = try await focusd.next(SetValue.self)
        let bound = focusd.calls("Bind").compactMap { $0.parameters(of: Bind.self) }.flatMap(\.prototypes)
        #expect(!bound.contains { $0.selector == "#never" })
    }

    @Test("what was cancelled is told no more, and hears no more")
    func cancelled() async throws {
        let scene = try Scene()
        let focusd = try FakeFocusd(in: scene.folder)
        @AccessibilityFocusState(engine: scene.engine) var isFocused: Bool
        let widget = Widget()
        let attachment = Element(source: widget) { .moved }.accessibilityFocused($isFocused)
        _ = try await focusd.next(Bind.self)
        attachment.cancel()
        #expect(widget.hasEnded.isSet)
        #expect(!widget.tell("#late"))
        _ = try await focusd.next(Unbind.self)
        try await scene.settle()
        #expect(focusd.calls("Bind").count == 1)
    }

    @Test("a state that was released wants to hear no more")
    func released() throws {
        let scene = try Scene()
        let widget = Widget()
        do {
            @AccessibilityFocusState(engine: scene.engine) var isFocused: Bool
            Element(source: widget) { .moved }.accessibilityFocused($isFocused)
            #expect(widget.tell("#second"))
        }
        #expect(!widget.tell("#third"))
    }
}
