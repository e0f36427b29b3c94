/// Says that a move that this client was asked for cannot be made.
public enum DeclineMove: MethodCall {
    public static let name = "io.focusd.Focus.DeclineMove"

    public struct Parameters: Codable, Hashable, Sendable {
        /// From the `move` that asked for it. One that is over is passed over.
        public var token: String
        /// For people who read logs.
        public var reason: String

        public init(token: String, reason: String) {
            self.token = token
            self.reason = reason
        }
    }

    public struct Reply: Codable, Hashable, Sendable {
        public init() {}
    }
}
