/// Ends a state and all streams of it.
public enum Unbind: MethodCall {
    public static let name = "io.focusd.Focus.Unbind"

    public struct Parameters: Codable, Hashable, Sendable {
        public var state: String

        public init(state: String) {
            self.state = state
        }
    }

    public struct Reply: Codable, Hashable, Sendable {
        public init() {}
    }
}
