/// A way in which focusd moves a technology to an element.
public struct FocusRoute: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public init(stringLiteral value: String) { rawValue = value }

    /// The app moves to its own element: see ``Element/init(_:move:)``.
    public static let application = FocusRoute(rawValue: "application")
    /// The element gets the keyboard focus.
    public static let grabFocus = FocusRoute(rawValue: "grabFocus")
    /// The technology is told of the element; the keyboard focus stays where it is.
    public static let activeDescendant = FocusRoute(rawValue: "activeDescendant")
    /// Through a script inside the technology.
    public static let companion = FocusRoute(rawValue: "companion")
}
