extension FocusInterface {
    /// The first part of the interface file: what it is about, and its types.
    static let typesText = """
        # The focus of the assistive technologies on this desktop, and of the keyboard:
        # where it is, how it moves, a way to move it, and values that follow it.
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
          # noConfirmation, busGone, alreadyFocused, answeredFalse, nowhereToGo, declined,
          # unbound; of notFound also stillLoading and noMatch.
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

        # One value of a focus state and the elements that have it.
        type Prototype (
          # What the state's value is while the focus is on such an element or inside of it.
          value: string,
          # Which elements that are, as in Find.
          selector: string,
          # Whether the client that binds it moves the focus there itself when it is asked,
          # by move in its stream, before anything else is tried.
          moves: ?bool
        )

        # A focus state's value, or that it changed.
        type StateChange (
          state: string,
          # The value now: absent where the focus is on none of its elements.
          value: ?string,
          # The value before; absent where that was none, and in what is sent first.
          previous: ?string,
          # The element that the value was bound to and that the focus is on or inside of.
          element: ?Element,
          # Whether the service concluded this and the technology has not said it.
          assumed: bool,
          # Why it is sent, with the same words as in Focus; unbound in the last one.
          cause: string,
          # That of the move of the focus that changed it: all that one move changed has
          # the same.
          revision: int
        )

        # The service asks a client to move the focus to its own element. It answers by
        # doing so, or by DeclineMove.
        type OwnerMove (
          # What DeclineMove names it by.
          token: string,
          state: string,
          # The value whose element is meant.
          value: string
        )

        # A focus state as it is now.
        type FocusState (
          # What SetValue and Unbind name it by: its own name, or for one without a name an
          # id that begins with '#'.
          state: string,
          # Whether it has a name, and is shared by all who bind it.
          named: bool,
          prototypes: []Prototype,
          technologies: ?[]string,
          modes: ?[]string,
          value: ?string,
          element: ?Element,
          assumed: bool,
          # How many Binds keep it alive.
          binds: int,
          # The processes of those.
          pids: []int,
          # How many sets of it are under way.
          pendingSets: int
        )

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

        # What the service did since it started, and what it and its clients hold now.
        type Statistics (
          version: string,
          uptimeMilliseconds: int,
          # How many accessibles are known.
          nodes: int,
          # Named counters since the start, like 'signals'.
          counters: [string]int,
          memory: MemoryStatistics,
          # How many descriptors are open.
          descriptors: int,
          latency: LatencyStatistics,
          limits: []LimitUse,
          applications: []ApplicationStatistics,
          clients: []ClientStatistics,
          processes: []ProcessStatistics
        )

        # The service's memory: what is there for it alone, and with what others share.
        type MemoryStatistics (privateBytes: int, residentBytes: int)

        # How long the last thousand moves took, from a technology's signal until they were
        # written to the clients. moves counts them since the start.
        type LatencyStatistics (
          moves: int,
          p50Microseconds: int,
          p99Microseconds: int,
          maximumMicroseconds: int
        )

        # A limit of what clients or applications may cost. used is what is used of it now; of
        # a limit for each process, what the one with the most has. met is how often it
        # was met since the start.
        type LimitUse (name: string, used: int, limit: int, met: int)

        # What one application cost.
        type ApplicationStatistics (
          busName: string,
          events: int,
          # Calls made to it, and those that it did not answer in time.
          calls: int,
          timeouts: int,
          # Calls that it has not answered yet.
          callsInFlight: int,
          # How many of its accessibles are known.
          nodes: int,
          # Whether it is asked: one that does not answer is left alone for a while.
          responding: bool
        )

        # What one client's connection cost and holds.
        type ClientStatistics (
          pid: int,
          calls: int,
          # Calls that are not answered, its stream included.
          callsInFlight: int,
          # Bytes written for it that it has not read.
          bytesQueued: int,
          # Bytes that it sent since it connected.
          bytesReceived: int,
          isStreaming: bool,
          connectedMilliseconds: int
        )

        # What one process holds over all its connections: limits count by process.
        type ProcessStatistics (
          pid: int,
          # Connections.
          clients: int,
          callsInFlight: int,
          streams: int,
          states: int,
          prototypes: int,
          # Bytes of the selectors, values, names and modes of its binds; the steps and
          # conditions of these selectors; and those that need trees of applications.
          selectorBytes: int,
          selectorParts: int,
          treeSelectors: int,
          # Different choices of technologies and modes in its binds.
          views: int,
          # Calls of Find, Wait and GetTree under way.
          searches: int,
          moves: int,
          sets: int,
          # Bytes written for it that it has not read.
          bytesQueued: int,
          # Bytes received of which no call was made yet.
          bytesWaiting: int
        )


        """
}
