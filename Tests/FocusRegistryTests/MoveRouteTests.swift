import AccessibilityTree
import FocusRegistry
import Testing

/// Which routes are tried, for what kind of element, and which are left alone.
struct MoveRouteTests {
    @Test("GTK 4 supports no grab: the next route is tried at once, and said so")
    func grabNotSupported() throws {
        let move = MoveUnderTest()
        move.begin(Targets.button())
        #expect(move.tell(.grabAnswered(.notSupported), after: 2) == [.recheck])
        #expect(move.tell(.rechecked(.present(Targets.button()))) == [.presentTarget([.orca])])
        move.signal(on: Targets.place)
        move.tell(.keyboardRead(false))
        let outcome = try #require(move.outcome)
        #expect(outcome.result == .confirmed)
        #expect(outcome.route == .activeDescendant)
        #expect(outcome.attempts == [.init(route: .grabFocus, reason: .notSupported)])
        #expect(outcome.keyboardFocus == .elsewhere)
    }

    @Test("a grab that is answered with false is followed by the next route at once")
    func grabRefused() {
        let move = MoveUnderTest()
        move.begin(Targets.button())
        #expect(move.tell(.grabAnswered(.refused)) == [.recheck])
    }

    @Test("an element that has the keyboard already is presented: a grab would send no event")
    func hasKeyboard() throws {
        let move = MoveUnderTest()
        move.beginPresenting(Targets.button(hasKeyboardFocus: true))
        #expect(!move.actions.contains(.grabFocus))
        move.signal(on: Targets.place)
        move.tell(.keyboardRead(true))
        #expect(move.outcome?.keyboardFocus == .alreadyThere)
        #expect(move.outcome?.attempts == [.init(route: .grabFocus, reason: .alreadyFocused)])
    }

    @Test("a window that is not active is not grabbed into: GTK 3 would raise it under the user's hands")
    func inactiveWindow() {
        let move = MoveUnderTest()
        move.beginPresenting(Targets.button(isWindowActive: false))
        #expect(!move.actions.contains(.grabFocus))
        move.wait(2_000)
        #expect(move.outcome?.attempts.first == .init(route: .grabFocus, reason: .windowNotActive))
    }

    @Test("unless the request names that route")
    func inactiveWindowNamed() {
        let move = MoveUnderTest(routes: [.grabFocus])
        #expect(move.begin(Targets.button(isWindowActive: false)) == [.grabFocus])
    }

    @Test("only the routes that are named are tried, in the order named")
    func namedRoutes() throws {
        let presented = MoveUnderTest(routes: [.activeDescendant])
        presented.beginPresenting(Targets.button())
        presented.wait(5_000)
        #expect(!presented.actions.contains(.grabFocus))
        #expect(presented.outcome?.result == .timedOut)
        let grabbed = MoveUnderTest(routes: [.grabFocus])
        grabbed.beginGrabbing()
        grabbed.wait(5_000)
        #expect(!grabbed.actions.contains(.recheck))
        #expect(grabbed.outcome?.result == .timedOut)
        let reversed = MoveUnderTest(routes: [.activeDescendant, .grabFocus])
        reversed.beginPresenting(Targets.button())
        #expect(reversed.wait(1_000) == [.grabFocus])
    }

    @Test("no route that is named can be taken: refused with the first reason")
    func noRouteLeft() {
        let label = MoveUnderTest(routes: [.grabFocus])
        label.begin(Targets.label())
        #expect(label.outcome?.result == .refused)
        #expect(label.outcome?.reason == .notFocusable)
        let gtk4 = MoveUnderTest(routes: [.grabFocus])
        gtk4.begin(Targets.button())
        gtk4.tell(.grabAnswered(.notSupported))
        gtk4.tell(.keyboardRead(false))
        #expect(gtk4.outcome?.result == .refused)
        #expect(gtk4.outcome?.reason == .notSupported)
        let none = MoveUnderTest(routes: [])
        none.begin(Targets.button())
        #expect(none.outcome?.result == .refused)
    }

    // MARK: - Typing (S9)

    @Test("what takes typing is not presented without the keyboard, which stays elsewhere")
    func typingIsWithheld() throws {
        for isWindowActive in [true, false] {
            let move = MoveUnderTest()
            move.begin(Targets.entry(isWindowActive: isWindowActive))
            if isWindowActive { move.tell(.grabAnswered(.notSupported)) }
            move.tell(.rechecked(.present(Targets.entry(isWindowActive: isWindowActive))))
            if move.actions.contains(.readKeyboard) { move.tell(.keyboardRead(false)) }
            let outcome = try #require(move.outcome)
            #expect(outcome.result == .refused)
            #expect(outcome.reason == .keyboardFocusCannotMove)
            #expect(outcome.keyboardFocus == .elsewhere)
            #expect(!move.actions.contains(.presentTarget([.orca])))
            #expect(!move.actions.contains(.presentBlank([.orca])))
        }
    }

    @Test("it is grabbed where that works, and confirmed as any other")
    func typingIsGrabbed() {
        let move = MoveUnderTest()
        move.beginGrabbing(Targets.entry())
        move.signal(on: Targets.place)
        move.tell(.keyboardRead(true))
        #expect(move.outcome?.result == .confirmed)
    }

    @Test("it is presented where it has the keyboard already, or where that route is named")
    func typingIsPresented() {
        MoveUnderTest().beginPresenting(Targets.entry(hasKeyboardFocus: true))
        MoveUnderTest(routes: [.activeDescendant]).beginPresenting(Targets.entry())
    }

    @Test("a grab that moved the keyboard in silence is followed by the event: typing is there already")
    func typingAfterSilentGrab() throws {
        let move = MoveUnderTest()
        move.beginGrabbing(Targets.entry())
        #expect(move.wait(300) == [.recheck])
        #expect(
            move.tell(.rechecked(.present(Targets.entry(hasKeyboardFocus: true)))) == [.presentTarget([.orca])])
        move.signal(on: Targets.place)
        move.tell(.keyboardRead(true))
        let outcome = try #require(move.outcome)
        #expect(outcome.result == .confirmed)
        #expect(outcome.keyboardFocus == .moved, "it was the grab of this move that moved it")
    }

    // MARK: - Disabled

    @Test("a disabled element is read, but not grabbed")
    func disabled() {
        let move = MoveUnderTest()
        move.beginPresenting(Targets.button(isDisabled: true))
        #expect(!move.actions.contains(.grabFocus))
        move.signal(on: Targets.place)
        move.tell(.keyboardRead(false))
        #expect(move.outcome?.result == .confirmed)
        #expect(move.outcome?.attempts == [.init(route: .grabFocus, reason: .elementDisabled)])
    }

    @Test("for the keyboard a disabled element is refused")
    func disabledForKeyboard() {
        let move = MoveUnderTest(for: [.keyboard], isAnyEnough: false)
        move.begin(Targets.button(isDisabled: true))
        #expect(move.outcome?.result == .refused)
        #expect(move.outcome?.reason == .elementDisabled)
    }

    // MARK: - The keyboard as a technology

    @Test("the keyboard is confirmed by live state, never by a signal or by what the grab returned")
    func keyboard() throws {
        let move = MoveUnderTest(for: [.keyboard], isAnyEnough: false)
        #expect(move.begin(Targets.button()) == [.grabFocus])
        #expect(move.signal(.orca, on: Targets.place).isEmpty)
        #expect(move.tell(.grabAnswered(.accepted)) == [.readKeyboard])
        move.tell(.keyboardRead(true))
        let outcome = try #require(move.outcome)
        #expect(outcome.result == .confirmed)
        #expect(outcome.route == .grabFocus)
        #expect(outcome.confirmed == [.keyboard])
        #expect(outcome.keyboardFocus == .moved)
    }

    @Test("live state that comes with the event confirms as well, also of a descendant")
    func keyboardLater() {
        for place in [Targets.place, Places.at(77, inside: [1, 5])] {
            let move = MoveUnderTest(for: [.keyboard], isAnyEnough: false)
            move.begin(Targets.button())
            move.tell(.grabAnswered(.accepted))
            #expect(move.tell(.keyboardRead(false)).isEmpty)
            #expect(move.tell(.keyboardMoved(place), after: 100) == [.readKeyboard])
            move.tell(.keyboardRead(true))
            #expect(move.outcome?.result == .confirmed)
        }
    }

    @Test("a focus that came without any event is seen when the patience ends")
    func keyboardInSilence() throws {
        let move = MoveUnderTest(for: [.keyboard], isAnyEnough: false)
        move.begin(Targets.button())
        move.tell(.grabAnswered(.accepted))
        move.tell(.keyboardRead(false))
        #expect(move.wait(300) == [.readKeyboard])
        move.tell(.keyboardRead(true))
        let outcome = try #require(move.outcome)
        #expect(outcome.result == .confirmed, "live state is what confirms the keyboard")
        #expect(outcome.route == .grabFocus)
        #expect(outcome.keyboardFocus == .moved)
    }

    @Test("a keyboard that did not come is timed out")
    func keyboardStays() throws {
        let move = MoveUnderTest(for: [.keyboard], isAnyEnough: false)
        move.begin(Targets.button())
        move.tell(.grabAnswered(.accepted))
        move.tell(.keyboardRead(false))
        move.wait(300)
        move.tell(.keyboardRead(false))
        #expect(move.outcome?.result == .timedOut)
        #expect(move.outcome?.keyboardFocus == .elsewhere)
    }

    @Test("an element that has the keyboard is confirmed after the check, with no route")
    func keyboardIsThere() throws {
        let move = MoveUnderTest(for: [.keyboard], isAnyEnough: false)
        #expect(move.begin(Targets.button(hasKeyboardFocus: true)) == [.readKeyboard])
        move.tell(.keyboardRead(true))
        let outcome = try #require(move.outcome)
        #expect(outcome.result == .confirmed)
        #expect(outcome.route == nil)
        #expect(outcome.keyboardFocus == .alreadyThere)
    }

    @Test("where the keyboard was seen last is not believed: live state is read", arguments: [true, false])
    func keyboardWasThere(isStillThere: Bool) throws {
        let move = MoveUnderTest(for: [.keyboard], isAnyEnough: false, from: [.keyboard: Targets.place])
        #expect(move.start() == [.check])
        let actions = move.tell(.checked(.present(Targets.button(hasKeyboardFocus: isStillThere))))
        #expect(actions == [isStillThere ? .readKeyboard : .grabFocus])
    }

    @Test("anew means nothing to the keyboard: where it is, it is")
    func keyboardAgain() {
        let move = MoveUnderTest(for: [.keyboard], isAnyEnough: false, again: true)
        #expect(move.begin(Targets.button(hasKeyboardFocus: true)) == [.readKeyboard])
    }

    @Test("a grab that is answered with false and moved the keyboard all the same is confirmed")
    func keyboardAnsweredFalse() throws {
        let move = MoveUnderTest(for: [.keyboard], isAnyEnough: false)
        move.begin(Targets.button())
        #expect(move.tell(.grabAnswered(.refused)) == [.readKeyboard])
        move.tell(.keyboardRead(true))
        #expect(move.outcome?.result == .confirmed)
    }

    @Test("no event moves the keyboard: a route without a grab is refused")
    func keyboardByEvent() {
        let move = MoveUnderTest(for: [.keyboard], isAnyEnough: false, routes: [.activeDescendant])
        move.begin(Targets.button())
        #expect(move.outcome?.result == .refused)
        let label = MoveUnderTest(for: [.keyboard], isAnyEnough: false)
        label.begin(Targets.label())
        #expect(label.outcome?.reason == .notFocusable)
    }

    @Test("keyboard and reader together: each by its own proof")
    func keyboardAndReader() throws {
        let move = MoveUnderTest(for: [.orca, .keyboard], isAnyEnough: false)
        move.begin(Targets.button())
        #expect(move.tell(.grabAnswered(.accepted)) == [.readKeyboard])
        #expect(move.tell(.keyboardRead(true)).isEmpty)
        #expect(move.signal(on: Targets.place) == [.readKeyboard])
        move.tell(.keyboardRead(true))
        #expect(try #require(move.outcome).confirmed == [.orca, .keyboard])
    }

    @Test("where only the keyboard is missing, no event is sent: it would move nobody")
    func onlyKeyboardMissing() throws {
        let move = MoveUnderTest(for: [.orca, .keyboard], isAnyEnough: false)
        move.begin(Targets.button())
        move.tell(.grabAnswered(.accepted))
        move.tell(.keyboardRead(false))
        move.signal(on: Targets.place)
        move.wait(300)
        #expect(!move.actions.contains(.recheck))
        move.tell(.keyboardRead(false))
        #expect(move.outcome?.result == .timedOut)
        #expect(move.outcome?.confirmed == [.orca])
    }
}
