/// Moves the technologies of a state to the element of a value, and says what became of it.
public enum SetValue: MethodCall {
    public static let name = "io.focusd.Focus.SetValue"

    public struct Parameters: Codable, Hashable, Sendable {
        public var state: String
        /// One of the state's values; absent to give the focus back to where it was before.
        public var value: String?
        /// Presents the element again where the state has the value already.
        public var again: Bool?
        /// The routes allowed, of `application`, `grabFocus` and `activeDescendant`; absent for all.
        public var routes: [String]?
        /// How long to try, 1 to 60,000; 2,000 where absent.
        public var timeoutMilliseconds: Int?

        public init(
            state: String, value: String? = nil, again: Bool? = nil, routes: [String]? = nil,
            timeoutMilliseconds: Int? = nil
        ) {
            self.state = state
            self.value = value
            self.again = again
            self.routes = routes
            self.timeoutMilliseconds = timeoutMilliseconds
        }
    }

    public struct Reply: Codable, Hashable, Sendable {
        public var outcome: Outcome

        public init(outcome: Outcome) {
            self.outcome = outcome
        }
    }
}
