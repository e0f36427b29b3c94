import ATSPI
import AccessibilityTree
import EventLoop

/// Looks for the element with the keyboard focus in live state, where no event has told. Bounded in nodes and time.
@Loop
struct LiveFocusSearch {
    /// Accessibles asked in one search: enough for a dialog or a plain window, not for a web page.
    static let maximumNodes = 2_000
    /// Windows of one application that are looked at.
    static let maximumWindows = 64

    let connection: BusConnection

    /// The focused element of the only active window; nil where there is none, or several claim to be active.
    func focusedOnDesktop() async -> ObjectReference? {
        let windows = await activeWindows()
        guard windows.count == 1, let window = windows.first else { return nil }
        return await focused(in: window)
    }

    /// The windows that say they are active. Several do: hidden windows of some toolkits never stop.
    func activeWindows() async -> [ObjectReference] {
        let roots = await ask { connection.readApplications($0) } ?? []
        return await active(among: await children(of: roots))
    }

    /// Those of these windows that say they are active, of each application so many at most.
    func active(among windows: [[ObjectReference]?]) async -> [ObjectReference] {
        let windows = windows.flatMap { $0?.prefix(LiveFocusSearch.maximumWindows) ?? [] }
        let states = await all(windows) { window, completion in connection.readStates(window, completion) }
        return zip(windows, states).filter { $0.1?.contains(.active) ?? false }.map(\.0)
    }

    /// The children of each of these; nil for one that does not say.
    func children(of parents: [ObjectReference]) async -> [[ObjectReference]?] {
        await all(parents) { parent, completion in connection.readChildren(parent, completion) }
    }

    /// The innermost element with the state FOCUSED, breadth first.
    func focused(in window: ObjectReference) async -> ObjectReference? {
        var level = [window]
        var seen = Set(level)
        var found: ObjectReference?
        while !level.isEmpty {
            let states = await all(level) { element, completion in connection.readStates(element, completion) }
            var parents: [ObjectReference] = []
            for (element, state) in zip(level, states) {
                guard let state else { continue }
                if state.contains(.focused), element != window { found = element }
                // Its children come and go, and may be millions.
                if !state.contains(.managesDescendants) { parents.append(element) }
            }
            if let found { return found }
            let children = await all(parents) { parent, completion in connection.readChildren(parent, completion) }
            level = children.flatMap { $0 ?? [] }.filter { $0.busName == window.busName && seen.insert($0).inserted }
            if seen.count > LiveFocusSearch.maximumNodes { return nil }
        }
        return nil
    }

    func hasFocus(_ element: ObjectReference) async -> Bool {
        await ask { connection.readStates(element, $0) }?.contains(.focused) ?? false
    }

    // MARK: -

    private func ask<Value: Sendable>(
        _ start: (@escaping @Loop (Result<Value, CallFailure>) -> Void) -> Void
    ) async -> Value? {
        await withCheckedContinuation { continuation in
            start { result in
                switch result {
                case .success(let value): continuation.resume(returning: value)
                case .failure: continuation.resume(returning: nil)
                }
            }
        }
    }

    /// Asks many at once; at most as many as one application may have in flight.
    private func all<Value: Sendable>(
        _ elements: [ObjectReference],
        _ start: (ObjectReference, @escaping @Loop (Result<Value, CallFailure>) -> Void) -> Void
    ) async -> [Value?] {
        var answers: [Value?] = []
        for begin in stride(from: 0, to: elements.count, by: 32) {
            let chunk = elements[begin..<min(begin + 32, elements.count)]
            answers += await withCheckedContinuation { (continuation: CheckedContinuation<[Value?], Never>) in
                let gathering = Gathering<Value>(count: chunk.count) { continuation.resume(returning: $0) }
                for (index, element) in chunk.enumerated() {
                    start(element) { gathering.took($0, at: index) }
                }
            }
        }
        return answers
    }
}

/// Answers that come in any order.
@Loop
private final class Gathering<Value: Sendable> {
    private var answers: [Value?]
    private var awaited: Int
    private let completion: @Loop ([Value?]) -> Void

    init(count: Int, _ completion: @escaping @Loop ([Value?]) -> Void) {
        answers = Array(repeating: nil, count: count)
        awaited = count
        self.completion = completion
        if count == 0 { completion([]) }
    }

    func took(_ result: Result<Value, CallFailure>, at index: Int) {
        if case .success(let value) = result { answers[index] = value }
        awaited -= 1
        if awaited == 0 { completion(answers) }
    }
}
