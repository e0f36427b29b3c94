import AccessibilityTree
import FocusRegistry
import Testing

/// Moves in flight and who waits for them. Times in milliseconds.
final class QueueUnderTest {
    typealias Step = MoveQueue<String>.Step

    private var queue = MoveQueue<String>()
    /// What each caller was told, in order: one outcome each, or there is a fault.
    private(set) var outcomes: [String: [MoveOutcome]] = [:]
    private(set) var now: Int64 = 0
    /// Where technologies are known to be when a move begins.
    var places: [TechnologyID: Placement] = [.orca: Places.at(9), .odilia: Places.at(9), .keyboard: Places.at(9)]

    var isEmpty: Bool { queue.isEmpty }

    var nextDeadline: Int64? { queue.nextDeadline.map { $0 / 1_000 } }

    func isMoving(_ id: TechnologyID) -> Bool { queue.isMoving(id) }

    @discardableResult
    func begin(
        _ caller: String, to target: Int, for technologies: [TechnologyID] = [.orca], isAnyEnough: Bool = true,
        again: Bool = false, routes: [Route]? = nil, state: String? = nil, value: String? = nil,
        handovers: [TechnologyID: Handover] = [:], deadline: Int64 = 2_000, after milliseconds: Int64 = 0
    ) -> [Step] {
        now += milliseconds
        let request = MoveRequest(
            target: Places.reference(target), technologies: technologies, isAnyEnough: isAnyEnough,
            presentsAgain: again, routes: routes, state: state.map { FocusStateID($0) }, value: value,
            startedAt: now * 1_000, deadline: (now + deadline) * 1_000)
        let origins = places.mapValues { Position(placement: $0, mode: .focusTracking, time: 0) }
        return note(queue.begin(request, caller: caller, origins: origins, handovers: handovers, at: now * 1_000))
    }

    @discardableResult
    func tell(_ id: Int, _ input: MoveInput, after milliseconds: Int64 = 0) -> [Step] {
        now += milliseconds
        return note(queue.tell(id, input, at: now * 1_000))
    }

    @discardableResult
    func tellAll(_ input: MoveInput, after milliseconds: Int64 = 0) -> [Step] {
        now += milliseconds
        return note(queue.tellAll(input, at: now * 1_000))
    }

    /// Orca's signal, as each move is told it.
    @discardableResult
    func signal(_ number: Int) -> [Step] { signal(Places.at(number)) }

    @discardableResult
    func signal(_ place: Placement, isSameValue: (MoveRequest) -> Bool = { _ in true }) -> [Step] {
        now += 10
        return note(
            queue.signalled(
                .orca, place, .focusTracking, at: now * 1_000, isSameValue: isSameValue))
    }

    func setsUnderWay(of state: String) -> Int { queue.setsUnderWay(of: FocusStateID(state)) }

    func isDisturbed(_ id: TechnologyID = .orca) -> Bool { queue.isDisturbed([id], at: now * 1_000) }

    func isOnBlank(_ id: TechnologyID = .orca) -> Bool { queue.isOnBlank(id) }

    @discardableResult
    func withdraw(_ state: String, _ reason: MoveReason) -> [Step] {
        note(queue.withdrawSets(of: FocusStateID(state), because: reason, at: now * 1_000))
    }

    @discardableResult
    func supersede(_ technologies: Set<TechnologyID>) -> [Step] {
        note(queue.supersede(technologies, at: now * 1_000))
    }

    /// The keyboard focus moved at a time, as became known now.
    @discardableResult
    func moveKeyboard(to place: Placement, at time: Int64) -> [Step] {
        note(queue.keyboardMoved(Position(placement: place, time: time * 1_000), at: now * 1_000))
    }

    @discardableResult
    func applicationLeft(_ busName: String) -> [Step] { note(queue.applicationLeft(busName, at: now * 1_000)) }

    @discardableResult
    func leave(_ caller: String) -> [Step] { note(queue.callerLeft(caller, at: now * 1_000)) }

    /// Begins with a label, and gets as far as the event that presents it; the move's number.
    @discardableResult
    func beginPresenting(
        _ caller: String, to target: Int, for technologies: [TechnologyID] = [.orca], after milliseconds: Int64 = 0
    ) throws -> Int {
        let id = try #require(begin(caller, to: target, for: technologies, after: milliseconds).last?.id)
        let report = TargetReport.present(QueueUnderTest.label(target))
        tell(id, .checked(report), after: 1)
        let steps = tell(id, .rechecked(report), after: 1)
        #expect(steps.map(\.action) == [.presentTarget(technologies)])
        return id
    }

    static func label(_ number: Int) -> TargetReport.Target {
        .init(placement: Places.at(number), isFocusable: false, hasKeyboardFocus: false, isWindowActive: true)
    }

    private func note(_ steps: [Step]) -> [Step] {
        for step in steps {
            guard case .finish(let outcome) = step.action else {
                if !step.callers.isEmpty { Issue.record("callers are handed out before the end") }
                continue
            }
            for caller in step.callers {
                outcomes[caller, default: []].append(outcome)
                if outcomes[caller]?.count != 1 { Issue.record("\(caller) is told twice") }
            }
        }
        return steps
    }
}
