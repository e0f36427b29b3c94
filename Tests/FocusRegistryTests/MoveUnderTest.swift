import AccessibilityTree
import FocusRegistry
import Testing

/// One move, told what happens, and what must hold after every step. Times in milliseconds.
final class MoveUnderTest {
    private var move: Move
    /// All it ever wanted done.
    private(set) var actions: [MoveAction] = []
    private(set) var now: Int64 = 0

    init(
        to target: Int = 1, for technologies: [TechnologyID] = [.orca], isAnyEnough: Bool = true,
        again: Bool = false, routes: [Route]? = nil, from places: [TechnologyID: Placement]? = nil,
        assumed: Set<TechnologyID> = [], mode: Mode = .focusTracking, filter: ModeFilter = .usual,
        hasOwner: Bool = false, needsActiveWindow: Bool = false, mayMoveKeyboard: Bool = true,
        handovers: [TechnologyID: Handover] = [:], echoes: Set<ObjectReference> = [], deadline: Int64 = 2_000
    ) {
        let places = places ?? [.orca: Places.at(9), .odilia: Places.at(9), .keyboard: Places.at(9)]
        var origins: [TechnologyID: Position] = [:]
        for (id, place) in places {
            origins[id] = Position(placement: place, mode: mode, isAssumed: assumed.contains(id), time: -1)
        }
        move = Move(
            MoveRequest(
                target: Places.reference(target), technologies: technologies, isAnyEnough: isAnyEnough,
                presentsAgain: again, routes: routes, filter: filter, hasOwner: hasOwner,
                needsActiveWindow: needsActiveWindow, mayMoveKeyboard: mayMoveKeyboard, startedAt: 0,
                deadline: deadline * 1_000),
            origins: origins, handovers: handovers, echoes: echoes)
    }

    var isFinished: Bool { move.isFinished }

    var outcome: MoveOutcome? {
        for case .finish(let outcome) in actions { return outcome }
        return nil
    }

    /// When it wants to be woken, in milliseconds.
    var nextDeadline: Int64? { move.nextDeadline.map { $0 / 1_000 } }

    @discardableResult
    func start() -> [MoveAction] { note(move.start(at: now * 1_000)) }

    @discardableResult
    func tell(_ input: MoveInput, after milliseconds: Int64 = 0) -> [MoveAction] {
        now += milliseconds
        let wasFinished = move.isFinished
        let news = note(move.handle(input, at: now * 1_000))
        if wasFinished && !news.isEmpty { Issue.record("a finished move wants \(news)") }
        return news
    }

    /// Lets time pass, waking the move whenever it wants to be.
    @discardableResult
    func wait(_ milliseconds: Int64) -> [MoveAction] {
        let end = now + milliseconds
        var news: [MoveAction] = []
        while let due = nextDeadline, due <= end {
            now = max(now, due)
            news += tell(.timePassed)
            if nextDeadline == due && !isFinished {
                Issue.record("woken at \(due) it did nothing")
                break
            }
        }
        now = end
        return news
    }

    // MARK: - Short words for what happens

    @discardableResult
    func signal(
        _ id: TechnologyID = .orca, on placement: Placement, mode: Mode? = .focusTracking, isSameValue: Bool = true
    ) -> [MoveAction] {
        tell(.signalled(id, placement, mode, isSameValue: isSameValue), after: 10)
    }

    /// Starts, and answers the check.
    @discardableResult
    func begin(_ target: TargetReport.Target) -> [MoveAction] {
        let first = start()
        #expect(first == [.check])
        return tell(.checked(.present(target)), after: 1)
    }

    /// Begins with a label and gets as far as the event that presents it.
    func beginPresenting(_ target: TargetReport.Target = Targets.label()) {
        #expect(begin(target).last == .recheck)
        let actions = tell(.rechecked(.present(target)), after: 1)
        if case .presentTarget = actions.last { return }
        Issue.record("it does not present: \(actions)")
    }

    /// Begins with a button and gets as far as an accepted grab.
    func beginGrabbing(_ target: TargetReport.Target = Targets.button()) {
        #expect(begin(target).last == .grabFocus)
        tell(.grabAnswered(.accepted), after: 1)
    }

    private func note(_ news: [MoveAction]) -> [MoveAction] {
        actions += news
        let finishes = actions.filter { if case .finish = $0 { true } else { false } }
        if finishes.count > 1 { Issue.record("it finished \(finishes.count) times") }
        if !finishes.isEmpty, case .finish = actions.last {
        } else if !finishes.isEmpty {
            Issue.record("it acts after its end")
        }
        if move.isFinished != !finishes.isEmpty { Issue.record("finished without an outcome, or the other way round") }
        if move.isFinished && move.nextDeadline != nil { Issue.record("a finished move waits for something") }
        for case .presentTarget([]) in news { Issue.record("a target is presented to nobody") }
        for case .presentBlank([]) in news { Issue.record("the blank is presented to nobody") }
        for case .leaveBlank([]) in news { Issue.record("nobody is called back from the blank") }
        return news
    }
}

/// What an application may say of the target, element 1 in window 100.
enum Targets {
    static let place = Places.at(1, inside: [5])

    static func button(
        hasKeyboardFocus: Bool = false, isWindowActive: Bool = true, isDisabled: Bool = false
    ) -> TargetReport.Target {
        .init(
            placement: place, isFocusable: true, hasKeyboardFocus: hasKeyboardFocus, isWindowActive: isWindowActive,
            isDisabled: isDisabled)
    }

    static func label(isWindowActive: Bool = true, isScrolledOut: Bool = false) -> TargetReport.Target {
        .init(
            placement: place, isFocusable: false, hasKeyboardFocus: false, isWindowActive: isWindowActive,
            isScrolledOut: isScrolledOut)
    }

    static func entry(hasKeyboardFocus: Bool = false, isWindowActive: Bool = true) -> TargetReport.Target {
        .init(
            placement: place, isFocusable: true, hasKeyboardFocus: hasKeyboardFocus, isWindowActive: isWindowActive,
            takesTyping: true)
    }
}
