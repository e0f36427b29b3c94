import AccessibilityTree

/// The notifications among focusd's own accessibles: the last texts announced, each at a path that no other ever had.
///
/// A screen reader asks for the text some time after it was told that there is one, and remembers of a path what it
/// once read there.
struct OwnNotifications {
    struct Notification: Hashable {
        let path: String
        let text: String
        /// The bus name of the screen reader that was told of it.
        let technology: String
    }

    /// Texts that can still be read; one more and the oldest goes.
    static let maximumCount = 32
    /// How long the last text can be read: a screen reader that is busy asks late.
    static let milliseconds: Int64 = 30_000

    private(set) var all: [Notification] = []
    private var lastNumber: UInt64 = 0

    subscript(path: String) -> Notification? { all.first { $0.path == path } }

    mutating func add(_ text: String, for technology: String) -> Notification {
        lastNumber += 1
        let notification = Notification(
            path: "/org/a11y/atspi/accessible/announcement/\(lastNumber)", text: text, technology: technology)
        all.append(notification)
        return notification
    }

    /// Takes out the oldest, so that this many are left.
    mutating func removeOldest(leaving count: Int) -> [Notification] {
        let removed = all.dropLast(count)
        all.removeFirst(removed.count)
        return Array(removed)
    }
}
