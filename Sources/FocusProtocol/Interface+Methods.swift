extension FocusInterface {
    /// The second part of the interface file: its methods and errors.
    static let methodsText = """
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

        # Makes a focus state, which lives as long as this call, or joins the one of the same
        # name. Its value is the value of the prototype whose element the focus is on or
        # inside of, and none where there is no such. The first reply has the state and its
        # value now; then each change comes, and with it move where the client is asked to
        # move the focus itself. Where several elements that match are nested, the innermost
        # counts. technologies names whose focus it follows: the one of them that moved last;
        # without it, every active assistive technology's. modes names the modes that count,
        # as in Focus; focus-tracking and caret-tracking are one there. Without it, every mode
        # but mouse-review. name makes the state one that all clients of the user share: who
        # binds it again with the same prototypes joins it. It is 1 to 255 bytes, and does not
        # begin with '#'. With session there is one reply, and the state lives as long as that
        # session, in whose stream its changes are. Without session, more is required.
        method Bind(
          prototypes: []Prototype,
          technologies: ?[]string,
          modes: ?[]string,
          name: ?string,
          session: ?string
        ) -> (state: ?string, change: ?StateChange, move: ?OwnerMove, instance: ?string)

        # A stream in which the changes of any number of states are: of those that are bound
        # with its session. Only with more. The first reply has the session.
        method OpenSession() -> (
          session: ?string,
          change: ?StateChange,
          move: ?OwnerMove,
          instance: ?string
        )

        # Moves the technologies of a state to the element of a value, and answers when it is
        # known what became of that; without value, away from the elements of the state, back
        # to where they were before. The value of the state changes when the technology
        # confirms it and not before. Setting the value that it has is confirmed at once; with
        # again, the element is presented anew. The other parameters are as in MoveFocus, with
        # the route application too. On one connection a later call does not wait for an
        # earlier one, and replaces it where that is of the same state.
        method SetValue(
          state: string,
          value: ?string,
          again: ?bool,
          routes: ?[]string,
          timeoutMilliseconds: ?int
        ) -> (outcome: Outcome)

        # Says that a move that this client was asked for cannot be made, so that another route
        # is tried without delay. A token that is over is passed over.
        method DeclineMove(token: string, reason: string) -> ()

        # The focus states of all clients, in the order in which they were made. Many come in
        # parts: with 'more' in as many as it takes; without it, at most 1000 states come, and
        # complete tells whether that was all.
        method ListStates() -> (states: []FocusState, complete: bool, instance: ?string)

        # Ends a state: each stream of it that is a Bind's own ends with a last reply, which has
        # the state's value.
        method Unbind(state: string) -> ()

        # Has the screen reader say something, without moving it; urgent interrupts what it
        # says. route is how it was sent: remoteController, announcement or notification.
        # delivered tells that it was sent to a screen reader, which never proves that it was
        # spoken.
        method Announce(text: string, urgent: ?bool) -> (route: ?string, delivered: bool)

        # What the service did, for those who measure it.
        method GetStatistics() -> (statistics: Statistics)

        # What is wrong on this desktop and what to do about it. version is the
        # service's own.
        method Diagnose() -> (findings: []Finding, version: string)

        # A selector cannot be read. position counts bytes of UTF-8 from 0. In Bind, prototype
        # is the place of the one it is of, from 0.
        error InvalidSelector (position: int, expected: string, prototype: ?int)

        # No technology with this id is known.
        error UnknownTechnology (id: string)

        # No focus state has this name or id.
        error UnknownState (state: string)

        # The state has no such value.
        error UnknownValue (value: string)

        # A state of this name exists, and has other prototypes, technologies or modes.
        error StateExists (state: string)

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
