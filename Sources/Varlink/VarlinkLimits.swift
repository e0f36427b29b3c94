/// What one peer may cost: every growth that a peer can cause has its number here.
package struct VarlinkLimits: Hashable, Sendable {
    /// The longest message in bytes, without its NUL. A call is some hundred bytes; the rest is room for long selectors.
    package var maximumMessageBytes = 1 << 20
    /// How deep objects and arrays may stand in each other; the message's own object counts as one.
    package var maximumDepth = 64
    /// How many whole calls may wait behind those in flight before reading stops.
    package var maximumQueuedCalls = 64
    /// How many bytes of whole calls may wait behind those in flight before reading stops.
    package var maximumQueuedBytes = 1 << 20

    /// How many calls of overlapping methods may be in flight at once, answers that are held included; later ones wait.
    package var maximumOverlappingCalls = 64

    package init() {}

    /// What a server grants each of its clients.
    package static var server: VarlinkLimits { VarlinkLimits() }

    /// What a client grants the service it chose to talk to: long lists come in one message.
    package static var client: VarlinkLimits {
        var limits = VarlinkLimits()
        limits.maximumMessageBytes = 16 << 20
        return limits
    }
}
