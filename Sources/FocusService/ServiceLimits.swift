/// What one client, and all of them, may make focusd hold.
struct ServiceLimits: Sendable {
    /// Connections of all clients.
    var maximumClients = 512
    /// Connections of one client process.
    var maximumClientsPerProcess = 64
    /// Bytes written for a client that it has not read: a stream that passes it is ended with `SubscriberTooSlow`. What
    /// one move of the focus changed counts once all of it is written.
    var maximumQueuedBytes = 1 << 20
    /// Queued bytes beyond which no further call of that client is begun.
    var pauseAtQueuedBytes = 64 << 10
    /// How long a client that is cut off may take to read what it is owed.
    var closingMilliseconds: Int64 = 5_000
    /// Bytes read from one client in one turn of the loop.
    var readBytes = 64 << 10
    /// Moves that one client process may wait for at once: fewer than its connections, of which each waits for one.
    var maximumMovesPerProcess = 16
    /// Searches, waits and trees that one client process may have under way at once.
    var maximumSearchesPerProcess = 32
    /// Binds that one client process may have at once.
    var maximumStatesPerProcess = 4_096
    /// Prototypes of one focus state.
    var maximumPrototypesPerState = 1_024
    /// Modes that one focus state names: each move is compared with them.
    var maximumModesPerState = 32
    /// Prototypes of all binds of one client process: what they make focusd hold is some kilobytes each.
    var maximumPrototypesPerProcess = 65_536
    /// Bytes of the selectors and values of all binds of one client process.
    var maximumSelectorBytesPerProcess = 16 << 20
    /// Selectors of all binds of one client process that need the trees of applications: each is asked when one changes.
    var maximumTreeSelectorsPerProcess = 1_024
    /// Sets that one client process may wait for at once.
    var maximumPendingSetsPerProcess = 64
    /// How long a search waits for applications that are still being read; then it answers without them.
    var searchMicroseconds: Int64 = 3_000_000
    /// Texts that one client process may have announced in a second: more is not listened to.
    var announcementsPerSecond = 5
    /// Bytes of one text: some minutes of speech.
    var maximumAnnouncementBytes = 8 << 10
}
