import ATSPI
import EventLoop

/// What the mirrors of applications may cost, and when they are looked at.
struct MirrorLimits: Sendable {
    /// Nodes of all mirrors together.
    var maximumNodes = 1_000_000
    /// Events kept while an application's cache is being read; with more of them it is read again.
    var maximumHeldEvents = 50_000
    /// How an application's cache is read: it must say all it has in one message.
    var cache = CacheReading.Limits()
    /// Questions to one application at a time.
    var questions = CallQueue.Limits()
    /// Nodes of an application after whose reading memory is given back to the system.
    var nodesUntilGivingBack = 2_000
    /// Calls without an answer, one after the other, after which an application is left alone for a while.
    var timeoutsUntilUnresponsive = 3
    /// When an application that did not answer is asked again whether it does: doubled up to the longest.
    var firstProbeMilliseconds: Int64 = 500
    var longestProbeMilliseconds: Int64 = 8_000
    /// How long such a question may take: it is answered as soon as the application goes on.
    var longQuestionMilliseconds: Int32 = 60_000
    /// How long after an event the mirror is compared with live state; never without events. Doubled, while nothing is
    /// found, up to the longest.
    var firstCheckMilliseconds: Int64 = 1_000
    var longestCheckMilliseconds: Int64 = 4_000
    /// Nodes compared in one go: those that events named with what is beside them, and as many in turn.
    var checkedNodes = 64
    /// Goes one after the other: smaller applications are compared whole.
    var checksInTurn = 8
    /// Differences in one comparison with which the mirror is read anew instead of being mended.
    var differencesUntilReload = 16
    /// Least time between two readings of the same application because of differences; doubled up to 16 times.
    var reloadMilliseconds: Int64 = 5_000
    /// Children of one object beyond which its list is only read when an event is about it.
    var checkedChildren = 2_000
    /// When a new object that no list names yet is looked for.
    var settleMilliseconds: Int64 = 50
    /// When an object that does not answer yet is asked again: GTK 4 announces objects before they answer.
    var retryMilliseconds: Int64 = 100
    /// How many times that is done.
    var maximumRetries = 3
}
