import AccessibilityTree
import FocusRegistry

/// Counts how often applications say several times, one after the other, that the same element has the keyboard focus.
///
/// GTK 3 says everything twice. A value that knows no clock: the caller passes times in.
package struct FocusRuns: Sendable {
    /// How often an application did it lately.
    package struct Repetition: Hashable, Sendable {
        package var count = 0
        package var last: Microseconds
    }

    private struct Run {
        var element: ObjectReference
        var length: Int
        var last: Microseconds
        /// By the length that a run came to: two, three and more.
        var repetitions: [Int: Repetition] = [:]
    }

    /// Saying it again later than this is another matter: something may have happened in between.
    package static let gap: Microseconds = 500_000
    /// Applications counted; with more, all begin anew.
    package static let maximumApplications = 256
    /// The longest run that is counted apart.
    static let longest = 3

    /// How long a repetition is told of.
    package let memory: Microseconds
    private var runs: [String: Run] = [:]

    package init(memory: Microseconds) { self.memory = memory }

    /// An application said that an element has the focus now.
    package mutating func focused(_ element: ObjectReference, at now: Microseconds) {
        let busName = element.busName
        guard var run = runs[busName] else {
            if runs.count >= FocusRuns.maximumApplications { runs.removeAll() }
            runs[busName] = Run(element: element, length: 1, last: now)
            return
        }
        let goesOn = run.element == element && run.length > 0 && now - run.last <= FocusRuns.gap
        run.length = goesOn ? run.length + 1 : 1
        (run.element, run.last) = (element, now)
        if (2...FocusRuns.longest).contains(run.length) {
            let earlier = run.repetitions[run.length].flatMap { now - $0.last < memory ? $0 : nil }
            run.repetitions[run.length] = Repetition(count: (earlier?.count ?? 0) + 1, last: now)
        }
        runs[busName] = run
    }

    /// Something happened after which it may be said again: a window came or went, or an element lost the focus.
    package mutating func interrupted(_ busName: String) { runs[busName]?.length = 0 }

    /// How often an application said it more times than is usual for it, lately; nil where it did not.
    package func repetitions(of busName: String, usual: Int, at now: Microseconds) -> Repetition? {
        guard let repetition = runs[busName]?.repetitions[usual + 1], now - repetition.last < memory else { return nil }
        return repetition
    }

    package mutating func forget(_ busName: String) { runs[busName] = nil }
}
