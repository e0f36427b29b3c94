/// One method of `io.focusd.Focus`: its name on the wire and the shapes of what goes in and out.
public protocol MethodCall: SendableMetatype {
    /// What a caller gives; decoded from `parameters`.
    associatedtype Parameters: Codable & Sendable
    /// What one reply carries.
    associatedtype Reply: Codable & Sendable
    /// The whole name on the wire, like `io.focusd.Focus.GetFocus`.
    static var name: String { get }
}

/// Parameters of a method that takes none.
public struct NoParameters: Codable, Hashable, Sendable {
    public init() {}
}
