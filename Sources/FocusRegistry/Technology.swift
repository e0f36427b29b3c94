/// A technology's name: the base name of its program, like `orca`, or `keyboard` for the built-in other kind.
package struct TechnologyID: RawRepresentable, Hashable, Sendable, Comparable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
    package init(_ name: String) { rawValue = name }

    /// Where typed keys go. Never part of the aggregate.
    package static let keyboard = TechnologyID("keyboard")

    package static func < (first: TechnologyID, second: TechnologyID) -> Bool { first.rawValue < second.rawValue }
}

/// A live connection of a technology on the accessibility bus.
package struct TechnologyConnection: Hashable, Sendable {
    package var busName: String
    package var pid: Int
    /// As its own files say it, like `43.1`; nil where they do not.
    package var version: String?

    package init(busName: String, pid: Int, version: String? = nil) {
        self.busName = busName
        self.pid = pid
        self.version = version
    }
}

/// What a technology is doing, in its own word. Unknown words are passed on.
package struct Mode: RawRepresentable, Hashable, Sendable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let focusTracking = Mode(rawValue: "focus-tracking")
    package static let caretTracking = Mode(rawValue: "caret-tracking")
    package static let flatReview = Mode(rawValue: "flat-review")
    package static let mouseReview = Mode(rawValue: "mouse-review")
    package static let objectNavigator = Mode(rawValue: "object-navigator")
}

/// Microseconds of the monotonic clock. Given in by the caller: nothing here reads a clock.
package typealias Microseconds = Int64
