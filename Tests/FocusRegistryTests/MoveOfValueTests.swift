import AccessibilityTree
import FocusRegistry
import Testing

/// What a move does for a bound value: whose signals confirm it, and what it keeps away from.
struct MoveOfValueTests {
    private let inside = Places.at(77, inside: [1, 5])
    private let there: [TechnologyID: Placement] = [.orca: Targets.place, .keyboard: Places.at(9)]

    // MARK: - The same value

    @Test("inside the target, what belongs to another value confirms nothing, nor does it end the move")
    func otherValueInside() {
        let move = MoveUnderTest()
        move.beginGrabbing()
        #expect(move.signal(on: inside, isSameValue: false).isEmpty)
        #expect(!move.isFinished)
        #expect(move.signal(on: inside, isSameValue: true) == [.readKeyboard])
    }

    @Test("the target itself confirms, whatever value it has as well")
    func targetItself() {
        let move = MoveUnderTest()
        move.beginGrabbing()
        #expect(move.signal(on: Targets.place, isSameValue: false) == [.readKeyboard])
    }

    @Test("for the keyboard inside the target the same holds")
    func keyboardInside() {
        let move = MoveUnderTest(for: [.keyboard], isAnyEnough: false)
        move.begin(Targets.button())
        #expect(move.tell(.keyboardMoved(inside, isSameValue: false)).isEmpty)
        #expect(!move.isFinished)
        #expect(move.tell(.keyboardMoved(inside, isSameValue: true)) == [.readKeyboard])
    }

    // MARK: - Modes

    @Test("a mode that the state does not follow confirms nothing, and there it is still where it is")
    func otherMode() {
        let filter = ModeFilter([.sayAll])
        let move = MoveUnderTest(filter: filter)
        move.beginPresenting()
        #expect(move.signal(on: Targets.place).isEmpty)
        #expect(!move.isFinished)
        #expect(move.signal(on: Targets.place, mode: .sayAll) == [.readKeyboard])
    }

    @Test("the user wins in any mode but that of the pointer, unless that is followed")
    func elsewhereInOtherMode() {
        let move = MoveUnderTest(filter: ModeFilter([.sayAll]))
        move.beginPresenting()
        #expect(move.signal(on: Places.at(8), mode: .mouseReview).isEmpty)
        move.signal(on: Places.at(8))
        #expect(move.outcome?.reason == .movedElsewhere)
        let pointing = MoveUnderTest(filter: ModeFilter([.mouseReview]))
        pointing.beginPresenting()
        pointing.signal(on: Places.at(8), mode: .mouseReview)
        #expect(pointing.outcome?.reason == .movedElsewhere)
    }

    @Test("where it was seen in a mode that does not count, it is not there", arguments: [true, false])
    func thereInOtherMode(isFollowed: Bool) {
        let move = MoveUnderTest(
            from: there, mode: .flatReview, filter: isFollowed ? .usual : ModeFilter([.focusTracking]))
        #expect(move.start() == [isFollowed ? .readKeyboard : .check])
    }

    // MARK: - One speaks for all

    @Test(
        "where any is enough, that one is there which does not speak for all is not enough, nor is it sent there again")
    func speaker() throws {
        let places = [TechnologyID.orca: Places.at(9), .odilia: Targets.place]
        let move = MoveUnderTest(for: [.orca, .odilia], from: places)
        move.beginPresenting()
        #expect(move.actions.contains(.presentTarget([.orca])))
        move.signal(on: Targets.place)
        move.tell(.keyboardRead(false))
        #expect(try #require(move.outcome).confirmed == [.orca, .odilia])
    }

    @Test("who moves last before anything is done speaks")
    func newSpeaker() {
        let places = [TechnologyID.orca: Places.at(9), .odilia: Places.at(9)]
        let move = MoveUnderTest(for: [.orca, .odilia], from: places)
        move.start()
        move.signal(.odilia, on: Targets.place)
        #expect(move.tell(.checked(.present(Targets.label()))) == [.readKeyboard])
    }

    @Test("when the one that speaks leaves, the next may be there")
    func speakerLeaves() {
        let places = [TechnologyID.orca: Places.at(9), .odilia: Targets.place]
        let move = MoveUnderTest(for: [.orca, .odilia], from: places)
        move.beginPresenting()
        #expect(move.tell(.technologyLeft(.orca)) == [.readKeyboard])
    }

    // MARK: - Giving back

    @Test("what needs an active window is refused where that is not, also if the technology is there")
    func needsActiveWindow() {
        for place in [Places.at(9), Targets.place] {
            let move = MoveUnderTest(from: [.orca: place, .keyboard: Places.at(9)], needsActiveWindow: true)
            #expect(move.start() == [.check])
            move.tell(.checked(.present(Targets.button(isWindowActive: false))))
            #expect(move.outcome?.result == .refused)
            #expect(move.outcome?.reason == .windowNotActive)
        }
        let move = MoveUnderTest(from: there, needsActiveWindow: true)
        move.start()
        #expect(move.tell(.checked(.present(Targets.button()))) == [.readKeyboard])
    }

    @Test("a keyboard that must stay is taken nowhere: no grab, and the owner is not asked")
    func keyboardStays() throws {
        let move = MoveUnderTest(hasOwner: true, mayMoveKeyboard: false)
        move.beginPresenting(Targets.button())
        move.signal(on: Targets.place)
        move.tell(.keyboardRead(false))
        #expect(try #require(move.outcome).attempts.isEmpty)
        let typing = MoveUnderTest(mayMoveKeyboard: false)
        typing.begin(Targets.entry())
        typing.tell(.rechecked(.present(Targets.entry())))
        #expect(typing.outcome?.reason == .keyboardFocusCannotMove, "that would be a trap for keys")
        let named = MoveUnderTest(routes: [.grabFocus], mayMoveKeyboard: false)
        named.begin(Targets.button())
        #expect(named.outcome?.result == .refused)
    }

    @Test("a set that is withdrawn is superseded with the reason", arguments: [MoveReason.unbound, .newerRequest])
    func withdrawn(reason: MoveReason) {
        let move = MoveUnderTest()
        move.beginPresenting()
        move.tell(.withdrawn(reason))
        #expect(move.outcome?.result == .superseded)
        #expect(move.outcome?.reason == reason)
    }

    // MARK: - What an older move did may still come

    private func handedOver(_ handover: Handover, from places: [TechnologyID: Placement]? = nil) -> MoveUnderTest {
        MoveUnderTest(from: places, handovers: [.orca: handover], echoes: handover.arriving)
    }

    @Test("where it is thought to be is not believed while it is sent elsewhere: over the blank")
    func disturbed() {
        let move = handedOver(Handover(arriving: [Places.reference(7)]), from: there)
        #expect(move.begin(Targets.label()) == [.recheck])
        #expect(move.tell(.rechecked(.present(Targets.label()))) == [.presentBlank([.orca])])
        #expect(move.signal(on: Places.at(7)).isEmpty, "the echo ends nothing")
        #expect(move.signal(on: Targets.place).isEmpty, "and this confirms nothing: it may be on its way")
        #expect(move.tell(.signalledBlank(.orca)) == [.recheck])
        #expect(move.tell(.rechecked(.present(Targets.label()))) == [.presentTarget([.orca])])
        #expect(move.signal(on: Targets.place) == [.readKeyboard])
    }

    @Test("what was sent and arrived before anything was done is past")
    func settled() {
        let elsewhere = handedOver(Handover(arriving: [Places.reference(7)]), from: there)
        elsewhere.start()
        elsewhere.signal(on: Places.at(7))
        elsewhere.tell(.checked(.present(Targets.label())))
        #expect(elsewhere.tell(.rechecked(.present(Targets.label()))) == [.presentTarget([.orca])])
        let here = handedOver(Handover(arriving: [Places.reference(1)]))
        here.start()
        here.signal(on: Targets.place)
        #expect(here.tell(.checked(.present(Targets.label()))) == [.readKeyboard], "by its own word")
    }

    @Test("an older move to the same element: its echo does not confirm the newer one")
    func sameTarget() {
        let move = handedOver(Handover(arriving: [Places.reference(1)]))
        #expect(move.begin(Targets.button()) == [.grabFocus])
        move.tell(.grabAnswered(.accepted))
        #expect(move.signal(on: Targets.place).isEmpty)
        #expect(move.wait(300) == [.recheck])
        #expect(move.tell(.rechecked(.present(Targets.button(hasKeyboardFocus: true)))) == [.presentBlank([.orca])])
    }

    @Test("one on its way to the blank is awaited there; one that is there goes straight on", arguments: [true, false])
    func blank(isThere: Bool) {
        let move = handedOver(Handover(blank: isThere ? .there : .onItsWay), from: there)
        #expect(move.begin(Targets.label()) == [.recheck])
        let first = move.tell(.rechecked(.present(Targets.label())))
        #expect(first == [isThere ? .presentTarget([.orca]) : .presentBlank([.orca])])
        guard !isThere else { return }
        move.tell(.signalledBlank(.orca))
        #expect(move.tell(.rechecked(.present(Targets.label()))) == [.presentTarget([.orca])])
    }
}
