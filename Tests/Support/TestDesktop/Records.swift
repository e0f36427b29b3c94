import AccessibilityFocus
import FocusProtocol
import Foundation

extension StateWatch {
    /// A change, and when it came.
    package struct Arrival: Sendable {
        package let change: StateChange
        package let moment: ContinuousClock.Instant
    }

    /// Reads on for as long as focusd lives: every change of the state from now on.
    package func record() -> Record<StateChange> { record { $0 } }

    /// The same, with the time of each.
    package func arrivals() -> Record<Arrival> { record { Arrival(change: $0, moment: .now) } }

    private func record<Entry: Sendable>(_ entry: @escaping @Sendable (StateChange) -> Entry) -> Record<Entry> {
        let unshared = Unshared(self)
        return Record("changes of \(state)") {
            guard let reply = try unshared.value.nextReply(within: 3_600) else { return nil }
            guard let change = reply.change else { throw Missing(what: "no change, but \(reply)") }
            return entry(change)
        }
    }
}

extension FocusWatch {
    /// Reads on for as long as focusd lives: the names of the elements, beginning with that of the first reply.
    package func names() -> Record<String> {
        let unshared = Unshared(self)
        return Record("places of a technology", beginningWith: [first.element?.name ?? "none"]) {
            try unshared.value.next(within: 3_600).element?.name ?? "none"
        }
    }
}

extension PrivateDesktop {
    /// The elements that screen readers' signals name from now on, as references, in the signals' own order.
    package func regions() throws -> Record<String> {
        let watch = try ChildProcess(Places.window("watch-regions"), environment: environment)
        try watch.output.line("READY", within: 60)
        return Record("a screen reader's signals") { try watch.output.first(within: 3_600, "a signal") { _ in true } }
    }
}

/// Something that one thread hands over to another for good.
private struct Unshared<Value>: @unchecked Sendable {
    // SAFETY: only the thread that it was handed to uses it.
    let value: Value
    init(_ value: Value) { self.value = value }
}

/// A keyboard that presses keys at once: no process is started for each.
package final class Keyboard: Sendable {
    private let tool: ChildProcess

    package init(on desktop: PrivateDesktop) throws {
        // It obeys each line as it comes.
        tool = try ChildProcess("/usr/bin/xdotool", ["-"], environment: desktop.environment)
    }

    /// Presses a key, in xdotool's words.
    package func press(_ key: String) throws { try tool.send("key --delay 0 \(key)") }
}

/// A delay that is what a test is about: that something is done so long after something else.
package enum Delay {
    /// Returns when the time has passed since a moment. Never to wait for something that is to happen.
    package static func pass(_ duration: Duration, since moment: ContinuousClock.Instant) {
        let left = ContinuousClock.now.duration(to: moment + duration)
        guard left > .zero else { return }
        let nanoseconds =
            Int(left.components.seconds) * 1_000_000_000 + Int(left.components.attoseconds / 1_000_000_000)
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .nanoseconds(nanoseconds))
    }
}
