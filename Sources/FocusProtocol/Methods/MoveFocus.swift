/// Moves technologies to an element and says what became of it.
public enum MoveFocus: MethodCall {
    public static let name = "io.focusd.Focus.MoveFocus"

    public struct Parameters: Codable, Hashable, Sendable {
        /// Matches the one element to move to, which may appear until the time is over. Exactly one of this and `element`.
        public var selector: String?
        /// A reference: the bus name directly followed by the path, like `:1.5/org/a11y/atspi/accessible/17`.
        public var element: String?
        /// The technologies to move; absent for every active assistive technology.
        public var technologies: [String]?
        /// Presents the element again where the technology is on it already.
        public var again: Bool?
        /// The routes allowed, of `grabFocus` and `activeDescendant`; absent for all.
        public var routes: [String]?
        /// How long to try, 1 to 60,000; 2,000 where absent.
        public var timeoutMilliseconds: Int?

        public init(
            selector: String? = nil, element: String? = nil, technologies: [String]? = nil, again: Bool? = nil,
            routes: [String]? = nil, timeoutMilliseconds: Int? = nil
        ) {
            self.selector = selector
            self.element = element
            self.technologies = technologies
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
