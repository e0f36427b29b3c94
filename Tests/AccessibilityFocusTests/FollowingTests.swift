import FocusProtocol
import Foundation
import Observation
import Synchronization
import Testing

@testable import AccessibilityFocus

/// Changes reach whoever follows a state, in order, where they want them.
struct FollowingTests {
    /// A Boolean that is bound.
    static func bound() async throws -> (Scene, FakeFocusd, AccessibilityFocusState<Bool>) {
        let scene = try Scene()
        let focusd = try FakeFocusd(in: scene.folder)
        let state = AccessibilityFocusState<Bool>(engine: scene.engine)
        Element("#a").accessibilityFocused(state.projectedValue)
        _ = try await focusd.next("Bind")
        return (scene, focusd, state)
    }

    @Test("a sequence begins with the value as it is and then has every change in its order")
    func sequence() async throws {
        let (_, focusd, state) = try await FollowingTests.bound()
        focusd.say("#1", "true")
        try await state.projectedValue.becomes(true)
        let changes = state.projectedValue.changes
        focusd.say("#1", "true", previous: "true", assumed: true, cause: "restored")
        focusd.say("#1", nil, previous: "true", cause: "windowDeactivated")
        let seen = try await within(usualDeadline, "three changes") {
            var seen: [String] = []
            for await change in changes {
                seen.append("\(change.previous) \(change.value) \(change.assumed) \(change.cause)")
                if seen.count == 3 { break }
            }
            return seen
        }
        #expect(
            seen == ["true true false moved", "true true true restored", "true false false windowDeactivated"])
    }

    @Test("what changes neither the value nor whether it is assumed is no change")
    func noChange() async throws {
        let (_, focusd, state) = try await FollowingTests.bound()
        let changes = state.projectedValue.changes
        focusd.say("#1", nil)
        focusd.say("#1", "true")
        let seen = try await within(usualDeadline, "two changes") {
            var seen: [Bool] = []
            for await change in changes {
                seen.append(change.value)
                if seen.count == 2 { break }
            }
            return seen
        }
        #expect(seen == [false, true])
    }

    @Test("observation tells of a change, and whoever reads then sees the new value")
    func observation() async throws {
        let (_, focusd, state) = try await FollowingTests.bound()
        for wanted in [true, false, true] {
            let seen = Watched<Bool?>(nil)
            let before = withObservationTracking {
                state.wrappedValue
            } onChange: {
                seen.change { $0 = state.wrappedValue }
            }
            #expect(before == !wanted)
            focusd.say("#1", wanted ? "true" : nil)
            try await seen.wait("the observer") { $0 == wanted }
        }
    }

    @Test("observers in several threads miss nothing")
    func observersRace() async throws {
        let (_, focusd, state) = try await FollowingTests.bound()
        /// Observes again and again until the last value is seen.
        @Sendable func observe(_ seen: Watched<[Bool]>) {
            let value = withObservationTracking {
                state.wrappedValue
            } onChange: {
                Task.detached { observe(seen) }
            }
            seen.change { $0.append(value) }
        }
        let observers = (0..<8).map { _ in Watched<[Bool]>([]) }
        for observer in observers { observe(observer) }
        for number in 1...201 { focusd.say("#1", number.isMultiple(of: 2) ? nil : "true") }
        for observer in observers { try await observer.wait("the last value") { $0.last == true } }
    }

    @Test("onChange delivers where it is told to, in order, and never after it was cancelled there")
    func onChange() async throws {
        let (scene, focusd, state) = try await FollowingTests.bound()
        let queue = DispatchQueue(label: "a main loop")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let seen = Watched<[Bool]>([])
        let observation = state.projectedValue.onChange(initial: true, on: { work in queue.async { work() } }) {
            change in
            let isThere = DispatchQueue.getSpecific(key: key) == true
            seen.change { $0.append(change.value && isThere) }
        }
        try await seen.wait("the value as it is") { $0 == [false] }
        focusd.say("#1", "true")
        try await seen.wait("the change") { $0 == [false, true] }
        // A change that is on its way when it is cancelled comes no more.
        let isHeld = DispatchSemaphore(value: 0)
        queue.async { isHeld.wait() }
        focusd.say("#1", nil)
        try await state.projectedValue.becomes(false)
        try await scene.settle()
        observation.cancel()
        isHeld.signal()
        focusd.say("#1", "true")
        try await state.projectedValue.becomes(true)
        queue.sync {}
        #expect(seen.value == [false, true])
    }

    @Test("an observer that is thrown away goes on until the state ends")
    func discardedObserver() async throws {
        let (_, focusd, state) = try await FollowingTests.bound()
        let seen = Watched(0)
        state.projectedValue.onChange { _ in seen.change { $0 += 1 } }
        focusd.say("#1", "true")
        try await seen.wait("the change") { $0 == 1 }
    }

    // MARK: - Where a wrapper may stand

    @MainActor final class View {
        @AccessibilityFocusState var isFocused: Bool
        init(_ engine: FocusEngine) { _isFocused = AccessibilityFocusState(engine: engine) }
        func raise() { isFocused = true }
    }

    struct Row: Sendable {
        @AccessibilityFocusState var field: Int?
        init(_ engine: FocusEngine) { _field = AccessibilityFocusState(engine: engine) }
        func choose() { field = 1 }
    }

    actor Model {
        @AccessibilityFocusState var isFocused: Bool
        init(_ engine: FocusEngine) { _isFocused = AccessibilityFocusState(engine: engine) }
        func raise() { isFocused = true }
        var binding: AccessibilityFocusState<Bool>.Binding { $isFocused }
    }

    @Test("it is a property of a class on the main actor, of a struct that is not mutated, and of an actor")
    func places() async throws {
        let scene = try Scene()
        let focusd = try FakeFocusd(in: scene.folder)
        let view = await View(scene.engine)
        Element("#view").accessibilityFocused(await view.$isFocused)
        _ = try await focusd.next("Bind")
        await view.raise()
        #expect(try await focusd.next(SetValue.self).value == "true")
        let row = Row(scene.engine)
        Element("#row").accessibilityFocused(row.$field, equals: 1)
        row.choose()
        #expect(try await focusd.next(SetValue.self).value == "1")
        let model = Model(scene.engine)
        Element("#model").accessibilityFocused(await model.binding)
        await model.raise()
        #expect(try await focusd.next(SetValue.self).value == "true")
    }

    @Test("it is passed on as a binding, which reads and sets the same state")
    func passedOn() async throws {
        struct Child {
            @AccessibilityFocusState<Bool>.Binding var isFocused: Bool
        }
        let (_, focusd, state) = try await FollowingTests.bound()
        let child = Child(isFocused: state.projectedValue)
        child.isFocused = true
        #expect(try await focusd.next(SetValue.self).value == "true")
        focusd.say("#1", "true")
        try await child.$isFocused.becomes(true)
        #expect(child.isFocused)
    }
}
