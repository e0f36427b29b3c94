import EventLoop

/// Any number of questions to one application, of which only so many are unanswered at a time. In the order of asking.
///
/// One for each application: what is asked on ``BusConnection`` directly does not wait here, and finds the room that the
/// queue leaves. When the application leaves or is given up, ``cancelAll()`` ends everything that waits.
@Loop
package final class CallQueue {
    package struct Limits: Sendable {
        /// Unanswered calls: fewer than a connection admits, so that a question about focus always gets through.
        package var maximumCallsInFlight = 48
        /// Questions that wait; further ones fail at once. Beyond what the largest tree that is kept needs.
        package var maximumWaiting = 400_000
        package init() {}
    }

    private struct Question {
        let calls: Int
        let ask: @Loop (BusConnection) -> Void
    }

    private let connection: BusConnection
    private let limits: Limits
    private var questions: [Question] = []
    private var first = 0
    private var isSending = false
    /// Grows with ``cancelAll()``: answers to what was asked before it are nobody's.
    private var generation = 0
    /// Calls that were sent and not answered; those of cancelled questions too, for the application still has them.
    package private(set) var callsInFlight = 0

    package init(_ connection: BusConnection, limits: Limits = Limits()) {
        self.connection = connection
        self.limits = limits
    }

    /// Questions that were not sent yet.
    package var waiting: Int { questions.count - first }

    /// Whether nothing waits and nothing is unanswered.
    package var isIdle: Bool { waiting == 0 && callsInFlight == 0 }

    /// Asks, now or when there is room. The completion is called once, unless ``cancelAll()`` came before the answer.
    ///
    /// `calls` is how many calls `question` makes at once: `queue.ask(calls: 2) { $0.readItem(it, asking: [.name, .role], $1) }`.
    package func ask<Value>(
        calls: Int = 1,
        _ question: @escaping @Loop (BusConnection, @escaping @Loop (Result<Value, CallFailure>) -> Void) -> Void,
        completion: @escaping @Loop (Result<Value, CallFailure>) -> Void
    ) {
        guard waiting < limits.maximumWaiting else { return completion(.failure(.notResponding)) }
        let generation = self.generation
        questions.append(
            Question(
                calls: calls,
                ask: { connection in
                    question(connection) { result in
                        self.callsInFlight -= calls
                        if generation == self.generation { completion(result) }
                        self.sendWhatFits()
                    }
                }))
        sendWhatFits()
    }

    /// Forgets all questions: of neither those that wait nor those that were sent is a completion called any more.
    package func cancelAll() {
        generation += 1
        questions = []
        first = 0
    }

    private func sendWhatFits() {
        // A call that fails at once answers from inside the loop below.
        guard !isSending else { return }
        isSending = true
        defer { isSending = false }
        while first < questions.count {
            let question = questions[first]
            // A question of more calls than fit goes alone.
            guard callsInFlight == 0 || callsInFlight + question.calls <= limits.maximumCallsInFlight else { break }
            first += 1
            callsInFlight += question.calls
            question.ask(connection)
        }
        dropSent()
    }

    private func dropSent() {
        guard first > 1_024 || first == questions.count else { return }
        if first * 2 >= questions.count {
            questions.removeFirst(first)
            first = 0
        }
    }
}
