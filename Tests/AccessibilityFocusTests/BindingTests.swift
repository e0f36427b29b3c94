import FocusProtocol
import Testing

@testable import AccessibilityFocus

/// Elements become prototypes, and the value is what the service says.
struct BindingTests {
    enum Field: Hashable { case name, mail }

    /// Two fields whose values are bound, and focusd's name of the state.
    struct Form {
        let scene: Scene
        let focusd: FakeFocusd
        let state: AccessibilityFocusState<Field?>
        let name: String

        init(_ script: @escaping @Sendable (FakeFocusd.Call, FakeFocusd) -> FakeFocusd.Answer? = { _, _ in nil })
            async throws
        {
            scene = try Scene()
            focusd = try FakeFocusd(in: scene.folder, script: script)
            state = AccessibilityFocusState(engine: scene.engine)
            scene.inOneTurn { [state] in
                Element("#name").accessibilityFocused(state.projectedValue, equals: .name)
                Element("#mail").accessibilityFocused(state.projectedValue, equals: .mail)
            }
            _ = try await focusd.next("Bind")
            name = "#1"
        }
    }

    @Test("all elements of one turn are bound with one call, in the session, in their order")
    func oneBind() async throws {
        let scene = try Scene()
        let focusd = try FakeFocusd(in: scene.folder)
        let state = AccessibilityFocusState<Field?>(for: .orca, engine: scene.engine)
        scene.inOneTurn {
            Element("#name").accessibilityFocused(state.projectedValue, equals: .name)
            Element("#mail") { .moved }.accessibilityFocused(state.projectedValue, equals: .mail)
            Element("#mail2").accessibilityFocused(state.projectedValue, equals: .mail)
        }
        let bind = try await focusd.next(Bind.self)
        #expect(
            bind
                == Bind.Parameters(
                    prototypes: [
                        Prototype(value: "name", selector: "#name"),
                        Prototype(value: "mail", selector: "#mail", moves: true),
                        Prototype(value: "mail", selector: "#mail2"),
                    ], technologies: ["orca"], session: "s1"))
        try await scene.settle()
        #expect(focusd.calls("Bind").count == 1)
    }

    @Test("without technologies none are named")
    func anyTechnology() async throws {
        let scene = try Scene()
        let focusd = try FakeFocusd(in: scene.folder)
        @AccessibilityFocusState(engine: scene.engine) var isFocused: Bool
        Element("#a").accessibilityFocused($isFocused)
        let bind = try await focusd.next(Bind.self)
        #expect(bind.technologies == nil)
        #expect(bind.prototypes == [Prototype(value: "true", selector: "#a")])
    }

    @Test("the value follows what the session says, with its cause, and is none at first")
    func follows() async throws {
        let form = try await Form()
        #expect(form.state.wrappedValue == nil)
        form.focusd.say("#1", "mail", assumed: true)
        try await form.state.projectedValue.becomes(.mail)
        #expect(form.state.projectedValue.current.assumed)
        #expect(form.state.projectedValue.current.cause == "moved")
        form.focusd.say("#1", nil, previous: "mail", cause: "elementGone")
        try await form.state.projectedValue.becomes(nil)
        #expect(form.state.projectedValue.current.previous == .mail)
        #expect(form.state.projectedValue.current.cause == "elementGone")
    }

    @Test("the value that Bind answers is the value")
    func valueOfBind() async throws {
        let form = try await Form { call, focusd in
            guard call.name == "Bind" else { return nil }
            let name = focusd.bound(call)
            let change = StateChange(state: name, value: "name", assumed: false, cause: "initial", revision: 7)
            return .reply(encode(Bind.Reply(state: name, change: change)))
        }
        try await form.state.projectedValue.becomes(.name)
        #expect(form.state.projectedValue.current.revision == 7)
    }

    @Test("what the session says of a state before the answer to its Bind counts after that answer")
    func earlyChange() async throws {
        let form = try await Form { call, _ in call.name == "Bind" ? .later : nil }
        let changes = form.state.projectedValue.changes
        form.focusd.say("#1", "name")
        form.focusd.say("#1", "mail", previous: "name")
        try await form.scene.settle()
        #expect(form.state.wrappedValue == nil)
        let bind = try #require(form.focusd.calls("Bind").first)
        let initial = StateChange(state: "#1", assumed: false, cause: "initial", revision: 1)
        form.focusd.answer(bind, .reply(encode(Bind.Reply(state: "#1", change: initial))))
        let values = try await within(usualDeadline, "three values") {
            var values: [Field?] = []
            for await change in changes {
                values.append(change.value)
                if values.count == 3 { break }
            }
            return values
        }
        #expect(values == [nil, .name, .mail])
    }

    @Test("a change of the set binds the new one first and then ends the old, and the value does not flicker")
    func rebind() async throws {
        let form = try await Form { call, focusd in
            guard call.name == "Bind" else { return nil }
            let name = focusd.bound(call)
            let value = name == "#1" ? nil : "mail"
            let change = StateChange(state: name, value: value, assumed: false, cause: "initial", revision: 200)
            return .reply(encode(Bind.Reply(state: name, change: change)))
        }
        form.focusd.say("#1", "mail")
        try await form.state.projectedValue.becomes(.mail)
        let changes = form.state.projectedValue.changes
        let attachment = Element("#other").accessibilityFocused(form.state.projectedValue, equals: .name)
        let bind = try await form.focusd.next(Bind.self)
        #expect(bind.prototypes.map(\.selector) == ["#name", "#mail", "#other"])
        #expect(try await form.focusd.next(Unbind.self) == Unbind.Parameters(state: "#1"))
        // What is said of the old state is over.
        form.focusd.say("#1", "name")
        form.focusd.say("#2", "name", previous: "mail")
        let seen = try await within(usualDeadline, "two changes") {
            var seen: [Field?] = []
            for await change in changes {
                seen.append(change.value)
                if seen.count == 2 { break }
            }
            return seen
        }
        #expect(seen == [.mail, .name])
        attachment.cancel()
        #expect(try await form.focusd.next(Bind.self).prototypes.map(\.selector) == ["#name", "#mail"])
        attachment.cancel()
        try await form.scene.settle()
        #expect(form.focusd.calls("Bind").count == 3)
    }

    @Test("when the last element is taken away the state ends and the value is none")
    func unboundByCancel() async throws {
        let scene = try Scene()
        let focusd = try FakeFocusd(in: scene.folder)
        let state = AccessibilityFocusState<Bool>(engine: scene.engine)
        let attachment = Element("#a").accessibilityFocused(state.projectedValue)
        _ = try await focusd.next("Bind")
        focusd.say("#1", "true")
        try await state.projectedValue.becomes(true)
        attachment.cancel()
        #expect(try await focusd.next(Unbind.self) == Unbind.Parameters(state: "#1"))
        try await state.projectedValue.becomes(false)
        #expect(state.projectedValue.current.cause == "unbound")
    }

    @Test("values whose descriptions are the same have names of their own")
    func uniqueNames() async throws {
        struct Item: Hashable, Sendable, CustomStringConvertible {
            let number: Int
            var description: String { "item" }
        }
        let scene = try Scene()
        let focusd = try FakeFocusd(in: scene.folder)
        let state = AccessibilityFocusState<Item?>(engine: scene.engine)
        scene.inOneTurn {
            for number in 1...3 {
                Element("#\(number)").accessibilityFocused(state.projectedValue, equals: Item(number: number))
            }
            Element("#again").accessibilityFocused(state.projectedValue, equals: Item(number: 2))
        }
        let values = try await focusd.next(Bind.self).prototypes.map(\.value)
        #expect(values == ["item", "item (2)", "item (3)", "item (2)"])
        focusd.say("#1", "item (3)")
        try await state.projectedValue.becomes(Item(number: 3))
    }

    @Test("a name is cut where it is long, never empty, and without what no message can hold")
    func oddDescriptions() {
        var names = ValueNames<Int>()
        #expect(names.name(of: 1, description: "") == "value")
        #expect(names.name(of: 2, description: "a\0b") == "ab")
        #expect(names.name(of: 3, description: String(repeating: "ü", count: 500)).utf8.count == 200)
        #expect(names.value(named: "ab") == 2)
    }

    // MARK: - The life of a state

    @Test("a binding ends when the storage is released, and copies share it")
    func release() async throws {
        let scene = try Scene()
        let focusd = try FakeFocusd(in: scene.folder)
        var binding: AccessibilityFocusState<Bool>.Binding?
        do {
            let state = AccessibilityFocusState<Bool>(engine: scene.engine)
            let copy = state
            Element("#a").accessibilityFocused(copy.projectedValue)
            binding = state.projectedValue
        }
        _ = try await focusd.next("Bind")
        focusd.say("#1", "true")
        try await binding?.becomes(true)
        #expect(focusd.calls("Unbind").isEmpty)
        binding = nil
        #expect(try await focusd.next(Unbind.self) == Unbind.Parameters(state: "#1"))
    }

    @Test("a state that is released before its Bind is answered ends as soon as it has a name")
    func releaseBeforeAnswer() async throws {
        let scene = try Scene()
        let focusd = try FakeFocusd(in: scene.folder) { call, _ in call.name == "Bind" ? .later : nil }
        var state: AccessibilityFocusState<Bool>? = AccessibilityFocusState(engine: scene.engine)
        if let binding = state?.projectedValue { Element("#a").accessibilityFocused(binding) }
        let bind = try await focusd.next("Bind")
        state = nil
        try await scene.settle()
        focusd.answer(bind, .reply(encode(Bind.Reply(state: "#9"))))
        #expect(try await focusd.next(Unbind.self) == Unbind.Parameters(state: "#9"))
    }

    @Test("who follows a state does not keep it alive: sequences end with it")
    func sequencesEnd() async throws {
        let scene = try Scene()
        var state: AccessibilityFocusState<Bool>? = AccessibilityFocusState(engine: scene.engine)
        let changes = try #require(state?.projectedValue.changes)
        let follower = Task {
            var count = 0
            for await _ in changes { count += 1 }
            return count
        }
        state = nil
        #expect(try await within(usualDeadline, "the end of the changes") { await follower.value } == 1)
    }
}
