import Foundation
import Synchronization

@testable import AccessibilityFocus

/// A library of its own, with a folder in which a fake focusd can be.
final class Scene: Sendable {
    let folder: RuntimeFolder
    let engine: FocusEngine
    /// The lines of the log.
    let log = Watched<[String]>([])

    init(_ adjust: (inout FocusConfiguration) -> Void = { _ in }) throws {
        folder = try RuntimeFolder()
        var configuration = FocusConfiguration(runtimeFolder: folder.path)
        configuration.log = { [log] line in log.change { $0.append(line) } }
        configuration.answerTime = .seconds(60)
        adjust(&configuration)
        engine = FocusEngine(configuration)
    }

    /// Does something while the library's thread stands still, so that all of it is one turn's.
    func inOneTurn<Result>(_ body: () throws -> Result) rethrows -> Result {
        let gate = DispatchSemaphore(value: 0)
        engine.post(.perform { gate.wait() })
        defer { gate.signal() }
        return try body()
    }

    /// Waits until the library's thread has done everything that was asked of it before.
    func settle() async throws {
        let isDone = Watched(false)
        engine.post(.perform { isDone.change { $0 = true } })
        try await isDone.wait("the library's thread") { $0 }
    }
}

extension AccessibilityFocusState.Binding {
    /// Waits until the value is this.
    func becomes(_ value: Value) async throws {
        let changes = changes
        try await within(usualDeadline, "the value \(value), it is \(wrappedValue)") {
            for await change in changes where change.value == value { return }
            throw DeadlinePassed(description: "the state ended before it was \(value)")
        }
    }
}
