/// An error of `io.focusd.Focus`: its name on the wire; its properties are the parameters.
public protocol InterfaceError: Error, Codable, Hashable, Sendable {
    /// The whole name on the wire, like `io.focusd.Focus.UnknownTechnology`.
    static var name: String { get }
}

/// The errors that the methods of `io.focusd.Focus` answer. What becomes of a move is never an error but its outcome.
public enum FocusError {
    /// A selector cannot be read.
    public struct InvalidSelector: InterfaceError {
        public static let name = "io.focusd.Focus.InvalidSelector"
        /// In bytes of UTF-8, counted from 0.
        public var position: Int
        /// What would have been right there, in words.
        public var expected: String
        /// Of `Bind`: the place of the prototype, counted from 0.
        public var prototype: Int?

        public init(position: Int, expected: String, prototype: Int? = nil) {
            self.position = position
            self.expected = expected
            self.prototype = prototype
        }
    }

    /// No technology with this id is known.
    public struct UnknownTechnology: InterfaceError {
        public static let name = "io.focusd.Focus.UnknownTechnology"
        public var id: String

        public init(id: String) {
            self.id = id
        }
    }

    /// No focus state has this name or id.
    public struct UnknownState: InterfaceError {
        public static let name = "io.focusd.Focus.UnknownState"
        public var state: String

        public init(state: String) {
            self.state = state
        }
    }

    /// The state has no such value.
    public struct UnknownValue: InterfaceError {
        public static let name = "io.focusd.Focus.UnknownValue"
        public var value: String

        public init(value: String) {
            self.value = value
        }
    }

    /// A state of this name exists, and has other prototypes, technologies or modes.
    public struct StateExists: InterfaceError {
        public static let name = "io.focusd.Focus.StateExists"
        public var state: String

        public init(state: String) {
            self.state = state
        }
    }

    /// The reference names an element that is no more, or never was.
    public struct StaleElement: InterfaceError {
        public static let name = "io.focusd.Focus.StaleElement"

        public init() {}
    }

    /// Until the time was over no element matched.
    public struct ElementNotFound: InterfaceError {
        public static let name = "io.focusd.Focus.ElementNotFound"
        /// `noSuchApplication`, `stillLoading`, `applicationNotResponding` or `noMatch`.
        public var reason: String

        public init(reason: String) {
            self.reason = reason
        }
    }

    /// An element matched, but until the time was over not as was waited for.
    public struct WaitTimedOut: InterfaceError {
        public static let name = "io.focusd.Focus.WaitTimedOut"

        public init() {}
    }

    /// The selector of a tree matches several elements.
    public struct AmbiguousSelector: InterfaceError {
        public static let name = "io.focusd.Focus.AmbiguousSelector"
        public var count: Int

        public init(count: Int) {
            self.count = count
        }
    }

    /// The client reads its stream too slowly, and is disconnected.
    public struct SubscriberTooSlow: InterfaceError {
        public static let name = "io.focusd.Focus.SubscriberTooSlow"

        public init() {}
    }

    /// The client has more of something than one client may have.
    public struct LimitExceeded: InterfaceError {
        public static let name = "io.focusd.Focus.LimitExceeded"
        /// The limit's name.
        public var limit: String

        public init(limit: String) {
            self.limit = limit
        }
    }
}
