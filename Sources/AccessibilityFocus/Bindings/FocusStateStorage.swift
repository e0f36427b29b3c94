import FocusProtocol
import Observation
import Synchronization

/// What all copies of one bound state share: its value, who follows it, and its place in the engine.
///
/// The engine's thread alone changes the value. Nothing here waits for it.
final class FocusStateStorage<Value: Hashable & Sendable>: Observable, Sendable {
    private struct State {
        var current: AccessibilityFocusChange<Value>
        var names = ValueNames<Value>()
        /// Whether the engine knows the state.
        var isRegistered = false
        /// Those that know the selectors of elements.
        var sources: [(number: UInt64, value: Value, source: any ElementSource)] = []
        var streams: [UInt64: AsyncStream<AccessibilityFocusChange<Value>>.Continuation] = [:]
        var observers: [(id: UInt64, call: @Sendable (AccessibilityFocusChange<Value>) -> Void)] = []
    }

    private let id = FocusStateID()
    private let none: Value
    private let technologies: AccessibilityTechnologies
    private let engine: FocusEngine
    private let describe: @Sendable (Value) -> String
    private let registrar = ObservationRegistrar()
    private let state: Mutex<State>

    init(
        none: Value, technologies: AccessibilityTechnologies, engine: FocusEngine,
        describe: @escaping @Sendable (Value) -> String
    ) {
        self.none = none
        self.technologies = technologies
        self.engine = engine
        self.describe = describe
        let nothing = AccessibilityFocusChange(
            value: none, previous: none, assumed: false, cause: "initial", revision: 0)
        state = Mutex(State(current: nothing))
    }

    deinit {
        let (isRegistered, streams) = state.withLock { ($0.isRegistered, $0.streams) }
        if isRegistered { engine.post(.release(id)) }
        for stream in streams.values { stream.finish() }
    }

    // MARK: - Reading

    /// The value as it was confirmed last; reading it is observed.
    var value: Value {
        registrar.access(self, keyPath: \.value)
        return state.withLock { $0.current.value }
    }

    /// The same with what is known of it.
    var current: AccessibilityFocusChange<Value> {
        registrar.access(self, keyPath: \.current)
        return state.withLock { $0.current }
    }

    // MARK: - Binding and setting

    func attach(_ element: Element, for value: Value) -> AccessibilityFocusAttachment {
        guard let source = element.source else { return attachNow(element, for: value) }
        let current = CurrentAttachment()
        let number = uniqueNumber()
        state.withLock { $0.sources.append((number, value, source)) }
        let end = source.follow { [weak self] selector in
            guard let self else { return false }
            if selector == nil { forgetSource(number) }
            return current.replace(with: selector.map { self.attachNow(element.with($0), for: value) })
        }
        return AccessibilityFocusAttachment { [weak self] in
            end()
            current.end()
            self?.forgetSource(number)
        }
    }

    private func forgetSource(_ number: UInt64) { state.withLock { $0.sources.removeAll { $0.number == number } } }

    private func sources(of value: Value) -> [any ElementSource] {
        state.withLock { $0.sources.filter { $0.value == value }.map(\.source) }
    }

    private func attachNow(_ element: Element, for value: Value) -> AccessibilityFocusAttachment {
        let attachment = AttachmentID()
        post(naming: value) { id, name in
            .attach(id, AttachedElement(id: attachment, value: name ?? "", element: element))
        }
        return AccessibilityFocusAttachment { [engine, id] in engine.post(.detach(id, attachment)) }
    }

    func assign(_ value: Value) {
        // ORDER: first, so that the set goes to where its element is now.
        for source in sources(of: value) { source.update() }
        post(naming: value) { id, name in .set(id, SetRequest(value: name)) }
    }

    func set(
        _ value: Value, again: Bool, routes: [FocusRoute]?, timeout: Duration?
    ) async throws(FocusClientError) -> Outcome {
        for source in sources(of: value) { await source.updateAnywhere() }
        let completion = Completion<Outcome>()
        return try await completion.wait { completion in
            self.post(naming: value) { id, name in
                .set(
                    id,
                    SetRequest(
                        value: name, again: again, routes: routes?.map(\.rawValue), timeout: timeout,
                        completion: completion))
            }
        } onCancel: {
        }
    }

    /// Tells the engine of the state if it does not know it, and then this; the order of calls is the order told.
    private func post(naming value: Value, _ command: (FocusStateID, String?) -> Command) {
        // Describing a value runs code of the app, so it is done before the lock is taken.
        let description = value == none ? nil : describe(value)
        state.withLock { state in
            let name = description.map { state.names.name(of: value, description: $0) }
            if !state.isRegistered {
                state.isRegistered = true
                engine.post(
                    .register(
                        id, technologies: technologies.isEmpty ? nil : technologies.names,
                        deliver: { [weak self] in self?.apply($0) }))
            }
            engine.post(command(id, name))
        }
    }

    // MARK: - Following

    var changes: AsyncStream<AccessibilityFocusChange<Value>> {
        let number = uniqueNumber()
        let (stream, continuation) = AsyncStream.makeStream(
            of: AccessibilityFocusChange<Value>.self,
            bufferingPolicy: .bufferingNewest(AccessibilityFocusLimits.waitingChanges))
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.streams.removeValue(forKey: number) }
        }
        // Nobody iterates yet, so that this first element resumes nobody while the lock is held.
        state.withLock { state in
            continuation.yield(state.current.asFirst)
            state.streams[number] = continuation
        }
        return stream
    }

    func observe(
        initial: Bool, context: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        action: @escaping @Sendable (AccessibilityFocusChange<Value>) -> Void
    ) -> AccessibilityFocusObservation {
        let number = uniqueNumber()
        let isOver = Flag()
        let call: @Sendable (AccessibilityFocusChange<Value>) -> Void = { change in
            context { if !isOver.isSet { action(change) } }
        }
        if initial {
            // The engine's thread calls it, so that no later change can come first.
            post { [weak self] in
                guard let self else { return }
                call(
                    self.state.withLock { state in
                        state.observers.append((number, call))
                        return state.current.asFirst
                    })
            }
        } else {
            state.withLock { $0.observers.append((number, call)) }
        }
        return AccessibilityFocusObservation { [weak self] in
            isOver.set()
            self?.state.withLock { $0.observers.removeAll { $0.id == number } }
        }
    }

    private func post(_ action: @escaping @Sendable () -> Void) { engine.post(.perform(action)) }

    // MARK: - From the engine's thread

    private func apply(_ wire: WireChange) {
        let (change, isNewValue, streams, observers) = state.withLock { state in
            let old = state.current
            // A name that this state never had can only come from a service that errs.
            let value = wire.value.flatMap { state.names.value(named: $0) } ?? none
            state.current = AccessibilityFocusChange(
                value: value, previous: old.value, assumed: wire.assumed, cause: wire.cause,
                revision: wire.revision ?? old.revision, element: wire.element)
            let isNews = value != old.value || wire.assumed != old.assumed
            return (
                state.current, value != old.value, isNews ? Array(state.streams.values) : [],
                isNews ? state.observers.map(\.call) : []
            )
        }
        // ORDER: observers are told after the value changed: one that reads it at once must not see the old one and then
        // never hear of the new one.
        if isNewValue { registrar.withMutation(of: self, keyPath: \.value) {} }
        registrar.withMutation(of: self, keyPath: \.current) {}
        for stream in streams {
            if case .dropped = stream.yield(change) { engine.problems.report(.changesLeftOut) }
        }
        for call in observers { call(change) }
    }
}

extension AccessibilityFocusChange {
    /// The same as the first of a sequence: nothing is known of what was before.
    fileprivate var asFirst: AccessibilityFocusChange {
        var first = self
        first.previous = value
        return first
    }
}
