/// The interface `io.focusd.Focus`: the contract between focusd and its clients.
public enum FocusInterface {
    /// The interface's name, and the name of the socket.
    public static let name = "io.focusd.Focus"

    /// The text of the interface file, as `GetInterfaceDescription` serves it; byte for byte `io.focusd.Focus.varlink`.
    public static let text = """
        # The focus of the assistive technologies on this desktop, and of the keyboard:
        # where it is, how it moves, and a way to move it.
        #
        # Two kinds of focus are never mixed. The accessibility focus is where an
        # assistive technology is, as it says itself: where a screen reader reads. The
        # keyboard focus is where typed keys go. A technology has an id, like 'orca';
        # 'keyboard' is the built-in other kind. What names no technology means all
        # active assistive technologies together: the one that moved last. It never
        # means the keyboard.
        #
        # A field that may be absent is marked with '?'; null means absent. Strings with
        # known values may get further ones: a client passes over those it does not
        # know. A parameter that a method does not have is refused, as
        # org.varlink.service.InvalidParameter.
        #
        # A call with 'more' occupies its connection until its stream ends; use a second
        # connection for other calls. A stream ends when the client ends its writing: its
        # last reply comes once more, without 'continues'. Each first reply of a stream has
        # 'instance', which changes when the service starts anew.
        interface io.focusd.Focus

        # An accessible. busName and path together are its identity; a reference is the
        # one directly followed by the other: ':1.5/org/a11y/atspi/accessible/17'.
        type Element (
          # The unique name of the application's connection on the accessibility bus.
          busName: string,
          # The object path. It is opaque: toolkits choose it freely.
          path: string,
          # The role's English name with '-' for spaces, like 'push-button', whatever
          # the version of the accessibility library calls it.
          role: string,
          # The accessible name; empty where it has none.
          name: string,
          description: ?string,
          # The accessible id that the application gave it.
          id: ?string,
          # The AT-SPI states it is in, like 'focusable'.
          states: []string,
          # The AT-SPI object attributes.
          attributes: ?[string]string,
          # The short names of the AT-SPI interfaces it has, like 'Component'.
          interfaces: []string,
          extents: ?Extents,
          window: ?Window,
          application: Application,
          # The shortest selector that matches only it, and will after its application was
          # started anew.
          selector: ?string
        )

        # A rectangle in pixels of the screen.
        type Extents (x: int, y: int, width: int, height: int)

        # The window that an element is in.
        type Window (busName: string, path: string, name: string)

        # A process that shows accessibles on the accessibility bus.
        type Application (
          name: string,
          # The process id as the bus knows it; 0 where it does not.
          pid: int,
          toolkit: string,
          busName: string,
          # Whether it answered when it was last asked something.
          responding: bool,
          # How many of its accessibles are known.
          nodes: ?int
        )

        # An assistive technology, or 'keyboard'.
        type Technology (
          id: string,
          # Whether it is on the accessibility bus.
          active: bool,
          pid: ?int,
          version: ?string,
          busName: ?string
        )

        # A part of an element's text, counted in characters; both 0 where the
        # technology is on the whole element.
        type Region (start: int, end: int)

        # Where a technology is.
        type Focus (
          # The technology's id; absent where none is active.
          technology: ?string,
          # The element it is on; absent where it is on none.
          element: ?Element,
          # In a stream, the element it was on before.
          previous: ?Element,
          # What the technology is doing, as it says. Known: focus-tracking,
          # caret-tracking, flat-review, mouse-review, say-all, object-navigator,
          # structural-navigator, table-navigator, caret-navigator, math-navigator.
          mode: ?string,
          region: ?Region,
          # Whether the service concluded this and the technology has not said it.
          assumed: bool,
          # Why it is sent. Known: initial, moved, updated, set, restored, matchChanged,
          # elementGone, elementHidden, applicationGone, windowDeactivated,
          # technologyGone, busGone.
          cause: string,
          # Grows with every change, also when the service starts anew.
          revision: int,
          # When the technology said it, in microseconds of CLOCK_MONOTONIC.
          monotonicMicroseconds: int
        )

        # What became of a move, said when it is known, never on trust.
        type Outcome (
          # Known: confirmed, refused, timedOut (found, but not confirmed in time),
          # superseded, notFound (never found in time), ambiguous.
          result: string,
          # Why it was not confirmed. Known: technologyNotActive, elementHidden,
          # elementDefunct, elementDisabled, applicationNotResponding,
          # keyboardFocusCannotMove, userMovedAway, movedElsewhere, newerRequest,
          # noSuchApplication, notFocusable, notSupported, windowNotActive,
          # noConfirmation, busGone, alreadyFocused, answeredFalse; of notFound also
          # stillLoading and noMatch.
          reason: ?string,
          # Of ambiguous: how many elements the selector matches.
          matches: ?int,
          # The route that was confirmed. Known: none (it was there already),
          # application, grabFocus, activeDescendant, companion.
          route: ?string,
          # The routes that were given up, in their order.
          routesTried: []RouteAttempt,
          # What became of it for each technology.
          technologies: []TechnologyResult,
          # The element that was meant, as it is now.
          element: ?Element,
          # Where typed keys go now. Known: moved, alreadyThere, elsewhere, unknown.
          keyboardFocus: string,
          elapsedMilliseconds: int
        )

        # A route that was tried, and why it was given up: one of Outcome's reasons.
        type RouteAttempt (route: string, reason: string)

        # What became of a move for one technology: one of Outcome's results.
        type TechnologyResult (id: string, result: string)

        # An accessible in its tree.
        type Node (
          busName: string,
          path: string,
          role: string,
          name: string,
          description: ?string,
          id: ?string,
          states: []string,
          interfaces: []string,
          # How far below the element that the tree begins with: 0 for that one itself.
          depth: int,
          # Its place among its parent's children, from 0; absent where its parent does
          # not list it.
          index: ?int,
          # How many children its application says it has; absent where it does not know.
          children: ?int,
          # The technologies whose focus it is, 'keyboard' too.
          focusedBy: []string,
          # What is special about it. Known: cycle (it is its own ancestor, or stands
          # elsewhere already: what is below it is not repeated), unlisted (its parent does
          # not list it), managesDescendants (its children are made when needed and are
          # not listed), childrenCut (it has more children than are kept), depthCut (the
          # tree goes on below, deeper than is kept or was asked for), nameCut (its name is
          # longer than is kept), unread (it did not say what it is).
          marks: []string
        )

        # An application of which an answer may not tell the truth of this moment.
        type StaleApplication (
          busName: string,
          name: string,
          # Known: notResponding, loading, limitReached.
          reason: string
        )

        # Something that is worth knowing about this desktop.
        type Finding (
          # A stable code, like 'noAccessibilityBus'.
          code: string,
          # Known: error, warning, note.
          severity: string,
          # What is the case.
          what: string,
          # What the reader can do about it.
          whatToDo: string
        )

        # What the service did since it started.
        type Statistics (
          version: string,
          uptimeMilliseconds: int,
          # How many accessibles are known.
          nodes: int,
          # Named counters since the start, like 'signalsReceived'.
          counters: [string]int,
          applications: []ApplicationStatistics,
          clients: []ClientStatistics
        )

        # What one application cost.
        type ApplicationStatistics (busName: string, events: int, calls: int, timeouts: int)

        # What one client's connection cost.
        type ClientStatistics (
          pid: int,
          calls: int,
          # Bytes written for it that it has not read.
          bytesQueued: int,
          isStreaming: bool
        )

        # Where a technology is, or the technology that moved last. With 'more' a stream:
        # where it is now, then every move to another element. With 'updates' also the
        # changes of mode and region on the same element. Where no technology is active,
        # the focus has neither technology nor element, and the stream goes on.
        method GetFocus(technology: ?string, updates: ?bool) -> (focus: Focus, instance: ?string)

        # The technologies that are known. With 'more' a stream: again at every change.
        method ListTechnologies() -> (technologies: []Technology, instance: ?string)

        # The applications on the accessibility bus. With 'more' a stream: again at every
        # change.
        method ListApplications() -> (applications: []Application, instance: ?string)

        # The elements that a selector matches now, in the order of their trees: a subset
        # of CSS over the accessibility tree, described in the service's documentation. At
        # most limit of them, 1 to 10000; 100 where absent. fields names what else is
        # wanted of each, and costs questions to the applications: attributes, extents,
        # selector (the shortest one that matches only it and survives a restart of its
        # application). complete tells whether these are all there are; stale names the
        # applications that could match and do not answer, or are still being read.
        method Find(selector: string, limit: ?int, fields: ?[]string) -> (
          elements: []Element,
          complete: bool,
          stale: []StaleApplication
        )

        # Waits until an element that the selector matches is 'present', until a technology
        # is on it or inside of it ('focused': the one named, or the one that moved last), or until
        # none is there ('gone'; the element is absent then). It answers the element.
        # timeoutMilliseconds is 1 to 3600000, and 10000 where absent.
        method Wait(
          selector: string,
          condition: string,
          technology: ?string,
          timeoutMilliseconds: ?int
        ) -> (element: ?Element)

        # The tree below the one element that a selector matches, or of all applications; a
        # parent before its children. depth is how many levels below it are wanted. Large
        # trees come in parts: with 'more' in as many as it takes; without it, at most 1000
        # nodes come, and complete tells whether that was all.
        method GetTree(selector: ?string, depth: ?int) -> (
          nodes: []Node,
          complete: bool,
          stale: []StaleApplication,
          instance: ?string
        )

        # Moves technologies to an element, and answers when it is known what became of
        # that. Exactly one of selector and element is given; element is a reference. An
        # element that a selector means may appear until the time is over; where it matches
        # several, the only one in the active window is meant, else it is ambiguous.
        # Without technologies every active assistive technology is meant, and the first
        # that confirms is enough. With again, a technology that is there already
        # presents the element anew. With routes only those are tried, of grabFocus and
        # activeDescendant: with activeDescendant alone, the keyboard focus stays where
        # it is. timeoutMilliseconds is 1 to 60000, and 2000 where absent.
        method MoveFocus(
          selector: ?string,
          element: ?string,
          technologies: ?[]string,
          again: ?bool,
          routes: ?[]string,
          timeoutMilliseconds: ?int
        ) -> (outcome: Outcome)

        # What the service did, for those who measure it.
        method GetStatistics() -> (statistics: Statistics)

        # What is wrong on this desktop and what to do about it. version is the
        # service's own.
        method Diagnose() -> (findings: []Finding, version: string)

        # A selector cannot be read. position counts bytes of UTF-8 from 0.
        error InvalidSelector (position: int, expected: string)

        # No technology with this id is known.
        error UnknownTechnology (id: string)

        # The reference names an element that is no more, or never was.
        error StaleElement ()

        # Until the time was over, no element matched. reason is noSuchApplication,
        # stillLoading, applicationNotResponding or noMatch.
        error ElementNotFound (reason: string)

        # An element matched, but until the time was over not as was waited for.
        error WaitTimedOut ()

        # The selector of a tree matches several elements; count tells how many.
        error AmbiguousSelector (count: int)

        # The client reads its stream too slowly, and is disconnected so that it does
        # not miss a change without knowing.
        error SubscriberTooSlow ()

        # The client has more of something than one client may have; limit names it.
        error LimitExceeded (limit: string)

        """
}
