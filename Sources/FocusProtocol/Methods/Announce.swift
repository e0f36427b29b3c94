/// Has the screen reader say something, without moving it.
public enum Announce: MethodCall {
    public static let name = "io.focusd.Focus.Announce"

    public struct Parameters: Codable, Hashable, Sendable {
        public var text: String
        /// Whether it interrupts what is being said.
        public var urgent: Bool?

        public init(text: String, urgent: Bool? = nil) {
            self.text = text
            self.urgent = urgent
        }
    }

    public struct Reply: Codable, Hashable, Sendable {
        /// How it was sent: `remoteController`, `announcement` or `notification`; absent where it was not.
        public var route: String?
        /// That it was sent to a screen reader; never that it was spoken.
        public var delivered: Bool

        public init(route: String? = nil, delivered: Bool) {
            self.route = route
            self.delivered = delivered
        }
    }
}
