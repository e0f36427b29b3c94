import Foundation

/// A screen reader that sends the signals that Orca sends, when told to or by following focus as Orca does.
package final class FakeScreenReader: Sendable {
    /// What it does about `object:active-descendant-changed`.
    package enum Descendants: Sendable, Hashable {
        /// It presents what the event names, if source or target has the FOCUSED state.
        case follow
        case ignore
        /// As `follow`, but so much later.
        case followAfter(Duration)
        /// It presents something else, then what the event names.
        case presentFirst(FakeReference)
    }

    /// How it follows the events of others.
    package struct Behaviour: Sendable, Hashable {
        /// Presents what `state-changed:focused` 1 comes from.
        package var followsFocus = true
        package var descendants = Descendants.follow
        /// The mode in which it presents what it follows.
        package var mode = "focus-tracking"
        /// Asks for the FOCUSED state before it follows, as Orca.
        package var checksFocusedState = true
        /// Signals again when it already is on that element; Orca does not.
        package var repeatsSameElement = false
        /// How long a call to an application may hold it up: one event is handled after the other.
        package var patience = Duration.seconds(5)

        /// As Orca.
        package init() {}

        /// It signals only what it is told to.
        package static var deaf: Behaviour {
            var behaviour = Behaviour()
            behaviour.followsFocus = false
            behaviour.descendants = .ignore
            return behaviour
        }
    }

    /// One pair of signals that it sent.
    package struct Presentation: Sendable, Hashable {
        package var mode: String
        package var element: FakeReference
        package var start: Int32
        package var end: Int32
        /// CLOCK_MONOTONIC, when the second signal was handed to the connection.
        package var monotonicMicroseconds: Int64
    }

    private struct State {
        var behaviour: Behaviour
        var element: FakeReference?
        var remoteController: FakeRemoteController?
    }

    /// The path of its signals.
    package static let path = "/org/a11y/atspi/screenreader"
    /// The interface of its signals.
    package static let interface = "org.a11y.atspi.Event.ScreenReader"

    /// Its connection, for anything that is not foreseen here.
    package let connection: FakeConnection
    /// Everything that it presented.
    package let presented = Observations<Presentation>()
    private let state: Locked<State>

    /// Connects and begins to follow. With `registers` the registry knows its events, as it knows Orca's.
    package init(bus address: String, behaviour: Behaviour = Behaviour(), registers: Bool = false) throws {
        connection = try FakeConnection(bus: address)
        state = Locked(State(behaviour: behaviour))
        let (stream, continuation) = AsyncStream.makeStream(of: FakeSignal.self)
        connection.onSignal { continuation.yield($0) }
        Task { for await signal in stream { await self.follow(signal) } }
        let object = "type='signal',interface='org.a11y.atspi.Event.Object'"
        do {
            try connection.listen(object + ",member='ActiveDescendantChanged'")
            try connection.listen(object + ",member='StateChanged',arg0='focused'")
            if registers { try registerEvents() }
        } catch {
            connection.disconnect()
            throw error
        }
    }

    /// Its unique name on the bus.
    package var busName: String { connection.uniqueName }

    /// How it follows; a change holds for the next event.
    package var behaviour: Behaviour {
        get { state.withLock { $0.behaviour } }
        set { state.withLock { $0.behaviour = newValue } }
    }

    /// Its remote controller on the session bus, where it has one.
    package var remoteController: FakeRemoteController? {
        get { state.withLock { $0.remoteController } }
        set { state.withLock { $0.remoteController = newValue } }
    }

    /// Leaves the bus.
    package func disconnect() {
        remoteController?.disconnect()
        connection.disconnect()
    }

    /// Registers its events with the registry, by which a service that starts later recognises it.
    package func registerEvents() throws {
        for event in ["object:state-changed:focused", "object:active-descendant-changed", "window:activate"] {
            _ = try connection.callBlocking(
                FakeApplication.registry.bus, "/org/a11y/atspi/registry", "org.a11y.atspi.Registry", "RegisterEvent",
                [.string(event), .strings([]), ""])
        }
    }

    /// Sends ModeChanged and RegionChanged, in this order, for any element, there or not.
    @discardableResult
    package func present(
        mode: String = "focus-tracking", bus: String, path: String, start: Int32 = 0, end: Int32 = 0
    ) throws -> Presentation {
        try signal("ModeChanged", mode, 1, 0, bus, path)
        try signal("RegionChanged", "", start, end, bus, path)
        let element = FakeReference(bus: bus, path: path)
        let presentation = Presentation(
            mode: mode, element: element, start: start, end: end, monotonicMicroseconds: monotonicMicroseconds())
        state.withLock { $0.element = element }
        presented.append(presentation)
        return presentation
    }

    /// The same for a node of a fake application.
    @discardableResult
    package func present(_ key: String, of application: FakeApplication, mode: String = "focus-tracking") throws
        -> Presentation
    {
        try present(mode: mode, bus: application.busName, path: application.node(key).path)
    }

    /// Sends one of the two signals alone, with any body, to everybody.
    package func signal(
        _ member: String, _ detail: String, _ detail1: Int32, _ detail2: Int32, _ bus: String, _ path: String
    ) throws {
        try connection.emit(
            path: Self.path, interface: Self.interface, member: member,
            [
                .string(detail), .int32(detail1), .int32(detail2), .variant(.reference(bus, path)),
                .variantDictionary([]),
            ])
    }

    /// Presents two elements in turn, `count` times in all, at a rate or as fast as the bus takes it.
    package func storm(count: Int, bus: String, paths: (String, String), perSecond: Int? = nil) throws -> Flood {
        let messages = try [paths.0, paths.1].flatMap { path -> [FakeMessage] in
            let tail: [DBusValue] = [.variant(.reference(bus, path)), .variantDictionary([])]
            let bodies: [(String, [DBusValue])] = [
                ("ModeChanged", ["focus-tracking", 1, 0] + tail), ("RegionChanged", ["", 0, 0] + tail),
            ]
            return try bodies.map {
                try .signal(path: Self.path, interface: Self.interface, member: $0.0, arguments: $0.1)
            }
        }
        return connection.flood(messages, count: count * 2, perSecond: perSecond.map { $0 * 2 })
    }

    // MARK: - Following

    private func follow(_ signal: FakeSignal) async {
        guard signal.interface == "org.a11y.atspi.Event.Object", signal.arguments.count >= 4 else { return }
        let source = FakeReference(bus: signal.sender, path: signal.path)
        do {
            switch signal.member {
            case "StateChanged" where signal.arguments[0].text == "focused" && signal.arguments[1].number == 1:
                guard behaviour.followsFocus, try await isFocused(source) else { return }
                try await examineAndPresent(source)
            case "ActiveDescendantChanged":
                guard let target = signal.arguments[3].referenced else { return }
                try await descend(from: source, to: target)
            default: break
            }
        } catch {
            // An application that does not answer, or nonsense: Orca logs it and goes on.
        }
    }

    private func descend(from source: FakeReference, to target: FakeReference) async throws {
        let policy = behaviour.descendants
        guard policy != .ignore else { return }
        let sourceHasFocus = try await isFocused(source)
        let targetHasFocus = sourceHasFocus ? false : try await isFocused(target)
        guard sourceHasFocus || targetHasFocus else { return }
        switch policy {
        case .followAfter(let delay):
            await withCheckedContinuation { continuation in connection.after(delay) { continuation.resume() } }
        case .presentFirst(let other):
            try present(mode: behaviour.mode, bus: other.bus, path: other.path)
        case .follow, .ignore: break
        }
        try await examineAndPresent(target)
    }

    private func isFocused(_ element: FakeReference) async throws -> Bool {
        guard behaviour.checksFocusedState else { return true }
        let answer = try await ask(element, "GetState")
        let low = answer.first?.elements?.first?.number ?? 0
        return FakeStates(rawValue: UInt64(truncatingIfNeeded: low)).contains(.focused)
    }

    private func examineAndPresent(_ element: FakeReference) async throws {
        _ = try await ask(element, "GetRole")
        _ = try await connection.property(
            element.bus, element.path, "org.a11y.atspi.Accessible", "Name", within: behaviour.patience)
        let isSame = state.withLock { $0.element == element }
        if !isSame || behaviour.repeatsSameElement {
            try present(mode: behaviour.mode, bus: element.bus, path: element.path)
        }
    }

    private func ask(_ element: FakeReference, _ member: String) async throws -> [DBusValue] {
        try await connection.call(
            element.bus, element.path, "org.a11y.atspi.Accessible", member, within: behaviour.patience)
    }
}

/// CLOCK_MONOTONIC, which all processes of the machine share.
package func monotonicMicroseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
}
