import AccessibilityTree
import FocusRegistry
import Testing

/// The user comes with the keyboard to where a screen reader was sent before, and hears it all the same.
struct SilentArrivalTests {
    /// One technology's story. Times in milliseconds.
    private final class Story {
        var arrival = SilentArrival()
        var now: Int64 = 0
        var actions: [SilentArrival.Action] = []

        @discardableResult
        func tell(_ input: SilentArrival.Input, after milliseconds: Int64 = 10) -> [SilentArrival.Action] {
            now += milliseconds
            let news = arrival.handle(input, at: now * 1_000)
            actions += news
            return news
        }

        @discardableResult
        func keyboard(_ number: Int, moving: Set<TechnologyID> = []) -> [SilentArrival.Action] {
            tell(.keyboardArrived(Places.reference(number), at: (now + 9) * 1_000, moving: moving))
        }

        @discardableResult
        func signal(_ number: Int, mode: Mode? = .focusTracking) -> [SilentArrival.Action] {
            tell(.signalled(.orca, Places.reference(number), mode))
        }

        /// Lets time pass, waking it whenever it wants to be.
        @discardableResult
        func wait(_ milliseconds: Int64) -> [SilentArrival.Action] {
            let end = now + milliseconds
            var news: [SilentArrival.Action] = []
            while let due = arrival.nextDeadline, due <= end * 1_000 {
                news += tell(.timePassed, after: max(0, due / 1_000 - now))
                if arrival.nextDeadline == due {
                    Issue.record("woken at \(due) it did nothing")
                    break
                }
            }
            now = end
            return news
        }
    }

    private let blank = SilentArrival.Action.presentBlank(insteadOf: Places.reference(1), to: .orca)
    private let second = SilentArrival.Action.presentIfFocused(Places.reference(1), to: .orca)

    private func sent(to number: Int) -> SilentArrival.Action { .present(Places.reference(number), to: .orca) }

    /// Orca was sent to 1 while the keyboard is on 9.
    private func planted() -> Story {
        let story = Story()
        story.keyboard(9)
        story.signal(1)
        story.tell(.moved(.orca, to: Places.reference(1)))
        return story
    }

    /// The keyboard has come, and Orca is on its way to the blank.
    private func heading() -> Story {
        let story = planted()
        #expect(story.keyboard(1) == [blank])
        #expect(story.arrival.holds(.orca))
        return story
    }

    /// Orca is on the blank, and the user has not moved.
    private func presented() -> Story {
        let story = heading()
        #expect(story.tell(.reachedBlank(.orca)) == [second])
        return story
    }

    @Test("first the blank, and once it is there, the element; that is all")
    func repairs() {
        let story = presented()
        story.signal(1)
        #expect(!story.arrival.holds(.orca))
        #expect(story.wait(5_000).isEmpty)
        #expect(story.arrival.nextDeadline == nil)
        #expect(story.keyboard(1).isEmpty, "announced twice")
    }

    @Test("where the technology was not sent, or has gone on by itself, it hears of the keyboard itself")
    func notPlanted() {
        let plain = Story()
        plain.keyboard(9)
        plain.signal(1)
        #expect(plain.keyboard(1).isEmpty)
        let gone = planted()
        gone.signal(9)
        #expect(gone.keyboard(1).isEmpty)
    }

    @Test("a keyboard that was there when it was sent does not come")
    func wasThere() {
        let story = Story()
        story.keyboard(1)
        story.tell(.moved(.orca, to: Places.reference(1)))
        #expect(story.keyboard(1).isEmpty)
        // It came before that, as becomes known now.
        let late = planted()
        #expect(late.tell(.keyboardArrived(Places.reference(1), at: 5_000)).isEmpty)
        let found = planted()
        #expect(found.tell(.keyboardArrived(Places.reference(1), at: .min)).isEmpty, "found, not come")
    }

    @Test("it comes anew after it left, and is repaired anew")
    func comesAgain() {
        let story = presented()
        story.signal(1)
        story.tell(.keyboardLeft)
        #expect(story.keyboard(1) == [blank])
    }

    @Test("looking around leaves it where it is", arguments: [Mode.flatReview, .objectNavigator, .mouseReview])
    func lookingAround(mode: Mode) {
        let story = planted()
        story.signal(8, mode: mode)
        #expect(story.keyboard(1) == [blank])
    }

    @Test("two technologies are repaired each")
    func two() {
        let story = planted()
        story.tell(.moved(.odilia, to: Places.reference(1)))
        #expect(story.keyboard(1).count == 2)
        #expect(story.tell(.reachedBlank(.odilia)) == [.presentIfFocused(Places.reference(1), to: .odilia)])
        #expect(story.tell(.reachedBlank(.orca)) == [second])
    }

    // MARK: - The user moves on

    @Test("who moves on is not pulled back: nothing is sent, and the technology follows by itself")
    func movesOn() {
        let story = heading()
        story.keyboard(8)
        #expect(story.tell(.reachedBlank(.orca)).isEmpty)
        story.signal(8)
        #expect(story.wait(5_000).isEmpty)
        #expect(story.actions == [blank])
        #expect(!story.arrival.holds(.orca))
    }

    @Test("a technology that stays on the blank for 300 ms is sent to where the keyboard is then")
    func staysOnBlank() {
        let story = heading()
        story.keyboard(8)
        story.tell(.reachedBlank(.orca))
        #expect(story.wait(299).isEmpty)
        story.keyboard(7)
        #expect(story.wait(10) == [sent(to: 7)])
        story.signal(7)
        #expect(story.wait(5_000).isEmpty)
        #expect(story.arrival.nextDeadline == nil)
    }

    @Test("who comes back in time is not heard twice: the technology says it, or is sent once")
    func comesBack() {
        let story = heading()
        story.keyboard(8)
        story.keyboard(1)
        #expect(story.tell(.reachedBlank(.orca)).isEmpty)
        #expect(story.wait(300) == [sent(to: 1)])
    }

    @Test("a technology that goes elsewhere by itself is done, unless the blank comes after that")
    func goesByItself() {
        let story = heading()
        story.signal(8)
        #expect(story.tell(.reachedBlank(.orca)).isEmpty)
        story.signal(7)
        #expect(story.wait(5_000).isEmpty)
        let stuck = heading()
        stuck.signal(8)
        stuck.keyboard(8)
        stuck.tell(.reachedBlank(.orca))
        #expect(stuck.wait(300) == [sent(to: 8)])
    }

    @Test("who moved on just when the element was sent is gone after, once the technology stays there")
    func overtaken() {
        let story = presented()
        story.keyboard(8)
        story.signal(8)
        story.signal(1)
        #expect(story.wait(299).isEmpty)
        #expect(story.wait(1) == [sent(to: 8)])
        let followed = presented()
        followed.keyboard(8)
        followed.signal(1)
        followed.signal(8)
        #expect(followed.wait(5_000).isEmpty)
    }

    @Test("an element that lost the keyboard before it was sent is not sent")
    func lostBefore() {
        let story = presented()
        story.tell(.notPresented(.orca))
        story.keyboard(8)
        #expect(story.wait(300) == [sent(to: 8)])
    }

    @Test("looking around while it is on its way counts as moving on")
    func reviews() {
        let story = heading()
        story.signal(8, mode: .flatReview)
        #expect(story.tell(.reachedBlank(.orca)).isEmpty)
        #expect(story.wait(300) == [sent(to: 1)], "it must not stay on the blank")
    }

    // MARK: - What goes wrong

    @Test("a technology that never comes to the blank is left alone after a second")
    func neverOnBlank() {
        let story = heading()
        #expect(story.wait(999).isEmpty)
        #expect(story.arrival.holds(.orca))
        #expect(story.wait(1).isEmpty)
        #expect(!story.arrival.holds(.orca))
        #expect(story.tell(.reachedBlank(.orca)).isEmpty, "somebody else calls it back")
        #expect(!story.arrival.holds(.orca))
    }

    @Test("one that stays on the blank whatever it is sent is tried three times, and again when the keyboard moves")
    func deaf() {
        let story = presented()
        #expect(story.wait(60_000) == Array(repeating: sent(to: 1), count: 3))
        #expect(story.arrival.holds(.orca))
        story.keyboard(8)
        #expect(story.wait(300) == [sent(to: 8)])
    }

    @Test("where nobody knows the keyboard, the element it came from is better than the blank")
    func keyboardUnknown() {
        let story = heading()
        story.tell(.keyboardLeft)
        story.tell(.reachedBlank(.orca))
        #expect(story.wait(300) == [sent(to: 1)])
    }

    @Test("an element that is gone is not sent")
    func elementGone() {
        let story = heading()
        story.tell(.elementGone(Places.reference(1)))
        #expect(story.tell(.reachedBlank(.orca)).isEmpty)
        let before = planted()
        before.tell(.elementGone(Places.reference(1)))
        #expect(before.keyboard(1).isEmpty)
    }

    @Test("technology and bus end it", arguments: [SilentArrival.Input.technologyLeft(.orca), .busLeft])
    func leaves(input: SilentArrival.Input) {
        let story = heading()
        story.tell(input)
        #expect(!story.arrival.holds(.orca))
        #expect(story.tell(.reachedBlank(.orca)).isEmpty)
        #expect(story.arrival.nextDeadline == nil)
    }

    // MARK: - Moves

    @Test("a move that begins takes the technology over, from the blank or on its way, or from where it was sent")
    func moveBegins() {
        #expect(planted().arrival.moveBegan(.orca) == Handover())
        let heading = heading()
        #expect(heading.arrival.moveBegan(.orca) == Handover(blank: .onItsWay))
        #expect(heading.tell(.reachedBlank(.orca)).isEmpty && !heading.arrival.holds(.orca))
        let presented = presented()
        #expect(presented.arrival.wants(.orca, at: Places.reference(1)))
        #expect(!presented.arrival.wants(.orca, at: Places.reference(8)))
        #expect(
            presented.arrival.moveBegan(.orca) == Handover(blank: .there, arriving: [Places.reference(1)]))
        #expect(!presented.arrival.wants(.orca, at: Places.reference(1)))
        let stray = self.heading()
        stray.keyboard(8)
        stray.tell(.reachedBlank(.orca))
        #expect(stray.arrival.moveBegan(.orca) == Handover(blank: .there))
        #expect(stray.wait(5_000).isEmpty)
    }

    @Test("while a move is in flight the keyboard is that one's matter; what it left in place counts afterwards")
    func whileMoving() {
        let story = planted()
        _ = story.arrival.moveBegan(.orca)
        #expect(story.keyboard(1, moving: [.orca]).isEmpty)
        story.tell(.keyboardLeft)
        #expect(story.keyboard(1) == [blank])
    }
}
