import EventLoop

/// A question whose answer costs others something: however many ask it, it is asked once at a time.
///
/// Who asks while it is being answered gets the next answer: what was true before they asked is no answer to them.
@Loop
final class SharedQuestion<Answer> {
    private let ask: @Loop (@escaping @Loop (Answer) -> Void) -> Void
    private var waiting: [@Loop (Answer) -> Void] = []
    private var isAsking = false

    init(_ ask: @escaping @Loop (@escaping @Loop (Answer) -> Void) -> Void) {
        self.ask = ask
    }

    func answer(_ completion: @escaping @Loop (Answer) -> Void) {
        waiting.append(completion)
        if !isAsking { begin() }
    }

    private func begin() {
        let askers = waiting
        waiting = []
        isAsking = true
        ask { [weak self] answer in
            for completion in askers { completion(answer) }
            guard let self else { return }
            self.isAsking = false
            if !self.waiting.isEmpty { self.begin() }
        }
    }
}
