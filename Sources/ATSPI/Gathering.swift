import EventLoop

/// The answers to several questions about one thing, as they come in; told when the last is there.
@Loop
final class Gathering<Value> {
    private var value: Value
    private var awaited: Int
    private var failure: CallFailure?
    private let completion: @Loop (Result<Value, CallFailure>) -> Void

    /// Takes what counts where nothing is said, and how many answers will come.
    init(_ value: Value, awaited: Int, _ completion: @escaping @Loop (Result<Value, CallFailure>) -> Void) {
        self.value = value
        self.awaited = awaited
        self.completion = completion
    }

    /// Takes one answer. All fail with it where it is needed, or where nobody is there to answer.
    func took<Part>(
        _ result: Result<Part, CallFailure>, isNeeded: Bool = false, _ store: (inout Value, Part) -> Void
    ) {
        switch result {
        case .success(let part): store(&value, part)
        case .failure(let reason):
            if isNeeded || reason == .notResponding || reason == .noSuchName || reason == .disconnected {
                failure = failure ?? reason
            }
        }
        awaited -= 1
        if awaited == 0 { completion(failure.map { .failure($0) } ?? .success(value)) }
    }
}
