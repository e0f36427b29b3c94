/// What the person whose desktop it is may choose. Without a file everything is as ``init()`` makes it.
package struct Settings: Hashable, Sendable {
    /// When an application's tree is read and kept.
    package enum Mirror: String, Hashable, Sendable, CaseIterable {
        /// While somebody asks about it, and for a while after.
        case demand
        /// Always, every application's.
        case desktop
    }

    /// Programs that count as assistive technologies.
    package var technologies = ["orca", "odilia"]
    package var mirror = Mirror.demand
    /// How long a tree is kept after nobody asks about it any more.
    package var keepMirrorSeconds = 60
    /// Elements kept of one application.
    package var nodesPerApplication = 200_000
    /// Elements kept of all applications together.
    package var nodes = 1_000_000
    /// Children kept of one element.
    package var childrenPerObject = 50_000
    /// Levels kept below an application.
    package var depth = 1_000
    /// UTF-8 bytes kept of a name, a description or an id.
    package var nameBytes = 4_096
    /// Questions that one application has to answer at the same time.
    package var callsInFlight = 64
    /// How long the doctor tells of what went wrong and is over.
    package var rememberTroubleSeconds = 600

    package init() {}
}
