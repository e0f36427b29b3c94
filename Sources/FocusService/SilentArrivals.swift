import ATSPI
import AccessibilityTree
import EventLoop
import FocusRegistry

/// Does what `SilentArrival` decides: the user is made to hear an element that a screen reader was put on before.
@Loop
final class SilentArrivals {
    private unowned let desk: FocusDesk
    private var arrival = SilentArrival()
    private var timer: LoopTimer?

    init(desk: FocusDesk) {
        self.desk = desk
    }

    /// Whether a technology is on the blank, or on its way there, because of this.
    func holds(_ id: TechnologyID) -> Bool { arrival.holds(id) }

    /// A move of a technology begins and sees to it from here.
    func moveBegan(_ id: TechnologyID) -> Handover {
        defer { armTimer() }
        return arrival.moveBegan(id)
    }

    func tell(_ input: SilentArrival.Input) {
        let actions = arrival.handle(input, at: desk.now)
        for action in actions { perform(action) }
        armTimer()
    }

    private func perform(_ action: SilentArrival.Action) {
        switch action {
        case .presentBlank(let element, let id): desk.moves.presentBlank(insteadOf: element, to: [id])
        case .presentIfFocused(let element, let id): present(element, to: id, onlyIfFocused: true)
        case .present(let element, let id): present(element, to: id, onlyIfFocused: false)
        }
    }

    private func present(_ element: ObjectReference, to id: TechnologyID, onlyIfFocused: Bool) {
        desk.moves.readStates(element) { [weak self] result in
            guard let self, self.arrival.wants(id, at: element),
                let busName = self.desk.registry.connection(of: id)?.busName
            else { return }
            guard case .success(let states) = result, !onlyIfFocused || states.contains(.focused) else {
                return self.tell(.notPresented(id))
            }
            self.desk.bus.presentActiveDescendant(element, to: busName)
        }
    }

    private func armTimer() {
        guard let deadline = arrival.nextDeadline else {
            timer = nil
            return
        }
        timer = LoopTimer(milliseconds: (deadline - desk.now + 999) / 1_000) { [weak self] in self?.tell(.timePassed) }
    }
}
