/// What one client, and all of them, may make focusd hold. docs/limits.md has them in a table, which a test compares.
///
/// Where there is a number for a process and one for all, a process also gets no more than is left for the others:
/// the last of what there is cannot be taken by who has the most already.
struct ServiceLimits: Sendable {
    // MARK: Shared by all, each process has a part

    /// Connections: a descriptor each, and some kilobytes. A process may have 1,024 descriptors where nobody said more.
    var maximumClientsPerProcess = 64
    var maximumClients = 512
    /// Calls that are not answered, streams and answers that are held for their turn included. Half a kilobyte each.
    var maximumCallsPerProcess = 256
    var maximumCalls = 2_048
    /// Searches, waits, and lists that are sent in parts: each is looked at again when a tree changes, or holds what it lists.
    var maximumSearchesPerProcess = 32
    var maximumSearches = 256
    /// Moves that are waited for: fewer than a process's connections, of which each waits for one.
    var maximumMovesPerProcess = 16
    var maximumMoves = 128
    /// Sets of focus states that are waited for.
    var maximumPendingSetsPerProcess = 64
    var maximumPendingSets = 512
    /// Binds: two kilobytes each.
    var maximumStatesPerProcess = 4_096
    var maximumStates = 16_384
    /// Prototypes of all binds: some hundred bytes each.
    var maximumPrototypesPerProcess = 65_536
    var maximumPrototypes = 131_072
    /// Bytes of the selectors, values, names and modes of all binds.
    var maximumSelectorBytesPerProcess = 16 << 20
    var maximumSelectorBytes = 32 << 20
    /// Steps and conditions in the selectors of all binds: read, each takes some hundred bytes, however short it is.
    var maximumSelectorPartsPerProcess = 131_072
    var maximumSelectorParts = 262_144
    /// Different choices of technologies and modes that binds follow: each move of the focus asks all of them where it is.
    var maximumViewsPerProcess = 32
    var maximumViews = 512
    /// Selectors of all binds that need the trees of applications: each is asked when one changes.
    var maximumTreeSelectorsPerProcess = 1_024
    var maximumTreeSelectors = 4_096
    /// Bytes written for clients that they have not read. Beyond it streams end and long answers are refused.
    var maximumQueuedBytesPerProcess = 8 << 20
    var maximumQueuedBytes = 64 << 20
    /// Bytes received that no call was made of yet. Beyond it no more is read of who has a long call under way.
    var maximumReceivedBytesPerProcess = 4 << 20
    var maximumReceivedBytes = 32 << 20
    /// Texts announced in a second: a person listens to no more.
    var announcementsPerSecond = 5
    var announcementsPerSecondOfAll = 10

    // MARK: Of one connection, state or call

    /// Bytes written for one connection that it has not read: a stream that passes it is ended with `SubscriberTooSlow`.
    /// What one move of the focus changed counts once all of it is written.
    var maximumQueuedBytesPerClient = 1 << 20
    /// Bytes of one answer: clients take 16 MiB. What is left out is told, in `complete`.
    var maximumAnswerBytes = 8 << 20
    /// Prototypes of one focus state.
    var maximumPrototypesPerState = 1_024
    /// Modes that one focus state names: each move is compared with them.
    var maximumModesPerState = 32
    /// Bytes of one announced text: some minutes of speech.
    var maximumAnnouncementBytes = 8 << 10

    // MARK: What nobody is told

    /// Bytes queued or received that a connection may have whatever its process has, and that do not count for it:
    /// ordinary calls are always served.
    var freeBytes = 64 << 10
    /// How long a client that is cut off may take to read what it is owed.
    var closingMilliseconds: Int64 = 5_000
    /// How long a client may read nothing of a list that comes in parts: a person may look at a page of it for a while.
    var unreadMilliseconds: Int64 = 300_000
    /// Bytes read from one client in one turn of the loop.
    var readBytes = 64 << 10
    /// How long a search waits for applications that are still being read; then it answers without them.
    var searchMicroseconds: Int64 = 3_000_000
    /// How long the calls of one process may be served in a turn of the loop: then it is the others' turn.
    var turnNanoseconds: Int64 = 2_000_000
    /// Lines that clients may cause in the log within a second.
    var linesPerSecond = 5

    init() {}
}

/// What all clients share, and of which each process has a part.
enum SharedResource: Int, CaseIterable, Sendable {
    case clients, calls, searches, moves, pendingSets, states, prototypes, selectorBytes, selectorParts, views,
        treeSelectors
    case queuedBytes, receivedBytes, announcements

    /// The names that clients are told in `LimitExceeded`, and that `GetStatistics` lists.
    var names: (ofProcess: String, ofAll: String) {
        switch self {
        case .clients: ("maximumClientsPerProcess", "maximumClients")
        case .calls: ("maximumCallsPerProcess", "maximumCalls")
        case .searches: ("maximumSearchesPerProcess", "maximumSearches")
        case .moves: ("maximumMovesPerProcess", "maximumMoves")
        case .pendingSets: ("maximumPendingSetsPerProcess", "maximumPendingSets")
        case .states: ("maximumStatesPerProcess", "maximumStates")
        case .prototypes: ("maximumPrototypesPerProcess", "maximumPrototypes")
        case .selectorBytes: ("maximumSelectorBytesPerProcess", "maximumSelectorBytes")
        case .selectorParts: ("maximumSelectorPartsPerProcess", "maximumSelectorParts")
        case .views: ("maximumViewsPerProcess", "maximumViews")
        case .treeSelectors: ("maximumTreeSelectorsPerProcess", "maximumTreeSelectors")
        case .queuedBytes: ("maximumQueuedBytesPerProcess", "maximumQueuedBytes")
        case .receivedBytes: ("maximumReceivedBytesPerProcess", "maximumReceivedBytes")
        case .announcements: ("announcementsPerSecond", "announcementsPerSecondOfAll")
        }
    }
}

extension ServiceLimits {
    /// How much a process may have, and all together.
    func share(of resource: SharedResource) -> (ofProcess: Int, ofAll: Int) {
        switch resource {
        case .clients: (maximumClientsPerProcess, maximumClients)
        case .calls: (maximumCallsPerProcess, maximumCalls)
        case .searches: (maximumSearchesPerProcess, maximumSearches)
        case .moves: (maximumMovesPerProcess, maximumMoves)
        case .pendingSets: (maximumPendingSetsPerProcess, maximumPendingSets)
        case .states: (maximumStatesPerProcess, maximumStates)
        case .prototypes: (maximumPrototypesPerProcess, maximumPrototypes)
        case .selectorBytes: (maximumSelectorBytesPerProcess, maximumSelectorBytes)
        case .selectorParts: (maximumSelectorPartsPerProcess, maximumSelectorParts)
        case .views: (maximumViewsPerProcess, maximumViews)
        case .treeSelectors: (maximumTreeSelectorsPerProcess, maximumTreeSelectors)
        case .queuedBytes: (maximumQueuedBytesPerProcess, maximumQueuedBytes)
        case .receivedBytes: (maximumReceivedBytesPerProcess, maximumReceivedBytes)
        case .announcements: (announcementsPerSecond, announcementsPerSecondOfAll)
        }
    }
}

/// A limit of a single connection, state, call or message, by the name that clients are told.
enum SingleLimit: String, CaseIterable, Sendable {
    case maximumMessageBytes, maximumQueuedBytesPerClient, maximumAnswerBytes
    case maximumPrototypesPerState, maximumModesPerState, maximumAnnouncementBytes
}
